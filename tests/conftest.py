"""Settings and fixtures for all tests."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

from engine.text import TextCodec
from tests import budget

# No deadlines: a test may be slow on a busy machine.
settings.register_profile("short", deadline=None, max_examples=40)
settings.register_profile("full", deadline=None, max_examples=200)

# The models of the tests are tiny: a second thread only waits, and for long where the cores are busy.
torch.set_num_threads(1)

# Some machines keep Python from storing compiled modules. Each of the processes that the tests start, and each worker,
# would then compile 450 modules of the app again: 0.8 s of processor time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

BROWSER_TESTS = "tests/e2e/"
SLOW_FILES = (  # begin early, the longest first, or the other workers wait for one of them at the end
    "tests/e2e/test_workbench.py",
    "tests/e2e/test_document_tabs.py",
    "tests/e2e/test_keyboard_day.py",
    "tests/e2e/test_never_lost.py",
    "tests/e2e/test_injection.py",
    "tests/e2e/test_two_people.py",
    "tests/e2e/test_memory.py",
    "tests/e2e/test_imported_model.py",
    "tests/e2e/test_formats.py",
    "tests/e2e/test_accessibility.py",
    "tests/e2e/test_glossaries.py",
    "tests/e2e/test_selected_words.py",
    "tests/e2e/test_download_problems.py",
    "tests/e2e/test_nothing_moves.py",
    "tests/e2e/test_whole_document.py",
    "tests/app/test_many_documents.py",
    "tests/decoding/test_drafts.py",
    "tests/app/test_half_done.py",
    "tests/app/serving/test_hostile_requests.py",
    "tests/app/models/test_published_models.py",
    "tests/app/test_event_loop.py",
    "tests/app/serving/test_api_jobs.py",
    "tests/app/reading/test_separate_reader.py",
    "tests/importers/test_firefox_real.py",
    "tests/benchmarks/test_capacity.py",
    "tests/kernels/test_interpreter.py",
)
MAX_WORKERS = 8  # a worker takes up to a gigabyte
CORPUS_SAMPLE = Path(__file__).parent / "data" / "corpus_sample.tsv"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the tests marked full too, and more random rounds")


def pytest_configure(config: pytest.Config) -> None:
    """Applies `--full` before any test module is imported, in the workers of pytest-xdist too."""
    if config.getoption("full"):
        budget.set_full()
        if config.option.markexpr == "not full and not server":  # the default in pyproject.toml
            config.option.markexpr = "not server"
    settings.load_profile("full" if budget.is_full() else "short")
    gc.disable()  # until the tests are collected: modules and tests stay


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Keeps modules and tests, a million objects, out of each later collection, and collects less often: collections
    took 7 % of the processor time of four files, most of it the full ones.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than processor cores: a test may wait, and each worker imports and collects everything for itself."""
    return min((os.cpu_count() or 1) + 1, MAX_WORKERS)


def _place(file: str) -> int:
    return SLOW_FILES.index(file) if file in SLOW_FILES else len(SLOW_FILES)


class BrowserTestsBeside(LoadFileScheduling):
    """Gives out whole files; half of the workers begin with the browser tests, the others end there.

    So the browser tests, some of which wait for seconds, run beside others that keep a processor core busy.
    """

    def _assign_work_unit(self, node: WorkerController) -> None:
        takes_browser_tests = self.nodes.index(node) < self.numnodes // 2
        files = sorted(
            self.workqueue,
            key=lambda file: (file.startswith(BROWSER_TESTS) != takes_browser_tests, _place(file)),
        )
        self.workqueue.move_to_end(files[0], last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    return BrowserTestsBeside(config, log) if config.getoption("dist") == "loadfile" else None


@dataclass(frozen=True)
class SampleLine:
    """One line of the corpus sample; tests/data/README.md says where it comes from."""

    language: str
    domain: str
    source: str
    text: str


@pytest.fixture(scope="session")
def corpus_sample() -> list[SampleLine]:
    """1,740 lines of English and German of many kinds."""
    lines = CORPUS_SAMPLE.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return [SampleLine(*line.split("\t")) for line in lines if not line.startswith("# ")]


@pytest.fixture(scope="session")
def codec(corpus_sample: list[SampleLine], tmp_path_factory: pytest.TempPathFactory) -> TextCodec:
    """A small joint codec: 2,000 pieces learnt from the corpus sample, and all characters in it.

    Learning takes a second of processor time: one worker does it for all.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    learnt, begun = folder / "codec", folder / "codec.begun"
    with suppress(FileExistsError):
        begun.mkdir()  # only one worker can
        TextCodec.learn((line.text for line in corpus_sample), num_pieces=2000, min_char_count=1).save(begun)
        shutil.copytree(begun, folder / "codec.new").rename(learnt)
    end = time.monotonic() + 600
    while not learnt.exists():
        assert time.monotonic() < end, f"the worker that learns {learnt} has not finished"
        time.sleep(0.05)
    return TextCodec.load(learnt)
