"""The known sites: each one's counts on the key words, read from the built file.

The file holds counts only, no text: `crunchpy genre build` makes it from descriptions and pages (see NOTICE for their
licences). The genre that a site had in `genres.yaml` at that time is in it too, so that an administrator's own short
`genres.yaml`, which takes the built-in one's place whole, still finds the known sites; what that file says of a site
goes before.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

FORMAT_VERSION = 1
BUILT_FILE = Path(__file__).parent / "data" / "known_sites.json.gz"


class KnownSitesError(ValueError):
    """The built file cannot be used; the message names it and says why."""


@dataclass(frozen=True)
class KnownSites:
    """The key words and, by domain, the counts on them and the genre.

    described: the sites of which only a description is known, no page.
    """

    key_words: tuple[str, ...]
    counts: dict[str, dict[int, int]]
    genres: dict[str, str]
    described: frozenset[str] = field(default_factory=frozenset)

    @cached_property
    def places(self) -> dict[str, int]:
        """Each key word's place in the list."""
        return {word: place for place, word in enumerate(self.key_words)}

    def words(self, domain: str) -> dict[str, int]:
        """A site's counts by word."""
        return {self.key_words[place]: count for place, count in self.counts[domain].items()}

    def write(self, path: Path) -> None:
        """Write the file; the same content gives the same bytes."""
        content = {
            "format": "crunchpy known sites",
            "version": FORMAT_VERSION,
            "key_words": self.key_words,
            "described": sorted(self.described),
            "sites": {
                domain: [self.genres.get(domain, ""), places := sorted(counts), [counts[place] for place in places]]
                for domain, counts in sorted(self.counts.items())
            },
        }
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        path.write_bytes(gzip.compress(text.encode(), mtime=0))  # without the time: equal inputs, equal file


def read_known_sites(path: Path = BUILT_FILE) -> KnownSites:
    """Read the built file.

    Raises:
        KnownSitesError: it is missing, broken, or of another version. Nothing is overwritten.
    """
    try:
        content = json.loads(gzip.decompress(path.read_bytes()))
    except FileNotFoundError as error:
        raise KnownSitesError(f"{path}: is missing; make it with: crunchpy genre build") from error
    except (OSError, EOFError, ValueError) as error:
        raise KnownSitesError(f"{path}: is broken ({error}); make it again with: crunchpy genre build") from error
    return _checked(path, content)


def _checked(path: Path, content: Any) -> KnownSites:
    if not isinstance(content, dict) or content.get("format") != "crunchpy known sites":
        raise KnownSitesError(f"{path}: is no file of known sites")
    if content.get("version") != FORMAT_VERSION:
        raise KnownSitesError(
            f"{path}: is of version {content.get('version')}, this program reads version {FORMAT_VERSION};"
            " make it again with: crunchpy genre build"
        )
    try:
        key_words = tuple(content["key_words"])
        sites = {site: dict(zip(places, counts, strict=True)) for site, (_, places, counts) in content["sites"].items()}
        genres = {site: str(genre) for site, (genre, _, _) in content["sites"].items()}
        most = max((max(counts, default=0) for counts in sites.values()), default=0)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise KnownSitesError(f"{path}: is broken ({error!r}); make it again with: crunchpy genre build") from error
    if most >= len(key_words):
        raise KnownSitesError(f"{path}: is broken (a site has key word {most} of {len(key_words)})")
    return KnownSites(key_words, sites, genres, frozenset(content.get("described", ())))
