"""One trial: build both worlds, call, change, call again; everything that can be seen must stay alike."""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from guardscope.core.artifacts.shadow import SHADOW
from guardscope.core.capture.capture import FAULTS
from guardscope.core.tensor.state import STATE

from . import grammar
from .compare import ADDRESS, Difference, Pairing, same_outcome, shorten
from .mutations import CHANGES, Impossible, change_arguments
from .places import look
from .shared_mutations import change_shared
from .world import Shared, World, forget_text

# ("call",), ("refresh",), ("seed", n), ("arguments", seed), ("shared", seed), (kind of change, path, seed)
Step = tuple
REGISTRY = "__warningregistry__"         # put there by the warnings of the library that a call goes through
KINDS = ["replace"] * 7 + ["change"] * 5 + ["drop", "swap", "swap", "shadow"]


@dataclass
class Failure:
    """What went wrong: replay with `run(program, steps, ...)`."""

    program: str
    steps: list[Step]
    options: dict[str, Any]
    text: str

    def __str__(self) -> str:
        return f"{self.program} {self.options}\n    " + "\n    ".join(map(repr, self.steps)) + f"\n    -> {self.text}"


class Trial:
    """Runs steps in both worlds."""

    def __init__(self, program: str, options: dict[str, Any]) -> None:
        import torch

        torch._dynamo.reset()
        self.shared = Shared()
        self.exact = options["backend"] == "eager"
        self.mine, self.plain = World("compiled", program), World("plain", program)
        self.mine.compiled = torch.compile(self.mine.target, **options)

    def close(self) -> None:
        self.shared.undo()

    def step(self, step: Step) -> None:
        """Raises Difference when the worlds part, Impossible when a change cannot be made."""
        if step[0] == "call":
            self.call()
        elif step[0] == "refresh":
            try:
                self.mine.refresh()
                self.plain.refresh()
            except Exception:                          # a class that was changed cannot be instantiated any more
                raise Impossible from None
        elif step[0] == "shared":
            change_shared(step[1], look(self.plain), self.shared)
        elif step[0] == "seed":
            self.mine.seed = self.plain.seed = step[1]
        elif step[0] == "arguments":
            for world in (self.plain, self.mine):
                change_arguments(random.Random(step[1]), world)
        else:
            self.change(*step)

    def change(self, kind: str, path: str, seed: int) -> None:
        outcomes = []
        for world in (self.plain, self.mine):
            view = look(world)
            place = next((p for p in view.places if p.path == path), None)
            if place is None:
                raise Impossible
            try:
                with world.inside():
                    CHANGES[kind](random.Random(seed), place, view)
                outcomes.append("done")
            except Impossible:
                raise
            except Exception as problem:               # for example a class that cannot have another layout
                outcomes.append(type(problem).__name__)
        if outcomes[0] != outcomes[1]:
            raise Difference(f"{kind} of {path}: compiled {outcomes[1]}, plain {outcomes[0]}")

    def call(self) -> None:
        before = STATE.mode
        mine = self.mine.call()
        after, left = STATE.mode, self.mine.after()
        faults = [f"{type(fault).__name__} in {where}: {fault}" for where, fault in FAULTS
                  if not isinstance(fault, RecursionError)]            # a change may make a function call itself for ever
        FAULTS.clear()
        if faults:
            raise Difference(f"a fault of the compiler: {faults[0]}")
        environment = dict(os.environ)
        if SHADOW.different:
            SHADOW.different = 0
            raise Difference(f"the shadow check: {SHADOW.last}")
        STATE.mode = before
        plain = self.plain.call()
        if any(isinstance(found[1], RecursionError) for found in (mine, plain)):     # how deep it went is nobody's promise
            raise Abandoned
        if STATE.mode is not after:
            raise Difference(f"modes after the call: compiled {after}, plain {STATE.mode}")
        for what, one, other in zip(("printed", "random", "numpy.random", "torch.rand"), left, self.plain.after()):
            if one != other and ADDRESS.sub("", str(one)) != ADDRESS.sub("", str(other)):
                raise Difference(f"{what} after the call: compiled {shorten(one)}, plain {shorten(other)}")
        if environment != dict(os.environ):
            raise Difference("the environment after the call")
        try:
            self.compare(mine, plain)
        except Difference:
            raise
        except Exception:                              # a class was changed so that nothing can be seen of its instances
            raise Impossible from None

    def compare(self, mine: tuple[str, Any], plain: tuple[str, Any]) -> None:
        pairing = Pairing(self.exact)
        same_outcome(mine, plain, pairing)
        pairing.same(self.mine.args, self.plain.args, "args")
        pairing.same(self.mine.kwargs, self.plain.kwargs, "kwargs")
        pairing.same(self.mine.target, self.plain.target, "target")
        mine_view, plain_view = look(self.mine), look(self.plain)
        paths = [[p.path for p in v.places] for v in (mine_view, plain_view)]
        if paths[0] != paths[1]:
            raise Difference(f"what can be seen: compiled only {sorted(set(paths[0]) - set(paths[1]))}, plain only "
                             f"{sorted(set(paths[1]) - set(paths[0]))}")
        for p, q in zip(mine_view.places, plain_view.places):
            pairing.same(p.value, q.value, p.path)
        if [n for n in vars(self.mine.module) if n != REGISTRY] != [n for n in vars(self.plain.module) if n != REGISTRY]:
            raise Difference("the names of the module")


