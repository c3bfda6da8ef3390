"""The command `usage`: what projects and API keys used in each month, and budgets of projects."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import closing
from dataclasses import asdict

from app.access.actor import OWNER
from app.cli.log_commands import log_to_read, log_to_write, write_export
from app.log.budgets import set_budget
from app.log.store import LogStore
from app.reports.usage import project_usage, usage_csv
from app.serving.keys import ApiFile


def usage(flags: argparse.Namespace) -> int:
    """Carries out the action; returns 0."""
    if flags.action == "budget":
        with log_to_write(flags.log) as store:
            set_budget(store.connection, flags.project, flags.words)
        limit = "no budget" if flags.words is None else f"a budget of {flags.words:,} words a month"
        print(f"Project {flags.project} has {limit}.", file=sys.stderr)
        return 0
    with log_to_read(flags.log) as store:
        if flags.csv is not None:
            write_export(usage_csv(OWNER, store), flags.csv)
        else:
            _list(store, flags.month or "", as_json=flags.json)
    return 0


def _list(store: LogStore, month: str, *, as_json: bool) -> None:
    keys = []
    if ApiFile.path_beside(store.path).exists():
        with closing(ApiFile.beside(store.path)) as file:
            keys = [row for row in file.characters_by_month() if month in ("", row[0])]
    projects = project_usage(OWNER, store, month)
    if as_json:
        for row in projects:
            print(json.dumps(asdict(row), ensure_ascii=False))
        for when, name, characters in keys:
            print(json.dumps({"month": when, "key": name, "characters": characters}, ensure_ascii=False))
        return
    print(f"{'month':<7} {'documents':>9} {'segments':>8} {'words':>9} {'decodes':>8} {'seconds':>8}  project")
    for row in projects:
        name = f"{row.project} {row.name}".rstrip() + (f" ({row.client})" if row.client else "")
        budget = "" if row.budget is None else f", {row.budget_used or 0:,} of {row.budget:,} words of the budget"
        counts = f"{row.documents:>9,} {row.segments:>8,} {row.words:>9,} {row.decodes:>8,} {row.model_seconds:>8,.0f}"
        print(f"{row.month} {counts}  {name}{budget}")
    if keys:
        print(f"\n{'month':<7} {'characters':>12}  API key")
    for when, name, characters in keys:
        print(f"{when} {characters:>12,}  {name}")
