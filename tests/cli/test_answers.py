"""What the commands answer is what the engine says to any caller, in the order of the lines."""

from __future__ import annotations

import io

import pytest

from engine import Phrase, Request, SearchOptions
from engine.__main__ import main
from tests.cli.shell import QUICK, SOURCE, answers


def test_command_line_and_engine_give_the_same_translation(shell, translator):
    line = {"text": SOURCE, "phrases": ["Knoten", {"text": "Straße", "forms": ["Wege"], "count": 2}], "avoid": ["der"]}
    status, [answer] = shell.run(["translate", "--nbest", "2", "--beam", "4"], line)
    request = Request(SOURCE, phrases=[Phrase("Knoten"), Phrase("Straße", forms=["Wege"], count=2)], avoid=["der"])
    expected = translator.translate(request, SearchOptions(beam=4, nbest=2))
    assert status == 0
    assert (answer["line"], answer["status"], answer["num_steps"]) == (1, expected.status, expected.num_steps)
    assert len(answer["hypotheses"]) == len(expected.hypotheses)
    for told, hypothesis in zip(answer["hypotheses"], expected.hypotheses, strict=True):
        assert told["text"] == hypothesis.text
        assert told["tokens"] == list(hypothesis.tokens)
        assert told["score"] == pytest.approx(hypothesis.score, abs=1e-5)
        assert told["token_log_probs"] == pytest.approx(hypothesis.token_log_probs, abs=1e-5)
        assert told["token_spans"] == [list(span) for span in hypothesis.token_spans]
        assert [told["text"][p["start"] : p["end"]] for p in told["placements"]] == [
            p.form for p in hypothesis.placements
        ]


def test_given_beginning_middle_and_end_are_in_their_places(shell):
    line = {"text": SOURCE, "prefix": "Das ", "locked": ["Haus", "Straße"], "suffix": "Ende."}
    status, [answer] = shell.run(["translate", "--beam", "4"], line)
    assert (status, answer["status"]) == (0, "complete")
    for hypothesis in answer["hypotheses"]:
        assert hypothesis["text"].startswith("Das ")
        assert hypothesis["text"].endswith("Ende.")
        assert [hypothesis["text"][start:end] for start, end in hypothesis["locked"]] == ["Haus", "Straße", "Ende."]


def test_domain_and_formality_of_a_line_override_the_flags(shell):
    flags = ["--domain", "docs", "--formality", "informal"]
    own = {"text": SOURCE, "domain": "software", "formality": "formal"}
    _, told = shell.run(["translate", *QUICK, *flags], {"text": SOURCE}, own)
    _, [informal, formal, plain] = shell.run(
        ["translate", *QUICK], {**own, "domain": "docs", "formality": "informal"}, own, {"text": SOURCE}
    )
    assert [answer["hypotheses"] for answer in told] == [informal["hypotheses"], formal["hypotheses"]]
    found = [answer["hypotheses"][0] for answer in (informal, formal, plain)]
    assert len({hypothesis["log_prob"] for hypothesis in found}) == 3
    for hypothesis, style in zip(found, (flags, ["--domain", "software", "--formality", "formal"], []), strict=True):
        _, [scored] = shell.run(["score", *style], {"text": SOURCE, "tokens": hypothesis["tokens"]})
        assert scored["log_prob"] == pytest.approx(hypothesis["log_prob"], abs=1e-4)


def test_score_of_tokens_is_the_score_of_the_translation(shell):
    _, [translation] = shell.run(["translate", *QUICK], {"text": SOURCE, "direction": "de-en"})
    best = translation["hypotheses"][0]
    lines = [{"text": SOURCE, "direction": "de-en", "tokens": best["tokens"]}, {"text": SOURCE, "target": "Ein Haus."}]
    status, [again, other] = shell.run(["score"], *lines)
    assert status == 0
    assert again["text"] == best["text"]
    assert again["score"] == pytest.approx(best["score"], abs=1e-4)
    assert other["text"] == "Ein Haus."
    assert other["log_prob"] == pytest.approx(sum(other["token_log_probs"]), abs=1e-4)


