# The command line as a user meets it: one sentence and status 2 for what cannot be, the script's own status otherwise.
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from guardscope.core.runner import cli, display

ROOT = Path(__file__).resolve().parents[2]


def command(*arguments, cwd=None, **more):
    return subprocess.run([sys.executable, str(ROOT / "main.py"), *map(str, arguments)], capture_output=True, text=True,
                          timeout=240, cwd=cwd, **more)


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("synthetic_cli", ROOT / "tests" / "events" / "synthetic.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.make_session(tmp_path_factory.mktemp("cli") / "s.guardscope", calls=100)


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text("import sys\nprint('out', sys.argv[1:])\nprint('err', file=sys.stderr)\n"
                    "sys.exit(int(sys.argv[1]) if sys.argv[1:] else 0)\n")
    return path


@pytest.mark.parametrize(("arguments", "said"), [
    (["nope.py"], "there is no script nope.py"),
    (["nope.guardscope"], "nope.guardscope"),
    (["run", "nope.py"], "there is no script nope.py"),
    (["run"], "SCRIPT"),
    (["run", "."], "is a folder"),
    (["report", "nope.guardscope"], "there is no file nope.guardscope"),
    (["report", "."], "is a folder"),
    (["report"], "SESSION"),
    (["export", "x"], "--format"),
    (["export", "x", "--format", "xml"], "xml"),
    (["export", "x", "--format", "csv"], "there is no file x"),
    (["compare", "a", "b"], "there is no file a"),
    (["--nonsense"], "no option --nonsense"),
    (["run", "nope.py", "--fail-on", "recompile>3"], "--fail-on knows no 'recompile'"),
    (["run", "nope.py", "--recompile-limit", "0"], "not a positive number"),
    (["run", "nope.py", "--recompile-limit", "many"], "many"),
    (["run", "nope.py", "--dynamic", "perhaps"], "perhaps"),
    (["run", "nope.py", "--epochs", "3"], "options of the script itself come after --"),
])
def test_bad_input_is_one_sentence_and_status_2(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("guardscope: ") and captured.err.count("\n") == 1
    assert said in captured.err


def test_run_passes_output_and_status_on_and_reports(script):
    done = command("run", script, "3", "--", "--x", cwd=script.parent)
    assert done.returncode == 3
    assert done.stdout == "out ['3', '--x']\n"
    assert done.stderr.startswith("err\n") and "nothing in the script used torch.compile" in done.stderr
    assert (script.parent / "script.guardscope").exists()
    assert not (script.parent / "script.guardscope-wal").exists()
    again = command("report", "script.guardscope", cwd=script.parent)
    assert again.returncode == 0 and "finished (ended with exit status 3)" in again.stdout


def test_quiet_says_nothing_of_its_own(script):
    done = command("run", script, "--quiet", "-o", "x.guardscope", cwd=script.parent)
    assert (done.returncode, done.stdout, done.stderr) == (0, "out []\n", "err\n")


def test_fail_on_strikes_with_reasons(script):
    held = command("run", script, "--quiet", "--fail-on", "recompiles>0,breaks", cwd=script.parent)
    assert held.returncode == 0
    struck = command("run", script, "--quiet", "--fail-on", "recompiles<1", "--fail-on", "breaks==0", cwd=script.parent)
    assert struck.returncode == 1
    assert "--fail-on: recompiles is 0, which is < 1" in struck.stderr
    assert "--fail-on: breaks is 0, which is == 0" in struck.stderr


def test_a_session_is_not_overwritten_onto_something_else(script):
    done = command("run", script, "-o", "script.py", cwd=script.parent)
    assert done.returncode == 2 and "not overwritten" in done.stderr
    assert "sys.argv" in script.read_text()


def test_stdin_reaches_the_script(tmp_path):
    path = tmp_path / "reads.py"
    path.write_text("print(input().upper())\n")
    assert command("run", path, "--quiet", cwd=tmp_path, input="abc\n").stdout == "ABC\n"


def test_a_reader_that_goes_away_ends_an_endless_script(tmp_path):
    path = tmp_path / "yes.py"
    path.write_text("while True: print('y')\n")
    process = subprocess.Popen([sys.executable, str(ROOT / "main.py"), "run", str(path), "--quiet"], cwd=tmp_path,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"y\n"
        process.stdout.close()
        assert process.wait(60) != 0
        assert b"BrokenPipeError" in process.stderr.read()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_report_and_exports_of_a_session(session, tmp_path, capsys):
    assert cli.main(["report", str(session)]) == 0
    assert "x.shape[0] was 64, is 128" in capsys.readouterr().out
    for kind in ("json", "chrome"):
        out = tmp_path / f"out.{kind}"
        assert cli.main(["export", str(session), "--format", kind, "-o", str(out)]) == 0
        json.loads(out.read_text())
    assert cli.main(["export", str(session), "-o", str(session.parent / "by_its_ending.html")]) == 0
    assert (session.parent / "by_its_ending.html").read_text(encoding="utf-8").lower().startswith("<!doctype html")
    assert cli.main(["export", str(session), "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 101
    assert cli.main(["export", str(session), "--format", "csv", "-o", str(tmp_path / "no" / "x.csv")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_help_and_version(capsys):
    assert cli.main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in cli.COMMANDS)
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == "guardscope 0.1.0\n"


def test_no_display_is_a_sentence_and_not_an_abort(session, monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(display, "loads", lambda library: True)
    assert cli.main([str(session)]) == 2
    assert "neither DISPLAY nor WAYLAND_DISPLAY is set" in capsys.readouterr().err
    monkeypatch.setattr(display, "loads", lambda library: library != "libxcb-cursor.so.0")
    monkeypatch.setenv("DISPLAY", ":99")
    assert cli.main([str(session)]) == 2
    assert "apt install libxcb-cursor0, or work without a window" in capsys.readouterr().err
    monkeypatch.setattr(display, "loads", lambda library: True)
    monkeypatch.setattr(display, "x_server_answers", lambda: False)
    assert cli.main([str(session)]) == 2
    assert "the display :99 (DISPLAY) does not answer" in capsys.readouterr().err


def test_a_missing_qt_library_names_the_packages():
    text = cli.no_window(ImportError("libEGL.so.1: cannot open shared object file: No such file or directory",
                                     name=None))
    assert "libegl1" in text and "libxcb-cursor0" in text
    text = cli.no_window(ModuleNotFoundError("No module named 'PySide6'", name="PySide6"))
    assert "PySide6" in text and "pip install" in text
