"""A tiny corpus in the format of the real one, and settings to train on it in seconds."""

from __future__ import annotations

import gzip
from pathlib import Path

from engine.train.corpus import Selection
from engine.train.options import PrepareOptions

PAIRS = [
    ("The dog sleeps.", "Der Hund schläft."),
    ("The cat sleeps.", "Die Katze schläft."),
    ("A man is walking.", "Ein Mann geht."),
    ("A woman is walking.", "Eine Frau geht."),
    ("Two men are walking.", "Zwei Männer gehen."),
    ("Save the file.", "Speichern Sie die Datei."),
    ("Open the file.", "Öffnen Sie die Datei."),
    ("Close the window.", "Schließen Sie das Fenster."),
    ("I am tired.", "Ich bin müde."),
    ("You are right.", "Du hast recht."),
    ("Where is the station?", "Wo ist der Bahnhof?"),
    ("What time is it?", "Wie spät ist es?"),
    ("The child reads a book.", "Das Kind liest ein Buch."),
    ("She buys bread.", "Sie kauft Brot."),
    ("He drinks water.", "Er trinkt Wasser."),
    ("We live in Berlin.", "Wir wohnen in Berlin."),
    ("The house is red.", "Das Haus ist rot."),
    ("The street is long.", "Die Straße ist lang."),
    ("Nobody knows it.", "Niemand weiß es."),
    ("Good night!", "Gute Nacht!"),
]
SOURCES = (
    "source_id\trepo\tlicence\tpairs\twords_en\twords_de\tdomain\nmade-up\there | there\tCC0\t20\t80\t80\teveryday\n"
)


def write_corpus(folder: Path, lines: list[str] | None = None) -> Path:
    """Write a corpus of `PAIRS` in two domains, or of the given lines; returns its folder."""
    (folder / "dev").mkdir(parents=True)
    if lines is None:
        lines = [f"{en}\t{de}\tmade-up\t{domain}" for domain in ("docs", "everyday") for en, de in PAIRS]
    with gzip.open(folder / "train.01.tsv.gz", "wt", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    (folder / "SOURCES.tsv").write_text(SOURCES, encoding="utf-8")
    for column, language in enumerate(("en", "de")):
        text = "".join(pair[column] + "\n" for pair in PAIRS)
        (folder / "dev" / f"tiny.{language}").write_text(text, encoding="utf-8")
    return folder


def prepare_options(**changes: object) -> PrepareOptions:
    settings: dict[str, object] = {
        "selection": Selection({"everyday": 10, "docs": 10}),
        "num_pieces": 1200,
        "dev_sets": ("dev/tiny",),
        "num_workers": 1,
    }
    return PrepareOptions(**{**settings, **changes})  # type: ignore[arg-type]
