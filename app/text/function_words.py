"""Function words: articles, prepositions, conjunctions, pronouns and auxiliaries of some languages.

As the source of a term, such a word is found in most sentences; the articles also stand beside the nouns of glossaries.
"""

from __future__ import annotations

from typing import Final

ARTICLES: Final[dict[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "a an the",
        "de": "der die das den dem des ein eine einen einem einer eines",
        "fr": "le la les l' un une des",
        "es": "el la los las un una unos unas",
        "it": "il lo la i gli le l' un uno una un'",
        "pt": "o a os as um uma uns umas",
        "nl": "de het een 't",
        "sv": "en ett den det de",
        "da": "en et den det de",
        "nb": "en ei et den det de",
        "hu": "a az egy",
    }.items()
}
_OTHERS: Final[dict[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "about above after all also am and any are as at be been before below between both but by can "
        "could did do does down each for from had has have he her here him his how i if in into is it its "
        "may me more most must my no nor not now of off on or our out over own shall she should so some "
        "such than that their them then there these they this those through to too under until up us very "
        "was we were what when where which while who will with would you your",
        "de": "ab aber alle als also am an auch auf aus bei beim bin bis da damit dann dass denn dich dir doch "
        "du durch er es euch für gegen hat ich ihm ihn ihnen ihr ihre im in ins ist ja kein keine kann "
        "man mein mich mir mit nach nicht noch nur ob oder ohne sein seine sich sie sind so über um und "
        "uns unter vom von vor war was wenn wer wie wir wird wo zu zum zur zwischen",
        "fr": "à au aux avec ce ces cette dans de du elle en est et eux il ils je leur lui ma mais me mes mon "
        "ne nos notre nous on ou où par pas plus pour qu que qui sa sans se ses son sont sous sur ta te "
        "tes toi ton tu vos votre vous y d' n' s' c' j' qu'",
        "es": "a al ante bajo como con contra cuando de del desde donde e en entre es esa ese esta este ha "
        "hasta la le lo me mi más ni no nos o para pero por que se sea según si sin sobre son su sus te "
        "tu u y ya yo él",
        "it": "a ad ai al alla alle che chi ci col come con da dal dalla dei del della delle di dove e ed gli "
        "ha ho in io le lo lui ma me mi ne nei nel nella noi non o per più se si sono su sul sulla ti tra "
        "tu un vi è",
        "pt": "à ao aos as às com como da das de do dos e ela ele em entre é eu foi há já lhe mais mas me na "
        "nas no nos não nós ou para pela pelo per por que se sem ser seu sua são só também te tu um você",
        "nl": "aan als bij dan dat deze die dit door en er hij hoe ik in is je kan maar met naar niet nog nu of "
        "om onder ook op over te tot u uit van voor was wat we wel wij zij ze zich zijn zo",
        "sv": "av att eller för från han hon i in inte jag kan med men mot och om på sig som till under ut vi "
        "vid är över",
        "da": "af at eller for fra han hun i ikke jeg kan med men mod og om på sig som til under ud vi ved er over",
        "nb": "av at eller for fra han hun i ikke jeg kan med men mot og om på seg som til under ut vi ved er over",
        "hu": "ban ben be de és fel hogy ha is ki le meg mert nem on vagy",
        "pl": "a ale by bez co czy dla do i ich jak jest już lub na nad nie o od oraz po pod przez przy są się "
        "ta tak te tego ten to u w we z za ze że",
        "cs": "a ale ani by co do i jak je jeho k ke na nad ne nebo o od po pod pro při s se si tak to u v ve z "
        "za ze že",
        "ru": "а без бы в во для до его же за и из или их к как ко ли мы на не но о об он она они от по при с "
        "со то ты у что это я",
    }.items()
}
# Short words that hyphens join to another: "add-ons", "set-up", "non-stick", whatever the language of the other is.
_JOINED_PARTS: Final = (
    "anti auto bi by co de di down ex in ins inter ion mid mini mis multi non off offs on ons out outs "
    "over pre pro re semi sub super tri ultra un unter up ups via "
)
_JOINED: Final = frozenset(_JOINED_PARTS.split())


def is_function_word(word: str, language: str) -> bool:
    """True for a function word of the language, in any capitals."""
    word = word.lower()
    return word in ARTICLES.get(language, ()) or word in _OTHERS.get(language, ())


def is_joined_part(part: str, language: str) -> bool:
    """True if a part of a hyphenated compound is shorter than a word: "ons" in "add-ons", "e" in "e-mail".

    Acronyms and numbers are words: "IT-Abteilung", "3-D".
    """
    if any(map(str.isdigit, part)) or (len(part) > 1 and part.isupper()):
        return False
    return len(part) <= 2 or part.lower() in _JOINED or is_function_word(part, language)
