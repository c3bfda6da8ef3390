"""The command `keys`: creates, lists and revokes the keys of people and programs."""

from __future__ import annotations

import argparse
import ipaddress
import json
import sys
from contextlib import closing
from dataclasses import asdict

from app.access.rights import Role
from app.cli.log_commands import log_to_write
from app.cli.people_command import add_person
from app.errors import CommandError
from app.serving.keys import ApiFile
from app.settings import program_name


def keys(flags: argparse.Namespace) -> int:
    """Carries out the action; returns 0."""
    is_first = not ApiFile.path_beside(flags.log).exists()
    with closing(ApiFile.beside(flags.log)) as file:
        if flags.action == "create":
            _create(file, flags)
            if is_first and flags.sign_in:
                print("This is the first key: start Pinpoint again if it is running.", file=sys.stderr)
        elif flags.action == "revoke":
            key = file.revoke(flags.number)
            print(f"Key {key.id} of {key.name} is revoked.")
        else:
            _list(file, as_json=flags.json)
    return 0


def _create(file: ApiFile, flags: argparse.Namespace) -> None:
    try:
        address = str(ipaddress.ip_address(flags.address)) if flags.address else ""
    except ValueError:
        raise CommandError("{address!r} is not an IP address", address=flags.address) from None
    with file.restoring(flags.name.strip()):
        key, text = file.create(
            flags.name,
            requests_a_minute=flags.requests,
            characters_a_day=flags.characters,
            may_export=flags.may_export,
            address=address,
            signs_in=flags.sign_in,
            expires=flags.expires,
            networks=flags.only_from,
        )
        if flags.sign_in:
            _register(flags)
    print(text)
    if key.signs_in:
        print(f"{key.name} opens the address of Pinpoint and enters this key as access token.", file=sys.stderr)
    note = (
        f"This is key {key.id}, of {key.name}. It is not shown again; `{program_name()} keys revoke {key.id}` ends it."
    )
    print(note, file=sys.stderr)


def _register(flags: argparse.Namespace) -> None:
    """Gives a new person a role; who has one keeps it, unless the flags name another."""
    with log_to_write(flags.log) as store:
        name = flags.name.strip()
        role: Role = next((person.role for person in store.people.all() if person.name == name), "translator")
        add_person(store, name, flags.role or role)


def _list(file: ApiFile, *, as_json: bool) -> None:
    found = file.keys()
    if as_json:
        for key in found:
            print(json.dumps({**asdict(key), "characters_today": file.characters_today(key)}, ensure_ascii=False))
        return
    print(f"{'number':>6}  {'created':<10}  {'last used':<10}  {'today':>10}  {'of':>11}  name")
    for key in found:
        notes = [f"revoked {key.revoked[:10]}"] * bool(key.revoked) + ["may export"] * key.may_export
        notes += ["signs in"] * key.signs_in
        notes += [f"from {key.address}"] * bool(key.address)
        notes += [f"{'expired after' if key.is_expired else 'until'} {key.expires}"] * bool(key.expires)
        notes += [f"only from {key.networks}"] * bool(key.networks)
        print(
            f"{key.id:>6}  {key.created[:10]:<10}  {key.last_used[:10] or 'never':<10}  "
            f"{file.characters_today(key):>10,}  {key.characters_a_day:>11,}  {key.name}"
            + (f" ({', '.join(notes)})" if notes else "")
        )
