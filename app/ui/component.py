"""Components of Gradio whose script is a module of the page, as it is: without a build, a template or `eval`."""

from __future__ import annotations

from typing import Any

from app.ui.lean_gradio import gr


class ScriptedComponent(gr.components.Component):
    """A custom component, with the files that Gradio's page asks for in `static/component`.

    Gradio imports `index.js` and `svelte_runtime_entry.js` from there, and calls `mount`, where other components have
    the runtime of Svelte. Ours imports the module that `script` names, relative to `index.js`, and calls its `show`.
    A `gr.HTML` would need `eval` for its template and its script.
    """

    EVENTS: list[Any] = []  # noqa: RUF012 (Gradio's metaclass reads and replaces it)
    TEMPLATE_DIR = gr.data_classes.DeveloperPath("static")

    def __init__(self, script: str, **options: Any) -> None:
        self.script = script
        super().__init__(**options)

    def get_config(self, cls: type[Any] | None = None) -> dict[str, Any]:
        """What the page gets: the arguments of the class, and the script."""
        return {**super().get_config(cls), "script": self.script}

    def preprocess(self, payload: Any) -> Any:
        """The value as a function gets it."""
        return payload

    def postprocess(self, value: Any) -> Any:
        """The value as the page gets it."""
        return value

    def api_info(self) -> dict[str, Any]:
        """The schema of the value."""
        return {}

    def example_payload(self) -> Any:
        """A value in the documentation of the API."""
        return None

    def example_value(self) -> Any:
        """A value in examples."""
        return None
