"""What is wrong with a line is told in its place, and the other lines go on."""

from __future__ import annotations

import io
import json

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Translator
from engine.cli.line_commands import LineCommands
from engine.cli.lines import MAX_LINE_BYTES, parse_object, read_lines
from engine.cli.output import Writer
from engine.decoding.model_pipeline import ModelPipeline
from tests.budget import rounds
from tests.cli.shell import SOURCE, answers, make_commands


@pytest.mark.parametrize(
    ("line", "kind", "names"),
    [
        ("", "unreadable", "blank"),
        ("{", "unreadable", "not JSON"),
        ('{"text": "a"} b', "unreadable", "Extra data"),
        ('{"text": NaN}', "unreadable", "NaN"),
        ('{"text": "a", "options": {"max_length_factor": 1e999}}', "invalid", "too large"),
        ("9" * 5000, "unreadable", "digits"),
        ("[" * 100_000, "unreadable", "recursion"),
        (b'{"text": "\xe4"}', "unreadable", "0xe4"),
        (b'{"text": "' + b"a" * MAX_LINE_BYTES + b'"}', "unreadable", "longer"),
        ("[]", "invalid", "the line is []"),
        ('"text"', "invalid", "object"),
        ('{"text": "a", "text": "b"}', "invalid", "twice"),
        ("{}", "invalid", "text is missing"),
        ({"text": "a", "source": "a"}, "invalid", 'unknown key "source"'),
        ({"text": 1}, "invalid", "text is 1"),
        ({"text": " "}, "invalid", "blank"),
        ({"text": "a", "direction": "en-fr"}, "invalid", "en-fr"),
        ({"text": "a", "direction": 1}, "invalid", "direction is 1"),
        ({"text": "a", "domain": "poems"}, "invalid", "this model knows docs, software"),
        ({"text": "a", "formality": "polite"}, "invalid", "formality is 'polite'"),
        ({"text": "a", "formality": "formal", "direction": "de-en"}, "invalid", "trained without formality for de-en"),
        ({"text": "a", "prefix": None}, "invalid", "prefix is null"),
        ({"text": "a", "locked": "b"}, "invalid", "locked is"),
        ({"text": "a", "locked": ["b", {}]}, "invalid", "locked[1] is {}"),
        ({"text": "a", "suffix": []}, "invalid", "suffix is []"),
        ({"text": "a", "follow": 1}, "invalid", "follow is 1"),
        ({"text": "a", "follow": {"strength": 1}}, "invalid", "follow.text is missing"),
        ({"text": "a", "follow": {"text": "b", "strength": "c"}}, "invalid", 'follow.strength is "c"'),
        (
            {"text": "a", "follow": {"text": "b", "places_phrases": 1}},
            "invalid",
            "places_phrases is 1; it must be true or",
        ),
        ({"text": "a", "follow": {"text": "b", "strength": -1}}, "invalid", "strength is -1.0"),
        ({"text": "a", "phrases": "b"}, "invalid", "phrases is"),
        ({"text": "a", "phrases": [""]}, "invalid", "empty"),
        ({"text": "a", "phrases": ["b", 1]}, "invalid", "phrases[1] is 1"),
        ({"text": "a", "phrases": [{"forms": ["b"]}]}, "invalid", "phrases[0].text is missing"),
        ({"text": "a", "phrases": [{"text": "b", "forms": "c"}]}, "invalid", "phrases[0].forms is"),
        ({"text": "a", "phrases": [{"text": "b", "forms": [None]}]}, "invalid", "phrases[0].forms[0] is null"),
        ({"text": "a", "phrases": [{"text": "b", "count": True}]}, "invalid", "phrases[0].count is true"),
        ({"text": "a", "phrases": [{"text": "b", "count": 0}]}, "invalid", "count is 0"),
        ({"text": "a", "phrases": [{"text": "b", "max_count": "2"}]}, "invalid", 'phrases[0].max_count is "2"'),
        ({"text": "a", "phrases": [{"text": "b", "count": 2, "max_count": 1}]}, "invalid", "max_count is 1"),
        ({"text": "a", "phrases": [{"text": "b", "boundary": "soft"}]}, "invalid", "soft"),
        ({"text": "a", "phrases": [{"text": "b", "source_span": [1]}]}, "invalid", "source_span has 1"),
        ({"text": "a", "phrases": [{"text": "b", "from": 1}]}, "invalid", "phrases[0].from"),
        ({"text": "a", "avoid": [{"text": "b", "case": "any"}]}, "invalid", "any"),
        ({"text": "a", "avoid": [[]]}, "invalid", "avoid[0] is []"),
        ({"text": "a", "options": []}, "invalid", "options is []"),
        ({"text": "a", "options": {"beams": 3}}, "invalid", "options.beams"),
        ({"text": "a", "options": {"beam": 2.5}}, "invalid", "options.beam is 2.5"),
        ({"text": "a", "options": {"beam": 0}}, "invalid", "beam is 0"),
        ({"text": "a", "options": {"beam": 10**9}}, "invalid", "between 1 and 1000"),
        ({"text": "a", "options": {"places_per_bank": 10**9}}, "invalid", "between 0 and 10"),
        ({"text": "a", "options": {"pruning_threshold": "x"}}, "invalid", "pruning_threshold"),
        ({"text": "a", "options": {"pruning_threshold": 10**400}}, "invalid", "too large"),
        ({"text": "a", "options": {"stopping": "soon"}}, "invalid", "soon"),
    ],
)
def test_invalid_line_gets_its_error_in_its_place(shell, line, kind, names):
    status, [answer] = shell.run(["translate"], line)
    assert status == 1
    assert (answer["line"], answer["error"]["kind"]) == (1, kind)
    assert names in answer["error"]["message"]
    assert len(answer["error"]["message"]) < 350


