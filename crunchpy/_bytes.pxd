# cython: language_level=3
"""Small steps over the bytes of tags, for the compiled loops."""

from libc.string cimport memchr


cdef inline bint is_space(unsigned char c) noexcept nogil:
    return c == b" " or c == b"\n" or c == b"\t" or c == b"\r" or c == b"\f"


cdef inline bint is_letter(unsigned char c) noexcept nogil:
    return b"a" <= c <= b"z"


cdef inline Py_ssize_t find(const unsigned char* text, unsigned char c, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    """Where `c` stands from `at` on; `size` where it does not."""
    cdef const void* found = memchr(text + at, c, size - at) if at < size else NULL
    return size if found == NULL else <const unsigned char*>found - text


cdef inline Py_ssize_t name_end(const unsigned char* text, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    while at < size and not (is_space(text[at]) or text[at] == b"/" or text[at] == b">"):
        at += 1
    return at


cdef inline Py_ssize_t bare_value_end(const unsigned char* text, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    while at < size and not (is_space(text[at]) or text[at] == b">"):
        at += 1
    return at