class Abandoned(Exception):
    """Nothing can be learned from this trial any more."""


def run(program: str, steps: list[Step], options: dict[str, Any] | None = None) -> str | None:
    """Replay: what is different, or None. Changes that cannot be made (any more) are left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = Trial(program, options or {"backend": "eager"})
        try:
            for step in steps:
                try:
                    trial.step(step)
                except Difference as found:
                    return str(found)
                except Impossible:
                    continue
                except Abandoned:
                    return None
        finally:
            trial.close()
    return None


def attempt(program: str, seed: int, options: dict[str, Any]) -> Failure | None:
    """A random trial."""
    rng = random.Random(seed)
    steps: list[Step] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = Trial(program, options)
        try:
            for step in plan(rng, trial):
                try:
                    trial.step(step)
                    steps.append(step)
                except Impossible:
                    continue
                except Abandoned:
                    return None
                except Difference as found:
                    return Failure(program, [*steps, step], options, str(found))
        finally:
            trial.close()
    return None


def plan(rng: random.Random, trial: Trial) -> Iterator[Step]:
    """Calls with changes between them."""
    yield ("call",)
    if rng.random() < 0.3:
        yield ("call",)
    for _ in range(rng.choice([1, 1, 2, 2, 3])):
        for _ in range(rng.choice([1, 1, 2])):
            dice = rng.random()
            if dice < 0.08:
                yield ("refresh",)
            elif dice < 0.1:
                yield ("seed", rng.randrange(100))
            elif dice < 0.14:
                yield ("arguments", rng.randrange(10**6))
            elif dice < 0.25:
                yield ("shared", rng.randrange(10**6))
            else:
                places = look(trial.plain).places
                if places:
                    yield (rng.choice(KINDS), rng.choice(places).path, rng.randrange(10**6))
        yield ("call",)
    yield ("call",)


def shrink(failure: Failure) -> Failure:
    """Leave out steps as long as it still fails."""
    steps = list(failure.steps)
    changed = True
    while changed:
        changed = False
        for i in range(len(steps)):
            fewer = steps[:i] + steps[i + 1:]
            text = run(failure.program, fewer, failure.options)
            if text is not None:
                steps, failure, changed = fewer, Failure(failure.program, fewer, failure.options, text), True
                break
    return failure


def shrink_program(failure: Failure) -> Failure:
    """A generated program loses lines as long as it still fails."""
    if not failure.program.startswith("generated "):
        return failure
    number = int(failure.program.split()[1])
    changed = True
    while changed:
        changed = False
        for text in grammar.shorter(grammar.source(number)):
            before = grammar.SHORTER.get(number)
            grammar.SHORTER[number] = text
            forget_text(failure.program)
            found = run(failure.program, failure.steps, failure.options)
            if found is not None:
                failure, changed = Failure(failure.program, failure.steps, failure.options, found), True
                break
            if before is None:
                del grammar.SHORTER[number]
            else:
                grammar.SHORTER[number] = before
            forget_text(failure.program)
    return failure
