"""One plain sentence for every term the window uses: tooltips, and the help page, come from here."""

from __future__ import annotations

TERMS: dict[str, str] = {
    "call": "One entry from your script into a compiled function.",
    "compile": "The function was seen for the first time: it was traced, turned into kernels and kept.",
    "recompile": "No kept version fitted this call, so one more was made. It replaces none of the earlier ones.",
    "reuse": "A kept version fitted this call; nothing was compiled.",
    "eager_limit": "The function has used up its allowed versions, so this call ran as plain Python. Later calls that "
                   "fit no version will too.",
    "not_compiled": "The compiler gave this function up; it runs as plain Python every time.",
    "error": "This call raised an exception.",
    "graph": "The tensor operations of a function as they were recorded while it was traced.",
    "guard": "A condition that must hold for a kept version to be used again, for example x.shape[0] == 32.",
    "artifact": "One kept version of a function: its graph, its guards, its kernels and the Python around them.",
    "graph break": "A place where tracing had to stop. The piece before it is compiled, the statement runs as Python, "
                   "and a resume function goes on after it.",
    "resume function": "What is left of a function after a graph break; it is compiled on its own, with "
                       "versions of its own.",
    "recompile limit": "How many versions one function may have (8 unless the script says otherwise).",
    "dynamic dimension": "A size that the version does not fix. It has a name such as s0 and may take many values.",
    "symbol": "The name of a size that is not fixed, such as s0.",
    "specialise": "To fix a value into the compiled version; another value then needs another version.",
    "automatic dynamic": "dynamic=None: sizes are fixed at first; one that is seen to change becomes dynamic.",
    "static": "dynamic=False: every size is fixed into the version.",
    "kernel": "A program that runs on the device and computes one or several operations at once.",
    "launch": "One start of a kernel on the device.",
    "signature": "Types, shapes and values with which a function was called.",
    "session": "The record of one run, in one file.",
    "capture": "Reading the function and recording its tensor operations.",
    "guards": "Turning the conditions into one checking function.",
    "lowering": "Turning the graph into loops and kernels.",
    "build": "Compiling the kernels' source for the device.",
    "lowering and build": "Turning the graph into kernels and compiling them for the device.",
    "first launch": "The first start of the new kernels; many drivers finish building a kernel only then.",
    "what if": "Asking which kept version would take a call that nobody made. The recorded conditions are evaluated; nothing "
               "is run.",
    "policy lab": "The script run under several settings, and with every suggested change, to compare versions, times and "
                  "results.",
    "replay": "Stepping through the calls with every view as it was when the selected call had ended.",
    "cause": "One thing in your script that led to recompilations, with everything it cost.",
    "expected": "What the value was when this version was made.",
    "last seen": "What the value was the last time this condition failed.",
    "failures": "In how many calls this condition turned a version down. \"never\" where that is certain: calls that another "
                "version took are not always known to have asked it.",
    "checks": "How often the condition was asked: in the calls that its version took, and in those that no version took.",
    "cost of a guard": "What testing this condition adds to a call that its version takes. Tensors among the arguments are not "
                       "tested one by one: one look-up decides about all of them.",
    "mark of a guard": "What can be proven about the condition: another one of the version implies it, or the value it is "
                       "about was guarded but never read.",
    "fused group": "Operations that one kernel computes together.",
    "device": "Where the kernels run.",
}

GUARD_KINDS: dict[str, str] = {
    "TENSOR_MATCH": "Type, device, gradient flag, sizes and strides of a tensor.",
    "TYPE_MATCH": "The exact type of a value.",
    "ID_MATCH": "It must be the very same object.",
    "EQUALS_MATCH": "It must be an equal constant of the same type.",
    "CONSTANT_MATCH": "True, False or None.",
    "FUNCTION_MATCH": "A Python function must still have the same code.",
    "SEQUENCE_LENGTH": "The number of items.",
    "DICT_KEYS": "The keys of a dict, in order.",
    "DICT_CONTAINS": "Whether one key is in a dict.",
    "HASATTR": "Whether an attribute exists.",
    "NOT_IN_INSTANCE": "The object must not have got an attribute that hides the one of its class.",
    "CLASS_ATTRIBUTE": "The attribute found on the class must be the same object.",
    "OBJECT_ALIASING": "Two names must mean the same object.",
    "NOT_ALIASING": "Two names must mean different objects.",
    "STORAGE_OVERLAP": "Whether two tensors share memory.",
    "SHAPE_ENV": "A relation between sizes, such as 2 <= s0.",
    "FLOAT_NOT_NAN": "The number must not be NaN.",
    "GLOBAL_STATE": "Modes of the program: gradients, autocast, default type, ...",
    "SET_CONTENTS": "The members of a set.",
    "PRESENT": "It must still be there; what it is does not matter.",
    "NAMES_UNCHANGED": "Functions of libraries are the ones that were traced, and no class hides or shows an attribute "
                       "that it did not.",
}


def explain(term: str) -> str:
    """The sentence for a term or a guard kind, "" where there is none."""
    return TERMS.get(term) or GUARD_KINDS.get(term, "")
