# The hard cases of finding a function's text: lambdas side by side, reloading, loaders, other ways to start Python.
import ast
import dataclasses
import importlib.util
import itertools
import linecache
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from guardscope.core.source.locate import Located, NoSource, locate
from guardscope.core.source.text import source_file

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
_numbers = itertools.count()


def import_path(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def subject():
    return import_path(HERE / "proof_subject.py", "proof_subject_module")


def made(tmp_path, text, **names):
    """Globals of a module whose file holds `text`."""
    path = tmp_path / f"module_{next(_numbers)}.py"
    path.write_text(text)
    namespace = {"__name__": path.stem, **names}
    exec(compile(text, str(path), "exec", dont_inherit=True), namespace)
    return namespace, path


def proved(function):
    found = locate(function)
    assert isinstance(found, Located), found
    assert found.proof == "proved"
    return found


def test_the_first_of_two_conditional_definitions(subject):
    assert ast.unparse(proved(subject.conditional).node.body[0]) == "return 1"


def test_decorated(subject):
    function = subject.decorated.__wrapped__.__wrapped__
    found = proved(function)
    assert found.node.name == "decorated"
    assert found.first_line == function.__code__.co_firstlineno == found.node.lineno - 2
    assert ast.unparse(proved(function.__defaults__[0]).node) == "lambda: 3"
    assert proved(subject.decorated).node.name == "wrapper"


@pytest.mark.parametrize(("fetch", "text"), [
    (lambda m: m.pair[0], "lambda x: x + 1"), (lambda m: m.pair[1], "lambda x: x + 2"),
    (lambda m: m.multi[0], "lambda x: x + 1"), (lambda m: m.multi[1], "lambda x: x + 2"),
    (lambda m: m.nested, "lambda: lambda: lambda: 7"), (lambda m: m.nested(), "lambda: lambda: 7"),
    (lambda m: m.nested()(), "lambda: 7"), (lambda m: m.in_default, "lambda x=lambda: 1: x() + 1"),
    (lambda m: m.in_default.__defaults__[0], "lambda: 1"), (lambda m: m.comprehended[1], "lambda: i"),
    (lambda m: m.generated[1], "lambda: i"), (lambda m: m.generator, "lambda: (yield 1)"),
    (lambda m: m.constant, "lambda: None"), (lambda m: m.outer(1)[1], "lambda b: a - b"),
    (lambda m: m.one_line, "lambda: 1"), (lambda m: m.other_line, "lambda: 2"),
    (lambda m: m.same[1], "lambda: 0"), (lambda m: m.constants[0], "lambda: 1"), (lambda m: m.constants[1], "lambda: 2"),
    (lambda m: m.K.get, "lambda self: self.__secret"),
])
def test_lambdas(subject, fetch, text):
    assert ast.unparse(proved(fetch(subject)).node) == text


@pytest.mark.parametrize(("fetch", "class_name"), [
    (lambda m: m.K.method, "K"), (lambda m: m.K.zero_argument_super, "K"), (lambda m: m.K.get, "K"),
    (lambda m: m.K().maker()[0], "K"), (lambda m: m.K().maker()[1], "K"), (lambda m: m.K.Inner.method, "Inner"),
    (lambda m: m.K.static, "K"), (lambda m: m.K.prop.fget, "K"), (lambda m: m.makes_class().method, "_Local"),
    (lambda m: m.makes_class, None),
])
def test_class_of_private_names(subject, fetch, class_name):
    assert proved(fetch(subject)).class_name == class_name


def test_found_once_per_code_object(subject):
    first, second = subject.outer(1)[0], subject.outer(2)[0]
    assert locate(first) is locate(second)


def test_specialised_bytecode_is_still_proved(tmp_path):
    namespace, _ = made(tmp_path, "def f(n):\n    t = 0\n    for i in range(n):\n        t += i\n    return t\n")
    for _ in range(20):
        namespace["f"](100)
    proved(namespace["f"])


def test_function_that_is_gone(tmp_path):
    namespace, path = made(tmp_path, "def f(x):\n    return x\n")
    path.write_text("y = 1\n")
    assert "line 1 of" in locate(namespace["f"]).reason


def test_edited_and_imported_again(tmp_path):
    namespace, path = made(tmp_path, "def f(x):\n    return x\n")
    proved(namespace["f"])
    text = "y = 1\n\ndef f(x):\n    return [x, x]\n"
    path.write_text(text)
    os.utime(path, (1, 1))
    exec(compile(text, str(path), "exec", dont_inherit=True), namespace)
    assert "[x, x]" in ast.unparse(proved(namespace["f"]).node)


def test_generated_method_has_no_source():
    @dataclasses.dataclass
    class Point:
        x: int

    assert isinstance(locate(Point.__init__), NoSource)


def test_missing_file(tmp_path):
    namespace, path = made(tmp_path, "def f(x):\n    return x\n")
    path.unlink()
    assert locate(namespace["f"]) == NoSource(f"{path} cannot be read as Python")


def test_file_that_is_no_python(tmp_path):
    namespace, path = made(tmp_path, "def f(x):\n    return x\n")
    path.write_text("cdef int f(x):\n")
    assert locate(namespace["f"]) == NoSource(f"{path} cannot be read as Python")


def test_text_from_a_loader():
    text = "def f(x):\n    return x * 2\n"

    class Loader:
        def get_source(self, name):
            return text

    namespace = {"__name__": "loaded", "__loader__": Loader()}
    exec(compile(text, "/nowhere/loaded.py", "exec", dont_inherit=True), namespace)
    assert proved(namespace["f"]).text == text


def test_future_features_from_outside_the_text(tmp_path):
    import __future__

    text = "def f(x: Undefined):\n    return x\n"
    path = tmp_path / "future_cell.py"
    path.write_text(text)
    namespace = {}
    flag = __future__.annotations.compiler_flag
    exec(compile(text, str(path), "exec", flags=flag, dont_inherit=True), namespace)
    found = proved(namespace["f"])
    assert found.future_flags == flag


def test_asserts_rewritten_by_another_tool_are_unproved(tmp_path):
    text = "def f(x):\n    assert x == 1\n    return x\n"
    path = tmp_path / "rewritten.py"
    path.write_text(text)
    tree = ast.parse(text)
    tree.body[0].body[0] = ast.copy_location(ast.parse("if not x == 1: raise AssertionError(x)").body[0], tree.body[0].body[0])
    namespace = {}
    exec(compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True), namespace)
    found = locate(namespace["f"])
    assert isinstance(found, Located) and found.proof == "unproved"


