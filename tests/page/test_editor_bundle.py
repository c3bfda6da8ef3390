"""The editor library of the page: the committed file is what `npm run bundle` makes of the pinned versions."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUNDLE = ROOT / "app" / "ui" / "static" / "vendor" / "codemirror.js"
NODE = shutil.which("node")


def test_bundle_is_made_of_the_pinned_versions(tmp_path: Path) -> None:
    if NODE is None:
        pytest.skip("Node.js is not installed; it builds the editor library of the page")
    if not (ROOT / "node_modules" / "esbuild").exists():
        pytest.skip("`npm ci` has not installed what builds the editor library of the page")
    made = tmp_path / "codemirror.js"
    script = ROOT / "app" / "ui" / "bundle_editor.mjs"
    subprocess.run([NODE, str(script), str(made)], cwd=ROOT, check=True, timeout=300)
    assert made.read_bytes() == BUNDLE.read_bytes(), "run `npm run bundle`"


def test_bundle_has_the_licences_of_its_packages() -> None:
    packages = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    header = BUNDLE.read_text(encoding="utf-8").partition("*/")[0]
    names = ["@codemirror/state", "@codemirror/view", "@marijn/find-cluster-break", "crelt", "style-mod", "w3c-keyname"]
    for name in names:
        assert f"{name} {packages[f'node_modules/{name}']['version']}, MIT" in header
    assert header.count("Permission is hereby granted, free of charge") == len(names)
