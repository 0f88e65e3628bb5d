"""The part of OpenCL C that is declared in a header, for what a program uses of it: types, and functions of the language.

PoCL reads 18,500 lines of declarations for every program, which takes ten times as long as an ordinary kernel. With the
mark of that header defined it passes over them, and the program brings the few that it needs: their names, types and
attributes are the language's. A program that calls something else is built with the whole header.
"""

from __future__ import annotations

import re

SKIP = "-D_OPENCL_H_"                     # the guard of clang's opencl-c.h
UNSIGNED = {"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long"}
ELEMENTS = ("char", "short", "int", "long", "float", "double", *UNSIGNED)
CONSTANTS = {
    "INFINITY": "#define INFINITY (__builtin_inff())",
    "NAN": "#define NAN (__builtin_astype(0x7fffffff, float))",
    "CLK_LOCAL_MEM_FENCE": "#define CLK_LOCAL_MEM_FENCE 1",
    "CLK_GLOBAL_MEM_FENCE": "#define CLK_GLOBAL_MEM_FENCE 2",
}
UNARY = {
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1",
    "fabs", "floor", "log", "log10", "log1p", "log2", "rint", "round", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"}
BINARY = {"atan2", "copysign", "fmax", "fmin", "fmod", "hypot", "pow", "remainder"}
OTHERS = {name: [f"size_t PLAIN {name}(uint);"] for name in ("get_global_id", "get_local_id", "get_group_id")}
OTHERS["barrier"] = ["void OVERLOADED __attribute__((convergent)) barrier(uint);"]
for _space in ("__global", "__local", "__private"):
    for _name, _type in (("half", "float"), ("half16", "float16")):
        OTHERS.setdefault(f"vload_{_name}", []).append(f"{_type} OVERLOADED vload_{_name}(size_t, const {_space} half *);")
        OTHERS.setdefault(f"vstore_{_name}", []).append(f"void OVERLOADED vstore_{_name}({_type}, size_t, {_space} half *);")

NAME = re.compile(r"[A-Za-z_]\w*")
CALLED = re.compile(r"\b([a-z]\w*)\(")            # capitals: macros of ours
DEFINED = re.compile(r"\b(?:OF|void|inline) (?:\w+ )?([A-Za-z]\w*)\(|#define (?:NAME )?(\w+)")
WORDS = {"sizeof", "defined", "aligned", "reqd_work_group_size"}


def declarations(text: str) -> str | None:
    """What stands before a program without comments that is built without the header. None if it calls something that is
    not known here."""
    words = set(NAME.findall(text))
    lines = ["#define OVERLOADED __attribute__((overloadable))", "#define PLAIN __attribute__((overloadable, const))",
             "typedef __SIZE_TYPE__ size_t;", *(f"typedef {c} {name};" for name, c in UNSIGNED.items())]
    known = WORDS.union(*DEFINED.findall(text))
    for e in ELEMENTS:
        for n in ("2", "4", "8", "16"):
            lines.append(f"typedef {e} {e}{n} __attribute__((ext_vector_type({n})));")
    lines += [line for word, line in CONSTANTS.items() if word in words]
    for word in sorted(words):
        to = re.fullmatch(r"(as|convert)_([a-z]+)(2|4|8|16)?", word)
        if to and to[2] in ELEMENTS:
            cast = "__builtin_astype" if to[1] == "as" else "__builtin_convertvector" if to[3] else ""
            lines.append(f"#define {word}(v) " + (f"{cast}((v), {to[2]}{to[3] or ''})" if cast else f"(({to[2]})(v))"))
        elif word in UNARY:
            lines += [f"{e} PLAIN {word}({e});" for e in ("float", "double")]
        elif word in BINARY:
            lines += [f"{e} PLAIN {word}({e}, {e});" for e in ("float", "double")]
        elif word in OTHERS:
            lines += OTHERS[word]
        else:
            continue
        known.add(word)
    return None if set(CALLED.findall(text)) - known else "\n".join([*lines, ""])
