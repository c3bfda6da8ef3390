"""Links, pictures, and the tables of keys and commands in all pages.

`python -m tests.test_documentation` writes the tables again after a key, its name or a command has changed.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from itertools import zip_longest
from pathlib import Path

import pytest

import tests.hard.__main__
from app import VERSION
from app.cli.arguments import COMMANDS
from app.settings import AppSettings, help_of, variables_of
from benchmarks.capacity.__main__ import extrapolation_table
from engine import EngineStatistics, settings_of
from tests.cli.transcript import is_like, run, steps
from tests.test_architecture import FLOORS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "app/log/README.md",
    "benchmarks/README.md",
    "engine/README.md",
    "engine/kernels/README.md",
    "engine/train/README.md",
    "engine/transformers_models/README.md",
    "data/forms/README.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")),
]
MAX_PICTURE_BYTES = 250_000
KEY_NAMES = {"ArrowUp": "↑", "ArrowDown": "↓", "ArrowLeft": "←", "ArrowRight": "→", "Escape": "Esc", "Delete": "Del"}
TABLES = {
    "docs/translators.md": ["keys"],
    "docs/administrators.md": ["settings", "commands", "capacity"],
    "docs/engineers.md": ["floors"],
}


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


# --- links and pictures


def links(text: str) -> list[str]:
    """Targets of the links and pictures of a page, without those to other sites."""
    targets = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))
    return [target for target in targets if "://" not in target and not target.startswith("mailto:")]


def anchors(text: str) -> set[str]:
    """What `#...` can refer to: headings in lower case, spaces as hyphens, other marks left out."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings(page: str) -> None:
    broken = []
    for target in links(read(page)):
        file, _, anchor = target.partition("#")
        path = (ROOT / page).parent / file if file else ROOT / page
        if not path.exists() or (anchor and anchor not in anchors(path.read_text(encoding="utf-8"))):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("page", PAGES)
def test_tables_are_whole(page: str) -> None:
    """Rows after an empty line, without a header of their own, would be shown as text with vertical bars."""
    tables = re.findall(r"(?:^\|.*\n)+", re.sub(r"^```.*?^```", "", read(page), flags=re.DOTALL | re.MULTILINE), re.M)
    assert [rows for rows in tables if not re.match(r"\|.*\n\|[-:| ]+\|\n", rows)] == []


def test_pages_that_this_test_lists_exist() -> None:
    assert [page for page in PAGES if not (ROOT / page).is_file()] == []


def test_every_picture_is_small_and_used() -> None:
    used = {((ROOT / page).parent / target).resolve() for page in PAGES for target in links(read(page))}
    pictures = [ROOT / "data" / "screenshot.png", *(ROOT / "docs" / "pictures").glob("*")]
    assert [picture.name for picture in pictures if picture.resolve() not in used] == []
    assert [picture.name for picture in pictures if picture.stat().st_size > MAX_PICTURE_BYTES] == []


def test_every_picture_has_a_description() -> None:
    assert [
        (page, target) for page in PAGES for text, target in re.findall(r"!\[(.*?)\]\((.*?)\)", read(page)) if not text
    ] == []


def test_release_notes_begin_with_a_date_and_highlights() -> None:
    newest, *older = re.split(r"^## ", read("CHANGELOG.md"), flags=re.MULTILINE)[1:]
    for notes in (newest, *older):
        assert re.match(r"\d+\.\d+\.\d+ \(\d{4}-\d{2}-\d{2}\)\n", notes), notes.partition("\n")[0]
    assert newest.startswith(f"{VERSION} ")
    first_section = newest.split("\n### ")[1]
    assert first_section.startswith("Highlights\n")
    assert 5 <= first_section.count("\n- ") <= 10


@pytest.mark.parametrize("page", ["docs/security.md", "docs/durability.md"])
def test_tests_that_a_page_names_exist(page: str) -> None:
    text = read(page)
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    missing = [name for path, name in named if f"def {name}(" not in read(path)]
    quoted = re.findall(r"“([^”]+)” \(`(tests/[\w/.]+\.js)`\)", text)
    missing += [name for name, path in quoted if f"test('{name}'" not in read(path)]
    missing += [path for path in re.findall(r"`(?:pytest )?(tests/[\w/.]+)`", text) if not (ROOT / path).exists()]
    assert missing == []


def test_each_known_attack_has_a_test() -> None:
    _, _, section = read("docs/security.md").partition("## Known attacks, and the test of each")
    rows = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("|")][2:]
    assert len(rows) > 35
    assert [row for row in rows if "`tests/" not in row.rpartition(" | ")[2]] == []


# --- tables that repeat what the program says


def javascript_lists(path: str, name: str) -> dict[str, list[str]]:
    """The constant `name` of a script: an object whose values are lists of strings."""
    block = re.search(rf"const {name} = {{(.*?)\n}};", read(path), re.DOTALL)
    assert block, f"{path} has no object {name}"
    entries = re.findall(r"(\w+): \[(.*?)\]", block[1], re.DOTALL)
    return {key: [part.replace("\\u2026", "…") for part in re.findall(r"'(.*?)'", values)] for key, values in entries}


