"""What if: which kept version would take a call that nobody made, or which guards of which versions would refuse it.

`ask(session, situation)` evaluates the recorded guards of every version; nothing is run. A guard on sizes, numbers, types
and modes is computed. One that compares objects (the same function, the same module) cannot be: the run that the question
starts from tells whether it holds. Where that run does not tell, the guard is taken to hold as when its version last ran,
and the answer says so; a guard on a value that is not recorded is unknown, and then the answer is that it cannot be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from .conditions import NotKnown, evaluate, normal
from .reader import Session
from .schema import FailureRow, GuardRow, Value
from .situation import Situation, expected_value, miss_of, modes_of, situation, tensor_facts, type_of
from .summary import entries_of, limit_of
from .value_text import text_of

OBJECT_KINDS = {"ID_MATCH", "FUNCTION_MATCH", "DICT_KEYS", "SET_CONTENTS", "CLASS_ATTRIBUTE", "SEQUENCE_LENGTH", "TYPE_MATCH",
                "EQUALS_MATCH", "CONSTANT_MATCH"}          # one place can meet only one condition of such a kind
OBJECTS = OBJECT_KINDS - {"EQUALS_MATCH", "CONSTANT_MATCH", "SEQUENCE_LENGTH", "TYPE_MATCH"} | {
    "NAMES_UNCHANGED", "NOT_IN_INSTANCE", "HASATTR", "DICT_CONTAINS", "STORAGE_OVERLAP"}   # nothing to compute with
OPPOSITES = {"OBJECT_ALIASING": "NOT_ALIASING", "NOT_ALIASING": "OBJECT_ALIASING"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one version says. It takes the call when `failures` and `unknown` are both empty. `unknown`: (guard, why it
    cannot be told); `assumed`: guards taken to hold as when the version last ran. `checked`: guards in all."""

    artifact: int
    version: int
    failures: tuple[FailureRow, ...] = ()
    unknown: tuple[tuple[GuardRow, str], ...] = ()
    assumed: tuple[GuardRow, ...] = ()
    checked: int = 0

    @property
    def takes(self) -> bool:
        return not self.failures and not self.unknown


@dataclass(frozen=True, slots=True)
class Answer:
    """`outcome`: reuse, compile, recompile, eager_limit, not_compiled, or "unknown" where an unknown guard decides.
    `artifact`: the version that takes the call, -1 if none. `verdicts`: nearest first. `sentence`: all in one."""

    outcome: str
    artifact: int
    verdicts: tuple[Verdict, ...]
    sentence: str


class Guards(dict[int, list[GuardRow]]):
    """The guards of each version, read once."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._names_fail: tuple[int, bool] | None = None
        self._by_place: dict[int, dict[tuple[str, str], list[GuardRow]]] = {}

    def __missing__(self, artifact: int) -> list[GuardRow]:
        found = self[artifact] = self.session.guards(artifact)
        return found

    def on(self, artifact: int, kind: str | None, origin: str) -> list[GuardRow]:
        """Those of a version that have a kind and an origin."""
        found = self._by_place.get(artifact)
        if found is None:
            found = self._by_place[artifact] = {}
            for g in self[artifact]:
                found.setdefault((g.kind, g.origin), []).append(g)
        return found.get((kind or "", origin), [])

    def names_fail(self, session: Session) -> bool:
        """Whether a guard on names of libraries failed in any miss of `session`, which may be this one as of a call."""
        if self._names_fail is None or self._names_fail[0] != len(session.misses):
            self._names_fail = len(session.misses), any(f.kind == "NAMES_UNCHANGED" for m in session.misses for f in m.failures)
        return self._names_fail[1]


def ask(session: Session, s: Situation, known: Guards | None = None) -> Answer:
    """Evaluate every version's guards in the situation. `known`: keeps the guards between questions."""
    known = Guards(session) if known is None else known
    verdicts = [verdict(session, s, a, known) for a in s.group]
    order = {v.artifact: place for place, v in enumerate(verdicts)}
    nearest = sorted(verdicts, key=lambda v: (len(v.failures), len(v.unknown), order[v.artifact]))
    title = session.codes[s.code].title.rpartition("<locals>.")[2]
    first = next((v for v in verdicts if not v.failures), None)          # a version in doubt may take it before another
    if first is not None and first.takes:
        more = sum(v.takes for v in verdicts) - 1
        also = f"; {more} more would fit, but the one used last is asked first" if more else ""
        n = len(first.assumed)
        if_so = f", if {first.assumed[0].condition if n == 1 else f'{n} objects it looks at'} " \
                f"{'still holds' if n == 1 else 'are as when it last ran'}" if n else ""
        return Answer("reuse", first.artifact, tuple(nearest), f"Version {first.version} of {title} would take this call"
                      f"{if_so}{also}; nothing would be compiled.")
    if first is not None:
        guard, why = first.unknown[0]
        return Answer("unknown", -1, tuple(nearest), f"Version {first.version} of {title} may take this call: "
                      f"{guard.condition} cannot be told from the session ({why}).")
    given_up = next((n.why for n in session.not_compiled if n.code == s.code), None)
    if given_up is not None and not s.group:
        return Answer("not_compiled", -1, (), f"{title} is never compiled, so the call would run as plain Python: {given_up}.")
    kept, limit = entries_of(session)[s.code], limit_of(session, s.code)
    count = f"none of its {len(s.group)} kept versions" if len(s.group) > 1 else "its one kept version does not fit, it" \
        if s.group else ""
    if kept >= limit:
        return Answer("eager_limit", -1, tuple(nearest), f"No kept version of {title} fits and its limit of {limit} versions "
                      "is reached: the call would run as plain Python.")
    if not s.group:
        return Answer("compile", -1, (), f"{title} has no kept version; this call would compile the first.")
    tail = "would be compiled" if len(s.group) > 1 else "would be compiled again"
    head = f"{title}: {count} fits, so version {max(v.version for v in verdicts) + 1} {tail}" if len(s.group) > 1 else \
        f"{title}: {count} {tail}"
    return Answer("recompile", -1, tuple(nearest), f"{head} ({kept + 1} of {limit}).")


