"""What is an advert: filter lists in EasyList syntax, asked about requests and about elements.

`Blocklist` answers, `RequestBlocker` is what the proxy calls for each request, `lists` fetches and keeps the lists.
"""

from __future__ import annotations

from crunchpy.adverts.blocklist import Blocklist, Match
from crunchpy.adverts.requests import RequestBlocker, empty_answer, empty_headers, kind_of, page_of

__all__ = ["Blocklist", "Match", "RequestBlocker", "empty_answer", "empty_headers", "kind_of", "page_of"]
