"""The command `webhooks`: where other programs are told what happens to documents."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import closing
from dataclasses import asdict

from app.serving.keys import ApiFile
from app.serving.webhooks import WebhookList


def webhooks(flags: argparse.Namespace) -> int:
    """Carries out the action; returns 0."""
    is_first = not ApiFile.path_beside(flags.log).exists()
    with closing(ApiFile.beside(flags.log)) as file:
        known = WebhookList(file)
        if flags.action == "add":
            print(known.add(flags.url, tuple(flags.event), flags.project, is_private=flags.private))
            print("The receiver checks the signatures with this secret, which is not shown again.", file=sys.stderr)
            if is_first:
                print("This is the first webhook or key: start Pinpoint again if it is running.", file=sys.stderr)
        elif flags.action == "remove":
            print(f"Webhook {flags.number} to {known.remove(flags.number).url} is removed.")
        elif flags.action == "test":
            known.send_test(flags.number)
            print("The running app sends it within seconds; `webhooks list` then shows a problem, if there is one.")
        else:
            _list(known, as_json=flags.json)
    return 0


def _list(known: WebhookList, *, as_json: bool) -> None:
    for webhook in known.all():
        num_waiting = known.num_waiting(webhook.id)
        if as_json:
            print(json.dumps({**asdict(webhook), "num_waiting": num_waiting}, ensure_ascii=False))
            continue
        where = f", project {webhook.project}" if webhook.project else ""
        state = ", ended by its receiver" if webhook.is_ended else f": {webhook.problem}" if webhook.problem else ""
        waiting = f"{num_waiting:,} {'delivery' if num_waiting == 1 else 'deliveries'}"
        print(f"{webhook.id:>4}  {webhook.url} ({webhook.events}{where}), {waiting} waiting{state}")
