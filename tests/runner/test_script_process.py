# A script in its child process: it must look as if plain Python ran it, and however it ends the session says so.
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from guardscope.core.errors import ScriptError
from guardscope.core.events.reader import Session
from guardscope.core.runner.process import ScriptProcess, check_script

LONG = 200.0


class Run:
    """A finished script: exit status, state, what it printed, and its session."""

    def __init__(self, process):
        self.status, self.state = process.exit_status, process.state
        self.ending = process.ending
        self.path = process.session
        with Session(self.path) as session:
            self.session = session
            self.out = "".join(text for _, stream, text in session.output() if stream == "stdout")
            self.err = "".join(text for _, stream, text in session.output() if stream == "stderr")
            assert session.state == self.state and not session.problems


@pytest.fixture
def start(tmp_path):
    """Write a script and start it; whatever is still running at the end is killed."""
    started = []

    def go(text, *arguments, name="script.py", **more):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        process = ScriptProcess(path, arguments, session=tmp_path / "s.guardscope", **more)
        started.append(process)
        return process.start()

    yield go
    for process in started:
        if process.process is not None and process.running:
            process.process.kill()
            process.wait(LONG)


@pytest.fixture
def run(start):
    def go(text, *arguments, **more):
        process = start(text, *arguments, **more)
        assert process.wait(LONG) is not None
        return Run(process)
    return go


def plain_python(path, *arguments):
    return subprocess.run([sys.executable, str(path), *arguments], capture_output=True, text=True, timeout=LONG)


def wait_for_line(process, start):
    """The first whole line on stdout that starts so, once the script has printed it and the session holds it.

    print() writes the parts of a line one by one, so the session may hold the first part alone."""
    deadline = time.monotonic() + LONG
    while True:
        with Session(process.session) as session:
            out = "".join(text for _, stream, text in session.output() if stream == "stdout")
        for line in out.splitlines(keepends=True):
            if line.startswith(start) and line.endswith("\n"):
                return line.rstrip("\n")
        assert time.monotonic() < deadline, "the script never said so"
        process.wait(0.02)


def test_the_script_is_main_with_its_arguments(run, tmp_path):
    text = ("import sys, __main__, os\n"
            "print(__name__, __file__, sys.argv, sys.path[0], __main__.__dict__ is globals(), __spec__, __package__)\n"
            "print(sorted(k for k in globals() if k.startswith('__')), os.getcwd())\n"
            "if __name__ == '__main__': print('main')\n")
    result = run(text, "a", "--b", "")
    plain = plain_python(tmp_path / "script.py", "a", "--b", "")
    assert result.out == plain.stdout
    assert (result.status, result.state, result.err) == (0, "finished", "")
    assert result.session.info["argv"][1:] == ["a", "--b", ""]
    assert result.session.sources[str(tmp_path / "script.py")] == text


@pytest.mark.parametrize("text", [
    "def g():\n    raise ValueError('boom')\n\ndef f():\n    g()\n\nf()\n",
    "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e\n",
    "try:\n    1 / 0\nexcept ZeroDivisionError:\n    {}['x']\n",
    "x = = 1\n",
    "def f():\nreturn\n",
    "import sys\nsys.exit('a message')\n",
    "import sys\nsys.exit(3)\n",
    "raise SystemExit\n",
    "import sys\nsys.excepthook = lambda *a: print('hook', a[0].__name__)\nraise RuntimeError\n",
    "import atexit\natexit.register(print, 'bye')\nraise RuntimeError('x')\n",
    "import threading\nt = threading.Thread(target=lambda: print('thread'))\nt.start()\n",
    "import warnings\nwarnings.warn('careful')\n",
    "raise ExceptionGroup('many', [ValueError(1), TypeError(2)])\n",
    "# -*- coding: latin-1 -*-\nprint(len('\xe9'))\n".encode("latin-1"),
    "import nosuchmodule\n",
], ids=lambda t: repr(t)[:40])
def test_output_and_status_are_plain_pythons(run, tmp_path, text):
    result = run(text)
    plain = plain_python(tmp_path / "script.py")
    assert result.err == plain.stderr
    assert result.out == plain.stdout
    assert result.status == plain.returncode
    assert result.state == "finished"


def test_an_uncaught_exception_is_an_event_with_its_line(run):
    result = run("a = 1\nraise ValueError('boom')\n")
    (event,) = [e for e in result.session.events if e.kind == "uncaught"]
    assert "ValueError: boom at line 2 of script.py" in event.text
    assert event.data["line"] == 2


def test_endless_recursion_is_an_error_of_the_script(run):
    result = run("def f():\n    f()\nf()\n")
    assert result.status == 1
    assert "RecursionError" in result.err and "runner" not in result.err


def test_os_exit_keeps_its_status_and_the_session(run):
    result = run("import os\nprint('out')\nos._exit(4)\n")
    assert (result.status, result.state, result.out) == (4, "finished", "out\n")


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(("name", "state"), [("SIGSEGV", "crashed"), ("SIGABRT", "crashed"), ("SIGKILL", "killed"),
                                             ("SIGTERM", "killed"), ("SIGINT", "killed")])
def test_death_by_signal_is_told(run, name, state):
    result = run(f"import os, signal\nprint('before')\nos.kill(os.getpid(), signal.{name})\nwhile True: pass\n")
    assert result.status == 128 + getattr(signal, name)
    assert result.state == state and name in result.ending
    assert result.out == "before\n"


def test_an_endless_loop_is_stopped_and_its_cleanup_runs(start):
    process = start("try:\n    print('go')\n    while True: pass\nfinally:\n    print('cleaned')\n")
    wait_for_line(process, "go")
    process.stop()
    assert process.wait(LONG) is not None
    result = Run(process)
    assert result.state == "stopped" and result.ending == "stopped on request"
    assert "cleaned" in result.out and "KeyboardInterrupt" in result.err


