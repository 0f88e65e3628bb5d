"""How values are called that a script has no single name for."""

from __future__ import annotations

from guardscope.core.guards.origin import ArgOrigin, AttrOrigin, FunctionOrigin


def test_the_object_of_a_bound_method_is_called_by_its_own_name() -> None:
    append = AttrOrigin(AttrOrigin(ArgOrigin("self"), "items"), "append")
    assert AttrOrigin(append, "__self__").text == "self.items"
    assert AttrOrigin(append, "__self__").code == "self.items.append.__self__"
    assert AttrOrigin(ArgOrigin("push"), "__self__").text == "push.__self__"


def test_globals_are_the_modules() -> None:
    assert AttrOrigin(FunctionOrigin(), "__globals__").text == "the module's globals"
    assert AttrOrigin(ArgOrigin("f"), "__globals__").text == "f.__globals__"
