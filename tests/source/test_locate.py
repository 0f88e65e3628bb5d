# From a function to its syntax tree: what is found, what proves it, and when it is refused.
import ast
import importlib.util
import linecache
import sys

import pytest
from guardscope.core.capture.unit import Unit, parameter_count, unit_of
from guardscope.core.source.locate import Located, NoSource, locate
from guardscope.core.source.text import source_file

TEXT = '''
import functools

def plain(a, b=2):
    return a + b

def deco(f):
    return f

def wrapping(f):
    @functools.wraps(f)
    def inside(*a):
        return f(*a)
    return inside

@deco
@deco
def decorated(x):
    return x * 3

@wrapping
def wrapped(x):
    return x * 5

def outer(n):
    def inner(x):
        return x + n
    def other(x): return x - n
    return inner, other, lambda x: x * n

two = (lambda x: x + 1), (lambda x: x + 2)
same = (lambda x: x), (lambda x: x)
several = {"a": lambda x, y=1: (
    x
    - y), "b": lambda x: x * [i for i in range(3)][1]}
nested_lambda = lambda a: lambda b: a - b
conditional = (lambda: 1) if len(two) == 2 else (lambda: 2)

class C:
    __hidden = 4
    attribute = staticmethod(lambda v: v + 9)
    def method(self, x):
        return x + self.__hidden
    def cell(self):
        return __class__
    def uses_super(self):
        return super().__repr__()
    def makes(self):
        def inner(__p=1):
            return self.__hidden + __p
        return inner
    @property
    def prop(self):
        return self.__hidden
    @staticmethod
    def static(x): return x
    @classmethod
    def klass(cls, x): return cls, x
    class Inner:
        def deep(self, *args, key, **rest):
            return args, key, rest

def checked(x):
    assert x > 0, "positive"
    return x

def generator(n):
    yield from range(n)

async def coroutine():
    return 1

async def async_generator():
    yield 1

def redefined():
    return 1

def redefined():
    return 2
'''


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "located_subject.py"
    path.write_text(TEXT)
    yield load(path, "located_subject")
    sys.modules.pop("located_subject", None)


def segment(found):
    return ast.get_source_segment(found.text, found.node)


CASES = {
    "plain": (lambda m: m.plain, "def plain(a, b=2):"),
    "decorated": (lambda m: m.decorated, "def decorated(x):"),
    "wrapped original": (lambda m: m.wrapped.__wrapped__, "def wrapped(x):"),
    "wrapper": (lambda m: m.wrapped, "def inside(*a):"),
    "nested": (lambda m: m.outer(1)[0], "def inner(x):"),
    "nested one line": (lambda m: m.outer(1)[1], "def other(x): return x - n"),
    "returned lambda": (lambda m: m.outer(1)[2], "lambda x: x * n"),
    "first of two": (lambda m: m.two[0], "lambda x: x + 1"),
    "second of two": (lambda m: m.two[1], "lambda x: x + 2"),
    "lambda over lines": (lambda m: m.several["a"], "lambda x, y=1: ("),
    "lambda after another": (lambda m: m.several["b"], "lambda x: x * [i for i in range(3)][1]"),
    "lambda in a lambda": (lambda m: m.nested_lambda(1), "lambda b: a - b"),
    "lambda around a lambda": (lambda m: m.nested_lambda, "lambda a: lambda b: a - b"),
    "constant lambda": (lambda m: m.conditional, "lambda: 1"),
    "method": (lambda m: m.C.method, "def method(self, x):"),
    "class cell": (lambda m: m.C.cell, "def cell(self):"),
    "super": (lambda m: m.C.uses_super, "def uses_super(self):"),
    "property": (lambda m: m.C.prop.fget, "def prop(self):"),
    "static": (lambda m: m.C.static, "def static(x): return x"),
    "classmethod": (lambda m: m.C.klass.__func__, "def klass(cls, x): return cls, x"),
    "lambda in a class": (lambda m: m.C.attribute, "lambda v: v + 9"),
    "class in a class": (lambda m: m.C.Inner.deep, "def deep(self, *args, key, **rest):"),
    "function in a method": (lambda m: m.C().makes(), "def inner(__p=1):"),
    "assert": (lambda m: m.checked, "def checked(x):"),
    "generator": (lambda m: m.generator, "def generator(n):"),
}


@pytest.mark.parametrize("case", CASES)
def test_found_and_proved(module, case):
    pick, first_line = CASES[case]
    found = locate(pick(module))
    assert isinstance(found, Located), found
    assert found.proof == "proved"
    assert segment(found).splitlines()[0] == first_line


@pytest.mark.parametrize(("pick", "wanted"), [
    (lambda m: m.plain, None), (lambda m: m.C.method, "C"), (lambda m: m.C.Inner.deep, "Inner"),
    (lambda m: m.C().makes(), "C"), (lambda m: m.C.attribute, "C"), (lambda m: m.outer(1)[0], None)])
def test_class_whose_private_names_it_sees(module, pick, wanted):
    assert locate(pick(module)).class_name == wanted


def test_two_equal_lambdas_on_one_line_are_told_apart_by_their_columns(module):
    columns = [locate(f).node.col_offset for f in module.same]
    line = TEXT.splitlines()[module.same[0].__code__.co_firstlineno - 1]
    assert columns == [line.index("lambda"), line.rindex("lambda")]


def test_the_later_of_two_definitions_is_the_one_that_runs(module):
    found = locate(module.redefined)
    assert found.node.body[0].value.value == 2


def test_same_answer_for_code_object(module):
    assert locate(module.plain.__code__) is locate(module.plain)


