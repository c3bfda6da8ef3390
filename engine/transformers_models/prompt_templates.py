"""Requests in the words of a model: the families of `prompts.toml`, and templates of a person's own.

The text of a request is never searched for control tokens: only the chat template around it may have some.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import InvalidRequest, ModelError
from engine.request import Example
from engine.text import short_code

if TYPE_CHECKING:
    from engine.transformers_models.prompt import PromptableModel

_FAMILIES = Path(__file__).with_name("prompts.toml")
_PLACE = re.compile(r"\{(\w+)\}")
_CONTENT = "\ue000\ue001\ue000"  # stands for the request while the chat template is written
_LANGUAGES = {"source_language", "target_language", "source_code", "target_code"}
_FIELDS = {"source", "terms", "formality", "examples", *_LANGUAGES}
_MAX_EXAMPLES = 3
_MAX_EXAMPLE_CHARACTERS = 600  # of all examples together
Terms = Sequence[tuple[str | None, str]]  # a term of the source, None for other required words, and its translation


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """What a model is asked; `prompts.toml` explains the parts."""

    user: str = ""
    system: str = ""
    text: str = ""
    content: Sequence[Mapping[str, str]] = ()
    terms: str = ""
    term: str = "{term_source} = {term_target}"
    word: str = "{term_target}"
    separator: str = "; "
    formality: Mapping[str, str] = field(default_factory=dict)
    examples: str = ""
    example: str = "{example_source} = {example_target}"
    models: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raises ModelError for a template without a source, or with unknown places."""
        asked = [self.user, self.text, *(value for table in self.content for value in table.values())]
        if sum(map(bool, (self.user, self.text, self.content))) != 1 or not any("{source}" in text for text in asked):
            raise ModelError("a prompt template needs one of user, text and content, with {source} for the source text")
        for text in asked:
            if unknown := sorted(set(_PLACE.findall(text)) - _FIELDS):
                raise ModelError(f"the prompt template has {{{unknown[0]}}}; known are {', '.join(sorted(_FIELDS))}")

    @classmethod
    def of(cls, given: str | Path | PromptTemplate, model_name: str, has_chat_template: bool) -> PromptTemplate:
        """A template from its name, text or file (.toml), or "auto": the one of the model's family.

        Raises ModelError for one that does not exist, or that the tokenizer has no chat template for.
        """
        template = given if isinstance(given, PromptTemplate) else _template(given, model_name, has_chat_template)
        if not template.text and not has_chat_template:
            raise ModelError(
                "the tokenizer has no chat template, which this prompt needs; give a template with `text` instead, "
                "such as '{source_language}: {source}\\n{target_language}:'"
            )
        return template

    def written(
        self,
        model: PromptableModel,
        source: str,
        direction: str,
        terms: Terms = (),
        formality: str | None = None,
        examples: Sequence[Example] = (),
    ) -> tuple[tuple[int, ...], str]:
        """The tokens of the request, up to where the model's answer begins, and their text."""
        values, codec = self._values(source, direction, terms, formality, examples), model.codec
        if self.text:
            own = _filled(self.text, values)
            return codec.with_specials(own), own
        if self.content:
            content: Any = [{key: _filled(text, values) for key, text in table.items()} for table in self.content]
            places = [value for table in content for value in table.values()]
            [own] = [value for value in places if source in value]
            content = [{key: _CONTENT if value == own else value for key, value in table.items()} for table in content]
        else:
            own, content = _filled(self.user, values), _CONTENT
        messages = [{"role": "system", "content": self.system}] if self.system else []
        written = model.written_chat([*messages, {"role": "user", "content": content}])
        if written.count(_CONTENT) != 1:
            raise ModelError("the chat template of the tokenizer does not write the request as it is; give a `text`")
        before, _, behind = written.partition(_CONTENT)
        return (*codec.control_ids(before), *codec.raw_ids(own), *codec.control_ids(behind)), before + own + behind

    def _values(
        self, source: str, direction: str, terms: Terms, formality: str | None, examples: Sequence[Example] = ()
    ) -> dict[str, str]:
        source_code, _, target_code = direction.partition("-")
        languages = {
            "source_language": language_name(source_code),
            "target_language": language_name(target_code),
            "source_code": short_code(source_code),
            "target_code": short_code(target_code),
        }
        shown = [
            _filled(self.example, {**languages, "example_source": one.source, "example_target": one.target})
            for one in _first_examples(examples)
        ]
        written = [
            _filled(self.word if term is None else self.term, {"term_source": term or "", "term_target": target})
            for term, target in terms
        ]
        return {
            **languages,
            "source": source,
            "examples": _filled(self.examples, {**languages, "list": "\n".join(shown)}) if shown else "",
            "terms": _filled(self.terms, {"list": self.separator.join(written)}) if written else "",
            "formality": self.formality.get(formality, "") if formality is not None else "",
        }


def _template(given: str | Path, model_name: str, has_chat_template: bool) -> PromptTemplate:
    families = prompt_families()
    if given == "auto":
        for template in families.values():
            is_usable = bool(template.text) or has_chat_template
            if is_usable and any(re.search(pattern, model_name, re.IGNORECASE) for pattern in template.models):
                return template
        return families["chat" if has_chat_template else "plain"]
    if str(given).endswith(".toml"):
        return template_of_file(Path(given))
    if given in families:
        return families[str(given)]
    if "{source}" in str(given):
        return PromptTemplate(user=str(given)) if has_chat_template else PromptTemplate(text=str(given))
    raise ModelError(
        f"{given!r} is no prompt template; give a text with {{source}} in it, the path of a .toml file, or one of "
        f"{', '.join(families)}"
    )


@cache
def prompt_families() -> dict[str, PromptTemplate]:
    """The templates of `prompts.toml`, by family."""
    tables = tomllib.loads(_FAMILIES.read_text(encoding="utf-8"))
    return {name: PromptTemplate(**table) for name, table in tables.items()}


def template_of_file(path: Path) -> PromptTemplate:
    """The template of a file, which may also name `languages`; raises ModelError with the file and what is wrong."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        table.pop("languages", None)
        return PromptTemplate(**table)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ModelError(f"{path} cannot be read as a prompt template: {error}") from error
    except TypeError as error:
        raise ModelError(f"{path}: {error}; {_FAMILIES.name} explains the parts of a template") from error


def _first_examples(examples: Sequence[Example]) -> Sequence[Example]:
    """The first examples, as many as have room."""
    num, room = 0, _MAX_EXAMPLE_CHARACTERS
    for one in examples[:_MAX_EXAMPLES]:
        room -= len(one.source) + len(one.target)
        if room < 0:
            break
        num += 1
    return examples[:num]


@cache
def language_name(code: str) -> str:
    """The English name of a language; raises InvalidRequest for an unknown code."""
    from babel import Locale

    name = Locale("en").languages.get(short_code(code))
    if name is None:
        raise InvalidRequest(f"the language {code!r} has no name that a prompt could use; give a code such as 'de'")
    return str(name)


def _filled(text: str, values: Mapping[str, str]) -> str:
    """The text with its places filled; braces in the values are text."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), text)
