"""Back-translation (Sennrich et al. 2016): a model writes sources for human text in the target language.

The pairs go to numbered parts, `synthetic.en.000000000-000005000.tsv.gz`, in the format of a corpus: the language that
the model wrote is the domain's second half, the numbers are the first and last lines of the text in a part. An
interrupted call loses no part; the same call resumes after the last one.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from engine.errors import TrainingError
from engine.request import Request
from engine.search_options import SearchOptions
from engine.train.corpus import SentencePair, read_licences, read_pairs, synthetic_domain
from engine.train.options import BackTranslateOptions
from engine.translator import Translator

_PART = re.compile(r"(?P<first>\d{9})-(?P<stop>\d{9})")


class MonolingualLine(NamedTuple):
    """A line to translate and where it comes from."""

    text: str
    source_id: str


@dataclass(frozen=True, slots=True)
class BackTranslationResult:
    """Finished lines of the text, over all calls; lines that this call left out; whether all are finished."""

    num_lines: int
    num_left_out: int
    is_finished: bool


def back_translate(
    translator: Translator, corpus: Path, folder: Path, options: BackTranslateOptions
) -> BackTranslationResult:
    """Translate the remaining lines until the end, a pause or SIGTERM."""
    if options.direction not in translator.directions:
        offered = ", ".join(translator.directions)
        raise TrainingError(f"the model does not translate {options.direction}; it offers {offered}")
    domain = synthetic_domain(options.direction.split("-")[1])
    if options.text is not None and options.source_id not in read_licences(corpus):
        raise TrainingError(
            f"{corpus / 'SOURCES.tsv'} has no line for source {options.source_id!r}; add it with its licence, which "
            "the model's card will state"
        )
    folder.mkdir(parents=True, exist_ok=True)
    start = _num_done(folder, domain)
    _check_same(folder / f"{domain}.json", translator, options, is_new=start == 0)
    lines = islice(_lines(corpus, options), start, options.limit)
    clock = _Clock(start, options.pause_after_minutes)
    num_left_out, is_finished = 0, False
    with clock:
        while not is_finished:
            part = list(islice(lines, options.part_lines))
            pairs, num_translated = _translate(translator, part, domain, options, clock)
            if num_translated:
                _write(folder / f"{domain}.{start:09}-{start + num_translated:09}.tsv.gz", pairs)
            start += num_translated
            num_left_out += num_translated - len(pairs)
            is_finished = len(part) < options.part_lines and num_translated == len(part)
            if clock.is_over:
                break
    return BackTranslationResult(start, num_left_out, is_finished)


def _lines(corpus: Path, options: BackTranslateOptions) -> Iterator[MonolingualLine]:
    """The lines to translate, in a fixed order."""
    if options.text is None:
        is_first = options.direction.split("-")[0] == options.languages[0]
        for pair in read_pairs(corpus):
            if options.selection is None or options.selection.wants(pair):
                yield MonolingualLine(pair.first if is_first else pair.second, pair.source_id)
        return
    try:
        with options.text.open(encoding="utf-8", newline="\n") as file:
            yield from (
                MonolingualLine(text, options.source_id) for line in file if (text := line.strip()) and "\t" not in text
            )
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(f"{options.text} cannot be read as UTF-8 ({error})") from error


def _translate(
    translator: Translator, part: list[MonolingualLine], domain: str, options: BackTranslateOptions, clock: _Clock
) -> tuple[list[SentencePair], int]:
    """The pairs of a part, as far as the clock lets it come, and how many of its lines are done."""
    is_second = options.direction.split("-")[1] == options.languages[1]
    requests = (Request(line.text, direction=options.direction) for line in part)
    search = SearchOptions(beam=options.beam, nbest=1)
    pairs: list[SentencePair] = []
    num_done = 0
    for line, translation in zip(
        part, translator.translate_all(requests, search, batch_size=options.batch_size), strict=False
    ):
        if translation.status == "failed":
            reasons = "; ".join(reason.message for reason in translation.reasons)
            raise TrainingError(f"line {clock.num_done + 1:,} cannot be translated ({reasons}): {line.text!r}")
        num_done += 1
        clock.tell()
        written = translation.hypotheses[0].text if translation.status == "complete" else ""
        if is_usable(line.text, written):
            sides = (line.text, written) if is_second else (written, line.text)
            pairs.append(SentencePair(*sides, line.source_id, domain))
        if clock.is_over:
            break
    return pairs, num_done


def is_usable(text: str, written: str) -> bool:
    """True if a translation is usable for training: not blank, one line, not far too short, not far too long."""
    return (
        bool(written.strip())
        and not re.search(r"[\t\r\n]", written)
        and len(text) <= 3 * len(written) + 20
        and len(written) <= 3 * len(text) + 20
    )


def _check_same(path: Path, translator: Translator, options: BackTranslateOptions, is_new: bool) -> None:
    """Store the origin of the folder's parts; raises TrainingError if an earlier call had another origin."""
    chosen = asdict(options)
    selection = chosen["selection"] and {**chosen["selection"], "without": sorted(chosen["selection"]["without"])}
    made_of = {
        **{name: chosen[name] for name in ("direction", "languages", "source_id", "beam")},
        "selection": selection,
        "text": str(options.text or ""),
        "model": translator.checksum,
    }
    text = json.dumps(made_of, indent=2, ensure_ascii=False) + "\n"
    if is_new:
        path.write_text(text, encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != text:
        raise TrainingError(
            f"{path} is missing or is for another model, text or search; give the same settings to go on, or another "
            "folder"
        )


def _num_done(folder: Path, domain: str) -> int:
    """The number of text lines that the parts cover; raises TrainingError if a part between them is missing."""
    done = 0
    for path in sorted(folder.glob(f"{domain}.*.tsv.gz")):
        match = _PART.fullmatch(path.name.removeprefix(f"{domain}.").removesuffix(".tsv.gz"))
        if match is None or int(match["first"]) != done:
            raise TrainingError(f"{path} does not follow on line {done:,}; a part before it is missing, copy it again")
        done = int(match["stop"])
    return done


def _write(path: Path, pairs: list[SentencePair]) -> None:
    partial = path.with_name(f"{path.name}.partial")
    with gzip.open(partial, "wt", encoding="utf-8", newline="\n") as file:
        file.writelines("\t".join((pair.first, pair.second, pair.source_id, pair.domain)) + "\n" for pair in pairs)
    os.replace(partial, path)


class _Clock:
    """Counts finished lines, reports progress, and stops the run at SIGTERM or when the time is up."""

    def __init__(self, num_done: int, pause_after_minutes: float | None) -> None:
        self._started = self._last_reported = time.monotonic()
        self._first = self.num_done = num_done
        self._most = pause_after_minutes
        self._is_stopped = False

    def __enter__(self) -> _Clock:
        self._before = signal.signal(signal.SIGTERM, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGTERM, self._before)

    def _stop(self, *_: object) -> None:
        self._is_stopped = True

    @property
    def is_over(self) -> bool:
        minutes = (time.monotonic() - self._started) / 60
        return self._is_stopped or (self._most is not None and minutes >= self._most)

    def tell(self) -> None:
        """Count one more line; prints progress every ten seconds."""
        self.num_done += 1
        now = time.monotonic()
        if now - self._last_reported >= 10:
            speed = (self.num_done - self._first) / (now - self._started)
            print(f"  {self.num_done:,} lines, {speed:,.1f} a second", file=sys.stderr, flush=True)
            self._last_reported = now
