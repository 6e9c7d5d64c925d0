from __future__ import annotations

import pytest

from crunchpy.evaluation.package import Document
from crunchpy.evaluation.peers import PEERS, decoded, peer_text

SENTENCES = "The river rose by two metres over night, and the people of the town were taken to the old hall. " * 8
PAGE = f"""<html><head><title>Flood in town</title></head><body>
<ul><li><a href=/>Home</a><li><a href=/n>News</a><li><a href=/s>Sport</a></ul>
<article><h1>Flood in town</h1><p>{SENTENCES}</p><p>{SENTENCES}</p></article>
<footer><ul><li><a href=/c>Contact</a><li><a href=/i>Imprint</a></ul></footer></body></html>"""


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.filterwarnings("ignore")
def test_a_peer_finds_the_article(name: str) -> None:
    if not PEERS[name].is_installed:
        pytest.skip(f"{PEERS[name].distribution} is not installed (extra `peers`)")
    document = Document("pkg", "1", PAGE.encode(), meta={"language": "en"})
    text = peer_text(name, document)
    assert "The river rose by two metres" in text
    assert "Imprint" not in text
    assert text == " ".join(text.split())
    assert PEERS[name].version[0].isdigit()


def test_peers_get_the_page_in_its_own_encoding() -> None:
    assert decoded(Document("pkg", "1", "<meta charset=gbk>中文".encode("gbk"))).endswith("中文")
    assert decoded(Document("pkg", "1", b"x", meta={"content_type": "text/html; charset=x-user-defined"})) == "x"
