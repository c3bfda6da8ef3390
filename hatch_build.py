"""Hook of the package's build: compiles the core (engine/compiled) into the wheel, if there is a C++ compiler."""

from __future__ import annotations

import importlib.util
import sys
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ZIG = "ziglang==0.15.1"  # a C++ compiler as a package, where there is no other


def _build_module(root: str) -> ModuleType:
    """`engine.compiled.build`, without what `engine` imports: it is not installed yet."""
    spec = importlib.util.spec_from_file_location("compiled_build", Path(root) / "engine" / "compiled" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class CompiledCoreHook(BuildHookInterface):  # type: ignore[type-arg]
    def dependencies(self) -> list[str]:
        return [] if _build_module(self.root).compiler() else [ZIG]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the library to a wheel, which is then for this kind of computer only; without it, for all."""
        if self.target_name != "wheel":
            return
        module = _build_module(self.root)
        try:
            library = module.build()
        except module.BuildError as error:
            self.app.display_warning(f"Pinpoint works without its compiled core, but slower: {error}")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
        build_data["force_include"][str(library)] = f"engine/compiled/{module.BUILT}/{library.name}"
