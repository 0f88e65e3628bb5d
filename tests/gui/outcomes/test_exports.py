"""Outcome 17: everything the Export dialog writes of the story, with and without source and values, read back."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# Appended to a copy of the report: searches, counts rows, filters and zooms as a reader does, and writes down what is shown.
READER = """<script>
setTimeout(() => {
  const rows = () => document.querySelectorAll("#pane tr[data-call]").length, out = {};
  out.all = rows();
  out.causes = [...document.querySelectorAll(".causes tr")].map(r => r.textContent);
  const find = document.querySelector("input[type=search]");
  const type = text => { find.value = text; find.dispatchEvent(new Event("input")); };
  type("sizes("); type("sizes"); out.found = rows(); type("");
  document.querySelectorAll("#chips button")[5].click(); out.errors = rows();
  document.querySelectorAll("#chips button")[5].click();
  const span = S.to - S.from;
  [...document.querySelectorAll("button")].find(b => b.textContent === "Zoom in").click();
  out.zoomed = (S.to - S.from) < span;
  document.getElementById("timeline").dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
  out.selected = S.call;
  out.call = document.getElementById("call").textContent;
  document.body.setAttribute("data-read", JSON.stringify(out));
}, 500);
</script>"""


class Addresses(HTMLParser):
    """Every address that a page names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [str(value) for name, value in attrs if name in ("src", "href", "action", "data", "poster", "srcset")]


def export(story: Any, target: Path, source: bool = True, values: bool = True) -> str:
    """Write a file by the dialog; its text."""
    from guardscope.gui.export import FORMS, form_of
    from guardscope.gui.widgets.export_dialog import ExportDialog

    assert story.window.commands.run("file.export")
    dialog = story.window.findChild(ExportDialog)
    form = next(f for f in FORMS if f == form_of(target.name)[1])
    dialog.choose(form)
    if not form.is_picture:
        dialog.source.setChecked(source)
        dialog.values.setChecked(values)
    dialog.path.setText(str(target))
    dialog.go.click()
    story.qtbot.waitUntil(lambda: target.is_file() and story.window.jobs.idle
                          and story.window.findChild(ExportDialog) is None)
    assert "exported" in story.said
    return "" if target.suffix == ".png" else target.read_text(encoding="utf-8")


def test_tables_and_traces(story: Any, tmp_path: Path) -> None:
    rows = list(csv.DictReader(export(story, tmp_path / "s.csv").splitlines()))
    assert len(rows) == 25
    assert [r["outcome"] for r in rows][7:11] == ["recompile", "eager_limit", "eager_limit", "compile"]
    everything = json.loads(export(story, tmp_path / "s.json"))
    assert len(everything["artifacts"]) == 16 and len(everything["calls"]) > 0
    trace = json.loads(export(story, tmp_path / "s.trace.json"))["traceEvents"]
    spans = [e for e in trace if e["ph"] == "X"]
    assert {"ts", "dur", "pid", "tid", "name"} <= set(spans[0])
    assert sum("capture" in e["name"] for e in spans) >= 16


def test_the_timeline_as_a_picture(story: Any, tmp_path: Path) -> None:
    from PySide6.QtGui import QImage

    export(story, tmp_path / "s.png")
    image = QImage(str(tmp_path / "s.png"))
    assert image.width() > 1000
    colours = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 5)}
    assert len(colours) > 8
    text = export(story, tmp_path / "s.svg")
    words = {"".join(e.itertext()).strip() for e in ET.fromstring(text).iter() if e.tag.endswith("text")}
    assert {"Meter.forward", "sizes", "never", "story.py"} <= words, words


def test_the_report_needs_nothing_but_itself(story: Any, tmp_path: Path) -> None:
    text = export(story, tmp_path / "s.html")
    assert Addresses(text).found == []
    assert not re.findall(r"(?:https?:)?//[\w.-]+\.\w{2,}", re.sub(r'"sources":\{.*?\}', "", text))
    assert "default-src 'none'" in text
    for part in ("zoom(", "S.search", "wheel", "ArrowRight"):
        assert part in text


def test_what_must_stay_in_the_house_is_left_out(story: Any, tmp_path: Path, story_file: Path) -> None:
    for ending in (".html", ".json", ".trace.json", ".csv"):
        whole = export(story, tmp_path / f"whole{ending}")
        bare = export(story, tmp_path / f"bare{ending}", source=False, values=False)
        assert "exec(\"a" not in bare.replace("\\", "") and "torch.relu(x) * RATE" not in bare, ending
        assert str(story_file.parent) not in bare, ending
        assert "RATE == 3" not in bare, ending
        if ending != ".trace.json":
            assert "float32[3]" in bare, "sizes and dtypes stay"
        if ending in (".html", ".json"):
            assert "torch.relu(x) * RATE" in whole and "RATE == 3" in whole


@pytest.mark.skipif(BROWSER is None, reason="no browser on this machine")
def test_a_colleague_opens_searches_and_zooms(story: Any, tmp_path: Path) -> None:
    page = tmp_path / "s.html"
    page.write_text(export(story, page).replace("</body>", READER + "</body>"), encoding="utf-8")
    done = subprocess.run([str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
                           f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()],
                          capture_output=True, text=True, timeout=120)
    read = re.search(r'data-read="([^"]*)"', done.stdout)
    assert read is not None, done.stdout[-500:] + done.stderr[-500:]
    out = json.loads(read[1].replace("&quot;", '"'))
    assert (out["all"], out["found"], out["errors"], out["zoomed"], out["selected"]) == (25, 5, 1, True, 24)
    assert "Two.forward" in out["call"]
    (cause,) = [c for c in out["causes"] if "Two.forward" in c]
    assert cause.startswith("x.shape[1] and 3 others changed together in Two.forward and cost 1 more version")
