# cython: language_level=3, wraparound=False
"""The loops over text and names of a page, compiled: `text_loop.py` has the same in Python, and says what they do.

Both must give the same; `tests/test_loops.py` holds them against each other on real and on random pages.
"""

import sys

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove

from crunchpy.name_words import split_names
from crunchpy.word_count import PROSE_WORDS, SEPARATORS, words_in

cdef frozenset _SEPARATORS = SEPARATORS
cdef int _PROSE_WORDS = PROSE_WORDS
cdef tuple _NO_MORE = (sys.maxsize, sys.maxsize)


def is_utf8(bytes text):
    cdef const unsigned char* at = text
    cdef const unsigned char* end = at + len(text)
    cdef unsigned char c
    cdef int more
    cdef unsigned int code, least
    cdef unsigned long long eight
    while at < end:
        while end - at >= 8:  # most text is ASCII
            memcpy(&eight, at, 8)
            if eight & 0x8080808080808080u:
                break
            at += 8
        if at == end:
            break
        c = at[0]
        at += 1
        if c < 0x80:
            continue
        if 0xC2 <= c < 0xE0:
            more, code, least = 1, c & 0x1F, 0x80
        elif 0xE0 <= c < 0xF0:
            more, code, least = 2, c & 0x0F, 0x800
        elif 0xF0 <= c < 0xF5:
            more, code, least = 3, c & 0x07, 0x10000
        else:
            return False
        if end - at < more:
            return False
        while more:
            if at[0] & 0xC0 != 0x80:
                return False
            code = code << 6 | at[0] & 0x3F
            at += 1
            more -= 1
        if code < least or code > 0x10FFFF or 0xD800 <= code < 0xE000:
            return False
    return True


def lower(bytes text):
    cdef Py_ssize_t place, size = len(text)
    cdef bytes lowered = PyBytes_FromStringAndSize(NULL, size)
    cdef const unsigned char* source = text
    cdef unsigned char* target = <unsigned char*>PyBytes_AS_STRING(lowered)
    for place in range(size):  # branchless, so that compilers do many at once
        target[place] = source[place] | ((<unsigned char>(source[place] - 65) < 26) << 5)
    return lowered


cdef inline bint _is_letter(const unsigned char* text) noexcept nogil:
    """Whether a byte of UTF-8 beyond ASCII belongs to a letter or sign that divides no words, and whose script has
    spaces: those from U+00C0 on, up to U+2FFF but for Thai and its kin and for blanks."""
    if text[0] == 0xE2:
        return not (text[1] == 0x80 and (text[2] <= 0x8A or text[2] in (0xA8, 0xA9, 0xAF))) and text[1] != 0x81
    return text[0] < 0xC0 or 0xC3 <= text[0] <= 0xDF


cdef int _words(bytes body, Py_ssize_t start, Py_ssize_t end, str codec, bint is_utf8) except -1:
    """The words of a stretch of text, as `words_in` counts them; beyond ASCII it is asked."""
    cdef const unsigned char* text = body
    cdef Py_ssize_t place, word_start = start, word_end = end
    cdef int words = 0
    cdef bint in_word = False
    for place in range(start, end):
        if (text[place] >= 128 and not (is_utf8 and _is_letter(text + place))) or 28 <= text[place] <= 31:
            return words_in(body[start:end], codec)
        if text[place] == b" " or 9 <= text[place] <= 13:
            if in_word:
                word_end = place
            in_word = False
        elif not in_word:
            in_word = True
            words += 1
            word_start, word_end = place, end
    if words == 1 and body[word_start:word_end] in _SEPARATORS:
        return 0
    return words


# A stretch of text: where it begins, and the sums of all stretches before it.
cdef struct _Stretch:
    Py_ssize_t place
    int words
    int link_words
    int prose_words


cdef Py_ssize_t _first_from(const char* entries, Py_ssize_t size, Py_ssize_t count, Py_ssize_t place) noexcept nogil:
    """Of entries of this size, which begin with their place and are in its order, the first at `place` or behind it."""
    cdef Py_ssize_t low = 0, high = count, middle
    while low < high:
        middle = (low + high) // 2
        if (<const Py_ssize_t*>(entries + middle * size))[0] < place:
            low = middle + 1
        else:
            high = middle
    return low


