"""The `classifier` part of `genres.yaml`: how unknown sites get their genre."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SourceOptions(_Strict):
    """One place that is asked for search results about a site."""

    kind: Literal["searxng", "brave", "recorded"] = Field(description="searxng, brave or recorded")
    url: str = Field("", description="address of a SearXNG server, or the path of a recorded file")
    key: str = Field("", description="API key, for brave; ${NAME} takes it from the environment")
    max_a_day: int = Field(200, ge=0, le=100_000, description="requests a day, all processes together")


class SnippetOptions(_Strict):
    """Whom to ask for snippets. Nobody by default: asking tells a third party which domains are visited."""

    sources: tuple[SourceOptions, ...] = Field((), description="sources, all asked; none: nothing is ever sent")
    timeout_s: float = Field(5.0, gt=0, le=60, description="seconds to wait for one answer")
    keep_days: float = Field(90.0, ge=0, le=3650, description="days until a site is asked for again")
    max_results: int = Field(20, ge=1, le=100, description="results of one answer that are counted")


class ClassifierOptions(_Strict):
    """How unknown sites get their genre."""

    on: bool = Field(True, description="true or false; false: a site that no entry names gets the default")
    neighbours: int = Field(3, ge=1, le=25, description="nearest known sites that vote; 1 is Crunch's rule")
    max_distance: float = Field(
        1.65, gt=0, le=2, description="Manhattan distance (0 to 2) beyond which a site is unknown"
    )
    min_key_words: int = Field(30, ge=1, le=10_000, description="key words counted before a site is classified")
    max_pages: int = Field(8, ge=1, le=1000, description="pages of a site that are counted")
    margin: float = Field(
        0.05, ge=0, le=2, description="distance by which snippets must favour another genre to change a settled one"
    )
    store: str = Field("", description='a file, or "postgresql+psycopg://..."; empty: ~/.crunchpy/sites.sqlite')
    snippets: SnippetOptions = Field(SnippetOptions(), description="who is asked for search results")


def read_options(content: Any, place: str) -> tuple[ClassifierOptions, list[str]]:
    """The options in a YAML mapping, and what is wrong with it, one line a problem; the defaults where anything is."""
    if content is None:
        return ClassifierOptions(), []
    try:
        options = ClassifierOptions.model_validate(_lists_as_tuples(content))
        return options, [f"{place}, {problem}" for problem in _source_problems(options)]
    except ValidationError as error:
        return ClassifierOptions(), [
            f"{place}, {_where(e['loc'])}: {e['msg']}; found {e['input']!r}" for e in error.errors()
        ]


def _source_problems(options: ClassifierOptions) -> list[str]:
    if not options.snippets.sources:
        return []
    from crunchpy.genre.snippets import make_sources  # loads an HTTP client, which most never need

    return make_sources(options.snippets)[1]


def _lists_as_tuples(content: Any) -> Any:
    """YAML has lists only; strict models want tuples."""
    if isinstance(content, dict):
        return {key: _lists_as_tuples(value) for key, value in content.items()}
    return tuple(map(_lists_as_tuples, content)) if isinstance(content, list) else content


def _where(location: tuple[int | str, ...]) -> str:
    return "classifier" + "".join(f" [{part}]" if isinstance(part, int) else f".{part}" for part in location)
