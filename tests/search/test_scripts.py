"""What counts as standing in a text, in many scripts and for many kinds of tokens, whatever pieces write the text."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import pairwise

import pytest

from engine.search.phrases import Spelling, TrackedPhrase
from engine.text import normalise, occurrences
from tests.search.walking import walk

# phrase, text, whether it stands there at word boundaries
TABLE = {
    "German": [
        ("Straße", "Die Straße ist lang.", True),
        ("Straße", "Die Straßenbahn fährt.", False),
        ("Straße", "Die Hauptstraße", False),
        ("straße", "Die Hauptstraße", False),
        ("Öffnen", "„Öffnen“", True),
        ("öffnen", "Öffnen", False),
        ("über", "drüber und über", True),
        ("über", "darüber", False),
        ("Maß", "Maße", False),
        ("Haus", "Haus- und Gartenarbeit", True),
        ("Garten", "Haus- und Gartenarbeit", False),
        ("ein aus", "ein aus", True),
        ("ein aus", "ein  aus", False),
        ("ein", "ein\u00a0Haus", True),
        ("ist nicht", "Das ist nicht gut", True),
        ("ist nicht", "Das ist nichts", False),
        ("Ä", "Ä, Ö und Ü", True),
        ("Größe", "Größe\u00ad", True),
    ],
    "combining marks": [
        ("Öl", "O\u0308l", True),
        ("O", "O\u0308l", False),
        ("e", "e\u0301", False),
        ("cafe", "cafe\u0301", False),
        ("café", "cafe\u0301 noir", True),
        ("i", "i\u0307", False),
        ("x", "x\u0305", False),
        ("a x\u0305", "a x\u0305 b", True),
        ("❤", "❤\ufe0f", False),
        ("❤\ufe0f", "Ich ❤\ufe0f dich", True),
    ],
    "elisions": [
        ("eau", "l'eau", True),
        ("l'eau", "l'eau", True),
        ("l'eau", "l’eau", False),
        ("l", "l'eau", True),
        ("accord", "d’accord", True),
        ("d'accord", "Je suis d'accord.", True),
        ("geht's", "Wie geht's?", True),
        ("geht", "Wie geht's?", True),
        ("s", "Wie geht's?", True),
        ("don", "don't", True),
        ("don't", "I don't know", True),
        ("O'Neill", "Mr O'Neill's", True),
        ("Hans'", "Hans' Auto", True),
    ],
    "hyphens": [
        ("Mail", "E-Mail", True),
        ("E-Mail", "E-Mail-Adresse", True),
        ("E-Mail", "E-Mails", False),
        ("Mail", "E-Mails", False),
        ("Baden", "Baden-Württemberg", True),
        ("Württemberg", "Baden-Württemberg", True),
        ("Nord-Süd", "Nord-Süd-Gefälle", True),
        ("Nord-Süd", "Nord–Süd", False),
        ("36-Jährige", "die 36-Jährige.", True),
        ("Jährige", "die 36-Jährige.", True),
        ("-Adresse", "E-Mail-Adresse", True),
        ("Mail-", "E-Mail-Adresse", True),
    ],
    "numbers": [
        ("1", "1", True),
        ("1", "1.000", False),
        ("000", "1.000", False),
        ("1.000", "1.000", True),
        ("1.000", "1.000,50", False),
        ("1.000,50", "1.000,50 €", True),
        ("1", "1.", True),
        ("1", "am 1. April", True),
        ("1", "1, 2, 3", True),
        ("2", "1, 2, 3", True),
        ("1", "1,2", False),
        ("2", "1,2", False),
        ("3", "v3", False),
        ("10", "10:30", True),
        ("30", "10:30", True),
        ("10:30", "um 10:30 Uhr", True),
        ("3,5 %", "etwa 3,5 % mehr", True),
        ("3", "3,5 %", False),
        ("5 %", "3,5 %", False),
        ("7", "7-mal", True),
        ("5", "m5", False),
        ("5", "5m", False),
        ("2024", "31.12.2024", False),
        ("31.12.2024", "am 31.12.2024.", True),
        ("4", "4.5.", False),
        ("٣", "٣٤", False),
        ("٣", "٣ ٤", True),
        ("½", "1½", False),
        ("m²", "20 m² groß", True),
        ("m", "20 m²", False),
    ],
    "code and addresses": [
        ("C++", "C++", True),
        ("C++", "in C++.", True),
        ("C", "C++", True),
        ("C", "C#", True),
        ("C#", "(C#)", True),
        (".NET", ".NET", True),
        (".NET", "ASP.NET", True),
        ("NET", ".NET", True),
        ("%s", "%s Dateien", True),
        ("s", "%s Dateien", True),
        ("%s", "%sa", False),
        ("{0}", "{0}", True),
        ("0", "{0}", True),
        ("{0}", "a{0}b", True),
        ("https://example.org/a?b=1", "Siehe https://example.org/a?b=1.", True),
        ("example.org", "https://example.org/a", True),
        ("example", "https://example.org/a", True),
        ("exam", "https://example.org/a", False),
        ("info@example.org", "an info@example.org.", True),
        ("info", "an info@example.org.", True),
        ("foo_bar", "foo_bar", True),
        ("foo", "foo_bar", True),
        ("--help", "pip --help", True),
        ("/etc/hosts", "in /etc/hosts.", True),
        ("etc", "/etc/hosts", True),
        ("<b>", "<b>fett</b>", True),
        ("fett", "<b>fett</b>", True),
        ("&amp;", "A &amp; B", True),
        ("\\n", "a\\nb", False),
        ("$HOME", "$HOME/bin", True),
    ],
    "quotes and punctuation": [
        ("„Ja“", "Er sagte: „Ja“.", True),
        ("Ja", "„Ja“", True),
        ("»Ja«", "»Ja«", True),
        ("Ja", "»Ja«", True),
        ("'Ja'", "'Ja'", True),
        ("…", "und …", True),
        (", dass", "Ich weiß, dass er kommt.", True),
        (", dass", "Ich weiß, dasselbe", False),
        ("(siehe unten)", "Text (siehe unten).", True),
        ("siehe", "(siehe unten)", True),
        ("?", "Wirklich?!", True),
        ("¿Qué", "¿Qué tal?", True),
        ("a–b", "a–b", True),
        ("z. B.", "wie z. B. hier", True),
        ("z.B.", "wie z.B. hier", True),
        ("B.", "wie z.B. hier", True),
        ("usw.", "Äpfel usw.", True),
        ("usw", "Äpfel usw.", True),
    ],
    "right to left": [
        ("שלום", "שלום עולם", True),
        ("שלו", "שלום עולם", False),
        ("עולם", "שלום עולם!", True),
        ("عالم", "مرحبا عالم", True),
        ("عالم", "العالم", False),
        ("كتاب", "كِتاب", False),
        ("\u200fשלום", "\u200fשלום", True),
        ("שָׁלוֹם", "שָׁלוֹם לך", True),
    ],
    "other scripts": [
        ("мир", "мир и труд", True),
        ("мир", "миру", False),
        ("Ελλάδα", "Η Ελλάδα είναι", True),
        ("हिन्दी", "हिन्दी भाषा", True),
        ("हिन्द", "हिन्दी भाषा", False),
        ("한국", "한국 사람", True),
        ("한국", "한국어", False),
        ("ไทย", "ภาษาไทย", True),
        ("ไท", "ภาษาไทย", True),
        ("กา", "กาแฟ", True),
        ("ก", "กิน", False),
        ("東京", "私は東京に行く。", True),
        ("東京", "京東", False),
        ("iPhone", "我的iPhone手机", True),
        ("Phone", "我的iPhone手机", False),
        ("10", "第10章", True),
        ("1", "第10章", False),
        ("Việt", "Tiếng Việt", True),
        ("İstanbul", "İstanbul'da", True),
        ("😀", "Gut 😀!", True),
        ("😀", "😀😀", True),
        ("ﬁ", "ﬁn", False),
    ],
}
# In scripts without spaces nothing marks a word: there "anywhere" asks for no less than "word".
ANYWHERE = [
    ("東京", "東京都", True),
    ("東京", "私は東京に行く。", True),
    ("京都", "東京都", True),
    ("大阪", "東京都", False),
    ("ไทย", "ภาษาไทย", True),
    ("学生", "我是学生。", True),
    ("か", "か\u3099", False),
    ("haus", "Rathaus", True),
]
STARTING = [
    ("Straße", "Straßenbahn", True),
    ("Straße", "Hauptstraße", False),
    ("Netzwerk", "Netzwerkkabel und -karte", True),
    ("Netzwerk", "Heimnetzwerk", False),
    ("Karte", "-karte", False),
    ("E-Mail", "E-Mail-Adressen", True),
    ("o", "o\u0308", False),
]
ROWS = [
    *(
        (f"{kind}: {phrase} | {text}", phrase, text, "word", met)
        for kind, rows in TABLE.items()
        for phrase, text, met in rows
    ),
    *((f"anywhere: {phrase} | {text}", phrase, text, "anywhere", met) for phrase, text, met in ANYWHERE),
    *((f"start: {phrase} | {text}", phrase, text, "start", met) for phrase, text, met in STARTING),
]


@dataclass(frozen=True)
class Cut:
    """A text cut into pieces at arbitrary places; piece i is the text's i-th."""

    surfaces: tuple[str, ...]
    glues_left: tuple[bool, ...]
    glues_right: tuple[bool, ...]


