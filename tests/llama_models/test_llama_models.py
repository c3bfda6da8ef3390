"""GGUF files by llama.cpp: pieces, decoder and search equal those of transformers for the same random weights.

llama.cpp keeps keys and values in 16 bits, so scores differ a little.
"""

from __future__ import annotations

import gc
import random
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

pytest.importorskip("transformers", reason="transformers is not installed; pip install 'pinpoint[transformers]'")
pytest.importorskip("llama_cpp", reason="llama_cpp is not installed; pip install 'pinpoint[llama]'")
pytest.importorskip("gguf", reason="gguf is not installed; pip install gguf==0.19.0")

from engine import ModelError, Phrase, Request, SearchOptions, Translator
from engine.interruption import NEVER, Interrupted, Interruption
from engine.llama_models.gguf_model import GgufModel
from engine.llama_models.llama_context import MAX_SEQUENCES, FreeCores
from engine.text import occurrences
from engine.transformers_models.adapter import TransformersModel
from engine.transformers_models.prompt import Prompt
from engine.transformers_models.prompted import PromptedModel
from tests.llama_models.gguf_of_tests import write_gguf
from tests.transformers_models.models_of_tests import model_of
from tests.transformers_models.test_decoders import check_rows, check_steps_selections_and_joins
from tests.transformers_models.test_search import check_exhaustive
from tests.transformers_models.tokenizers_of_tests import SENTENCES, byte_level, sentencepiece_bpe

KINDS = {"byte-level": byte_level, "SentencePiece BPE": sentencepiece_bpe}
Files = dict[str, Path]
Models = dict[str, tuple[GgufModel, TransformersModel]]
TOLERANCE = 0.05  # nats per token; random weights give scores of -1 to -30


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("gguf")
    return {
        kind: write_gguf(folder / f"{number}.gguf", model_of("qwen3", len(tokenizer()) + 3), tokenizer())
        for number, (kind, tokenizer) in enumerate(KINDS.items())
    }


@pytest.fixture(scope="module")
def models(files: Files) -> Models:
    return {
        kind: (
            GgufModel(files[kind], ends_at_line=False),
            TransformersModel(model_of("qwen3", len(tokenizer()) + 3), tokenizer(), ends_at_line=False),
        )
        for kind, tokenizer in KINDS.items()
    }


def test_texts_have_the_pieces_of_the_same_tokenizer(kind: str, models: Models) -> None:
    ours, theirs = (model.codec for model in models[kind])
    assert ours.surfaces == theirs.surfaces and set(ours.line_ends) == set(theirs.line_ends)
    for text in [*SENTENCES, "Haus <|turn|></s> Tür", "naïve 東京 🙂", "a<think>b<think>", "a  b", "2024: 15,5 km"]:
        assert ours.encode(text) == theirs.encode(text)
        assert ours.spellings(text) == theirs.spellings(text)
        assert ours.decode(ours.raw_ids(text)).text == text
    assert ours.control_ids("<s>x<|turn|>")[0] == 1 and ours.control_ids("<s>x<|turn|>")[-1] == 4


def test_steps_selections_and_joins_equal_passes_without_a_cache(kind: str, models: Models) -> None:
    checked, reference = models[kind]
    for seed in range(3):
        check_steps_selections_and_joins(checked, reference, random.Random(seed), TOLERANCE)
    gc.collect()
    checked.context.run([1], [0], [checked.context.copy(0, 0)])  # takes back what the decoders had
    assert len(checked.context._free) >= MAX_SEQUENCES - 20  # all but those of the newest prompts


def test_a_wide_beam_finds_what_exhaustive_search_finds(kind: str, models: Models) -> None:
    checked, reference = models[kind]
    asked = PromptedModel.asked(checked, "plain", ("en", "de"), "", b"")
    check_exhaustive(asked, reference, random.Random(kind), TOLERANCE, beam=240)