@pytest.mark.parametrize(
    ("command", "line", "names"),
    [
        ("score", {"text": "a"}, "either target"),
        ("score", {"text": "a", "target": "b", "tokens": [2]}, "either target"),
        ("score", {"text": "a", "tokens": [10**30]}, "out of range"),
        ("score", {"text": "a", "tokens": ["b"]}, "tokens[0]"),
        ("score", {"text": "a", "target": "漢字"}, "spelt"),
        ("score", {"text": "a", "target": "b", "phrases": []}, "phrases"),
        ("score", {"text": " ", "target": "b"}, "blank"),
        ("alternatives", {"text": "a"}, "offset is missing"),
        ("alternatives", {"text": "a", "target": "b c", "offset": 1}, "offset 1"),
        ("alternatives", {"text": "a", "target": "b", "offset": 10**30}, "offset"),
        ("alternatives", {"text": "a", "target": "b", "tokens": [2], "offset": 0}, "both"),
        ("alternatives", {"text": "a", "target": "b", "offset": 0, "count": 101}, "between 1 and 100"),
        ("alternatives", {"text": "a", "phrases": ["漢字"], "offset": 0}, "no translation to change"),
        ("price", {"text": "a", "phrases": ["b"] * 60, "avoid": ["c"] * 60}, "at most 100"),
    ],
)
def test_line_of_another_command_gets_its_error_in_its_place(shell, command, line, names):
    status, [answer] = shell.run([command], line)
    assert (status, answer["error"]["kind"]) == (1, "invalid")
    assert names in answer["error"]["message"]


def test_line_that_is_too_long_costs_no_memory_and_does_not_shift_the_next():
    long = b"a" * (3 * MAX_LINE_BYTES)
    found = list(read_lines(io.BytesIO(long + b"\nb\n" + b"c" * (MAX_LINE_BYTES + 1) + b"\n")))
    assert [line.number for line in found] == [1, 2, 3]
    assert all(len(line.content) <= MAX_LINE_BYTES + 2 for line in found)
    assert found[1].text == "b"
    assert [line.end for line in found] == [len(long) + 1, len(long) + 3, len(long) + 5 + MAX_LINE_BYTES]


def test_length_beyond_all_bounds_is_the_models(shell):
    line = {"text": SOURCE, "options": {"max_length_factor": 1e308, "max_length_offset": 10**30}}
    status, [answer] = shell.run(["translate", "--beam", "2"], line)
    assert (status, answer["status"]) == (0, "complete")


def test_half_surrogate_pairs_come_out_as_they_went_in(shell):
    line = '{"text": "a", "phrases": ["\\ud800"], "\\udfff": 1}'
    assert shell.run(["translate"], line)[1][0]["error"]["message"].startswith('unknown key "\udfff"')
    assert b"\\udfff" in shell.output
    status, [answer] = shell.run(["translate"], '{"text": "\\ud83d x", "phrases": ["\\ud83d"]}')
    assert (status, answer["status"], answer["unknown_source"]) == (0, "infeasible", [[0, 1]])
    assert "'\\ud83d'" in answer["reasons"][0]["message"]


def test_damaged_weights_are_reported_instead_of_invalid_numbers(model, translator):
    broken = Translator.load(model)
    broken._model.transformer.output_bias.data[300] = torch.nan
    commands = make_commands(broken)
    line = io.BytesIO(b'{"text": "A house."}\n')
    [(_, translation)] = commands.translate(read_lines(line))
    assert (translation["status"], translation["reasons"][0]["kind"]) == ("failed", "not_a_number")
    [(_, score)] = commands.score(read_lines(io.BytesIO(b'{"text": "A house.", "target": "Ein Haus."}\n')))
    assert score["error"]["kind"] == "not_a_number"
    writer = Writer(io.BytesIO())
    writer.write(1, translation)
    writer.write(2, score)
    assert writer.num_failed == 2