def keys_table() -> str:
    """Each action with its keys: those that can be changed, then those that are the same for everybody."""
    texts = json.loads(read("app/ui/static/texts.en.json"))
    own = {
        action: [" or ".join("+".join(KEY_NAMES.get(part, part) for part in keys.split("+")) for keys in values)]
        for action, values in javascript_lists("app/ui/static/core/key_bindings.js", "DEFAULTS").items()
    }
    fixed = {
        action: [" ".join(KEY_NAMES.get(part, part) for part in parts)]
        for action, parts in javascript_lists("app/ui/static/dialogs/key_sheet.js", "FIXED").items()
        if parts
    }
    rows = [f"| {texts['keys.' + action]} | {keys[0]} |" for action, keys in own.items()]
    rows += [f"| {texts['keys.' + action]} (fixed) | {keys[0]} |" for action, keys in fixed.items()]
    return "\n".join(["| action | keys |", "|---|---|", *rows])


def settings_table() -> str:
    rows = []
    for entry in settings_of(AppSettings):
        text = help_of(entry, log="see [Data](#data)", program="pinpoint")
        rows.append(f"| `{entry.option_string}` | `{variables_of(entry.name)[0]}` | {text} |")
    return "\n".join(["| flag | variable | meaning |", "|---|---|---|", *rows])


def commands_table() -> str:
    rows = [f"| `pinpoint {name}` | {says} |" for name, says in COMMANDS.items()]
    return "\n".join(["| command | what it does |", "|---|---|", *rows])


def floors_table() -> str:
    sides = [[", ".join(f"`{room}`" for room in sorted(rooms)) for rooms in FLOORS[name]] for name in ("app", "engine")]
    rows = zip_longest(*(reversed(side) for side in sides), fillvalue="")
    return "\n".join(["| app | engine |", "|---|---|", *(f"| {app} | {engine} |" for app, engine in rows)])


def capacity_table() -> str:
    return extrapolation_table(json.loads(read("benchmarks/results/capacity/results.json")))


WRITERS = {
    "keys": keys_table,
    "settings": settings_table,
    "commands": commands_table,
    "floors": floors_table,
    "capacity": capacity_table,
}


def with_tables(page: str) -> str:
    """The page with its tables as they should be now."""
    text = read(page)
    for name in TABLES[page]:
        table = WRITERS[name]()
        start, end = re.search(rf"<!-- {name}: .*?-->\n", text), text.find(f"<!-- end of {name} -->")
        assert start and end > 0, f"{page} has no place for the table of {name}"
        text = f"{text[: start.end()]}\n{table}\n\n{text[end:]}"
    return text


@pytest.mark.parametrize("page", TABLES)
def test_tables_match_the_program(page: str) -> None:
    assert read(page) == with_tables(page), "run python -m tests.test_documentation"


@pytest.mark.parametrize("page", ["README.md", "docs/translators.md"])
def test_names_in_italics_are_texts_of_the_page(page: str) -> None:
    shown = {text.rstrip(" …") for text in json.loads(read("app/ui/static/texts.en.json")).values()}
    without_bold = re.sub(r"\*\*.*?\*\*", "", read(page), flags=re.DOTALL)
    assert set(re.findall(r"(?<![*\w])\*([^*\n]+)\*", without_bold)) - shown == set()


def test_reference_shows_the_real_output_of_the_shell(tmp_path: Path) -> None:
    shown = steps(read("docs/reference.md"))
    assert shown
    for found, expected in zip(run(shown, tmp_path), shown, strict=True):
        assert is_like(found.output, expected.output), found.output


def test_python_example_of_the_reference_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    code = re.search(r"^```python\n(.*?)^```$", read("docs/reference.md"), re.DOTALL | re.MULTILINE)
    assert code
    exec(code[1], {})
    assert capsys.readouterr().out == "complete Die Datei konnte nicht geöffnet werden.\n"


def test_status_example_has_the_real_fields() -> None:
    example = re.search(r"^```json\n(.*?)^```$", read("docs/administrators.md"), re.DOTALL | re.MULTILINE)
    assert example
    shown = json.loads(example[1])
    assert shown.keys() == {"version", "models"}
    expected = {"model", "state", "device", "precision", "decoder", *(field.name for field in fields(EngineStatistics))}
    assert shown["models"][0].keys() == expected


def test_files_that_the_engineers_page_names_exist() -> None:
    named = re.findall(r"`((?:app|benchmarks|engine|tests|data|docs)/[\w./-]+)`", read("docs/engineers.md"))
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_help_of_the_hard_tests_can_be_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["tests.hard", "--help"])
    with pytest.raises(SystemExit) as ended:
        tests.hard.__main__.main()
    assert ended.value.code == 0 and "--minutes" in capsys.readouterr().out


def test_commands_that_pages_show_exist() -> None:
    for page in PAGES:
        shown = re.findall(r"^(?:    |\$ )(?:pinpoint|python -m app) ([a-z][\w-]*)", read(page), re.MULTILINE)
        assert set(shown) <= set(COMMANDS), page


if __name__ == "__main__":
    for name in TABLES:
        (ROOT / name).write_text(with_tables(name), encoding="utf-8")
