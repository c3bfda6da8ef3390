"""The page reports each edit with its place and its origin, and the log stores both with the text."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect

from app.log.changes import reported_changes, text_after
from tests.e2e.screen import DOCUMENT, SERVER_CALLS, Screen, events

# UTF-16 code units, as JavaScript counts: letters, two surrogate pairs, a combining mark, lone surrogates.
UNITS = st.lists(
    st.sampled_from([[97], [98], [32], [0xD83D, 0xDE00], [0xD83D, 0xDC69], [0x308], [0xD83D], [0xDE00]]), max_size=6
).map(lambda parts: list(chain.from_iterable(parts)))
STEPS = st.tuples(st.integers(0, 14), st.integers(0, 4), UNITS, st.sampled_from(["typed", "paste"]))
NOTE = """async ({module, cases}) => {
  const {Changes} = await import(module), points = text => [...text].map(c => c.codePointAt(0));
  return cases.map(([before, steps]) => {
    const changes = new Changes();
    let text = String.fromCharCode(...before);
    changes.begin(text);
    for (const [at, count, units, origin] of steps) {
      const start = Math.min(at, text.length), end = Math.min(start + count, text.length);
      const came = String.fromCharCode(...units);
      text = text.slice(0, start) + came + text.slice(end);
      changes.note(text, origin, start + came.length, [start, end]);
    }
    return [points(text), changes.take(text).changes.map(([at, count, came, by]) => [at, count, points(came), by])];
  });
}"""


def text_of(points: list[int]) -> str:
    return "".join(map(chr, points))


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases=st.lists(st.tuples(UNITS, st.lists(STEPS, max_size=6)), min_size=20, max_size=20))
def test_reported_changes_rebuild_the_text_in_code_points(screen: Screen, cases: list[Any]):
    """Also if an edit splits a surrogate pair or joins two halves."""
    module = f"{screen.url}/pinpoint-static/core/changes.js"
    found = screen.page.evaluate(NOTE, {"module": module, "cases": [[units, steps] for units, steps in cases]})
    for (units, steps), (points, found_changes) in zip(cases, found, strict=True):
        before = b"".join(unit.to_bytes(2, "little") for unit in units).decode("utf-16-le", "surrogatepass")
        after = text_of(points)
        changes = [(at, count, text_of(came), origin) for at, count, came, origin in found_changes]
        assert reported_changes(before, after, changes) is not None or (before == after and not changes)
        assert {origin for *_, origin in changes} <= {origin for *_, origin in steps}


def test_typing_pasting_composing_and_undo_are_logged_as_such(screen: Screen, tmp_path: Path):
    page = screen.page
    screen.open_text(DOCUMENT, "changes.txt")
    screen.type_text("Das 😀 Haus")
    screen.wait_until_saved()
    for key in ("Home", "Control+Shift+ArrowRight", "Control+x", "End", "Control+v"):
        page.keyboard.press(key)
    page.keyboard.type("ab")
    page.keyboard.press("Backspace")
    keys = page.context.new_cdp_session(page)  # an input method: composed text is one change
    for text in ("ni", "nih", "你"):
        keys.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
    keys.send("Input.insertText", {"text": "你好"})
    keys.detach()
    assert screen.text() == " 😀 HausDasa你好"
    screen.wait_until_saved()
    page.keyboard.press("Control+z")
    screen.wait_until_saved()

    page.route(SERVER_CALLS, lambda route: route.abort())  # offline: three edits wait, two of them merged
    page.keyboard.press("Control+a")
    page.keyboard.type("Erst")
    page.wait_for_timeout(400)
    page.keyboard.type(" dann")
    page.wait_for_timeout(400)
    page.keyboard.press("Control+Shift+ArrowLeft")
    page.keyboard.press("Control+x")
    page.wait_for_timeout(400)
    page.unroute(SERVER_CALLS)
    screen.wait_until_saved()
    screen.confirm()

    logged = [e for e in events(screen.download("Session log as JSONL", tmp_path)) if e["segment"] == 0]
    written = [e for e in logged if "offset" in e["payload"]]
    by_way: list[tuple[str, str, str]] = []
    for kind, text, origin in ((e["type"], e["payload"]["text"], e["payload"]["origin"]) for e in written):
        if (
            by_way and by_way[-1][0] == kind == "insert" and by_way[-1][2] == origin
        ):  # a slow machine stores it in several parts
            text = by_way.pop()[1] + text
        by_way.append((kind, text, origin))
    assert by_way == [
        ("insert", "Das 😀 Haus", "typed"),
        ("delete", "Das", "typed"),
        ("paste", "Das", "paste"),
        ("insert", "ab", "typed"),
        ("delete", "b", "typed"),
        ("insert", "你好Erst dann", "typed"),
        ("delete", "dann", "typed"),
    ]
    assert [e["type"] for e in logged if e["type"] in ("undo", "confirm")] == ["undo", "confirm"]
    undone = next(e["segment_version"] for e in logged if e["type"] == "undo")
    stored = {e["segment_version"] for e in written if e["segment_version"] > undone}
    assert len(stored) <= 2, "waiting edits are stored together"
    after = None
    for event in logged:
        after = text_after(after, event["type"], event["payload"])
    assert after == "Erst "
    expect(screen.row(1).locator(".tgt")).to_have_text(re.compile("^Erst ?$"))
