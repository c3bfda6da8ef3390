"""A translator that says the words of a source the other way round and knows which stands for which."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from app.tags.protect import Protection
from engine import Hypothesis, Placement, Request, Translation, occurrences

CHUNK = re.compile(r"\S+(?<![.!?])|[.!?]+$")


def mirrored(request: Request) -> Translation:
    """ "Press OK now." -> "now OK Press.", aligned word by word; phrases are found in it."""
    chunks = [match.span() for match in CHUNK.finditer(request.source)]
    last = [chunks.pop()] if chunks and request.source[chunks[-1][0]] in ".!?" else []
    text, alignment = "", []
    for start, end in reversed(chunks):
        text += " " * bool(text)
        alignment.append((start, end, len(text), len(text) + end - start))
        text += request.source[start:end]
    text += "".join(request.source[start:end] for start, end in last)
    placements = tuple(
        Placement(number, phrase.text, start, end)
        for number, phrase in enumerate(request.phrases)
        for start, end in occurrences(text, phrase.text, phrase.boundary)[: phrase.count]
    )
    spans = tuple(link[2:] for link in alignment)
    numbers = tuple(range(len(spans)))
    return Translation(
        request,
        "complete",
        (Hypothesis(text, -0.5, -0.5, numbers, (-0.1,) * len(spans), spans, placements, tuple(alignment)),),
    )


def restored(request: Request) -> Translation:
    """The mirrored answer to a request about a source with tags and addresses."""
    protection = Protection.of(request)
    return protection.restore(mirrored(protection.request))


class MirrorTranslator:
    """In place of a `Translator`, for the command line."""

    name = "mirror"
    directions = ("en-de",)
    formalities: ClassVar[dict[str, tuple[str, ...]]] = {}
    domains = ()

    def translate_all(
        self, requests: Sequence[Request], options: Any, progress: Callable[[int], None]
    ) -> Iterator[Translation]:
        for done, request in enumerate(requests, 1):
            yield mirrored(request)
            progress(done)
