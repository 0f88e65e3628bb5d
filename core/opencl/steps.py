"""The kernels of every step of a plan: which products are computed by templates, and what is computed along with them."""

from __future__ import annotations

import re

from ..graph.node import Node
from .build_loops import identifier
from .devices import Target
from .fuse import Group, Plan
from .kernels import Kernel, kernels_of
from .lower import Host
from .prelude import read
from .tails import Follower, followers, tail
from .templates import matmul
from .templates.table import TEMPLATES


def kernels_by_step(plan: Plan, target: Target, gpu: bool, zero_copy: bool) -> dict[int, list[Kernel]]:
    """By number of the step. A step that is not in it is computed by NumPy; one without kernels comes with another."""
    names = KernelNames()
    limits = target.large.limits if gpu else None
    number_of = {id(step): number for number, step in enumerate(plan.steps)}
    after = followers(plan, TEMPLATES)
    found: dict[int, list[Kernel]] = {}
    for number, step in enumerate(plan.steps):
        if isinstance(step, Group):
            if number not in found:
                found[number] = kernels_of(plan, step, limits, names.of(step))
            continue
        recipe = plan.recipes[step]
        if not isinstance(recipe, Host) or recipe.kind not in TEMPLATES:
            continue
        follower = after.get(id(step))
        together = None
        if follower is not None and recipe.kind == "matmul" and matmul.kernels(step, "k", gpu, zero_copy) is not None:
            together = _together(plan, step, follower, names, gpu, zero_copy)
        if together is not None and follower is not None and _fit(together, target):
            found[number], found[number_of[id(follower.group)]] = [], together
            continue
        made = TEMPLATES[recipe.kind](step, names.of(step), gpu, zero_copy)
        if made and _fit(made, target):
            found[number] = made
        if recipe.kind == "scatter":
            if number in found:
                plan.in_place[id(step.args[0])] = step        # the copy that is written to
            continue
        blas = recipe.kind == "matmul" and zero_copy and step.spec.dtype.name in ("float32", "float64")
        if follower is not None and (number in found or blas):
            plan.in_place[id(step)] = follower.out
    return found


def _fit(kernels: list[Kernel], target: Target) -> bool:
    return all(k.local <= target.large.info.max_work_group for k in kernels)


def _together(plan: Plan, product: Node, follower: Follower, names: KernelNames, gpu: bool, zero_copy: bool) \
        -> list[Kernel] | None:
    """The product's kernels with the follower inside."""
    words = frozenset(re.findall(r"[A-Za-z_]\w*", read("matmul.cl")))
    name = names.of(follower.group)
    text = tail(plan, follower, name, words, not gpu)
    return None if text is None else matmul.kernels(product, name, gpu, zero_copy, text)


class KernelNames:
    """Names from the nodes: what ends in the kernel's outputs, at most three."""

    def __init__(self) -> None:
        self.taken: dict[str, int] = {}

    def of(self, step: Group | Node) -> str:
        nodes = [step] if isinstance(step, Node) else (step.outputs or step.members)[-3:]
        name = "k_" + "_".join(dict.fromkeys(identifier(n.name) for n in nodes))
        count = self.taken[name] = self.taken.get(name, 0) + 1
        return name if count == 1 else f"{name}_{count}"