def cut_at_random(text: str, rng: random.Random) -> Cut:
    places = sorted({0, len(text), *(rng.randrange(len(text) + 1) for _ in range(rng.randint(0, 6)))})
    chunks = [text[start:end] for start, end in pairwise(places)]
    spaced = [bool(number) and bool(re.match(r" [^ ]", chunk)) for number, chunk in enumerate(chunks)]
    surfaces = [chunk[1:] if is_spaced else chunk for chunk, is_spaced in zip(chunks, spaced, strict=True)]
    opens = [not following for following in [*spaced[1:], True]]
    return Cut(tuple(surfaces), tuple(not s for s in spaced), tuple(opens))


@pytest.mark.parametrize(("phrase", "text", "boundary", "met"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_occurrences_do_not_depend_on_the_pieces(phrase, text, boundary, met):
    phrase, text = normalise(phrase), normalise(text)
    assert bool(occurrences(text, phrase, boundary)) is met
    rng = random.Random(1)
    for _ in range(8):
        pieces = cut_at_random(text, rng)
        # The spelling only steers; here it may be anything.
        tracked = TrackedPhrase((phrase,), (Spelling(0, (0,), (0, len(phrase))),), boundary)
        assert walk(pieces, [tracked], range(len(pieces.surfaces))).may_end is met, pieces


def test_the_table_covers_enough_cases():
    assert len(ROWS) >= 150
