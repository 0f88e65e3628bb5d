"""`python -m tests.attack --trials 100000 --seed 1`: random changes between calls of compiled programs; minimal failures."""

from __future__ import annotations

import argparse
import collections
import multiprocessing
import os
import random
import resource
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
import main  # noqa: E402

main.make_importable()
from guardscope.core.artifacts.settings import SETTINGS  # noqa: E402
from guardscope.core.artifacts.shadow import SHADOW  # noqa: E402
from guardscope.tests.attack.random.grammar import listing  # noqa: E402
from guardscope.tests.attack.random.trial import attempt, run, shrink, shrink_program  # noqa: E402
from guardscope.tests.attack.random.world import World  # noqa: E402

MEMORY = 4 << 30         # bytes; a changed number may ask for a huge tensor
EACH = 6                 # trials of one generated program
STRETCH = 1000           # trials of one process
SECONDS = 5              # of CPU time; a changed method may make a loop endless


class TooLong(BaseException):
    """A trial takes too long."""


def too_long(*_: object) -> None:
    raise TooLong


def endless(name: str, seed: int, setting: dict[str, Any]) -> bool:
    """Whether plain Python takes more than a second as well, until its memory is full for instance: then tracing may take
    longer. In a process of its own, because a loop in C hears no alarm."""
    sys.stdout = sys.__stdout__              # the alarm may have gone off where redirected output would be put back
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)          # which ends the process, whatever it is doing
            signal.alarm(1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            attempt(name, seed, {**setting, "disable": True})
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def attack(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--program", default="", help="only programs whose name starts so")
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--known", type=float, default=0.4, help="share of the programs that are written, not generated")
    parser.add_argument("--shadow", action="store_true", help="repeat every reused call: nothing must be found")
    parser.add_argument("--stop", type=int, default=20, help="after so many different failures")
    options = parser.parse_args(argv)
    names = [n for n in World("plain", "slots").module.PROGRAMS if n.startswith(options.program)]
    if options.program.startswith("generated"):
        names = []
    elif options.program:
        options.known = 1.0
    start = time.time()
    tally = Tally()
    context = multiprocessing.get_context("fork")
    for first in range(0, options.trials, STRETCH):
        count = min(STRETCH, options.trials - first)
        with context.Pool(1) as pool:                      # a process of its own: code that was compiled is kept for good
            tally.add(pool.apply(stretch, (options, names, first, count, tally.found)))
        print(f"{first + count} trials, {time.time() - start:.0f} s", file=sys.stderr, flush=True)
        if len(tally.found) >= options.stop:
            break
    if options.shadow:
        print(f"shadow check: {tally.checked} repeated, {tally.different} different, {dict(tally.skipped.most_common(8))}")
    print(f"{tally.trials} trials from seed {options.seed}, {len(tally.found)} different failures, {tally.broken} broken, "
          f"{tally.slow} too slow, {tally.abandoned} of which plain Python makes no end either, {time.time() - start:.0f} s")
    return 1 if tally.found or tally.broken or tally.slow else 0


@dataclass
class Tally:
    """What came of the trials so far. found: failures that were told, by what tells them apart."""

    trials: int = 0
    found: set[tuple] = field(default_factory=set)
    broken: int = 0
    slow: int = 0
    abandoned: int = 0
    checked: int = 0
    different: int = 0
    skipped: collections.Counter = field(default_factory=collections.Counter)

    def add(self, more: Tally) -> None:
        self.found |= more.found
        self.skipped += more.skipped
        for name in ("trials", "broken", "slow", "abandoned", "checked", "different"):
            setattr(self, name, getattr(self, name) + getattr(more, name))


def stretch(options: argparse.Namespace, names: list[str], first: int, count: int, told: set[tuple]) -> Tally:
    """Some trials, in a row."""
    SETTINGS.shadow = int(options.shadow)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, too_long)
    tally = Tally(found=set(told))
    for seed in range(options.seed * 10**7 + first, options.seed * 10**7 + first + count):
        tally.trials += 1
        rng = random.Random(seed)
        name = rng.choice(names) if names and rng.random() < options.known else f"generated {seed // EACH}"
        setting = {"backend": options.backend, "dynamic": rng.choice([None, None, True, False])}
        one(seed, name, setting, tally)
        if len(tally.found) >= options.stop:
            break
    tally.checked, tally.different, tally.skipped = SHADOW.checked, SHADOW.different, SHADOW.skipped
    return tally


def one(seed: int, name: str, setting: dict[str, Any], tally: Tally) -> None:
    """One trial; prints what it finds."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS, 1)           # again, where nobody heard the alarm
    try:
        failure = attempt(name, seed, setting)
        signal.setitimer(signal.ITIMER_PROF, 0)
    except TooLong:
        signal.setitimer(signal.ITIMER_PROF, 0)
        if endless(name, seed, setting):
            tally.abandoned += 1
        else:
            print(f"seed {seed}: {name} takes more than {SECONDS} s\n", flush=True)
            tally.slow += 1
        return
    except Exception:                                  # of the attack itself: told, and the other trials go on
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(f"seed {seed}: {name} could not be tried\n{traceback.format_exc(limit=-4)}", flush=True)
        tally.broken += 1
        return
    if failure is None:
        return
    failure = shrink_program(shrink(failure))
    if run(failure.program, failure.steps, failure.options) is None:
        failure.text += "   (does not repeat)"
    key = (name, tuple(s[:2] for s in failure.steps), failure.text[:40])
    if key not in tally.found:
        tally.found.add(key)
        print(f"seed {seed}: {failure}\n{listing(failure.program)}", flush=True)


if __name__ == "__main__":
    sys.exit(attack(sys.argv[1:]))
