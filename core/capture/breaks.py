"""The reasons for which a graph ends: one row each, with the sentence a user reads and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..graph.node import Span


@dataclass(frozen=True, slots=True)
class BreakInfo:
    """One break of one artifact. effect: "resume" (a continuation follows), "skip_frame", or "held": the graph ends here only
    so that a break further on can be resumed (the next item of a loop, a generator or context manager made natively), which
    is not counted as a break of its own."""

    id: str
    sentence: str
    hint: str
    span: Span
    effect: str = "resume"


# id -> (sentence, hint); {names} are filled from the facts given where the break is raised
REASONS: dict[str, tuple[str, str]] = {
    "call-output": ("{what} writes output, which a graph cannot do", "move it out of the compiled function"),
    "call-unknown": ("{what} is not Python source and has no rule here", "call it outside the compiled function"),
    "call-library": ("{what} belongs to a library that is not traced", "call it outside the compiled function"),
    "call-unready": ("{what} is called, but Module.__init__() has not run for it", "call super().__init__() first"),
    "call-disabled": ("{what} is excluded from compilation", "remove the decorator if it can be traced"),
    "call-explicit": ("torch._dynamo.graph_break() was called", "remove the call"),
    "call-nosource": ("{what} has no source that can be proved to be what runs", "define it in a file"),
    "call-depth": ("{what} is nested more than {limit} calls deep", "make the recursion a loop"),
    "call-generator": ("{what} is a coroutine or an asynchronous generator", "call it outside the compiled function"),
    "warning": ("{what} reports to the user, which a graph cannot do", "move it out of the compiled function"),
    "time": ("{what} depends on the time of the call", "read the clock outside the compiled function"),
    "random": ("{what} draws from Python's random numbers", "draw outside, or use torch's generators"),
    "data-item": ("{what} needs the elements of a tensor", "keep the value as a tensor, or accept the break"),
    "gradient-mark": ("{what} makes that require gradients", "use torch.no_grad(), or write to a new tensor"),
    "data-branch": ("a branch depends on the elements of a tensor", "use torch.where, or accept the break"),
    "data-shape": ("{what} has a result whose size depends on elements", "use torch.where or a mask multiplication"),
    "data-format": ("formatting a tensor needs its elements", "format outside the compiled function"),
    "attribute": ("attribute {name} of {what} is found by code that is not traced", "read it outside the compiled function"),
    "attribute-set": ("setting attribute {name} of {what} runs code that is not traced", "set it outside"),
    "operator": ("operator {name} is not traced for {what}", "compute it outside the compiled function"),
    "iterate": ("iterating over {what} is not traced", "make it a list outside the compiled function"),
    "context": ("the context manager {what} is not traced", "enter it outside the compiled function"),
    "class-body": ("a class is defined here", "define the class at module level"),
    "import": ("{what} is not imported yet", "import it at module level"),
    "construct": ("{what} cannot be created while tracing", "create it outside the compiled function"),
    "loop": ("the loop at line {line} goes on natively, because the graph breaks inside it", "remove the breaks inside it"),
    "yield": ("the generator function hands out an item at line {line}", "collect the items in a list"),
    "syntax": ("{what} is not traced", "move it to a function that is not compiled"),
    "rebuild": ("{what} would have to be carried across, and cannot be rebuilt", "use it up before this line"),
    "aliasing": ("{what} reaches the same object in a way that cannot be checked", "pass the object by one way only"),
    "read": ("{what} cannot be checked by a guard", "pass it as an argument"),
    "backward": ("{what} computes gradients", "call it outside the compiled function"),
}


def make(id: str, facts: dict[str, Any], span: Span, effect: str = "resume") -> BreakInfo:
    """Fill the sentence of reason `id`."""
    sentence, hint = REASONS[id]
    return BreakInfo(id, sentence.format(**facts), hint.format(**facts), span, effect)
