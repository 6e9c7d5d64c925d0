"""How much a step may take and how much of a page must stay."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Limits(BaseModel):
    """The `limits` of a settings file.

    Ratios are 0..1 of what the page has when the step begins. Crunch's papers compare the page before and after each
    phase but publish no thresholds (J05, D05); these are measured on the test packages (docs/default.md).
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    keep_at_least_words: int = Field(
        20, ge=0, le=10_000, description="words that a page keeps; fewer, and it is relaxed"
    )
    keep_at_least_words_ratio: float = Field(
        0.05, ge=0, le=1, description="share of the page's words that it keeps; less, and it is relaxed"
    )
    keep_at_least_prose_ratio: float = Field(
        0.3, ge=0, le=1, description="share of the page's words of prose that it keeps; less, and it is relaxed"
    )
    max_words_ratio: float = Field(0.95, ge=0, le=1, description="share of the words that one step may take")
    max_prose_ratio: float = Field(0.5, ge=0, le=1, description="share of the words of prose that one step may take")
    max_headings_ratio: float = Field(0.95, ge=0, le=1, description="share of the headings that one step may take")
    max_landmarks_ratio: float = Field(1.0, ge=0, le=1, description="share of the landmarks that one step may take")
    max_controls_ratio: float = Field(1.0, ge=0, le=1, description="share of the form controls that one step may take")
    max_edits_per_step: int = Field(20_000, ge=1, le=1_000_000, description="edits that one step may ask for")
    max_step_ms: int = Field(500, ge=1, le=60_000, description="milliseconds that one step may take")
    max_page_ms: int = Field(2_000, ge=1, le=60_000, description="milliseconds that all steps of a page may take")
