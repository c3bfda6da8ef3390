"""Evaluation on a test set: quality, terminology, constraints met, speed. Independent of files."""

from engine.evaluation.evaluate import Evaluation, EvaluationSegment, evaluate
from engine.evaluation.metrics import Scores, measure, score
from engine.evaluation.terminology import TermList, TermOccurrence, num_terms_met, window_overlap
