"""Language codes: a language goes by its two letters (ISO 639-1) where it has them, whatever a model calls it.

Where two languages of a model would get the same code, both keep the model's own: zho_Hans, zho_Hant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

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


def short_code(code: str) -> str:
    """A language's two letters, where it has them: of `deu`, and of `deu_Latn`.

    >>> short_code("deu_Latn"), short_code("fur_Latn"), short_code("en-US")
    ('de', 'fur', 'en')
    """
    language = re.split("[-_]", code, maxsplit=1)[0]
    return _TWO_LETTERS.get(language, language)


def short_names(codes: Iterable[str]) -> Mapping[str, str]:
    """The codes of a model's languages by their names: those of the bundled model first, then by name.

    >>> dict(short_names(["zho_Hant", "zho_Hans", "eng_Latn"]))
    {'en': 'eng_Latn', 'zho_Hans': 'zho_Hans', 'zho_Hant': 'zho_Hant'}
    """
    codes = list(codes)
    bearers = Counter(map(short_code, codes))
    names = {short_code(code) if bearers[short_code(code)] == 1 else code: code for code in codes}
    return {name: names[name] for name in sorted(names, key=lambda name: (name not in _FIRST, name != "en", name))}
