"""`python -m tests.attack --trials 100000 --seed 1`: random changes between calls of compiled programs; minimal failures."""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import sys
import time
import traceback
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
    SETTINGS.shadow = int(options.shadow)
    start, found, broken, slow, abandoned = time.time(), {}, 0, 0, 0
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, too_long)
    for number in range(options.trials):
        if number and number % 1000 == 0:
            print(f"{number} trials, {time.time() - start:.0f} s", file=sys.stderr, flush=True)
        seed = options.seed * 10**7 + number
        rng = random.Random(seed)
        name = rng.choice(names) if names and rng.random() < options.known else f"generated {seed // EACH}"
        setting = {"backend": options.backend, "dynamic": rng.choice([None, None, True, False])}
        signal.setitimer(signal.ITIMER_PROF, SECONDS, 1)       # again, where nobody heard the alarm
        try:
            failure = attempt(name, seed, setting)
            signal.setitimer(signal.ITIMER_PROF, 0)
        except TooLong:
            signal.setitimer(signal.ITIMER_PROF, 0)
            if endless(name, seed, setting):
                abandoned += 1
            else:
                print(f"seed {seed}: {name} takes more than {SECONDS} s\n", flush=True)
                slow += 1
            continue
        except Exception:                              # of the attack itself: told, and the other trials go on
            signal.setitimer(signal.ITIMER_PROF, 0)
            print(f"seed {seed}: {name} could not be tried\n{traceback.format_exc(limit=-4)}", flush=True)
            broken += 1
            continue
        if failure is None:
            continue
        failure = shrink_program(shrink(failure))
        if run(failure.program, failure.steps, failure.options) is None:
            failure.text += "   (does not repeat)"
        key = (name, tuple(s[:2] for s in failure.steps), failure.text[:40])
        if key not in found:
            found[key] = failure
            print(f"seed {seed}: {failure}\n{listing(failure.program)}", flush=True)
        if len(found) >= options.stop:
            break
    if options.shadow:
        print(f"shadow check: {SHADOW.checked} repeated, {SHADOW.different} different, {dict(SHADOW.skipped.most_common(8))}")
    print(f"{number + 1} trials from seed {options.seed}, {len(found)} different failures, {broken} broken, {slow} too slow, "
          f"{abandoned} of which plain Python makes no end either, "
          f"{time.time() - start:.0f} s")
    return 1 if found or broken or slow else 0


if __name__ == "__main__":
    sys.exit(attack(sys.argv[1:]))