@pytest.mark.parametrize("command", ["translate", "score", "alternatives", "price"])
@pytest.mark.parametrize("batch_size", ["1", "2"])
@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ValueError("a bug"), "ValueError: a bug"),
        (torch.OutOfMemoryError("no room"), "memory is too small even for this sentence"),
    ],
)
def test_line_that_crashes_fails_alone(shell, monkeypatch, command, batch_size, error, says):
    prepare = ModelPipeline.prepare

    def crashing(self, request, *more):
        if "crash" in request.source:
            raise error
        return prepare(self, request, *more)

    monkeypatch.setattr(ModelPipeline, "prepare", crashing)
    flags = ["--beam", "2", "--max-length-factor", "0.2"] if command != "score" else []
    flags += ["--batch-size", batch_size] if command == "translate" else []
    target = {"target": "A house"} if command in ("score", "alternatives") else {}
    lines = [{"text": text, **target, **({"offset": 0} if command == "alternatives" else {})} for text in "acb"]
    lines[1]["text"] = "crash"
    status, [first, crashed, last] = shell.run([command, *flags], *lines)
    assert status == 1
    assert "error" not in first
    assert "error" not in last
    if command == "translate":
        assert crashed["status"] == "failed"
        (reason,) = crashed["reasons"]
    else:
        reason = crashed["error"]
    assert reason["kind"] == "crashed"
    assert says in reason["message"]


any_text = st.text(st.characters(), max_size=8)  # half surrogate pairs too
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)
phrases = st.lists(
    any_text
    | st.fixed_dictionaries(
        {"text": any_text},
        optional={
            "forms": st.lists(any_text, max_size=2) | json_values,
            "count": st.integers(-1, 10**12) | json_values,
            "boundary": st.sampled_from(["word", "start", "anywhere"]) | json_values,
            "case": st.sampled_from(["exact", "auto"]) | json_values,
            "source_span": st.lists(st.integers(), min_size=2, max_size=2) | json_values,
        },
    ),
    max_size=3,
)
option_values = {
    "beam": st.integers(0, 4),
    "nbest": st.integers(0, 10**12),
    "pruning_threshold": st.none() | st.floats(),
    "max_length_factor": st.floats(max_value=1),
    "max_length_offset": st.integers(-1, 8),
}
likely_lines = st.fixed_dictionaries(
    {"text": any_text},
    optional={
        "phrases": phrases | json_values,
        "avoid": st.lists(any_text | json_values, max_size=3) | json_values,
        "prefix": any_text | json_values,
        "locked": st.lists(any_text, max_size=2) | json_values,
        "suffix": any_text | json_values,
        "follow": any_text | json_values,
        "direction": st.sampled_from(["en-de", "de-en", None, "x"]),
        "domain": st.sampled_from(["docs", None, "x"]),
        "formality": st.sampled_from(["formal", "informal", None, "x"]),
        "options": st.fixed_dictionaries({}, optional=option_values) | json_values,
        "target": any_text | json_values,
        "tokens": st.lists(st.integers(0, 2100), max_size=5) | json_values,
        "offset": st.integers(-1, 8) | json_values,
        "count": st.integers(0, 2) | json_values,
    },
)


@settings(max_examples=rounds(38, 150))
@given(
    line=st.one_of(
        likely_lines.map(json.dumps).map(str.encode),
        json_values.map(json.dumps).map(str.encode),
        st.text().map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.binary(),
    ),
    command=st.sampled_from(
        [LineCommands.translate, LineCommands.score, LineCommands.alternatives, LineCommands.price]
    ),
    batch_size=st.integers(1, 2),
)
def test_bad_lines_never_end_the_run_or_break_the_output(translator, line, command, batch_size):
    source = io.BytesIO(line.replace(b"\n", b" ") + b'\n{"text": "A house."}\n')
    output = io.BytesIO()
    writer = Writer(output)
    for found, answer in command(make_commands(translator, batch_size=batch_size), read_lines(source)):
        writer.write(found.number, answer)
    assert [answer["line"] for answer in answers(output.getvalue())] == [1, 2]


@given(st.dictionaries(st.text(), json_values))
def test_objects_are_read_as_json_reads_them(value):
    text = json.dumps(value)
    if any(name in text for name in ("NaN", "Infinity")):  # Python's json reads these, JSON has no such numbers
        return
    assert parse_object(text) == json.loads(text)
