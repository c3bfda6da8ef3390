"""The page's scripts as one script, and its styles as one file: a first load asks for 3 files instead of 118.

They are made when the app starts, so that a changed script needs a restart and nothing else, and users need no Node.js.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

SCRIPT_NAME: Final = "page.js"
STYLES_NAME: Final = "page.css"
EDITOR_LIBRARY: Final = "vendor/codemirror.js"
_FIRST_SCRIPT: Final = "main.js"
_STYLES: Final = ("icons", "editor", "pages", "report", "glossary", "projects")
_FROM: Final = re.compile(r"^(import|export) \{([^{}]*)\} from '([^']*)';", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:const|class|function\*?|async function) (\w+))", re.MULTILINE)
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_NOT_SUPPORTED: Final = re.compile(r"^(?:import|export)\b.*|\bimport\(['`].*", re.MULTILINE)


def page_bundle(folder: Path) -> dict[str, str]:
    """The two files by name, made of the scripts and styles in the folder."""
    styles = [(folder / "styles" / f"{name}.css").read_text(encoding="utf-8") for name in _STYLES]
    return {SCRIPT_NAME: script_bundle(folder, _FIRST_SCRIPT), STYLES_NAME: "\n".join(styles)}


def script_bundle(folder: Path, first: str) -> str:
    """A script with all that it imports, as a module with the same exports.

    Each script becomes a function that returns its exports, after a comment with its name. Scripts in `vendor` are
    imported as they are. Raises ValueError for an import or export of another form.
    """
    folder = folder.resolve()
    texts: list[str] = []
    exports: dict[str, list[str]] = {}

    def name_of(script: str) -> str:
        """Adds the script, after those that it imports; returns the name of the constant that has its exports."""
        if script in exports:
            return f"module_{list(exports).index(script)}"
        names = exports[script] = []
        name = name_of(script)
        if script.startswith("vendor/"):
            texts.append(f"import * as {name} from './{script}';")
            return name

        def taken(found: re.Match[str]) -> str:
            """The names of an import, or of an export of another script's, as constants."""
            if found[1] == "export":
                names.extend(part.strip() for part in found[2].split(","))
            other = ((folder / script).parent / found[3]).resolve().relative_to(folder)
            return f"const {{{found[2].replace(' as ', ': ')}}} = {name_of(other.as_posix())};"

        text = (folder / script).read_text(encoding="utf-8")
        names.extend(_EXPORT.findall(text))
        text = _EXPORT.sub("", _FROM.sub(taken, text))
        if found := _NOT_SUPPORTED.search(_COMMENT.sub("", text)):
            raise ValueError(f"{script}: the bundle of the page does not support “{found[0]}”")
        text = text.replace("import.meta.url", f"new URL('{script}', import.meta.url).href")
        texts.append(f"/* {script} */\nconst {name} = (() => {{\n{text}\nreturn {{{', '.join(names)}}};\n}})();")
        return name

    name = name_of(first)
    return "\n".join([*texts, f"export const {{{', '.join(exports[first])}}} = {name};\n"])