def test_a_script_that_will_not_stop_is_killed_with_what_it_started(start, tmp_path):
    process = start("import signal, subprocess, sys\n"
                    "signal.signal(signal.SIGINT, signal.SIG_IGN)\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                    "p = subprocess.Popen([sys.executable, '-c', 'while True: pass'])\n"
                    "print('child', p.pid, flush=True)\nwhile True: pass\n")
    process.grace = (0.1, 0.1)
    child = int(wait_for_line(process, "child").split()[1])
    process.stop()
    process.stop()
    assert process.wait(LONG) == 128 + signal.SIGKILL
    assert process.state == "stopped"
    deadline = time.monotonic() + LONG
    while alive(child):
        assert time.monotonic() < deadline
        os.sched_yield()


def alive(pid):
    """Whether the process runs (one that waits to be reaped does not)."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_million_lines(run):
    result = run("for i in range(1000000):\n    print(i)\n")
    assert result.status == 0
    assert result.out == "".join(f"{i}\n" for i in range(1_000_000))


def test_output_beyond_the_bound_is_dropped_with_a_note(run, monkeypatch):
    from guardscope.core.runner import output

    monkeypatch.setattr(output, "KEPT", 1000)
    result = run("for i in range(100000):\n    print('x' * 100)\n")
    assert result.status == 0
    assert len(result.out) < 1000 + 2 * output.PIECE and "is not kept" in result.out


def test_half_a_character_and_odd_bytes(run):
    result = run("import sys\nsys.stdout.buffer.write(b'\\xc3\\xa9\\xff\\xc3')\n"
                 "sys.stdout.flush()\nprint('\\0', end='')\n")
    assert result.out == "\xe9\ufffd\ufffd\0"


def test_a_script_with_packages_named_like_ours(run, tmp_path):
    for name in ("core", "gui", "resources", "runner", "events"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"NAME = 'my {name}'\n")
    (tmp_path / "main.py").write_text("NAME = 'my main'\n")
    (tmp_path / "start.py").write_text("NAME = 'my start'\n")
    result = run("import core, gui, resources, runner, events, main, start\n"
                 "print([m.NAME for m in (core, gui, resources, runner, events, main, start)])\n"
                 "import torch\nprint(torch.__name__)\n")
    assert result.err == ""
    assert result.out.splitlines() == [str([f"my {n}" for n in ("core", "gui", "resources", "runner", "events", "main",
                                                               "start")]), "torch"]


def test_a_missing_torch_name_says_so_and_names_the_nearest(run):
    result = run("from torch.nn import Linaer\n")
    assert result.status == 1
    assert "Linaer" in result.err.splitlines()[-1]
    assert 'File "' in result.err and "guardscope" not in result.err.splitlines()[1]
    result = run("import torch.nn.functionl\n")
    assert "torch.nn.functional" in result.err.splitlines()[-1]


def test_a_callback_of_the_script_below_our_frames_is_shown(run):
    result = run("import torch\n\ndef bad(i):\n    raise KeyError('mine')\n\n"
                 "class Odd:\n    def __index__(self):\n        return bad(1)\n\ntorch.zeros(2, Odd())\n")
    lines = [line.strip() for line in result.err.splitlines()]
    assert [line.split(", in ")[1] for line in lines if line.startswith("File")] == ["<module>", "__index__", "bad"]
    assert lines[-1] == "KeyError: 'mine'"
    assert "/core/" not in result.err


def test_stdin_is_empty_unless_given(run):
    assert "EOFError" in run("input()\n").err


def test_a_grandchild_that_keeps_the_pipe_does_not_keep_us(start):
    process = start("import subprocess, sys\n"
                    "p = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)\n"
                    "print('child', p.pid, flush=True)\nimport os; os._exit(0)\n")
    assert process.wait(LONG) == 0


def test_what_is_no_script(tmp_path):
    with pytest.raises(ScriptError, match="there is no script"):
        check_script(tmp_path / "none.py")
    with pytest.raises(ScriptError, match="folder"):
        check_script(tmp_path)
    binary = tmp_path / "binary.py"
    binary.write_bytes(bytes(range(256)))
    with pytest.raises(ScriptError, match="binary data"):
        check_script(binary)
    binary.write_bytes(b"SQLite format 3\0" + bytes(100))
    with pytest.raises(ScriptError, match="database"):
        check_script(binary)


def test_reading_in_the_recording_process_loses_nothing(start, tmp_path):
    # Opening and closing the file by other means in this process would cancel SQLite's locks.
    process = start("for i in range(2000): print('line', i)\n")
    session = Session(process.session)
    while process.running:
        with pytest.raises(ScriptError, match="database"):
            check_script(process.session)
        Session(process.session).close()
        session.refresh()
        process.wait(0.02)
    session.refresh()
    expected = "".join(f"line {i}\n" for i in range(2000))
    assert session.state == "finished"
    assert "".join(text for _, _, text in session.output()) == expected
    session.save_copy(tmp_path / "saved.guardscope")
    session.close()
    for path in (process.session, tmp_path / "saved.guardscope", shutil.copy(process.session, tmp_path / "c.guardscope")):
        with Session(path) as again:
            assert again.state == "finished" and again.info["exit_code"] == 0
            assert "".join(text for _, _, text in again.output()) == expected


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_session_never_takes_the_place_of_a_pipe_or_device(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    script = tmp_path / "script.py"
    script.write_text("print(1)\n")
    with pytest.raises(ScriptError, match="not a plain file"):
        ScriptProcess(script, session=pipe).start()
    assert pipe.is_fifo()
