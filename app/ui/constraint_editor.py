"""The editor of a translation with pins and bans, as a component for any `gr.Blocks`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal, TypedDict

from app.ui.component import ScriptedComponent
from app.ui.lean_gradio import gr

# Loads pandas: the threads of Gradio's queue use it, and loading it at the first use (`lean_gradio`) is not safe there.
_PANDAS: Final = import_module("pandas").__version__
MAX_CHARACTERS: Final = 20_000
MAX_CONSTRAINTS: Final = 100
_SCRIPT: Final = "./constraint_editor.js"
_TEXTS: Final = (
    "bans.add", "bans.remove", "bar.label", "bar.unpin", "field.label", "key.ctrl", "key.delete", "key.end",
    "key.enter", "key.escape", "key.shift", "key.space", "pins.add", "pins.label", "pins.remove",
)  # fmt: skip
_EMPTY: Final[EditorValue] = {"source": "", "text": "", "pins": [], "bans": []}


class EditorValue(TypedDict):
    """The value: a source, its translation, and the texts that it must and must not contain."""

    source: str
    text: str
    pins: list[str]
    bans: list[str]


class ConstraintEditor(ScriptedComponent):
    """Shows a source and edits its translation as Pinpoint's page does: words selected or clicked are pinned or banned.

    As input, a function gets the value as a dict with `source`, `text`, `pins` and `bans`; as output it returns such a
    dict, parts of it (the others are then empty), or None for an empty editor.

    Events: `change` (the value changed, also by a function), `input` (the person typed), `select` (words were selected
    or clicked: `gr.SelectData` with `value`, the words, and `index`, their start and end in `text`, in code points),
    `submit` (Enter, or a pin or ban was set or removed: translate again), `focus` and `blur`.
    """

    EVENTS: list[Any] = [  # noqa: RUF012 (Gradio's metaclass reads and replaces it)
        gr.events.Events.change,
        gr.events.Events.input,
        gr.events.Events.select,
        gr.events.Events.submit,
        gr.events.Events.focus,
        gr.events.Events.blur,
    ]

    change: Callable[..., Any]  # Gradio makes a method for each event
    input: Callable[..., Any]
    select: Callable[..., Any]
    submit: Callable[..., Any]
    focus: Callable[..., Any]
    blur: Callable[..., Any]

    def __init__(
        self,
        value: EditorValue | dict[str, Any] | Callable[..., Any] | None = None,
        *,
        source_language: str = "en",
        target_language: str = "de",
        label: str | None = None,
        every: gr.Timer | float | None = None,
        inputs: gr.components.Component | Sequence[gr.components.Component] | None = None,
        show_label: bool | None = None,
        scale: int | None = None,
        min_width: int = 160,
        interactive: bool | None = None,
        visible: bool | Literal["hidden"] = True,
        elem_id: str | None = None,
        elem_classes: list[str] | str | None = None,
        render: bool = True,
        key: int | str | tuple[int | str, ...] | None = None,
        preserved_by_key: list[str] | str | None = "value",
    ) -> None:
        """The parameters have the same meaning as in `gr.Textbox`.

        `source_language` and `target_language` are codes such as "de"; they decide on spelling check and direction.
        """
        self.source_language = source_language
        self.target_language = target_language
        super().__init__(
            _SCRIPT, value=value, label=label, every=every, inputs=inputs, show_label=show_label, scale=scale,
            min_width=min_width, interactive=interactive, visible=visible, elem_id=elem_id, elem_classes=elem_classes,
            render=render, key=key, preserved_by_key=preserved_by_key,
        )  # fmt: skip

    def get_config(self, cls: type[Any] | None = None) -> dict[str, Any]:
        """What the page gets: the arguments, and the texts of the editor in each language."""
        return {**super().get_config(cls), "texts": _texts()}

    def preprocess(self, payload: Any) -> EditorValue | None:
        """The value of the page, checked: a client may send anything. Raises gr.Error."""
        return None if payload is None else _checked(payload)

    def postprocess(self, value: Any) -> EditorValue:
        """The value for the page. Raises gr.Error."""
        return _checked({**_EMPTY, **(value or {})})

    def api_info(self) -> dict[str, Any]:
        """The schema of the value."""
        text, texts = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
        return {
            "type": "object",
            "properties": {"source": text, "text": text, "pins": texts, "bans": texts},
            "required": list(_EMPTY),
        }

    def example_payload(self) -> EditorValue:
        """A value in the documentation of the API."""
        return {"source": "Open the file.", "text": "Öffnen Sie die Akte.", "pins": ["Akte"], "bans": ["Datei"]}

    def example_value(self) -> EditorValue:
        """A value in examples."""
        return self.example_payload()


def _checked(value: Any) -> EditorValue:
    if not isinstance(value, dict) or set(value) != set(_EMPTY):
        raise gr.Error("The value of the editor has other parts: give source, text, pins and bans.")
    for name in ("source", "text"):
        if not isinstance(value[name], str) or len(value[name]) > MAX_CHARACTERS:
            raise gr.Error(f"{name} of the editor must be a text of at most {MAX_CHARACTERS:,} characters: shorten it.")
    for name in ("pins", "bans"):
        texts = value[name]
        is_list = isinstance(texts, list) and all(isinstance(text, str) and len(text) <= 1000 for text in texts)
        if not is_list or len(texts) > MAX_CONSTRAINTS:
            raise gr.Error(
                f"{name} of the editor must be a list of at most {MAX_CONSTRAINTS} texts of at most 1,000 characters: "
                "remove or shorten some."
            )
    return {"source": value["source"], "text": value["text"], "pins": value["pins"], "bans": value["bans"]}


@cache
def _texts() -> dict[str, dict[str, str]]:
    """The texts of the editor by language and key, from the files of the page."""
    files = (Path(__file__).parent / "static").glob("texts.*.json")
    read = {path.name.split(".")[1]: json.loads(path.read_text(encoding="utf-8")) for path in files}
    return {language: {key: texts[key] for key in _TEXTS} for language, texts in read.items()}
