"""The command `demo`, called by programs with gradio_client, and the editor as a component of any page of Gradio."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from app.cli.demo_command import demo
from app.ui.constraint_editor import ConstraintEditor
from app.ui.lean_gradio import gr
from engine.text import TextCodec
from tests.e2e.conftest import save_random_model

SOURCE = "A man is riding a red bicycle."
EDITED = {"source": SOURCE, "text": "Rad.", "pins": ["Rad"], "bans": []}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, codec: TextCodec) -> str:
    return str(save_random_model(tmp_path_factory.mktemp("models") / "random", codec))


@pytest.fixture(scope="module")
def client(model: str) -> Iterator[Client]:
    """A client of the demo, which runs in this process; its own `launch` would not return."""
    launch, pages = gr.Blocks.launch, []

    def launch_and_return(page: gr.Blocks, **options: Any) -> None:
        pages.append(page)
        launch(page, prevent_thread_lock=True, quiet=True, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gr.Blocks, "launch", launch_and_return)
        for name in ("NO_PROXY", "no_proxy"):
            patch.setenv(name, "127.0.0.1")
        demo(argparse.Namespace(model=model, host="127.0.0.1", port=None))
        yield Client(pages[0].local_url, verbose=False)
        pages[0].close(verbose=False)


@pytest.fixture
def glossary(tmp_path: Path) -> Path:
    path = tmp_path / "terms.csv"
    path.write_text("en,de\nman,Mensch\n")
    return path


def test_demo_has_two_endpoints_with_the_names_of_their_values(client: Client):
    endpoints = client.view_api(print_info=False, return_format="dict")["named_endpoints"]
    names = {name: [each["parameter_name"] for each in info["parameters"]] for name, info in endpoints.items()}
    where = ["model", "direction", "glossary"]
    assert names == {"/translate": ["source", "pins", "bans", *where], "/alternatives": ["text", "place", *where]}


def test_every_translation_has_the_pins_and_terms_at_the_places_given(client: Client, model: str, glossary: Path):
    edited, table = client.predict(
        SOURCE, ["Rad", "rot"], ["Fahrrad"], model, "", handle_file(glossary), api_name="/translate"
    )
    assert edited == {"source": SOURCE, "text": table["data"][0][0], "pins": ["Rad", "rot"], "bans": ["Fahrrad"]}
    assert table["data"]
    for text, score, places in table["data"]:
        assert float(score) < 0 and "Fahrrad" not in text
        placed = [place.rpartition(" ") for place in places.split("; ")]
        term, *pins = sorted(form for form, _, _ in placed)
        assert term.startswith("Mensch") and pins == ["Rad", "rot"]  # a form of the term, such as Menschen
        for form, _, span in placed:
            start, end = map(int, span.split("–"))
            assert text[start:end] == form


def test_no_pins_and_bans_are_an_empty_list(client: Client):
    edited, _ = client.predict(SOURCE, None, None, api_name="/translate")
    assert edited["text"] and (edited["pins"], edited["bans"]) == ([], [])


def test_alternatives_keep_the_text_before_the_word_and_the_pins(client: Client):
    edited, _ = client.predict(SOURCE, ["Rad"], api_name="/translate")
    place = edited["text"].rindex(" ") + 1 if " " in edited["text"] else 0
    others = client.predict(edited, place, api_name="/alternatives")
    assert others["data"]
    for _, text, _ in others["data"]:
        assert text.startswith(edited["text"][:place]) and "Rad" in text


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("/translate", (" ", [], [], None, ""), "source is blank"),
        ("/translate", (SOURCE, ["Rad"], ["Rad"], None, ""), "Rad"),
        ("/translate", (SOURCE, [], [], None, "xx-<img src=x>"), "xx-&lt;img src=x&gt;"),  # a toast shows HTML
        ("/translate", (SOURCE, [], [], "../../etc", ""), "not in the list of choices"),
        ("/alternatives", ({**EDITED, "pins": "Rad"}, 0, None, ""), "pins of the editor must be a list"),
        ("/alternatives", ({**EDITED, "text": 1}, 0, None, ""), "text of the editor must be a text"),
        ("/alternatives", ({"text": "Rad."}, 0, None, ""), "give source, text, pins and bans"),
        ("/alternatives", (EDITED, 999, None, ""), "999"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_its_place(client: Client, model: str, name: str, values: Any, message: str):
    *first, chosen, direction = values
    with pytest.raises(AppError) as caught:
        client.predict(*first, chosen or model, direction, api_name=name)
    assert message in str(caught.value)


def test_glossary_that_cannot_be_read_is_named(client: Client, model: str, tmp_path: Path):
    path = tmp_path / "broken.csv"
    path.write_text("only one column\n")
    with pytest.raises(AppError, match=r"broken\.csv"):
        client.predict(SOURCE, [], [], model, "", handle_file(path), api_name="/translate")


def test_editor_is_a_component_like_those_of_gradio():
    with gr.Blocks() as page:
        editor = ConstraintEditor({"source": "Hello"}, label="Translation", target_language="fr")
        for event in ("change", "input", "select", "submit", "focus", "blur"):
            getattr(editor, event)(lambda value: value, editor, editor)
    (config,) = (each for each in page.config["components"] if each["type"] == "constrainteditor")
    assert config["props"]["value"] == {"source": "Hello", "text": "", "pins": [], "bans": []}
    assert config["props"]["label"] == "Translation" and config["props"]["target_language"] == "fr"
    assert set(config["props"]["texts"]) == {"de", "en"}
    assert editor.preprocess(editor.example_payload()) == editor.postprocess(editor.example_value())
    assert not Path(inspect.getfile(ConstraintEditor)).with_suffix(".pyi").exists()


def test_example_in_the_guide_imports_the_editor_before_gradio_which_else_writes_stub_files():
    guide = (Path(__file__).parents[2] / "docs/administrators.md").read_text(encoding="utf-8")
    assert guide.index("from app.ui.constraint_editor import") < guide.index("import gradio as gr")


def test_editor_takes_no_text_that_is_too_long():
    with pytest.raises(gr.Error, match="at most 20,000 characters"):
        ConstraintEditor().postprocess({"text": "x" * 20_001})
