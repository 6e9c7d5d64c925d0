"""Other people's extractors as methods, where they are installed (the extra `peers`).

Each gets the page decoded by the encoding that all measures use, and the address; each runs with its own defaults, as
its documentation shows them first. What a peer returns as HTML is brought to text as our own pages are. Two are told
something: resiliparse to write no bullets before list items, since they are no words of the page, and jusText the
language of the page where the package knows it, since its stop words are chosen by hand.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from crunchpy.evaluation.package import Document
from crunchpy.evaluation.text import normal, page_text

# jusText's names of stop word lists, by the language tag's first part.
_STOP_WORDS = {
    "ar": "Arabic", "bg": "Bulgarian", "cs": "Czech", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "fa": "Persian", "fi": "Finnish", "fr": "French", "hi": "Hindi", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ko": "Korean", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese",
    "ro": "Romanian", "ru": "Russian", "tr": "Turkish", "ur": "Urdu", "vi": "Vietnamese",
}  # fmt: skip


@dataclass(frozen=True)
class Peer:
    """One extractor: what to install, what to import, and how to ask it for the text of a page."""

    distribution: str
    module: str
    extract: Callable[[str, Document], str]

    @property
    def is_installed(self) -> bool:
        """Whether the extractor is there."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """Version of what is installed."""
        return importlib.metadata.version(self.distribution)


def decoded(document: Document) -> str:
    """Return the page as text; bytes that are not of its encoding become replacement characters."""
    try:
        return document.body.decode(document.encoding or "utf-8", errors="replace")
    except LookupError:  # a label of the Encoding Standard that Python does not know
        return document.body.decode("utf-8", errors="replace")


def _trafilatura(html: str, document: Document) -> str:
    import trafilatura

    return trafilatura.extract(html, url=document.url) or ""


def _readability(html: str, document: Document) -> str:
    import readability

    return page_text(readability.Document(html, url=document.url).summary().encode(), encoding="utf-8")


def _resiliparse(html: str, document: Document) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    return str(extract_plain_text(html, main_content=True, list_bullets=False))


def _justext(html: str, document: Document) -> str:
    import justext

    language = _STOP_WORDS.get(str(document.meta.get("language", "")).lower().partition("-")[0])
    if language:
        paragraphs = justext.justext(html, justext.get_stoplist(language))
    else:  # its language-independent setting
        paragraphs = justext.justext(html, frozenset(), stopwords_low=0.0, stopwords_high=0.0)
    return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


def _boilerpy3(html: str, document: Document) -> str:
    from boilerpy3.extractors import ArticleExtractor

    return str(ArticleExtractor(raise_on_failure=False).get_content(html))


def _newspaper4k(html: str, document: Document) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it complains at import that its key words cannot be had; nobody asks for them
        import newspaper

    article = newspaper.Article(document.url, fetch_images=False)
    article.download(input_html=html)
    article.parse()
    return str(article.text)


def _goose3(html: str, document: Document) -> str:
    import goose3

    with goose3.Goose({"enable_image_fetching": False}) as goose:
        return str(goose.extract(url=None, raw_html=html).cleaned_text)


#: The peers by the name of the command line.
PEERS: Mapping[str, Peer] = {
    "trafilatura": Peer("trafilatura", "trafilatura", _trafilatura),
    "readability-lxml": Peer("readability-lxml", "readability", _readability),
    "resiliparse": Peer("resiliparse", "resiliparse", _resiliparse),
    "justext": Peer("jusText", "justext", _justext),
    "boilerpy3": Peer("boilerpy3", "boilerpy3", _boilerpy3),
    "newspaper4k": Peer("newspaper4k", "newspaper", _newspaper4k),
    "goose3": Peer("goose3", "goose3", _goose3),
}


def peer_text(name: str, document: Document) -> str:
    """Return what a peer makes of a page, on one line. Whatever the peer raises comes out as it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other people's deprecations are not news here
        return normal(PEERS[name].extract(decoded(document), document))
