"""What the app is installed with: free licences that the GPL allows, and a lock file that fits requirements.txt."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from app.__main__ import main
from app.cli.dependencies import bill_of_materials, installed_packages

ROOT = Path(__file__).resolve().parent.parent
# Compatible with GPL-3.0-or-later.
ALLOWED = {
    "0BSD", "Apache-2.0", "BSD", "BSD License", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC",
    "LLVM-exception", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Public Domain", "Unlicense", "Zlib",
}  # fmt: skip
# A part of `regex` comes from Python 1.6; Python itself has the same part under a licence that the GPL allows.
EXCEPTIONS = {"regex": {"CNRI-Python"}}
# GPU libraries of NVIDIA, which PyTorch needs on Linux unless its CPU build is installed. They are not free.
NOT_FREE = re.compile(r"nvidia-|cuda-")


def parts_of(licence: str) -> set[str]:
    return {part.strip(" ()") for part in re.split(r" AND | OR | WITH ", licence)}


def test_all_packages_have_licences_that_the_gpl_allows():
    packages = installed_packages()
    wrong = {
        package.name: package.licence
        for package in packages
        if not NOT_FREE.match(package.name)
        and parts_of(package.licence) - ALLOWED - EXCEPTIONS.get(package.name, set())
    }
    assert wrong == {}
    assert {"torch", "starlette", "markupsafe"} <= {package.name for package in packages}  # also what is needed deeper


def test_bill_of_materials_names_each_package_with_its_licence_and_needs():
    packages = installed_packages()
    bill = bill_of_materials(packages)
    by_name = {component["name"]: component for component in bill["components"]}
    assert by_name["numpy"]["purl"] == "pkg:pypi/numpy@" + by_name["numpy"]["version"]
    assert by_name["numpy"]["licenses"][0]["expression"].startswith("BSD-3-Clause AND")
    assert by_name["mpmath"]["licenses"] == [{"license": {"name": "BSD"}}]
    references = {"pinpoint", *by_name}
    assert {each["ref"] for each in bill["dependencies"]} == references
    assert {name for each in bill["dependencies"] for name in each["dependsOn"]} <= references
    assert bill == bill_of_materials(packages)


def test_bill_of_materials_has_the_fields_that_cyclonedx_requires():
    bill = json.loads(json.dumps(bill_of_materials(installed_packages())))
    assert bill.keys() == {
        "bomFormat", "specVersion", "serialNumber", "version", "metadata", "components", "dependencies",
    }  # fmt: skip
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", bill["serialNumber"])
    components = [bill["metadata"]["component"], *bill["components"]]
    assert len({component["bom-ref"] for component in components}) == len(components) > 50
    for component in components:
        is_program = component is components[0]
        assert component["type"] == ("application" if is_program else "library")
        assert component["name"] and component["version"], component
        assert is_program or re.fullmatch(r"pkg:pypi/[a-z0-9-]+@[0-9A-Za-z.!-]+", component["purl"]), component
        (licence,) = component["licenses"]  # one expression, or licences, but not both
        assert licence.keys() in ({"license"}, {"expression"}), component
        if "license" in licence:
            assert licence["license"].keys() in ({"id"}, {"name"}) and all(licence["license"].values()), component
        else:
            assert licence["expression"]
    assert [each["ref"] for each in bill["dependencies"]] == [component["bom-ref"] for component in components]
    for each in bill["dependencies"]:
        assert each.keys() == {"ref", "dependsOn"} and len(set(each["dependsOn"])) == len(each["dependsOn"])


def test_command_lists_packages_and_writes_the_bill_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["dependencies"]) == 0
    assert re.search(r"^markdown-it-py +\S+ +MIT$", capsys.readouterr().out, re.MULTILINE)
    file = tmp_path / "bill.json"
    assert main(["dependencies", "--sbom", str(file)]) == 0
    assert json.loads(file.read_text(encoding="ascii"))["bomFormat"] == "CycloneDX"
    assert main(["dependencies", "--sbom", str(file)]) == 2


def test_lock_has_the_versions_of_the_requirements_with_checksums_and_no_address():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", lock.strip())
    locked = {}
    for entry in entries:
        found = re.match(r"([\w.-]+)==(\S+)", entry)
        assert found, entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry
        locked[re.sub(r"[-_.]+", "-", found[1]).lower()] = found[2]
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, version = line.partition("==")
            assert locked.get(re.sub(r"[-_.]+", "-", name).lower()) == version, f"{line}: run `make lock`"
    assert "://" not in lock