cdef class TextCounts:
    """The words of a page's text by their place."""

    cdef _Stretch* _stretches  # one more than there are: the last one holds the sums of all, behind every place
    cdef Py_ssize_t* _links
    cdef Py_ssize_t _count, _link_count

    def __cinit__(self, bytes body, str codec, list gaps, list links, list unread):
        cdef Py_ssize_t place
        self._stretches = <_Stretch*>malloc((len(gaps) // 2 + 1) * sizeof(_Stretch))
        self._links = <Py_ssize_t*>malloc((len(links) + 1) * sizeof(Py_ssize_t))
        if self._stretches == NULL or self._links == NULL:
            raise MemoryError
        self._link_count = len(links)
        for place in range(self._link_count):
            self._links[place] = links[place][0]
        self._count_words(body, codec, gaps, links, unread)

    def __dealloc__(self):
        free(self._stretches)
        free(self._links)

    cdef int _count_words(self, bytes body, str codec, list gaps, list links, list unread) except -1:
        cdef Py_ssize_t place, start, link_end = 0, link_start = 0, unread_end = 0, unread_start = 0
        cdef object links_left = iter(links), unread_left = iter(unread)
        cdef _Stretch sums = _Stretch(sys.maxsize, 0, 0, 0)
        cdef int words
        cdef bint is_utf8 = codec == "utf-8"
        self._count = 0
        for place in range(0, len(gaps) - 1, 2):
            start = gaps[place]
            words = _words(body, start, gaps[place + 1], codec, is_utf8)
            if words == 0:
                continue
            while unread_end <= start:
                unread_start, unread_end = next(unread_left, _NO_MORE)
            if unread_start < start:
                continue
            while link_end <= start:
                link_start, link_end = next(links_left, _NO_MORE)
            self._stretches[self._count] = sums
            self._stretches[self._count].place = start
            self._count += 1
            sums.words += words
            if link_start < start:
                sums.link_words += words
            elif words >= _PROSE_WORDS:
                sums.prose_words += words
        self._stretches[self._count] = sums
        return 0

    cdef Py_ssize_t _at(self, Py_ssize_t place) noexcept:
        """The first stretch that begins at `place` or behind it."""
        return _first_from(<const char*>self._stretches, sizeof(_Stretch), self._count, place)

    cdef Py_ssize_t _link_at(self, Py_ssize_t place) noexcept:
        return _first_from(<const char*>self._links, sizeof(Py_ssize_t), self._link_count, place)

    def between(self, Py_ssize_t start, Py_ssize_t end):
        cdef _Stretch* first = &self._stretches[self._at(start)]
        cdef _Stretch* last = &self._stretches[self._at(end)]
        return (
            last.words - first.words,
            last.link_words - first.link_words,
            last.prose_words - first.prose_words,
            self._link_at(end) - self._link_at(start),
        )

    def cut(self, ranges):
        cdef Py_ssize_t start, end
        for start, end in reversed(list(ranges)):
            self._cut(self._at(start), self._at(end))
            self._cut_links(self._link_at(start), self._link_at(end))

    cdef int _cut(self, Py_ssize_t first, Py_ssize_t last) except -1:
        cdef Py_ssize_t place
        cdef _Stretch start = self._stretches[first], end = self._stretches[last]
        for place in range(last, self._count + 1):
            self._stretches[place].words -= end.words - start.words
            self._stretches[place].link_words -= end.link_words - start.link_words
            self._stretches[place].prose_words -= end.prose_words - start.prose_words
        memmove(&self._stretches[first], &self._stretches[last], (self._count + 1 - last) * sizeof(_Stretch))
        self._count -= last - first
        return 0

    cdef int _cut_links(self, Py_ssize_t first, Py_ssize_t last) except -1:
        memmove(&self._links[first], &self._links[last], (self._link_count - last) * sizeof(Py_ssize_t))
        self._link_count -= last - first
        return 0


cdef inline bint _is_name_letter(Py_UCS4 c) noexcept nogil:
    return c'a' <= c <= c'z' or c'0' <= c <= c'9'


def index_names(dict by_value, list tags, frozenset but_not, dict by_name):
    cdef str value
    cdef list found, ordinals
    for value, found in by_value.items():
        ordinals = [ordinal for ordinal in found if tags[<Py_ssize_t>ordinal] not in but_not]
        if not ordinals:
            continue
        if value.isascii() and value.islower():  # capitals divide words too, and most values have none
            _enter_words(by_name, value.encode("ascii"), ordinals)
        else:
            for name in split_names(value):
                _enter(by_name, name, ordinals)


cdef int _enter_words(dict by_name, bytes value, list ordinals) except -1:
    cdef const unsigned char* letters = value
    cdef Py_ssize_t start, at = 0, size = len(value)
    while at < size:
        start = at
        while at < size and _is_name_letter(letters[at]):
            at += 1
        if at > start:
            _enter(by_name, PyUnicode_DecodeASCII(<const char*>letters + start, at - start, NULL), ordinals)
        at += 1
    return 0


cdef int _enter(dict by_name, object name, list ordinals) except -1:
    cdef list groups = <list>by_name.get(name)
    if groups is None:
        by_name[name] = [ordinals]
    elif groups[len(groups) - 1] is not ordinals:  # a value that says a name twice
        groups.append(ordinals)
    return 0
