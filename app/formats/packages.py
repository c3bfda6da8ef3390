"""Packages of translation tools: ZIP archives with bilingual files, and other files for the tool.

A package of Trados Studio (.sdlppx) has the bilingual files in a folder for each language, and a project file
(.sdlproj) that describes them; the export is a return package (.sdlrpx) with a changed project file. Packages of memoQ
(.mqxlz) and XLZ have XLIFF files beside a skeleton, and are exported with the same structure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from app.errors import DocumentError
from app.formats.xml_text import decode_xml, tree
from app.i18n import Message

MEMORIES: Final = (".sdltm", ".tmx")
MEMORY: Final = Message("It is a translation memory: it can be imported in the panel Memory.")
GLOSSARIES: Final = (".tbx", ".utx")
_TERM_BASES: Final = (*GLOSSARIES, ".xml", ".csv")
_PROJECT_TYPE: Final = re.compile(r"""(<PackageProject\b[^<>]*?\bPackageType\s*=\s*["'])ProjectPackage(["'])""")


@dataclass(frozen=True, slots=True)
class ToolPackage:
    """A kind of package: its ending, the endings of its documents, and the ending of the package that goes back."""

    ending: str
    documents: tuple[str, ...]
    return_ending: str
    has_languages: bool = False  # the documents are in folders named after their target languages

    def return_name(self, name: str) -> str:
        """The name of the package that goes back: "job.sdlppx" becomes "job.sdlrpx"."""
        return name[: -len(self.ending)] + self.return_ending


_KINDS: Final = (
    ToolPackage(".sdlppx", (".sdlxliff",), ".sdlrpx", has_languages=True),
    ToolPackage(".sdlrpx", (".sdlxliff",), ".sdlrpx", has_languages=True),
    ToolPackage(".mqxlz", (".mqxliff", ".xlf", ".xliff"), ".mqxlz"),
    ToolPackage(".xlz", (".xlf", ".xliff"), ".xlz"),
)
PACKAGES: Final = tuple(kind.ending for kind in _KINDS)


def package_of(name: str) -> ToolPackage | None:
    """The kind of package by the file name, or None."""
    return next((kind for kind in _KINDS if name.lower().endswith(kind.ending)), None)


def is_project_file(path: str) -> bool:
    """True if this is the description of a package of Trados, at its top."""
    return "/" not in path and path.lower().endswith(".sdlproj")


def unread_in_package(package: ToolPackage, path: str, targets: frozenset[str]) -> str | None:
    """The reason why a file of a package is not opened as a document; None if it is a document.

    `targets` are the target languages in small letters; empty if they are not known.
    """
    name = path.lower()
    if name.endswith(package.documents):
        if package.has_languages and targets and name.partition("/")[0] not in targets:
            return Message(
                "It is in the source language; Pinpoint opens the file in the folder of the target language instead."
            )
        return None
    if name.endswith(MEMORIES):
        return MEMORY
    if name.endswith(".sdltb"):
        return Message("Pinpoint does not read this kind of term base: export it as TBX or MultiTerm XML.")
    if name.endswith(_TERM_BASES) and package.has_languages:
        return Message("If it has terms, unpack it and open it in the menu Glossary.")
    return Message("It belongs to the package and is kept unchanged.")


def target_languages(project: bytes, name: str) -> frozenset[str]:
    """The target languages that the project file of a package names, in small letters; none if it cannot be read."""
    try:
        root = tree(decode_xml(project, name).text)
    except DocumentError:
        return frozenset()
    codes = (node.attributes.get("TargetLanguageCode", "") for node in root.walk() if node.local == "LanguageDirection")
    return frozenset(code.lower() for code in codes if code)


def returned_project(project: bytes, name: str) -> bytes:
    """The project file of the return package; unchanged if it is not XML."""
    try:
        decoded = decode_xml(project, name)
    except DocumentError:
        return project
    return decoded.mark + _PROJECT_TYPE.sub(r"\1ReturnPackage\2", decoded.text, count=1).encode(decoded.encoding)
