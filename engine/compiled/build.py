"""Builds the compiled core with the C++ compiler of this computer, or with the PyPI package `ziglang` as the compiler.

    python -m engine.compiled.build                      build it, unless that was done before; prints its path
    python -m engine.compiled.build --sanitize FOLDER    a build that checks itself, for tests

The library lies in `built/` beside the sources or, where that folder cannot be written, in the user's cache folder. Its
name has a checksum of the sources and the way they are compiled, so that a changed source is built again, and one
installation never loads the library of another. This file uses only Python's standard library, since the build of the
package runs it before anything is installed.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

FOLDER: Final = Path(__file__).resolve().parent
BUILT: Final = "built"
CURE: Final = (
    "install a C++ compiler (Debian, Ubuntu: apt install g++; macOS: xcode-select --install) or `pip install ziglang`, "
    "and run `python -m engine.compiled.build`"
)

Mode = Literal["release", "sanitize", "threads"]

# Modes other than "release" check themselves while they run: memory and arithmetic, or races between threads.
_FLAGS: Final = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-fno-math-errno")
_FLAGS_OF_MODE: Final[dict[Mode, tuple[str, ...]]] = {
    "release": ("-O3", "-DNDEBUG"),
    "sanitize": ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"),
    "threads": ("-O1", "-g", "-fsanitize=thread"),
}
# What the processors of a family can do; all other files are for every processor.
_AVX2: Final = ("avx2", "fma")
_FEATURES_OF_FILE: Final = {
    "kernels_avx2.cpp": _AVX2,
    "kernels_avx512.cpp": (*_AVX2, "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512vnni"),
}
_ZIG_FEATURES: Final = {"avx512f": ("avx512f", "evex512")}  # Zig has registers of 512 bits only if both are named
_ZIG_FLAGS: Final = ("-fno-sanitize=undefined",)  # which Zig adds unless it is told otherwise
_SEARCH: Final = "search"  # the folder whose sums are those of Python: each product and each sum is rounded
_SEARCH_FLAGS: Final = ("-ffp-contract=off",)
_SECONDS: Final = 300  # for one file, on a slow and busy computer


class BuildError(Exception):
    """The library cannot be built; the message says why and what to do."""


def library() -> Path | None:
    """The library of these sources, if it has been built."""
    name = _library_name("release")
    return next((folder / name for folder in _folders() if (folder / name).is_file()), None)


def build(mode: Mode = "release", folder: Path | None = None) -> Path:
    """The library of these sources in a folder, or where it is found later, built if it is not there.

    Raises BuildError.
    Several processes may build at once: each writes a file of its own, and puts it in place in one step.
    """
    name = _library_name(mode)
    problems = []
    for place in _folders() if folder is None else [folder]:
        target = place / name
        if target.is_file():
            return target
        try:
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix="new-", dir=place) as scratch:
                made = _compile(Path(scratch), mode)
                os.replace(made, target)
        except OSError as error:
            problems.append(f"{place}: {error}")
            continue
        _remove_earlier(target)
        return target
    raise BuildError(f"the compiled core cannot be written ({'; '.join(problems)})")


def sources() -> list[Path]:
    """The sources, in order."""
    found = (*FOLDER.glob("*"), *(FOLDER / _SEARCH).glob("*"))
    return sorted(path for path in found if path.suffix in (".cpp", ".h"))


def compile_with(library: Path, source: Path, mode: Mode) -> Path:
    """A program of a C++ file that calls a library of this mode, beside the library; for tests. Raises BuildError."""
    command, program = compiler(), library.with_name(source.stem)
    assert command is not None
    named = [str(source), str(library), f"-Wl,-rpath,{library.parent}", "-pthread", "-o", str(program)]
    _run([*command, *_FLAGS, *_FLAGS_OF_MODE[mode], *named], library.parent)
    return program


def compiler() -> list[str] | None:
    """The command of the first compiler that is there; None without one."""
    named = os.environ.get("CXX")
    for name in (named, "c++", "g++", "clang++"):
        if name and (found := shutil.which(name)):
            return [found]
    return [sys.executable, "-m", "ziglang", "c++"] if find_spec("ziglang") is not None else None


def _compile(scratch: Path, mode: Mode) -> Path:
    """Compiles all files, as many at once as there are processors, and links them; raises BuildError."""
    command = compiler()
    if command is None:
        raise BuildError(f"there is no C++ compiler: {CURE}")
    is_zig = "ziglang" in command
    units = [path for path in sources() if path.suffix == ".cpp" and (_is_x86() or path.name not in _FEATURES_OF_FILE)]
    objects = [scratch / f"{path.stem}.o" for path in units]
    flags = (*_FLAGS, *_FLAGS_OF_MODE[mode], *(_ZIG_FLAGS if is_zig and mode == "release" else ()))

    def compile_one(source: Path, target: Path) -> None:
        features = _FEATURES_OF_FILE.get(source.name, ())
        own = [f"-m{feature}" for feature in features]
        if is_zig:  # which compiles for the processor of this computer, unless it is told otherwise
            named = [name for feature in features for name in _ZIG_FEATURES.get(feature, (feature,))]
            own = [f"-mcpu={'+'.join(('baseline', *named))}"]
        own += _SEARCH_FLAGS if source.parent.name == _SEARCH else ()
        _run([*command, *flags, *own, "-c", str(source), "-o", str(target)], scratch)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(compile_one, units, objects))
    made = scratch / "library"
    _run([*command, *flags, "-shared", *map(str, objects), "-o", str(made)], scratch)
    return made


def _run(command: list[str], scratch: Path) -> None:
    # compilers put their temporary files here, so that nothing is left behind
    environment = {**os.environ, "TMPDIR": str(scratch), "ZIG_LOCAL_CACHE_DIR": str(scratch / "zig")}
    try:
        done = subprocess.run(
            command, cwd=FOLDER, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise BuildError(
            f"{command[0]} took more than {_SECONDS} seconds; try again when the computer is less busy"
        ) from None
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        first = next((line for line in lines if "error:" in line), lines[0] if lines else "no message")
        raise BuildError(f"the compiler refuses the sources: {first}; another compiler may accept them: {CURE}")


def _is_x86() -> bool:
    return platform.machine().lower() in ("x86_64", "amd64")


def _library_name(mode: Mode) -> str:
    suffix = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
    return f"core-{_checksum()}{'' if mode == 'release' else '-' + mode}.{suffix}"


@cache
def _checksum() -> str:
    digest = hashlib.sha256(
        repr((_FLAGS, _FLAGS_OF_MODE, _FEATURES_OF_FILE, _SEARCH_FLAGS, sys.platform, platform.machine())).encode()
    )
    for path in sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _folders() -> Iterator[Path]:
    yield FOLDER / BUILT
    cache_folder = os.environ.get("PINPOINT_CACHE") or Path.home() / ".cache" / "pinpoint"
    yield Path(cache_folder) / "compiled"


def _remove_earlier(target: Path) -> None:
    """Removes the libraries of earlier sources beside this one."""
    if target.parent == FOLDER / BUILT:
        for path in target.parent.glob("core-*"):
            if not path.name.startswith(target.stem):
                with suppress(OSError):
                    path.unlink()


def main() -> int:
    """Builds it; prints the path, or one line that says why not."""
    sanitized = Path(sys.argv[2]) if sys.argv[1:2] == ["--sanitize"] else None
    try:
        print(build() if sanitized is None else build("sanitize", sanitized))
    except BuildError as error:
        print(f"Pinpoint works without its compiled core, but slower: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
