"""Why a precision that was asked for is not promised, by name, as the records have it."""

from __future__ import annotations

__all__ = ["BY_ANSWERS", "BY_CHANCES", "BY_WORDS", "NONE_SO_LIKELY", "NO_MODEL"]

NONE_SO_LIKELY = "none so likely"
"""No page has a chance from which on it would be kept."""
BY_WORDS = "words"
"""The topic's words alone never promise so much."""
BY_CHANCES = "chances"
"""What is known of the pages called relevant does not come to it."""
BY_ANSWERS = "answers"
"""Answers about pages drawn by lot do not bear it out."""
NO_MODEL = "no model"
"""Too little was learned for chances."""
