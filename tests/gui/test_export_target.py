# An export replaces plain files only.
import os
from pathlib import Path

import pytest
from guardscope.core.errors import EnvironmentProblem
from guardscope.gui.export import write


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_or_device_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(EnvironmentProblem, match="not a plain file"):
        write(tmp_path / "any.guardscope", pipe, "json")
    assert pipe.is_fifo()
