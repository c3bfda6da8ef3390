"""The packages that Pinpoint runs with: their versions and licences, as a list or as a bill of materials (SBOM)."""

from __future__ import annotations

import argparse
import json
import re
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from app import VERSION
from app.cli.log_commands import check_output, write

PROGRAM: Final = "pinpoint"
LICENCE: Final = "GPL-3.0-or-later"
_REQUIREMENTS = Path(__file__).parents[2] / "requirements.txt"  # of a copy of the sources
_MAX_NAME = 60  # characters of a licence; some packages put the whole text there
# What packages write instead of the identifiers of SPDX, where only one can be meant.
_IDENTIFIERS: Final = {
    "MIT License": "MIT",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "Apache Software License": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
_EXPRESSION = re.compile(r"[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+|[()])*|\(.*\)")


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package: `licence` is an SPDX expression if it states one, `needs` are the names of others."""

    name: str
    version: str
    licence: str
    needs: tuple[str, ...]


def dependencies(flags: argparse.Namespace) -> int:
    """Prints the packages with their licences, or writes them as CycloneDX JSON; 0."""
    packages = installed_packages()
    if flags.sbom is None:
        for package in packages:
            print(f"{package.name:<24}{package.version:<16}{package.licence}")
        return 0
    check_output(flags.sbom)
    write(flags.sbom, (json.dumps(bill_of_materials(packages), indent=1) + "\n").encode("ascii"))
    print(f"{flags.sbom} lists {len(packages)} packages.")
    return 0


def installed_packages() -> list[Package]:
    """All direct and indirect requirements of Pinpoint on this system, by name."""
    found: dict[str, Package] = {}
    waiting = [Requirement(line) for line in _own_requirements()]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in found or not _applies(requirement, ()):
            continue
        installed = metadata.distribution(name)
        needed = [need for need in map(Requirement, installed.requires or ()) if _applies(need, requirement.extras)]
        needs = tuple(sorted({canonicalize_name(need.name) for need in needed}))
        found[name] = Package(name, installed.version, _licence_of(installed.metadata), needs)
        for need in needed:
            need.marker = None
        waiting += needed
    return [found[name] for name in sorted(found)]


def bill_of_materials(packages: Iterable[Package]) -> dict[str, Any]:
    """The packages in the format CycloneDX 1.6. The same packages give the same document."""
    packages = list(packages)
    components = [
        {
            "type": "library",
            "bom-ref": package.name,
            "name": package.name,
            "version": package.version,
            "purl": f"pkg:pypi/{package.name}@{package.version.partition('+')[0]}",
            "licenses": [_as_component(package.licence)],
        }
        for package in packages
    ]
    identity = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([VERSION, components]))
    names = [package.name for package in packages]
    own = sorted({canonicalize_name(Requirement(line).name) for line in _own_requirements()})
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{identity}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": PROGRAM,
                "name": PROGRAM,
                "version": VERSION,
                "licenses": [{"license": {"id": LICENCE}}],
            }
        },
        "components": components,
        "dependencies": [
            {"ref": PROGRAM, "dependsOn": own},
            *({"ref": package.name, "dependsOn": [n for n in package.needs if n in names]} for package in packages),
        ],
    }


def _own_requirements() -> Iterator[str]:
    """Pinpoint's own requirements: of the installed package, otherwise of the sources."""
    if not _REQUIREMENTS.is_file():
        yield from (need for need in metadata.requires(PROGRAM) or () if "extra ==" not in need)
        return
    for line in _REQUIREMENTS.read_text(encoding="utf-8").splitlines():
        if requirement := line.partition("#")[0].strip():
            yield requirement


def _applies(requirement: Requirement, extras: Iterable[str]) -> bool:
    """True if the requirement applies to this system, with these extras of the package that states it."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def _licence_of(fields: Any) -> str:
    """The licence as the package states it, as an SPDX expression where that is clear; otherwise "unknown"."""
    stated = fields.get("License-Expression") or ""
    if not stated:
        free = (fields.get("License") or "").strip()
        stated = free if free and len(free) <= _MAX_NAME and "\n" not in free else ""
    if not stated:
        classifiers = [each for each in fields.get_all("Classifier") or () if each.startswith("License :: ")]
        stated = " OR ".join(sorted({_identifier(each.rpartition(" :: ")[2]) for each in classifiers}))
    return _identifier(stated) if stated else "unknown"


def _identifier(name: str) -> str:
    return _IDENTIFIERS.get(name, name)


def _as_component(licence: str) -> dict[str, Any]:
    """The licence as CycloneDX has it: an expression, or the name that a package made up."""
    is_expression = _EXPRESSION.fullmatch(licence) is not None and licence not in ("BSD", "unknown")
    return {"expression": licence} if is_expression else {"license": {"name": licence}}