def test_what_two_prompts_begin_with_is_read_once(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    checked, reference = models["byte-level"]
    long = tuple(random.Random(1).randrange(5, 400) for _ in range(40))
    num_read: list[int] = []
    run = checked.context.run
    monkeypatch.setattr(
        checked.context, "run", lambda tokens, *rest, **more: num_read.append(len(tokens)) or run(tokens, *rest, **more)
    )
    prompts = [Prompt((*long, 5, 6)), Prompt((*long, 7, 8, 9)), Prompt((*long, 7, 8, 9)), Prompt((*long, 7, 9, 9))]
    decoders = [checked.open([prompt], [NEVER]) for prompt in prompts]
    assert num_read == [41, 2, 1]
    for decoder, prompt in zip(decoders, prompts, strict=True):
        check_rows(reference, decoder.step([1]), [(prompt, [])], TOLERANCE)  # type: ignore[arg-type]


def test_a_cancelled_pass_ends_inside_and_the_model_goes_on(models: Models) -> None:
    checked, reference = models["byte-level"]
    cancel = Event()
    prompt = Prompt(tuple(range(5, 300)))
    decoder = checked.open([Prompt((5, 6, 7))], [Interruption(cancel)])
    cancel.set()
    for act in (lambda: decoder.step([1]), lambda: checked.open([prompt], [Interruption(cancel)])):  # type: ignore[arg-type]
        with pytest.raises(Interrupted):
            act()
    check_rows(reference, checked.open([prompt], [NEVER]).step([1]), [(prompt, [])], TOLERANCE)  # type: ignore[arg-type]


def test_more_rows_than_llama_cpp_keeps_are_refused(models: Models) -> None:
    decoder = models["byte-level"][0].open([Prompt((5, 6))], [NEVER])
    decoder.step([1])  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"llama\.cpp keeps 256 texts at once; use a smaller beam"):
        decoder.select([0] * 300)  # type: ignore[arg-type]


def test_a_file_translates_and_all_items_meet_their_phrases(files: Files) -> None:
    translator = Translator.load(files["byte-level"])
    assert (translator.decoder, translator.name, translator.learns) == ("llama.cpp", "0", False)
    request = Request("The house.", direction="en-de", phrases=(Phrase("Haus"), Phrase("Tür")), avoid=("Tag",))  # type: ignore[arg-type]
    found = translator.translate(request, SearchOptions(beam=4, nbest=3, max_length_offset=3))
    assert len(found.hypotheses) == 3
    for one in found.hypotheses:
        assert all(occurrences(one.text, word) for word in ("Haus", "Tür")) and not occurrences(one.text, "Tag")
        scored = translator.scored(request, tokens=one.tokens).hypotheses[0]
        assert len(scored.token_log_probs) == len(one.tokens)


def test_a_prompt_file_beside_the_file_is_used(files: Files, tmp_path: Path) -> None:
    path = Path(shutil.copy(files["byte-level"], tmp_path / "mine.gguf"))
    (tmp_path / "prompt.toml").write_text('languages = ["en", "de"]\ntext = "<{source}>"\n', encoding="utf-8")
    translator = Translator.load(path)
    assert [*translator.directions] == ["en-de", "de-en"]
    ids = translator.pipeline.prepare(Request("The house.")).prompt.ids  # type: ignore[attr-defined]
    assert byte_level().decode(list(ids)) == "<The house.>"


def test_files_that_cannot_be_used_are_refused_with_the_cure(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.gguf"
    whole = files["byte-level"].read_bytes()
    for data, message in (
        (whole[:-2000], "cannot be loaded by llama.cpp: .*download the file again"),
        (b"PK", "is not a GGUF file"),
    ):
        broken.write_bytes(data)
        with pytest.raises(ModelError, match=message):
            Translator.load(broken)
    with pytest.raises(ModelError, match=r"none.gguf is not a file; give the path of a GGUF file"):
        Translator.load(tmp_path / "none.gguf")
    other = write_gguf(tmp_path / "bert.gguf", model_of("qwen3", 463), byte_level(), pieces="bert")
    with pytest.raises(ModelError, match="WordPiece, which does not keep spaces and capitals"):
        Translator.load(other)
    monkeypatch.setattr("engine.llama_models.gguf_files.available_bytes", lambda: 1_000_000_100)
    with pytest.raises(ModelError, match=r"needs 1,000 MB of memory, of which 1,000 MB are free; there is room"):
        Translator.load(files["byte-level"])
    monkeypatch.undo()
    monkeypatch.setattr("engine.importers.language_models.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install 'pinpoint\[llama\]'"):
        Translator.load(files["byte-level"])


def test_cores_that_others_use_get_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four cores; one process of others uses two and a half, this one uses one."""
    monkeypatch.setattr("engine.llama_models.llama_context._num_cores", lambda: 4)
    monkeypatch.setattr("engine.llama_models.llama_context.num_threads", lambda: 8)
    times = iter([(0.0, 0.0, 0.0), (10.0, 35.0, 10.0), (20.0, 45.0, 20.0), (30.0, 95.0, 30.0)])
    monkeypatch.setattr(FreeCores, "_measured", lambda self: next(times))
    cores = FreeCores()
    assert [cores.number() for _ in range(3)] == [2, 4, 1]


def test_a_text_of_100_000_characters_is_encoded(kind: str, models: Models) -> None:
    codec = models[kind][0].codec
    for text in ("a" * 100_000, "<|turn|>" * 14_000, "東" * 30_000):
        assert codec.decode(codec.raw_ids(text)).text == text


def test_the_library_is_imported_only_for_its_models() -> None:
    code = "import sys, engine; engine.Translator; print('llama_cpp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
