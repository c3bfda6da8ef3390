"""`models`: lists the available models as a table or as JSON lines, and removes converted ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import BinaryIO

from engine.importers import FAMILIES, ModelEntry, is_hub_id, known_models, remove_model
from engine.importers.hub import hub_id_and_file
from engine.importers.hub_cache import folder_of
from engine.model import Directions, megabytes

_MOST_DIRECTIONS = 4


def list_models(output: BinaryIO, *, as_json: bool) -> None:
    """Write the models on this machine and the families that can be loaded by name."""
    models = known_models()
    if as_json:
        lines = [_record(entry) for entry in models]
        lines += [{"kind": "family", **asdict(family)} for family in FAMILIES]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    else:
        text = _tables(models)
    output.write(text.encode("utf-8", errors="backslashreplace"))
    output.flush()


def remove(name: str, output: BinaryIO) -> None:
    """Remove the converted models of that name and list the removed ones; raises ModelError."""
    removed = remove_model(name)
    text = "".join(f"removed {entry.name}: {entry.folder}, {megabytes(entry.num_bytes)}\n" for entry in removed)
    if is_hub_id(name) and (hub_id := hub_id_and_file(name)[0]) and folder_of(hub_id).exists():
        text += f"other files of it are in the hub's cache, for all programs: hf cache rm model/{hub_id} removes them\n"
    output.write(text.encode("utf-8", errors="backslashreplace"))


def _record(entry: ModelEntry) -> dict[str, object]:
    """An entry as JSON. A model of many languages lists its languages instead of all pairs."""
    directions = entry.directions
    many = {"directions": [], "languages": directions.languages} if isinstance(directions, Directions) else {}
    return {"kind": "model", **asdict(entry), "folder": str(entry.folder), **many}


def _tables(models: Sequence[ModelEntry]) -> str:
    rows: list[Sequence[str]] = [("model", "where", "directions", "parameters", "size", "can be asked for")]
    rows += [
        (entry.name, entry.place, f"broken: {entry.problem}")
        if entry.problem
        else (
            entry.name,
            entry.place,
            _directions(entry.directions),
            f"{entry.num_parameters / 1e6:,.1f} million",
            megabytes(entry.num_bytes),
            _styles(entry),
        )
        for entry in models
    ]
    families = [("to be named by hub id or folder", "directions")]
    families += [(f"{family.pattern} ({family.architecture})", family.directions) for family in FAMILIES]
    return _table(rows) + "\n" + _table(families)


def _directions(directions: Sequence[str]) -> str:
    if isinstance(directions, Directions):
        return f"any two of {len(directions.languages)} languages"
    shown = ", ".join(directions[:_MOST_DIRECTIONS])
    num_more = len(directions) - _MOST_DIRECTIONS
    return f"{shown} and {num_more} more" if num_more > 0 else shown


def _styles(entry: ModelEntry) -> str:
    """The domains of a model and, by direction, its formalities."""
    formalities = [f"{direction}: {', '.join(offered)}" for direction, offered in entry.formalities.items() if offered]
    domains = [f"domain: {', '.join(entry.domains)}"] if entry.domains else []
    return "; ".join([*formalities, *domains])


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Columns two spaces apart, without trailing spaces; the last cell of a row widens none."""
    widths = [max((len(row[i]) for row in rows if i < len(row) - 1), default=0) for i in range(len(rows[0]))]
    return "".join("  ".join(map(str.ljust, row, widths)).rstrip() + "\n" for row in rows)
