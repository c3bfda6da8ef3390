"""The command `demo`: plain Gradio around the editor and the engine, without a log or accounts."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from app.cli.translate import glossary_matcher
from app.errors import AppError
from app.segments.resolved_constraints import request_of
from app.segments.segment_constraints import Constraints
from app.ui.constraint_editor import ConstraintEditor, EditorValue
from app.ui.lean_gradio import gr
from engine import POST_EDITING, Avoid, EngineError, Request, Translator, known_models

_load = lru_cache(1)(lambda folder: Translator.load(folder, precision="auto", num_threads=None))


@contextmanager
def _asked(text: EditorValue, model: str, direction: str, glossary: str | None) -> Iterator[tuple[Translator, Request]]:
    try:
        translator = _load({entry.name: entry.folder for entry in known_models()}.get(model, model))
        direction = direction.strip() or translator.directions[0]
        hits = glossary_matcher([Path(glossary)], direction).find(text["source"]) if glossary else ()
        wanted = Constraints(tuple(text["pins"]), bans=tuple(map(Avoid, text["bans"])))
        yield translator, request_of(text["source"], wanted, hits, direction)
    except (AppError, EngineError) as error:  # a toast shows HTML
        raise gr.Error(escape(str(error))) from error


def translate(
    source: str, pins: list[str] | None, bans: list[str] | None, model: str, direction: str, glossary: Any = None
) -> Any:
    """The best translation for the editor, and the n-best list with scores and the places of pins and terms.

    Programs send None for pins or bans that they do not have.
    """
    text: EditorValue = {"source": source, "text": "", "pins": pins or [], "bans": bans or []}
    with _asked(text, model, direction, glossary) as (translator, request):
        found = translator.translate(request, POST_EDITING, deadline_ms=30_000)
    if not found.hypotheses:
        raise gr.Error(escape("; ".join(reason.message for reason in found.reasons) or found.status))
    places = ["; ".join(f"{p.form} {p.start}–{p.end}" for p in one.placements) for one in found.hypotheses]
    rows = [[one.text, round(one.score, 3), place] for one, place in zip(found.hypotheses, places, strict=True)]
    return {**text, "text": found.hypotheses[0].text}, rows


def alternatives(text: EditorValue, place: int, model: str, direction: str, glossary: Any = None) -> list[list[Any]]:
    """Other words for the one at character `place` of the edited text, each with the best sentence that has it."""
    with _asked(text, model, direction, glossary) as (translator, request):
        (whole,) = translator.scored(request, text["text"]).hypotheses
        found = translator.alternatives(request, whole, place, 5, POST_EDITING, deadline_ms=30_000)
    return [[one.word, one.hypothesis.text, round(one.hypothesis.score, 3)] for one in found]


def _place(selected: gr.SelectData) -> int:
    return int(selected.index[0])


def demo(flags: Namespace) -> int:
    """Serves the page until it is stopped; returns 0."""
    names = [*([str(flags.model)] if flags.model else []), *(one.name for one in known_models() if not one.problem)]
    limits: dict[str, Any] = {"concurrency_id": "model"}  # one request at a time, with one model in memory
    with gr.Blocks(title="Pinpoint demo", analytics_enabled=False) as page:
        source = gr.Textbox("A man is riding a red bicycle.", label="Source", max_length=20_000)
        pins = gr.Dropdown([], value=[], multiselect=True, allow_custom_value=True, label="Pins")
        bans = gr.Dropdown([], value=[], multiselect=True, allow_custom_value=True, label="Bans")
        direction = gr.Textbox("", label="Direction such as en-de; if empty, the first of the model", max_length=20)
        where = [gr.Dropdown(names, label="Model"), direction, gr.File(label="Glossary (TSV, XLSX, TBX …)", height=140)]
        asked, button = [source, pins, bans, *where], gr.Button("Translate", variant="primary")
        editor = ConstraintEditor(label="Translation (select words to pin or ban them)", interactive=True)
        nbest = gr.Dataframe(headers=["translation", "score", "pins and terms"], label="N-best list", interactive=False)
        place = gr.Number(0, precision=0, label="Alternatives for the word at this character")
        others = gr.Dataframe(headers=["word", "translation", "score"], label="Alternatives", interactive=False)
        gr.on([button.click, source.submit], translate, asked, [editor, nbest], api_name="translate", **limits)
        taken = editor.submit(lambda text: (text["pins"], text["bans"]), editor, [pins, bans], api_visibility="private")
        taken.then(translate, asked, [editor, nbest], api_visibility="private", **limits)
        picked = editor.select(_place, None, place, api_visibility="private")
        picked.then(alternatives, [editor, place, *where], others, api_name="alternatives", **limits)
    options: dict[str, Any] = {"ssr_mode": False, "run_history": False, "max_file_size": "10mb"}
    page.launch(server_name=flags.host, server_port=flags.port, **options)
    return 0