def test_alternatives_keep_the_text_before_the_word(shell):
    line = {"text": SOURCE, "target": "Ein rotes Haus.", "offset": 4, "count": 3, "phrases": ["Knoten"]}
    status, [answer] = shell.run(["alternatives", *QUICK], line)
    assert status == 0
    assert (answer["text"], answer["offset"]) == ("Ein rotes Haus.", 4)
    assert 1 <= len(answer["alternatives"]) <= 3
    for alternative in answer["alternatives"]:
        assert alternative["hypothesis"]["text"].startswith("Ein " + alternative["word"])
        assert "Knoten" in alternative["hypothesis"]["text"]


def test_alternatives_without_a_target_use_the_best_translation(shell):
    _, [translation] = shell.run(["translate", *QUICK], {"text": SOURCE, "prefix": "Das Haus "})
    line = {"text": SOURCE, "prefix": "Das Haus ", "offset": 4}
    status, [answer] = shell.run(["alternatives", *QUICK], line)
    assert status == 0
    assert answer["text"] == translation["hypotheses"][0]["text"]
    assert answer["alternatives"]


def test_price_is_the_difference_of_the_scores_that_it_shows(shell):
    status, [answer] = shell.run(
        ["price", *QUICK], {"text": SOURCE, "phrases": ["Knoten", "Haus"], "avoid": [{"text": "der"}]}
    )
    assert status == 0
    best, free = (answer[key]["hypotheses"][0]["score"] for key in ("constrained", "free"))
    assert answer["total"] == pytest.approx(free - best, abs=1e-5)
    assert (len(answer["phrases"]), len(answer["avoid"])) == (2, 1)


def test_brief_answers_contain_no_tokens(shell):
    line = {"text": SOURCE, "target": "Ein Haus.", "offset": 0}
    for command in ("translate", "alternatives", "price", "score"):
        keys = {"score": ("text", "target"), "alternatives": tuple(line)}.get(command, ("text",))
        flags = [] if command == "score" else QUICK
        status, _ = shell.run([command, "--brief", *flags], {key: line[key] for key in keys})
        assert status == 0
        assert b'"text"' in shell.output
        assert b"token" not in shell.output


def test_every_line_has_its_answer_in_order_even_if_it_is_invalid(shell):
    good = [{"text": f"{SOURCE[: 9 + 5 * number]}"} for number in range(6)]
    lines = [good[0], "no JSON", good[1], {"text": "a", "direction": "en-fr"}, good[2], "", *good[3:], b"\xff\xfe"]
    status, found = shell.run(["translate", "--batch-size", "2", *QUICK], *lines)
    assert status == 1
    assert [answer["line"] for answer in found] == list(range(1, len(lines) + 1))
    assert [answer["line"] for answer in found if "error" in answer] == [2, 4, 6, 10]
    assert "4 of 10 lines failed" in shell.messages


def test_answers_are_the_same_alone_and_in_batches_and_with_any_window(shell):
    lines = [{"text": SOURCE[: 12 + 3 * (n % 7)], "phrases": ["Knoten"] * (n % 3)} for n in range(20)]
    together = [answer["hypotheses"] for answer in shell.run(["translate", *QUICK], *lines)[1]]
    for size in ("1", "2"):
        alone = [answer["hypotheses"] for answer in shell.run(["translate", "--batch-size", size, *QUICK], *lines)[1]]
        assert [[h["text"] for h in each] for each in alone] == [[h["text"] for h in each] for each in together]


def test_line_can_have_its_own_options(shell):
    lines = [{"text": SOURCE, "options": {"nbest": n, "pruning_threshold": None}} for n in (1, 2, 1, 3)]
    status, found = shell.run(["translate", "--beam", "6", "--nbest", "4"], *lines, {"text": SOURCE})
    assert status == 0
    assert [len(answer["hypotheses"]) for answer in found] == [1, 2, 1, 3, 4]


