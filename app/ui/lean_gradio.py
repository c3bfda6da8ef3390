"""Gradio, imported in 40 % of the processor time (0.9 instead of 2.2 s) and without 32 MB for tables of pandas.

Everything here that uses Gradio takes `gr` from this module, so that it is imported once and in this way.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from typing import Any

from app.lean_imports import imported_when_used


class WithoutStubFiles(SourceFileLoader):
    """Imports a module of Gradio that renders a stub file (.pyi) for each component class, at each start.

    Nothing reads these files at run time. Gradio has no setting for it, and its wheels do not always contain the files,
    so it writes them where it is installed (https://github.com/gradio-app/gradio/issues/10121 and 13781). The slow
    import is known, too (issue 7791). A subclass of a component would get such a file beside its source.
    """

    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        """The module with this loader; None for any other module (a finder of `sys.meta_path`)."""
        found = PathFinder.find_spec(name, path) if name == "gradio.component_meta" else None
        if found is None or found.origin is None:
            return None
        return spec_from_file_location(name, found.origin, loader=cls(name, found.origin))

    def exec_module(self, module: Any) -> None:
        """Runs the module, then replaces its function that writes stub files."""
        super().exec_module(module)
        module.create_or_modify_pyi = lambda *_: None


sys.meta_path.insert(0, WithoutStubFiles)
with imported_when_used("pandas"):
    import gradio as gr

sys.meta_path.remove(WithoutStubFiles)

__all__ = ["gr"]
