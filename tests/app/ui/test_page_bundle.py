"""The bundle of the page's scripts does the same as the scripts alone."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from app.ui.page_bundle import EDITOR_LIBRARY, SCRIPT_NAME, STYLES_NAME, page_bundle, script_bundle
from app.ui.server import STATIC_FOLDER

NODE = shutil.which("node")
SCRIPTS = {
    "main.js": """
import {Line as Text, NAME} from './core/lines.js';
import {
  count,
  twice,
} from './core/numbers.js';
import {library} from './vendor/library.js';
/** @type {import('./core/numbers.js').Kind} */
const name = 'local';
export const show = () => [new Text().text(), NAME, count(), twice(2), library, name, import.meta.url];
export async function wait() {}
""",
    "core/lines.js": """
import {count} from './numbers.js';
export {twice} from './numbers.js';
const name = 'lines';
export const NAME = name;
export class Line {
  text() { return `line ${count()}`; }
}
""",
    "core/numbers.js": """
let last = 0;
export function count() { return ++last; }
export const twice = number => 2 * number;
export function* all() {}
""",
    "vendor/library.js": "const a=1;export{a as library};",
}


def write_scripts(folder: Path, **changed: str) -> Path:
    for path, text in {**SCRIPTS, **changed}.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.skipif(NODE is None, reason="Node.js is not installed; it runs the scripts")
def test_bundle_does_the_same_as_its_scripts(tmp_path: Path) -> None:
    folder = write_scripts(tmp_path)
    (folder / "page.js").write_text(script_bundle(folder, "main.js"), encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    command = "const m = await import(process.argv[1]); console.log(JSON.stringify([Object.keys(m).sort(), m.show()]))"
    outputs = [
        subprocess.run(
            [str(NODE), "--input-type=module", "--eval", command, (folder / script).as_uri()],
            capture_output=True, text=True, check=True,
        ).stdout
        for script in ("main.js", "page.js")
    ]  # fmt: skip
    assert outputs[0] == outputs[1]
    assert '[["show","wait"],["line 1","lines",2,4,1,"local","file:' in outputs[0]


@pytest.mark.parametrize(
    "line",
    [
        "import './core/numbers.js';",
        "import * as numbers from './core/numbers.js';",
        "import numbers from './core/numbers.js';",
        "export default 1;",
        "export let one = 1;",  # the bundle would keep its first value
        "export * from './core/numbers.js';",
        "export {one};",
        "const later = () => import('./core/numbers.js');",
    ],
)
def test_import_or_export_of_another_form_is_refused(line: str, tmp_path: Path) -> None:
    folder = write_scripts(tmp_path, **{"core/lines.js": f"const a = 1;\n{line}\n"})
    with pytest.raises(ValueError, match=f"^core/lines.js: .*{re.escape(line[-20:])}"):
        script_bundle(folder, "main.js")


def test_page_asks_for_two_scripts() -> None:
    made = page_bundle(STATIC_FOLDER)
    assert re.findall(r"^import .* from '(.*)';$", made[SCRIPT_NAME], re.MULTILINE) == [f"./{EDITOR_LIBRARY}"]
    in_bundle = set(re.findall(r"^/\* (\S+\.js) \*/$", made[SCRIPT_NAME], re.MULTILINE))
    alone = {path.relative_to(STATIC_FOLDER).as_posix() for path in STATIC_FOLDER.rglob("*.js")} - in_bundle
    assert {script for script in alone if not script.startswith(("component/", "vendor/"))} == set()
    styles = {path.stem for path in (STATIC_FOLDER / "styles").glob("*.css")} - {"component"}  # of an editor in Gradio
    assert all((STATIC_FOLDER / "styles" / f"{name}.css").read_text("utf-8") in made[STYLES_NAME] for name in styles)
