"""Checks the written pairs: `python data/written/check.py [FILE...]` in the top folder.

Reports each pair that needs a second look, as FILE:LINE: reason. It needs hunspell with dictionaries of American
English and of German. `--set-aside` moves 400 pairs, the same share of every file, to `set-aside.tsv`; `--corpus
FOLDER` writes the rest as a corpus for `python -m engine.train prepare --more FOLDER`.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import subprocess
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from app.checks.numbers import differences
from app.text.recognition import language_shares
from engine.train.corpus import HeldOut
from engine.train.formality import formality_of

FOLDER = Path(__file__).resolve().parent
SET_ASIDE = FOLDER / "set-aside.tsv"
KNOWN_WORDS = FOLDER / "words.txt"
SOURCE_ID = "pinpoint-written"
NUM_SET_ASIDE = 400
ORIGINS = {"en", "de"}
REGISTERS = {"formal", "informal", "-"}
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_SHARED = 0.6  # of the runs of three words: as many in two pairs make them near-duplicates
_FOREIGN = re.compile(r"[^\x20-\x7e\u00a0-\u017f–—‘’‚“”„…•€→°²³µ½¼×−≤≥Ωπ℃′″\u2011\u202f™©®§]")


@dataclass(frozen=True, slots=True)
class WrittenPair:
    """One pair: the language it was written in first, the form of address of the German side, and both texts."""

    file: str
    line: int
    origin: str
    register: str
    english: str
    german: str

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def row(self) -> str:
        return "\t".join((self.origin, self.register, self.english, self.german)) + "\n"


def read(paths: Iterable[Path]) -> Iterator[WrittenPair]:
    """The pairs of these files. A line with another number of columns ends the program with its place."""
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            columns = line.split("\t")
            if len(columns) != 4:
                sys.exit(f"{path.name}:{number}: expected 4 columns, found {len(columns)}")
            yield WrittenPair(path.name, number, *columns)


def findings(pair: WrittenPair, held_out: HeldOut | None) -> Iterator[str]:
    """What is unusual about one pair, without regard to other pairs and to spelling."""
    if pair.origin not in ORIGINS or pair.register not in REGISTERS:
        yield f"origin {pair.origin!r} or form of address {pair.register!r} is unknown"
    for text in (pair.english, pair.german):
        if not text or text != " ".join(text.split(" ")).strip() or "  " in text:
            yield "empty, or white space at an end or twice"
        if text != unicodedata.normalize("NFC", text):
            yield "not in Unicode's form NFC"
        if '"' in text or "'" in text.replace("' ", ""):
            yield "straight quotation mark or apostrophe"
        if found := _FOREIGN.search(text):
            yield f"unexpected character {found.group()!r}"
    if "„" in pair.english or "”" in pair.german:
        yield "quotation marks of the other language"
    long, short = max(len(pair.english), len(pair.german)), min(len(pair.english), len(pair.german))
    if long > 25 and short and long / short > 1.9:
        yield f"one text is {long / short:.1f} times as long as the other"
    for kind, values in differences(pair.english, pair.german, "en", "de").items():
        if values:
            yield f"numbers: {kind} {', '.join(values)}"
    for text, language in ((pair.english, "en"), (pair.german, "de")):
        if len(text.split()) > 7 and next(iter(language_shares(text)), language) != language:
            yield f"does not read as {language}"
        if held_out is not None and held_out.contains(text):
            yield "a held-out sentence, or six words of one"
    address = formality_of(pair.german, pair.english)
    if address is not None and address != pair.register:
        yield f"form of address {pair.register!r}, but the German text reads {address}"
    if pair.english == pair.german and len(pair.english.split()) > 2:
        yield "both texts are equal"


def near_duplicates(pairs: list[WrittenPair]) -> Iterator[tuple[str, str]]:
    """Pairs that repeat another in one language, and pairs that share most runs of three words with an earlier one."""
    exact: dict[tuple[str, str], WrittenPair] = {}
    for pair in pairs:
        key = _plain(pair.english), _plain(pair.german)
        if key in exact:
            yield pair.place, f"the same as {exact[key].place}"
        exact.setdefault(key, pair)
    for side in ("english", "german"):
        with_run: dict[str, list[int]] = defaultdict(list)
        runs_of: list[set[str]] = []
        for number, pair in enumerate(pairs):
            runs = _runs(getattr(pair, side))
            shared: dict[int, int] = defaultdict(int)
            for run in runs:
                for other in with_run[run]:
                    shared[other] += 1
                with_run[run].append(number)
            for other, count in shared.items():
                if (least := min(len(runs), len(runs_of[other]))) >= 5 and count / least >= _SHARED:
                    yield pair.place, f"{side}: shares {count} of {len(runs)} runs with {pairs[other].place}"
                    break
            runs_of.append(runs)


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def _runs(text: str) -> set[str]:
    words = _plain(text).split()
    return {" ".join(words[i : i + 3]) for i in range(len(words) - 2)}


def misspelt(pairs: list[WrittenPair]) -> dict[str, dict[str, str]]:
    """For each language, the words that hunspell does not know, each with the place of one pair that has it."""
    known = set(KNOWN_WORDS.read_text(encoding="utf-8").split()) if KNOWN_WORDS.exists() else set()
    wrong: dict[str, dict[str, str]] = {}
    for side, dictionary in (("english", "en_US"), ("german", "de_DE")):
        places: dict[str, str] = {}
        for pair in pairs:
            for word in _WORD.findall(getattr(pair, side).replace("’", "'").replace("\u2011", "-")):
                for part in (word.removesuffix("'s"),) if "-" not in word else word.split("-"):
                    places.setdefault(part, pair.place)
        words = [word for word in places if len(word) > 2 and not word.isupper() and word not in known]
        command = ["hunspell", "-i", "utf-8", "-d", dictionary, "-l"]
        found = subprocess.run(command, input="\n".join(words), text=True, capture_output=True, check=True).stdout
        wrong[side] = {word: places[word] for word in found.split() if word in places}
    return wrong


def set_aside(paths: list[Path], seed: int = 41) -> None:
    """Moves 400 pairs to `set-aside.tsv`: as many of each file as its share of all pairs, chosen by chance."""
    if SET_ASIDE.exists():
        sys.exit(f"{SET_ASIDE} exists; pairs are set aside once, before anything is trained")
    by_file = {path: list(read([path])) for path in paths}
    order = [(path, number) for path, pairs in by_file.items() for number in range(len(pairs))]
    rng = random.Random(seed)
    chosen: set[tuple[Path, int]] = set()
    num_seen = 0
    for path, pairs in by_file.items():
        num_seen += len(pairs)
        # Files are small: to round the share of each would lose or add up to half a pair every time.
        count = round(NUM_SET_ASIDE * num_seen / len(order)) - len(chosen)
        chosen |= {(path, number) for number in rng.sample(range(len(pairs)), count)}
    SET_ASIDE.write_text("".join(by_file[path][number].row for path, number in order if (path, number) in chosen))
    for path, pairs in by_file.items():
        path.write_text("".join(pair.row for number, pair in enumerate(pairs) if (path, number) not in chosen))


def write_corpus(paths: list[Path], folder: Path) -> None:
    """The pairs, without those set aside, as a folder that `prepare --more` reads; those set aside as a test set."""
    (folder / "test").mkdir(parents=True, exist_ok=True)
    pairs, aside = list(read(paths)), list(read([SET_ASIDE])) if SET_ASIDE.exists() else []
    with gzip.open(folder / "train.written.tsv.gz", "wt", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{pair.english}\t{pair.german}\t{SOURCE_ID}\tbusiness\n" for pair in pairs)
    counts = [len(pairs), *(sum(len(getattr(p, side).split()) for p in pairs) for side in ("english", "german"))]
    header = "source_id\trepo\tlicence\tpairs\twords_en\twords_de\tdomain\n"
    row = "\t".join([SOURCE_ID, "written for this project", "GPL-3.0-or-later", *map(str, counts), "business"])
    (folder / "SOURCES.tsv").write_text(header + row + "\n")
    for language, side in (("en", "english"), ("de", "german")):
        (folder / "test" / f"business.{language}").write_text("".join(f"{getattr(p, side)}\n" for p in aside))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--held-out", type=Path, metavar="CORPUS", help="corpus whose dev/ and test/ must not recur")
    parser.add_argument("--set-aside", action="store_true")
    parser.add_argument("--corpus", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    every = sorted((FOLDER / "pairs").rglob("*.tsv"))
    if asked.set_aside:
        set_aside(every)
    elif asked.corpus:
        write_corpus(every, asked.corpus)
    else:
        report_findings(every, asked.files or every, asked.held_out)


def report_findings(every: list[Path], asked: list[Path], corpus: Path | None) -> None:
    """Prints what is found in the asked files, compared with all pairs."""
    paths = {path.resolve() for path in asked}
    pairs = list(read([*every, *([SET_ASIDE] if SET_ASIDE.exists() else [])]))
    wanted = {path.name for path in paths} | ({SET_ASIDE.name} if asked is every else set())
    held_out = HeldOut.of(corpus, ("en", "de")) if corpus else None
    own = [pair for pair in pairs if pair.file in wanted]
    report = [(pair.place, reason) for pair in own for reason in findings(pair, held_out)]
    report += [found for found in near_duplicates(pairs) if found[0].split(":")[0] in wanted]
    for side, words in misspelt(own).items():
        report += [(place, f"{side}: not in the dictionary: {word}") for word, place in words.items()]
    for place, reason in sorted(report, key=lambda found: (found[0].split(":")[0], int(found[0].split(":")[1]))):
        print(f"{place}: {reason}")
    print(f"{len(own):,} pairs checked, {len({place for place, _ in report}):,} with a finding", file=sys.stderr)


if __name__ == "__main__":
    main()
