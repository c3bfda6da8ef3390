"""Models that other libraries compute, before they are loaded: folders of transformers, and GGUF files of llama.cpp.

Only descriptions and the headers of weights are read here, and neither library is needed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

from engine.errors import ModelError
from engine.importers.foreign_files import read_json
from engine.importers.gguf_header import read_gguf_header
from engine.model.checkpoint import CONFIG
from engine.model.directions import Directions
from engine.model.json_files import check_regular
from engine.model.memory_check import available_bytes, megabytes, num_weights

PROMPT = "prompt.toml"  # in the folder, of a person's own: a template as in prompts.toml, and `languages`
LANGUAGES = (
    *("en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "da", "fi", "ro", "hu", "el", "bg"),
    *("ru", "uk", "tr", "ar", "he", "fa", "hi", "zh", "ja", "ko", "vi", "th", "id"),
)
_PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt")
_LICENCE = re.compile(r"^license:[ \t]*['\"]?([\w .+()-]{1,60}?)['\"]?[ \t]*$", re.MULTILINE | re.ASCII)
_WRITES_TEXT = re.compile("CausalLM|LMHead|Seq2SeqLM|ConditionalGeneration")  # in the name of an architecture
_CARD_BYTES = 4096  # of the beginning of a card, with its licence
_FOLDER_SPARE_BYTES = 500_000_000  # for keys and values, and what PyTorch itself needs
_FILE_SPARE_BYTES = 1_000_000_000  # for keys and values, and for the passes


@dataclass(frozen=True, slots=True)
class LanguageModelFiles:
    """The files of a model, checked. `family` is the architecture's name, `licence` is empty if the files name none.

    A weight takes `bytes_per_weight` of memory at least; `spare_bytes` come on top.
    """

    name: str
    family: str
    licence: str
    languages: Sequence[str]
    num_weights: int
    num_bytes: int
    bytes_per_weight: float
    spare_bytes: int

    @property
    def needed_bytes(self) -> int:
        """The memory that the model takes at least."""
        return int(self.num_weights * self.bytes_per_weight) + self.spare_bytes

    @property
    def directions(self) -> Sequence[str]:
        """The directions that the languages are, or those between any two of them."""
        return self.languages if any("-" in code for code in self.languages) else Directions(self.languages)

    def check_memory(self, free: int) -> None:
        """Raises ModelError with the size of a model that fits if this one does not."""
        if self.needed_bytes <= free:
            return
        largest = max(0, free - self.spare_bytes) / self.bytes_per_weight / 1e9
        raise ModelError(
            f"{self.name} has {self.num_weights / 1e9:.1f} billion weights and needs {megabytes(self.needed_bytes)} of "
            f"memory, of which {megabytes(free)} are free; there is room for a model of up to {largest:.1f} billion "
            "weights"
        )


def files_of_gguf(path: Path) -> LanguageModelFiles:
    """The facts of a GGUF file. Raises ModelError for one that is damaged."""
    header = read_gguf_header(path)
    size = path.stat().st_size
    return LanguageModelFiles(
        path.name,
        str(header.values.get("general.architecture", "")),
        str(header.values.get("general.license", ""))[:60],
        languages_of(path.parent),
        header.num_weights,
        size,
        size / max(1, header.num_weights),
        _FILE_SPARE_BYTES,
    )


def files_of_folder(folder: Path, bytes_per_weight: int = 2) -> LanguageModelFiles:
    """The facts of a folder of transformers; its weights take 2 bytes on a processor or GPU, or 4 if asked for.

    Raises ModelError for a folder whose model needs code or pickled weights, or that lacks a file.
    """
    config = read_json(folder / CONFIG)
    check_needs_no_code(folder, folder.name)
    check_file_names(folder.name, [path.name for path in folder.iterdir() if path.is_file()])
    return LanguageModelFiles(
        folder.name,
        str(config.get("model_type", "")),
        _licence_of(folder),
        languages_of(folder),
        sum(num_weights(path) for path in folder.glob("*.safetensors")),
        sum(path.stat().st_size for path in folder.iterdir() if path.is_file()),
        bytes_per_weight,
        _FOLDER_SPARE_BYTES,
    )


def languages_of(folder: Path) -> Sequence[str]:
    """The languages, or directions, that the folder's own prompt file names; those of most models without one."""
    path = folder / PROMPT
    if not path.is_file():
        return LANGUAGES
    try:
        languages = tomllib.loads(path.read_text(encoding="utf-8")).get("languages", LANGUAGES)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ModelError(f"{path} cannot be read as a prompt template: {error}") from error
    is_list = isinstance(languages, list | tuple) and all(isinstance(language, str) for language in languages)
    if not is_list or not (len(languages) >= 2 or "-" in "".join(languages)):
        message = f"{path}: languages is {languages!r}; give a list of codes"
        raise ModelError(f'{message} such as ["en", "de"], or of directions such as ["en-de"]')
    return tuple(languages)