@pytest.mark.parametrize("name", ["coroutine", "async_generator"])
def test_asynchronous_functions_are_refused(module, name):
    found = locate(getattr(module, name))
    assert isinstance(found, NoSource) and "asynchronous" in found.reason


def test_code_without_a_file_is_refused():
    scope = {}
    exec("def made(x):\n    return x", scope)
    found = locate(scope["made"])
    assert isinstance(found, NoSource) and "string" in found.reason


@pytest.mark.parametrize(("old", "new"), [
    ("return a + b", "return a - b"),                       # another operation
    ("def plain(a, b=2):", "# one line more\ndef plain(a, b=2):"),
    ("def plain(a, b=2):", "def other(a, b=2):"),
    ("return a + b", "return a + b +"),                     # no longer Python
])
def test_file_edited_after_import_is_noticed(tmp_path, old, new):
    path = tmp_path / "edited.py"
    path.write_text(TEXT)
    module = load(path, "edited_subject")
    path.write_text(TEXT.replace(old, new, 1) + "# longer\n")
    found = locate(module.plain)
    assert isinstance(found, NoSource) and found.reason
    sys.modules.pop("edited_subject")


def test_only_what_was_edited_is_refused(tmp_path):
    path = tmp_path / "edited_elsewhere.py"
    path.write_text(TEXT)
    module = load(path, "edited_elsewhere_subject")
    path.write_text(TEXT.replace("return x * 3", "return x * 33", 1))
    assert isinstance(locate(module.plain), Located)
    assert isinstance(locate(module.decorated), NoSource)
    sys.modules.pop("edited_elsewhere_subject")


def test_a_deleted_file_is_refused(tmp_path):
    path = tmp_path / "deleted.py"
    path.write_text(TEXT)
    module = load(path, "deleted_subject")
    path.unlink()
    linecache.clearcache()
    assert isinstance(locate(module.plain), NoSource)
    sys.modules.pop("deleted_subject")


def test_text_given_to_linecache_counts(tmp_path):
    text = "def shown(x):\n    return x + 40\n"
    linecache.cache["<cell 7>"] = (len(text), None, text.splitlines(True), "<cell 7>")
    scope = {}
    exec(compile(text, "<cell 7>", "exec"), scope)
    found = locate(scope["shown"])
    assert isinstance(found, Located) and found.proof == "proved"


def rewritten_by_pytest(x):
    assert x > 0
    return x


def without_assert(x):
    return x


def test_asserts_that_pytest_rewrote_are_accepted_without_proof():
    assert locate(rewritten_by_pytest).proof == "unproved"
    assert locate(without_assert).proof == "proved"


def test_every_function_of_a_file_once_with_its_qualified_name(tmp_path):
    path = tmp_path / "names.py"
    path.write_text(TEXT)
    names = [name for _, name, _ in source_file(str(path)).functions()]
    for wanted in ["plain", "C.method", "C.Inner.deep", "C.makes.<locals>.inner", "outer.<locals>.<lambda>",
                   "wrapping.<locals>.inside", "<lambda>", "<lambda>.<locals>.<lambda>", "C.<lambda>"]:
        assert wanted in names
    assert names.count("redefined") == 2


# -- units ----
def test_a_lambda_is_a_function_with_one_return(module):
    unit = unit_of(module.two[0])
    assert isinstance(unit, Unit) and unit.kind == "lambda"
    assert isinstance(unit.node, ast.FunctionDef) and ast.unparse(unit.node.body) == "return x + 1"
    assert unit_of(module.two[0]) is unit


def test_parameters_in_the_order_of_the_code(module):
    unit = unit_of(module.C.Inner.deep)
    assert unit.params == ("self", "key", "args", "rest")
    assert parameter_count(unit.code) == 4


def test_private_names_are_written_out(module):
    unit = unit_of(module.C.method)
    assert ast.unparse(unit.node.body) == "return x + self._C__hidden"
    inner = unit_of(module.C().makes())
    assert inner.params == ("_C__p",)
    assert ast.unparse(inner.node.body) == "return self._C__hidden + _C__p"
    assert ast.unparse(locate(module.C.method).node.body) == "return x + self.__hidden"     # the text itself is not touched


def test_a_function_without_source_has_no_unit():
    scope = {}
    exec("def made(x):\n    return x", scope)
    assert isinstance(unit_of(scope["made"]), NoSource)


PRIVATE = '''
class K:
    def f(self, __a, *, __b=1, **__c):
        import __m as __n, os
        global __g
        def __h(__z): return __z
        try: __x = __a
        except E as __e: del __e
        match __a:
            case {"k": __v, **__r}: pass
            case [*__s]: pass
        call(__k=1, __dunder__=2)
        class __Inner(__Base):
            def g(self): return self.__own
        return [__i for __i in __a], self.__attr, __name__
'''


def test_every_place_a_private_name_can_stand(tmp_path):
    # what the compiler itself makes of the same text is the yardstick
    file = str(tmp_path / "private.py")
    linecache.cache[file] = (len(PRIVATE), None, PRIVATE.splitlines(True), file)
    scope = {"__name__": "private"}
    exec(compile(PRIVATE, file, "exec"), scope)
    unit = unit_of(scope["K"].f)
    written = ast.unparse(unit.node)
    alone = {}
    exec(compile(written, "<alone>", "exec"), alone)
    wanted, got = scope["K"].f.__code__, alone["f"].__code__
    for field in ("co_names", "co_varnames", "co_cellvars", "co_freevars"):
        assert getattr(got, field) == getattr(wanted, field), field