def verdict(session: Session, s: Situation, artifact: int, known: Guards) -> Verdict:
    """Every guard of one version: those that fail, and those of which the session does not tell."""
    failures: list[FailureRow] = []
    unknown: list[tuple[GuardRow, str]] = []
    assumed: list[GuardRow] = []
    names_fail = known.names_fail(session)
    guards = known[artifact]
    foreign: set[str] = set()                # places of another type: what is read inside them is not a question any more
    for g in guards:
        if foreign and any(p in foreign for p in _prefixes(normal(g.origin))):
            continue
        try:
            found = _check(session, s, artifact, g, known)
        except NotKnown as missing:
            if g.kind not in OBJECTS or _reads_edited(s, g):
                unknown.append((g, str(missing)))
            elif g.kind != "NAMES_UNCHANGED" or names_fail:
                assumed.append(g)
            continue
        failures += found
        if any(f.aspect in ("type", "none", "rank") for f in found) and g.kind in ("TENSOR_MATCH", "TYPE_MATCH"):
            foreign.add(normal(g.origin))
    if not guards:
        unknown.append((GuardRow(0, "", "", "its guards"), "they were not recorded"))
    return Verdict(artifact, session.artifacts[artifact].version, tuple(failures), tuple(unknown), tuple(assumed),
                   len(guards))


def _prefixes(place: str) -> Iterator[str]:
    yield place
    for i, letter in enumerate(place):
        if letter in ".[":
            yield place[:i]


def _check(session: Session, s: Situation, artifact: int, g: GuardRow, known: Guards) -> list[FailureRow]:
    """The failures of one guard, [] if it holds. NotKnown if the session does not tell."""
    if artifact in s.tested and not _reads_edited(s, g):
        return list(s.failed.get((artifact, g.index), ()))
    rule = RULES.get(g.kind)
    if rule is not None:
        try:
            return [_row(artifact, g, *difference) for difference in rule(s, g)]
        except NotKnown:
            if _reads_edited(s, g):
                raise
    return _inferred(session, s, artifact, g, known)


def _reads_edited(s: Situation, g: GuardRow) -> bool:
    """Whether the guard may look at a value that was typed."""
    return bool(s.edited) and not s.edited.isdisjoint(_read_by(g))


def _read_by(g: GuardRow) -> set[str]:
    """Names of places that the guard may look at: its origin with everything it hangs on, and what its text names."""
    if g.kind == "GLOBAL_STATE":
        return set(modes_of(g))
    origin = normal(g.origin)
    read = {origin, *_prefixes(origin), f"len({origin})"}
    if g.kind in ("SHAPE_ENV", "OBJECT_ALIASING", "NOT_ALIASING", "STORAGE_OVERLAP"):
        read |= _Mentions(g.condition)
    return read


class _Mentions(frozenset):
    """The places that a condition mentions, with everything they hang on."""

    def __new__(cls, text: str) -> _Mentions:
        places: set[str] = set()

        def note(place: str) -> Any:
            places.update(_prefixes(place))
            places.add(place)
            return 1

        for part in text.replace(" is not ", " == ").replace(" is ", " == ").split(" and "):
            try:
                evaluate(part, note)
            except NotKnown:
                pass
        return super().__new__(cls, places)


