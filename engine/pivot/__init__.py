"""Translation through a language between, by two models, one after the other."""

from engine.pivot.pivot_translator import PivotTranslator

__all__ = ["PivotTranslator"]
