"""Measures one document with one method: the task of a worker process."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from crunchpy.evaluation.extract import Extract, Extractors, Setup
from crunchpy.evaluation.measures import measure
from crunchpy.evaluation.methods import Method
from crunchpy.evaluation.package import Document, read_package
from crunchpy.evaluation.rows import Row, scored, timed
from crunchpy.evaluation.shares import accuracy, phrase_counts, useful_shares
from crunchpy.evaluation.text import normal
from crunchpy.evaluation.words import WAYS, Words


class Worker:
    """Measures documents; one in each process, since engines are slow to load."""

    def __init__(self, setup: Setup, words: str) -> None:
        self._extractors = Extractors(setup)
        self._words = WAYS[words]
        self._warm: set[str] = set()

    def measured(self, folder: Path, document_id: str, method: Method) -> Row:
        """Return the row of one document. Nothing is raised: what goes wrong is the row's error."""
        size = 0
        try:
            document = _document(folder, document_id)
            size = len(document.body)
            return row_of(document, self._extract(document, method), words=self._words)
        except Exception as error:  # noqa: BLE001 - a method or a file may fail in any way, and the run must go on
            return Row(folder.name, document_id, size, error=f"{type(error).__name__}: {error}")

    def _extract(self, document: Document, method: Method) -> Extract:
        """Run a method; before its first page in this process once without counting, so that loading is not timed."""
        extractor = self._extractors.of(method)
        if method.name not in self._warm:
            self._warm.add(method.name)
            extractor.extract(document)
        return extractor.extract(document)


def row_of(document: Document, extract: Extract, *, words: Words) -> Row:
    """Return all that can be measured of an extract: against the gold text, and on the phrases."""
    values = timed(extract.seconds, len(document.body))
    mine = words(extract.text)
    gold_words: int | None = None
    if document.gold is not None:
        gold = normal(document.gold)
        measures = measure(extract.text, gold, words=words)
        gold_words = measures.gold_words
        shares = useful_shares(measures.str, extract_is_empty=not extract.text)
        values |= scored(measures) | {"useful": shares.useful, "useless": shares.useless}
        values["accuracy"] = accuracy(mine, words(gold), words(document.text))
    counts = phrase_counts(extract.text, document.text, keep=document.keep, drop=document.drop)
    for column, share in (("kept", counts.kept_share), ("dropped", counts.dropped_share)):
        if share is not None:
            values[column] = share
    return Row(document.package, document.id, len(document.body), values, len(mine), gold_words, note=extract.note)


@lru_cache(maxsize=4)
def _document(folder: Path, document_id: str) -> Document:
    """Return a document; the methods of a run ask for the same one in turn."""
    return _package(folder).document(document_id)


_package = lru_cache(maxsize=16)(read_package)