def _row(artifact: int, g: GuardRow, where: str, aspect: str, expected: str, seen: str, dim: int | None) -> FailureRow:
    return FailureRow(artifact, g.index, g.kind, g.origin, expected, seen, dim, where, aspect)


# -- guards that can be computed: each yields (where, aspect, expected, seen, dimension) of what differs

Difference = tuple[str, str, str, str, int | None]


def _value(s: Situation, g: GuardRow) -> Value:
    found = s.values.get(normal(g.origin))
    if found is None:
        raise NotKnown(f"{g.origin} is not recorded for call {s.call}")
    return found


def _tensor(s: Situation, g: GuardRow) -> Iterator[Difference]:
    v, e, where = _value(s, g), tensor_facts(g), g.origin
    if e is None:
        raise NotKnown("the session does not hold what is expected")
    if v.kind != "tensor":
        yield where, "none" if v.value is None and v.kind == "value" else "type", e["cls"] or "a tensor", v.text, None
        return
    if e["cls"] and v.type != e["cls"]:
        yield f"type({where})", "type", str(e["cls"]), v.type, None
    for aspect, seen in (("dtype", v.dtype), ("device", v.device), ("requires_grad", v.requires_grad)):
        if seen != e[aspect]:
            yield f"{where}.{aspect}", aspect, str(e[aspect]), str(seen), None
    if len(v.shape) != len(e["sizes"]):
        yield f"{where}.ndim", "rank", str(len(e["sizes"])), f"{len(v.shape)} (shape {list(v.shape)})", None
        return
    sized = [d for d, (want, n) in enumerate(zip(e["sizes"], v.shape)) if want is not None and want != n]
    for d in sized:
        yield f"{where}.shape[{d}]", "size", str(e["sizes"][d]), str(v.shape[d]), d
    if "strides" not in e:
        if (v.dtype, v.device, v.requires_grad) == (e["dtype"], e["device"], e["requires_grad"]) and not sized:
            raise NotKnown("the session does not hold its strides")
        return
    for d, (want, n) in enumerate(zip(e["strides"], v.strides)):
        if not sized and want is not None and want != n:     # other sizes bring other strides: the cause only
            yield f"{where}.stride({d})", "stride", str(want), str(n), d


def _type(s: Situation, g: GuardRow) -> Iterator[Difference]:
    v, wanted = _value(s, g), type_of(g)
    seen = "None" if v.kind == "value" and v.value is None else v.type
    wanted = "None" if wanted == "NoneType" else wanted
    if seen != wanted:
        yield g.origin, "none" if "None" in (seen, wanted) else "type", wanted, seen, None


def _constant(s: Situation, g: GuardRow) -> Iterator[Difference]:
    v, e = _value(s, g), expected_value(g)
    if e is None or v.kind == "type":
        raise NotKnown(f"the value of {g.origin} is not recorded exactly")
    if v.kind != e.kind or v.type != e.type:
        typed = v.text == e.text or v.kind == "value" and v.value == e.value
        yield (g.origin, "none" if None in (v.value, e.value) and v.kind == "value" else "type",
               f"{e.text} ({e.type})" if typed else e.text, f"{v.text} ({v.type})" if typed else v.text, None)
    elif not same(v.value, e.value):
        yield g.origin, "value", e.text, v.text, None


def same(a: Any, b: Any) -> bool:
    """Equal as guards mean it, for values of one type: -0.0 is not 0.0, NaN is NaN."""
    return repr(a) == repr(b)


def _length(s: Situation, g: GuardRow) -> Iterator[Difference]:
    v, e = s.values.get(normal(f"len({g.origin})")), expected_value(g)
    if v is None or e is None:
        raise NotKnown(f"len({g.origin}) is not recorded for call {s.call}")
    if v.value != e.value:
        yield f"len({g.origin})", "length", e.text, v.text, None


def _modes(s: Situation, g: GuardRow) -> Iterator[Difference]:
    for name, wanted in modes_of(g).items():
        if name not in s.modes:
            raise NotKnown(f"{name} is not recorded for call {s.call}")
        if s.modes[name] != wanted:
            yield name, "mode", wanted, s.modes[name], None


def _relation(s: Situation, g: GuardRow) -> Iterator[Difference]:
    holds, used = evaluate(g.condition, partial(number_at, s.values))
    if not holds:
        places = list(used)
        where = places[0] if len(places) == 1 else ", ".join(places) or g.origin
        seen = "; ".join(f"{place} is {value}" for place, value in used.items())
        dim = where.rpartition("[")[2].rstrip("]") if ".shape[" in where and len(places) == 1 else ""
        yield where, "symbolic", g.condition, seen, int(dim) if dim.isdigit() else None


