"""Values of a signature as people type them: `float32[64, 32]`, `float16[1, 32] @cuda grad`, `3`, `'relu'`, `a Meter`.

`parse_value` reads what `Value.text` writes; `parse_signature` reads `scale(float32[1, 32], n=3, self.seen=4)`.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Sequence

from ..errors import ScriptError
from .schema import Value

DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
          "complex128")
ALIASES = {"float": "float32", "half": "float16", "double": "float64", "long": "int64", "int": "int32", "short": "int16"}
MOST_DIMS, LARGEST = 64, (1 << 63) - 1
TENSOR = re.compile(r"(?:torch\.)?([A-Za-z]\w*)\s*\[([^\]]*)\]\s*(.*)", re.DOTALL)
STRIDES = re.compile(r"strides\s*[(\[]([^)\]]*)[)\]]")
DEVICE = re.compile(r"@\s*([\w:]+)")
TYPE = re.compile(r"an?\s+([\w.]+)")
EXAMPLES = "a tensor such as float32[64, 32], a number, a text in quotes, None, True or False"


def text_of(value: Value) -> str:
    """A value as `parse_value` reads it back; strides are written where they are not those of a contiguous tensor."""
    if value.kind == "type":
        return f"a {value.type}"
    if value.kind == "tensor" and value.strides != contiguous(value.shape):
        return f"{value.text} strides ({', '.join(map(str, value.strides))})"
    return value.text


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """Row-major strides in elements; a size of 0 counts as 1."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size or 1
    return tuple(reversed(strides))


def parse_value(text: str, cls: str = "Tensor") -> Value:
    """One value. `cls`: class of a tensor. ScriptError, a sentence, for what is none."""
    text = text.strip()
    if not text:
        raise ScriptError(f"a value is missing; write {EXAMPLES}")
    tensor = TENSOR.fullmatch(text)
    if tensor is not None:
        return _tensor(text, tensor, cls)
    named = TYPE.fullmatch(text)
    if named is not None:
        return Value("type", named[1])
    number = _number(text)
    if number is not None:
        return Value("value", type(number).__name__, number)
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise ScriptError(f"'{_short(text)}' is not a value; write {EXAMPLES}") from None
    if value is None or type(value) in (bool, int, float, str):
        return Value("value", type(value).__name__, value)
    raise ScriptError(f"'{_short(text)}' is a {type(value).__name__}, whose contents a signature does not hold; write "
                      f"'a {type(value).__name__}', or give its items by name, such as xs[0]=float32[2]")


def _number(text: str) -> float | None:
    return float(text) if text.lstrip("+-") in ("inf", "nan", "infinity") else None


def _tensor(text: str, found: re.Match[str], cls: str) -> Value:
    dtype, sizes, rest = ALIASES.get(found[1], found[1]), found[2].strip(), found[3]
    if dtype not in DTYPES:
        near = difflib.get_close_matches(dtype, DTYPES, 1)
        raise ScriptError(f"there is no dtype '{found[1]}'" + (f"; did you mean {near[0]}?" if near else
                          f"; the dtypes are {', '.join(DTYPES)}"))
    shape = _numbers(sizes, text)
    strides = STRIDES.search(rest)
    device = DEVICE.search(rest)
    left = DEVICE.sub("", STRIDES.sub("", rest)).split()
    if [word for word in left if word != "grad"]:
        raise ScriptError(f"'{_short(rest)}' after the sizes is not understood; write @cuda, grad or strides (1, 32)")
    steps = _numbers(strides[1], text) if strides is not None else contiguous(shape)
    if len(steps) != len(shape):
        raise ScriptError(f"'{_short(text)}' has {len(shape)} sizes and {len(steps)} strides; give one stride per size")
    return Value("tensor", cls, dtype=dtype, shape=shape, strides=steps, device=device[1] if device is not None else "cpu",
                 requires_grad="grad" in left)


def _numbers(text: str, whole: str) -> tuple[int, ...]:
    parts = [p.strip() for p in text.split(",")]
    if parts and not parts[-1]:
        parts.pop()
    wrong = next((p for p in parts if not (p.isascii() and p.isdigit() and int(p[:20]) <= LARGEST and len(p) < 20)), None)
    if wrong is not None or len(parts) > MOST_DIMS:
        raise ScriptError(f"'{_short(whole)}' needs whole numbers from 0 on for its sizes" +
                          (f", not '{_short(wrong)}'" if wrong is not None else f", at most {MOST_DIMS}"))
    return tuple(map(int, parts))


def parse_signature(text: str, params: Iterable[str]) -> dict[str, Value]:
    """Values by place. `params`: the parameters that values without a name stand for, in order. A function's name and
    parentheses around the whole are allowed. ScriptError for what cannot be read."""
    text = text.strip()
    around = re.fullmatch(r"[\w.<>]*\((.*)\)", text, re.DOTALL)
    if around is not None and not text.startswith("("):
        text = around[1]
    names = list(params)
    found: dict[str, Value] = {}
    position = 0
    for part in (p for p in split(text) if p.strip()):
        name, value = named(part)
        if not name:
            if len(found) > position:
                raise ScriptError(f"'{_short(part.strip())}' without a name comes after one with a name; name it too")
            if position >= len(names):
                raise ScriptError(f"'{_short(part.strip())}' is one value too many; the parameters are "
                                  f"{', '.join(names) or 'none'}")
            name, position = names[position], position + 1
        if name in found:
            raise ScriptError(f"{name} is given twice")
        found[name] = parse_value(value)
    return found


def named(part: str) -> tuple[str, str]:
    """("self.seen", "4") of `self.seen=4`; ("", part) for a value without a name."""
    match = re.match(r"\s*([A-Za-z_][\w. ]*(?:\[[^\]]*\]|\([^)]*\)|\.\w+)*)\s*=(?!=)", part)
    return (match[1].strip(), part[match.end():]) if match is not None else ("", part)


def split(text: str) -> list[str]:
    """The parts between commas that are not inside brackets or quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for i, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote and text[i - 1] != "\\" else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
