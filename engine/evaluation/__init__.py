"""How well a model translates a test set: quality, terminology, constraints met, speed. Knows no files."""

from engine.evaluation.evaluate import Evaluation, Segment, evaluate
from engine.evaluation.scores import Scores, measure, score
from engine.evaluation.terminology import WINDOWS, Glossary, Term, num_terms_met, window_overlap

__all__ = [
    "WINDOWS",
    "Evaluation",
    "Glossary",
    "Scores",
    "Segment",
    "Term",
    "evaluate",
    "measure",
    "num_terms_met",
    "score",
    "window_overlap",
]
