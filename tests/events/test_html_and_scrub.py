# The HTML report is whole and closed, and what is left out of an export is nowhere in it.
import base64
import gzip
import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from guardscope.core.events import summary
from guardscope.core.events.exports import FORMATS
from guardscope.core.events.html_report import CALL_COLUMNS, PAGE, RUN_COLUMNS
from guardscope.core.events.reader import Session
from guardscope.core.events.scrub import Keep, Labels, scrubbed

ROOT = Path(__file__).resolve().parents[2]
SECRET = """import torch
KEY = "sesame-0042"


@torch.compile
def score(x, label, rate):
    # </script><script>alert("owned")</script> sesame-0042
    y = torch.relu(x * rate)
    return y + 1 if label == KEY else y


for n in range(4):
    score(torch.ones(3, 5), f"sesame-{40 + n:04}", 977.25 + n)
"""


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("synthetic_html", Path(__file__).with_name("synthetic.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = module.make_session(tmp_path_factory.mktemp("html") / "s.guardscope", calls=400, functions=4)
    with Session(path) as session:
        yield session


@pytest.fixture(scope="module")
def secret(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hidden folder")
    (folder / "secret.py").write_text(SECRET)
    target = folder / "secret.guardscope"
    done = subprocess.run([sys.executable, "main.py", "run", str(folder / "secret.py"), "-o", str(target), "--quiet",
                           "--backend", "eager"], capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.returncode == 0, done.stderr
    with Session(target) as session:
        yield session


def text_of(session, form, keep=None):
    file = io.StringIO()
    FORMATS[form](scrubbed(session, keep or Keep()), file)
    return file.getvalue()


class Page(HTMLParser):
    """Tags in order, and the text of every script by its id."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self._script, self.addresses = [], {}, None, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        values = dict(attributes)
        self.addresses += [values[a] for a in ("src", "href") if a in values]
        if tag == "script":
            self._script = values.get("id", "code")

    def handle_endtag(self, tag):
        self._script = None if tag == "script" else self._script

    def handle_data(self, data):
        if self._script is not None:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data


def columns(table):
    found = {}
    for name, (kind, text) in table["columns"].items():
        found[name] = np.frombuffer(gzip.decompress(base64.b64decode(text)), np.dtype("<" + kind if kind != "u1" else kind))
        assert len(found[name]) == table["length"]
    return found


def test_the_report_holds_the_session(synthetic):
    page = Page(text_of(synthetic, "html"))
    data = json.loads(page.scripts["data"])
    for table, names in (("calls", CALL_COLUMNS), ("runs", RUN_COLUMNS)):
        for name, values in columns(data[table]).items():
            assert name in names
            np.testing.assert_array_equal(values, getattr(synthetic, table)[name])
    assert data["counts"] == summary.outcome_totals(synthetic)
    assert [a["version"] for a in data["artifacts"]] == [a.version for a in synthetic.artifacts]
    assert sum(len(m) for m in data["misses"].values()) == len(synthetic.misses)
    assert len(data["sources"]) == len(synthetic.sources)


def test_the_report_stands_alone(synthetic):
    page = Page(text_of(synthetic, "html"))
    assert page.addresses == []
    assert page.tags.count("script") == 2
    assert "default-src 'none'" in text_of(synthetic, "html")


def test_a_script_cannot_end_the_data(secret):
    page = Page(text_of(secret, "html"))
    assert page.tags.count("script") == 2
    assert list(json.loads(page.scripts["data"])["sources"].values()) == [SECRET]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_page_is_javascript():
    done = subprocess.run(["node", "--check", str(PAGE / "report.js")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("form", list(FORMATS))
def test_without_values_none_is_there(secret, form):
    whole, bare = text_of(secret, form), text_of(secret, form, Keep(source=False, values=False))
    for value in ("sesame-0042", "sesame-0043", "977.25", "979.25"):
        assert value not in bare
    if form in ("json", "html", "csv"):
        assert "sesame-0042" in whole and "977.25" in whole
        assert "float32[3, 5]" in bare and "value 1" in bare


@pytest.mark.parametrize("form", list(FORMATS))
def test_without_source_no_text_of_the_script_is_there(secret, form):
    bare = text_of(secret, form, Keep(source=False))
    for text in ("torch.relu(x * rate)", "hidden folder", "alert(", secret.info["host"] + '"'):
        assert text not in bare
    if form == "json":
        assert json.loads(bare)["codes"][0]["file"] == "secret.py"


def test_labels_tell_values_apart(secret):
    bare = scrubbed(secret, Keep(values=False))
    texts = [bare.signature(i) for i in range(bare.signature_count)]
    labels = [dict(t)["label"] for t in texts]
    assert len(set(labels)) == 4 and all(re.fullmatch(r"value \d+", v) for v in labels)
    seen = {c.place: c.seen for c in summary.causes(bare)}
    assert len(seen["label"]) == len({c.place: c.seen for c in summary.causes(secret)}["label"])


def test_only_literals_become_labels():
    labels = Labels()
    assert labels.of("'a'") == "value 1" and labels.of("12") == "value 2" and labels.of("'a'") == "value 1"
    assert labels.of("int") == "int" and labels.of("") == "" and labels.of("absent") == "absent"
    assert labels.quoted("it said 'a' and x's") == "it said value 1 and x's"
    assert labels.literals("x == 12, s0 > x.shape[0]") == "x == value 2, s0 > x.shape[value 3]"


def test_nothing_left_out_is_the_session_itself(secret):
    assert scrubbed(secret, Keep()) is secret