def check_needs_no_code(folder: Path, name: str) -> None:
    """Raises ModelError for a folder whose settings name program code of the model."""
    settings = [read_json(folder / CONFIG)]
    if (folder / "tokenizer_config.json").exists():
        settings.append(read_json(folder / "tokenizer_config.json"))
    if any("auto_map" in each for each in settings):
        raise ModelError(
            f"{name} needs program code that comes with the model (auto_map), which Pinpoint never runs; use a "
            "model of a family that transformers knows"
        )


def check_file_names(name: str, files: Collection[str]) -> None:
    """Raises ModelError for a model whose files are only pickled weights, or that lacks a file."""
    if not any(fnmatch(file, "*.safetensors") for file in files):
        pickled = next((file for pattern in _PICKLED for file in sorted(files) if fnmatch(file, pattern)), None)
        found = f"{pickled} is pickled, and reading it would run code" if pickled else "there are no weights"
        raise ModelError(f"{name}: {found}; save the model as safetensors, or download it in this format")
    if "tokenizer.json" not in files:
        raise ModelError(
            f"{name} has no tokenizer.json, the fast form of a tokenizer; save it with "
            "AutoTokenizer.from_pretrained(…).save_pretrained(…)"
        )


def check_download(name: str, folder: Path, names: Collection[str], sizes: Mapping[str, int]) -> None:
    """Raises ModelError for a published model that cannot be used here, by its settings and the sizes of its files."""
    check_file_names(name, names)
    config = read_json(folder / CONFIG)
    kinds = config.get("architectures") or ["ForCausalLM"]
    if not any(_WRITES_TEXT.search(str(kind)) for kind in kinds):
        raise ModelError(f"{name} is a {kinds[0]}, which writes no text; use a language model or a translation model")
    num_bytes = sum(size for file, size in sizes.items() if file.endswith(".safetensors"))
    published_bytes = 4 if "float32" in (config.get("dtype"), config.get("torch_dtype")) else 2  # of a weight
    LanguageModelFiles(
        name,
        str(config.get("model_type", "")),
        "",
        (),
        num_bytes // published_bytes,
        num_bytes,
        2,
        _FOLDER_SPARE_BYTES,
    ).check_memory(available_bytes())


def check_gguf_download(name: str, num_bytes: int) -> None:
    """Raises ModelError for a published GGUF file that cannot be used here: without llama.cpp or the memory for it."""
    check_llama_cpp(name)
    free, needed = available_bytes(), num_bytes + _FILE_SPARE_BYTES
    if needed > free:
        raise ModelError(
            f"{name} needs {megabytes(needed)} of memory, of which {megabytes(free)} are free; use a file of up to "
            f"{megabytes(max(0, free - _FILE_SPARE_BYTES))}, with fewer bits or of a smaller model"
        )


def check_llama_cpp(name: str) -> None:
    """Raises ModelError if llama.cpp is not installed."""
    if find_spec("llama_cpp") is None:
        raise ModelError(
            f"{name} needs llama.cpp, which is not installed; run pip install 'pinpoint[llama]' (it compiles "
            "llama.cpp, which takes a C++ compiler and some minutes)"
        )


def _licence_of(folder: Path) -> str:
    """The licence in the header of the card of the hub, "" without one."""
    try:
        check_regular(folder / "README.md")
        with (folder / "README.md").open("rb") as file:
            first = file.read(_CARD_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
    header = first.partition("\n---")[0] if first.startswith("---") else ""
    found = _LICENCE.search(header)
    return found[1] if found else ""