def test_warnings_of_the_compiler_are_not_repeated(tmp_path):
    text = "def f(x):\n    return x is 'a'\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        namespace, _ = made(tmp_path, text)
    proved(namespace["f"])                                  # warnings are errors in these tests


def test_parsed_once_per_content(tmp_path):
    path = tmp_path / "once.py"
    path.write_text("a = 1\n")
    first = source_file(str(path))
    linecache.clearcache()
    assert source_file(str(path)) is first
    assert source_file(str(path), again=True) is None
    path.write_text("a = 2, 3\n")
    assert source_file(str(path)) is first
    assert source_file(str(path), again=True).text == "a = 2, 3\n"


PROBE = """
import ast, sys
sys.path.insert(0, {here!r})
import importlib.util
spec = importlib.util.spec_from_file_location("_guardscope_main", {main!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from guardscope.core.source.locate import Located, locate
import proof_subject as m
cases = [m.plain, m.asserts, m.K.method, m.constant, *m.outer(1), m.K().maker()[0]]
assert all(isinstance(locate(f), Located) and locate(f).proof == "proved" for f in cases), [locate(f) for f in cases]
found = [locate(f) for f in [*m.pair, *m.two_closures(1)]]
print(", ".join(ast.unparse(f.node.body) if isinstance(f, Located) else "NoSource" for f in found))
"""


@pytest.mark.parametrize(("options", "lambdas"), [
    ((), "x + 1, x + 2, x + a, x - a"), (("-O",), "x + 1, x + 2, x + a, x - a"), (("-OO",), "x + 1, x + 2, x + a, x - a"),
    (("-X", "no_debug_ranges"), "x + 1, x + 2, NoSource, NoSource"),
])
def test_other_ways_to_start_python(options, lambdas):
    script = PROBE.format(here=str(HERE), main=str(ROOT / "main.py"))
    done = subprocess.run([sys.executable, "-B", *options, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, lambdas), done.stderr
