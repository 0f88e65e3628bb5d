# `import torch` in a script, in a process of its own: what it is, what is missing, and whose modules win.
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("_guardscope_main", {main!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from guardscope.core.torch_api.importing import install
install()
"""


def run(script, folder=None):
    """Standard output of a script whose `import torch` is answered by Guardscope."""
    code = START.format(main=str(ROOT / "main.py")) + textwrap.dedent(script)
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=folder or ROOT.anchor, capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_usual_spellings_are_one_module():
    out = run("""
        import torch
        import torch.nn as nn
        import torch.nn.functional as F
        from torch.nn import functional as F2
        from torch import nn as nn2, Tensor, optim
        import torch.utils.data
        from torch.utils.data import DataLoader
        from torch.nn.modules.module import Module
        import torch.backends.cudnn as cudnn
        cudnn.benchmark = True
        torch.backends.cuda.matmul.allow_tf32 = True
        print(torch.__name__, nn.__name__, F.__name__, torch.__version__)
        print(nn is nn2 is torch.nn, F is F2 is torch.nn.functional, Tensor is torch.Tensor, Module is nn.Module)
        print(optim is torch.optim, DataLoader is torch.utils.data.DataLoader, torch.backends.cudnn.benchmark)
        print(torch.cuda.is_available(), torch.float is torch.float32, torch.bfloat16, torch.jit.script(nn) is nn)
    """)
    assert out.splitlines() == ["torch torch.nn torch.nn.functional 2.13.0", "True True True True", "True True True",
                                "False True torch.bfloat16 True"]


def test_missing_names_list_the_nearest():
    out = run("""
        import torch
        def message(text):
            try:
                exec(text)
            except BaseException as error:
                print(type(error).__name__, str(error))
        message("torch.softmaxx")
        message("torch.nn.Lineer")
        message("torch.nn.functional.sofmax")
        message("torch.ones(1).softmx")
        message("from torch import lineer")
        message("from torch.nn.functional import gleu")
        message("import torch.nn.functionals")
        message("import torch.importing")
        message("torch.zeros(2, dtype=torch.float8_e5m2)")
        print(hasattr(torch, "nope"), hasattr(torch.ones(1), "nope"), hasattr(torch.nn, "nope"))
    """).splitlines()
    assert out[0].startswith("AttributeError module 'torch' has no attribute 'softmaxx' in Guardscope; nearest: softmax")
    assert out[1] == ("AttributeError module 'torch.nn' has no attribute 'Lineer' in Guardscope; "
                      "nearest: Linear, Bilinear, LazyLinear")
    assert out[2].startswith("AttributeError module 'torch.nn.functional' has no attribute 'sofmax' in Guardscope; "
                             "nearest: softmax")
    assert out[3].startswith("AttributeError 'Tensor' object has no attribute 'softmx' in Guardscope; nearest: softmax")
    assert out[4].startswith("ImportError module 'torch' has no name 'lineer' in Guardscope; nearest: ")
    assert out[5].startswith("ImportError module 'torch.nn.functional' has no name 'gleu' in Guardscope; nearest: ")
    assert "gelu" in out[5]
    assert out[6].startswith("ModuleNotFoundError No module named 'torch.nn.functionals' in Guardscope; nearest: "
                             "torch.nn.functional")
    assert out[7].startswith("ModuleNotFoundError No module named 'torch.importing' in Guardscope")
    assert out[8] == ("NotYetSupported torch.float8_e5m2 tensors do not exist in Guardscope yet: use "
                      "torch.float16.")
    assert out[9] == "False False False"


def test_no_module_is_loaded_twice():
    out = run("""
        import torch, torch.optim, torch.utils._pytree, torch.nn.utils.rnn, torch.cuda.amp
        real = sys.modules["guardscope.core.torch_api"]
        print(real is torch, sys.modules["guardscope.core.torch_api.optim"] is torch.optim)
        pairs = [n for n in sys.modules if n.startswith("torch.")]
        print(all(sys.modules["guardscope.core.torch_api" + n[5:]] is sys.modules[n] for n in pairs), len(pairs) > 20)
        print("pyopencl" in sys.modules, "PySide6" in sys.modules)
    """)
    assert out.splitlines() == ["True True", "True True", "False False"]


def test_modules_and_tensors_pickle_under_their_torch_names():
    out = run("""
        import io, pickle, torch
        model = torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.ReLU())
        data = pickle.dumps((model, torch.ones(2), torch.float32, torch.Size([1])))
        print(b"guardscope.core.torch_api.nn" in data)
        again, tensor, dtype, size = pickle.loads(data)
        print(torch.equal(again[0].weight, model[0].weight), tensor, dtype is torch.float32, size)
    """)
    assert out.splitlines() == ["False", "True tensor([1., 1.]) True torch.Size([1])"]


def test_a_scripts_own_packages_win(tmp_path):
    for name in ("core", "gui", "resources"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"WHO = 'the script\\'s {name}'\n")
    out = run(f"""
        sys.path.insert(0, {str(tmp_path)!r})
        import core, gui, resources, torch
        print(core.WHO, gui.WHO, resources.WHO, torch.nn.Linear(1, 1)(torch.ones(1)).shape, sep="; ")
    """, tmp_path)
    assert out == "the script's core; the script's gui; the script's resources; torch.Size([1])\n"


def test_another_torch_is_refused():
    out = run("""
        import types
        from guardscope.core.torch_api import importing
        sys.modules["torch"] = types.ModuleType("torch")
        try:
            importing.install()
        except Exception as error:
            print(type(error).__name__, "another torch" in str(error))
    """)
    assert out == "ScriptError True\n"