def test_plain_lines_are_text_and_nothing_else(shell):
    lines = ['{"text": "a"}', "Straße\u2028und\u0085weiter\r", "Ein Haus."]
    status, found = shell.run(["translate", "--plain", "--direction", "de-en", *QUICK], *lines)
    assert status == 0
    assert [answer["line"] for answer in found] == [1, 2, 3]  # only the line feed ends a line
    same = shell.run(["translate", *QUICK], {"text": lines[2], "direction": "de-en"})[1][0]
    assert [h["text"] for h in found[2]["hypotheses"]] == [h["text"] for h in same["hypotheses"]]


def test_empty_input_has_empty_output(shell):
    for command in ("translate", "score", "alternatives", "price"):
        assert shell.run([command]) == (0, [])
        assert shell.messages == ""


def test_last_line_needs_no_line_feed_and_the_first_may_have_a_byte_order_mark(model):
    stdout = io.BytesIO()
    stdin = io.BytesIO(b'\xef\xbb\xbf{"text": "A house."}\r\n{"text": "A house."}')
    assert main(["translate", "--model", str(model), *QUICK], stdin, stdout, io.StringIO()) == 0
    first, second = answers(stdout.getvalue())
    assert [h["text"] for h in first["hypotheses"]] == [h["text"] for h in second["hypotheses"]]


def test_files_are_read_and_written_as_utf8(shell, tmp_path):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"text": "Straße", "phrases": ["Übernehmen"]}\n', encoding="utf-8")
    assert shell.run(["translate", *QUICK, str(source), "-o", str(target)]) == (0, [])
    [answer] = answers(target.read_bytes())
    assert "Übernehmen" in answer["hypotheses"][0]["text"]
    assert "Übernehmen".encode() in target.read_bytes()


class Waiting(io.BytesIO):
    """An input that is asked for one line at a time and notes how many answers stand there by then."""

    def __init__(self, lines: bytes, output: io.BytesIO) -> None:
        super().__init__(lines)
        self._output = output
        self.num_answers: list[int] = []

    def readline(self, size: int | None = -1, /) -> bytes:
        self.num_answers.append(self._output.getvalue().count(b"\n"))
        return super().readline(size)


@pytest.mark.parametrize("flags", [["--batch-size", "1"], ["--deadline-ms", "60000"]])
def test_line_by_line_each_is_answered_before_the_next_is_read(model, flags):
    output = io.BytesIO()
    source = Waiting(b'{"text": "A house."}\n' * 4, output)
    assert main(["translate", "--model", str(model), *flags, *QUICK], source, output, io.StringIO()) == 0
    assert source.num_answers == [0, 1, 2, 3, 4]


def test_memory_is_bounded_by_reading_no_further_than_a_window(model):
    output = io.BytesIO()
    source = Waiting(b"bad\n" * 100, output)
    assert main(["translate", "--model", str(model), "--batch-size", "2"], source, output, io.StringIO()) == 1
    num_ahead = [num_read - done for num_read, done in enumerate(source.num_answers, start=1)]
    assert max(num_ahead) == 2 * 8


def test_deadline_gives_the_best_so_far(shell):
    status, [answer] = shell.run(["translate", "--deadline-ms", "0"], {"text": SOURCE})
    assert (status, answer["status"], answer["reasons"][0]["kind"]) == (0, "deadline", "deadline")


def test_infeasible_constraints_are_an_answer_and_not_an_error(shell):
    status, [answer] = shell.run(["translate"], {"text": SOURCE, "phrases": ["漢字"]})
    assert (status, answer["status"], answer["reasons"][0]["kind"]) == (0, "infeasible", "unspellable")
    status, [answer] = shell.run(["price"], {"text": SOURCE, "phrases": ["漢字"]})
    assert (status, answer["total"], answer["phrases"]) == (0, None, [None])
