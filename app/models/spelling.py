"""Which texts a model can spell, asked of it in small portions, so that no translator waits for long."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError

from app.models.loading import ModelHandle
from engine import EngineError, Translator

SECONDS = 20.0
_PORTION = 500


def misspellings_of(model: ModelHandle, texts: Sequence[str], owner: str) -> dict[str, str | None]:
    """What the model would write for each text that it cannot spell, None for each that it can.

    Texts that were not reached within SECONDS are missing, and so are all where the model is not there.
    """
    found: dict[str, str | None] = {}
    end = time.monotonic() + SECONDS
    for start in range(0, len(texts), _PORTION):
        portion = texts[start : start + _PORTION]
        left = end - time.monotonic()
        if model.decoder is None or left <= 0:
            break

        def spell(
            translator: Translator, _: threading.Event, portion: Sequence[str] = portion
        ) -> dict[str, str | None]:
            return {text: translator.misspelling(text) for text in portion}

        try:
            answer = model.decoder.ask(spell, key=f"spelling/{owner}", owner=owner).result(left)
        except (TimeoutError, CancelledError, EngineError):
            break
        if answer is None:
            break  # a newer import asks
        found.update(answer)
    return found
