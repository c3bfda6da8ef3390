"""Names of directions and languages: "en-de", and all pairs of the languages of a model that has many.

A language goes by its two letters (ISO 639-1) where it has them, whatever a model calls it; the model's own code is
understood, too. Where two of a model would get the same, both keep the model's codes: zho_Hans, zho_Hant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import overload

_FIRST = ("en", "de")  # the languages of the bundled model

# ISO 639-3 to 639-1, of single languages and of the groups that stand for them.
_TWO_LETTERS: dict[str, str] = dict(
    re.findall(
        r"(\w+) (\w+)",
        """
        afr af  aka ak  als sq  amh am  ara ar  arb ar  asm as  ayr ay  aze az  azj az  bak ba  bam bm  bel be  ben bn
        bod bo  bos bs  bre br  bul bg  cat ca  ces cs  cym cy  dan da  deu de  dzo dz  ekk et  ell el  eng en  epo eo
        est et  eus eu  ewe ee  fao fo  fas fa  fij fj  fin fi  fra fr  fry fy  ful ff  fuv ff  gaz om  gla gd  gle ga
        glg gl  grn gn  guj gu  hat ht  hau ha  hbs sh  heb he  hin hi  hrv hr  hun hu  hye hy  ibo ig  ind id  isl is
        ita it  jav jv  jpn ja  kan kn  kas ks  kat ka  kaz kk  khk mn  khm km  kik ki  kin rw  kir ky  kmr ku  knc kr
        kon kg  kor ko  kur ku  lao lo  lav lv  lim li  lin ln  lit lt  ltz lb  lug lg  lvs lv  mal ml  mar mr  mkd mk
        mlg mg  mlt mt  mon mn  mri mi  msa ms  mya my  nep ne  nld nl  nno nn  nob nb  nor no  npi ne  nya ny  oci oc
        ori or  orm om  ory or  pan pa  pbt ps  pes fa  plt mg  pol pl  por pt  pus ps  que qu  quy qu  ron ro  run rn
        rus ru  sag sg  san sa  sin si  slk sk  slv sl  sme se  smo sm  sna sn  snd sd  som so  sot st  spa es  sqi sq
        srd sc  srp sr  ssw ss  sun su  swa sw  swe sv  swh sw  tam ta  tat tt  tel te  tgk tg  tgl tl  tha th  tir ti
        tsn tn  tso ts  tuk tk  tur tr  twi tw  uig ug  ukr uk  urd ur  uzb uz  uzn uz  vie vi  wol wo  xho xh  ydd yi
        yid yi  yor yo  zho zh  zsm ms  zul zu
        """,
    )
)


class Directions(Sequence[str]):
    """Every pair of two of `languages`, in order: "en-de", "en-fr", ..., "de-en", .... Never written out.

    `codes` are other names of the same languages, one each, that are understood in a direction.
    """

    def __init__(self, languages: Sequence[str], codes: Sequence[str] = ()) -> None:
        self.languages = tuple(languages)
        self._name_of = {name: name for name in languages}
        for code, name in zip(codes, languages, strict=False):
            self._name_of.setdefault(code, name)

    def __len__(self) -> int:
        return len(self.languages) * (len(self.languages) - 1)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        source, target = divmod(index % len(self), len(self.languages) - 1)
        return f"{self.languages[source]}-{self.languages[target + (target >= source)]}"

    def __iter__(self) -> Iterator[str]:
        return (self[place] for place in range(len(self)))

    def __contains__(self, direction: object) -> bool:
        if not isinstance(direction, str):
            return False
        source, target = (self._name_of.get(name) for name in languages_of(direction))
        return source is not None and target is not None and source != target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Directions) and self._name_of == other._name_of

    def __hash__(self) -> int:
        return hash(self.languages)

    def __repr__(self) -> str:
        return f"Directions({len(self.languages)} languages)"


def languages_of(direction: str) -> tuple[str, str]:
    """Source and target language of a direction; empty where it names none."""
    source, _, target = direction.partition("-")
    return source, target


def offer_of(directions: Sequence[str]) -> str:
    """What a model translates, for a person.

    >>> offer_of(("en-de", "de-en"))
    'en-de, de-en'
    >>> offer_of(Directions(("en", "de", "fr")))
    'between any two of en, de, fr: "en-de"'
    """
    if isinstance(directions, Directions):
        return f'between any two of {", ".join(directions.languages)}: "{directions[0]}"'
    return ", ".join(directions)


def short_code(code: str) -> str:
    """A language's two letters, where it has them: of `deu`, and of `deu_Latn`.

    >>> short_code("deu_Latn"), short_code("fur_Latn"), short_code("en-US")
    ('de', 'fur', 'en')
    """
    language = re.split("[-_]", code, maxsplit=1)[0]
    return _TWO_LETTERS.get(language, language)


def named(codes: Iterable[str]) -> Mapping[str, str]:
    """The codes of a model's languages by their names: those of the bundled model first, then by name.

    >>> dict(named(["zho_Hant", "zho_Hans", "eng_Latn"]))
    {'en': 'eng_Latn', 'zho_Hans': 'zho_Hans', 'zho_Hant': 'zho_Hant'}
    """
    codes = list(codes)
    bearers = Counter(map(short_code, codes))
    names = {short_code(code) if bearers[short_code(code)] == 1 else code: code for code in codes}
    return {name: names[name] for name in sorted(names, key=lambda name: (name not in _FIRST, name != "en", name))}