def number_at(values: dict[str, Value], place: str) -> Any:
    """The number at a place: a size, a stride or a Python number. KeyError if it is not known."""
    if place in values:
        v = values[place]
        if v.kind == "value" and type(v.value) in (int, float):
            return v.value
        raise KeyError(place)
    for word, end in ((".shape[", "]"), (".stride(", ")")):
        head, found, dim = place.rpartition(word)
        if found and head in values and values[head].kind == "tensor" and dim.rstrip(end).isdigit():
            sizes = values[head].shape if end == "]" else values[head].strides
            if int(dim.rstrip(end)) < len(sizes):
                return sizes[int(dim.rstrip(end))]
    raise KeyError(place)


def _not_nan(s: Situation, g: GuardRow) -> Iterator[Difference]:
    v = _value(s, g)
    if v.kind == "type":
        raise NotKnown(f"the value of {g.origin} is not recorded")
    if v.value != v.value:
        yield g.origin, "value", "a float that is not NaN", "nan", None


def _aliasing(s: Situation, g: GuardRow) -> Iterator[Difference]:
    """A value that was typed is an object of its own, and values that differ are different objects; about others only the run
    that the question starts from tells."""
    same_wanted = g.kind == "OBJECT_ALIASING"
    other = g.condition.rpartition(" is " if same_wanted else " is not ")[2]
    a, b = s.values.get(normal(g.origin)), s.values.get(normal(other))
    typed = s.edited and s.edited.intersection({*_prefixes(normal(g.origin)), *_prefixes(normal(other))})
    if not typed and (a is None or b is None or text_of(a) == text_of(b)):
        raise NotKnown(f"whether {g.origin} and {other} are one object is not recorded")
    if same_wanted:
        yield g.origin, "aliasing", f"the same object as {other}", f"another object than {other}", None


RULES: dict[str, Callable[[Situation, GuardRow], Iterator[Difference]]] = {
    "TENSOR_MATCH": _tensor, "TYPE_MATCH": _type, "EQUALS_MATCH": _constant, "CONSTANT_MATCH": _constant,
    "SEQUENCE_LENGTH": _length, "GLOBAL_STATE": _modes, "SHAPE_ENV": _relation, "FLOAT_NOT_NAN": _not_nan,
    "OBJECT_ALIASING": _aliasing, "NOT_ALIASING": _aliasing}


# -- guards that compare objects: what the session tells about them

def _inferred(session: Session, s: Situation, artifact: int, g: GuardRow, known: Guards) -> list[FailureRow]:
    """A guard of a version that was not tried in the start call, by comparison with the version that took that call."""
    if g.kind == "PRESENT":
        return []
    if s.base < 0 or artifact == s.base:
        raise NotKnown(f"it was not tried in call {s.call}")
    alike = known.on(s.base, g.kind, g.origin)
    equal = next((b for b in alike if b.condition == g.condition), None)
    if equal is not None:
        if _told_apart(session, artifact, g, s.base, equal):
            return [_row(artifact, g, g.origin or g.kind, "identity", g.expected, f"another {g.expected}", None)]
        return []
    opposite = [b for b in known.on(s.base, OPPOSITES.get(g.kind), g.origin) if _other(b) == _other(g)]
    if opposite or alike and g.kind in OBJECT_KINDS:
        return [_row(artifact, g, g.origin or g.kind, "aliasing" if opposite else "identity", g.expected,
                     (opposite or alike)[0].expected, None)]
    if g.kind == "NOT_ALIASING" or g.kind == "STORAGE_OVERLAP" and g.expected.startswith("shares no"):
        return []                            # arguments are taken to be objects of their own unless the start call says more
    newer, older = (artifact, s.base) if artifact > s.base else (s.base, artifact)
    if newer == s.base and _tried(session, newer, older):        # when the base was made this guard was asked, and held
        failed = any(f.artifact == artifact and f.index == g.index for f in _miss(session, newer))
        if not failed:
            return []
    raise NotKnown(f"the version that took call {s.call} does not read {g.origin or 'these names'}")


def _other(g: GuardRow) -> str:
    return g.condition.replace(" is not ", " is ").rpartition(" is ")[2]


def _told_apart(session: Session, a: int, ga: GuardRow, b: int, gb: GuardRow) -> bool:
    """Whether two guards with one text expect different objects: when the newer version was made, the older one's failed."""
    newer, (older, guard) = (a, (b, gb)) if a > b else (b, (a, ga))
    return any(f.artifact == older and f.index == guard.index for f in _miss(session, newer))


def _tried(session: Session, newer: int, older: int) -> bool:
    return any(f.artifact == older for f in _miss(session, newer))


def _miss(session: Session, artifact: int) -> tuple[FailureRow, ...]:
    miss = miss_of(session, artifact)
    return miss.failures if miss is not None else ()


__all__ = ["Answer", "Situation", "Verdict", "ask", "situation"]
