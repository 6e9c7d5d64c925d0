# cython: language_level=3, wraparound=False
"""The loop over the tags of a page, compiled: `tag_loop.py` has the same in Python, and says what it does.

Both must give the same; `tests/test_loops.py` holds them against each other on real and on random pages.
"""

from libc.string cimport memcmp

from crunchpy._bytes cimport bare_value_end, find, is_letter, is_space, name_end

from crunchpy import tag_rules

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    const unsigned char* PyUnicode_1BYTE_DATA(object text)


cdef dict _RULES = tag_rules.RULES
cdef dict _PROPER_PARENTS = tag_rules.PROPER_PARENTS
cdef frozenset _TRACKED = tag_rules.TRACKED, _HEADINGS = tag_rules.HEADINGS
cdef int _NONE = tag_rules.RULE_NONE, _VOID = tag_rules.RULE_VOID, _SAME = tag_rules.RULE_SAME
cdef int _PARENT = tag_rules.RULE_PARENT, _HEADING = tag_rules.RULE_HEADING
cdef int _COUNTED = tag_rules.RULE_COUNTED, _RAW = tag_rules.RULE_RAW
cdef Py_ssize_t _KNOWN_NAMES = 256


cdef Py_ssize_t _tag_end(
    const unsigned char* text, Py_ssize_t at, Py_ssize_t size, Py_ssize_t* value_end
) noexcept nogil:
    """Behind the `>` of a tag whose name ends at `at`, -1 for a tag that is never finished; and where its last bare
    value ends."""
    value_end[0] = -1
    while at < size:
        if text[at] == b">":
            return at + 1
        if text[at] != b"=":
            at += 1
            continue
        at += 1
        while at < size and is_space(text[at]):
            at += 1
        if at == size:
            return -1
        if text[at] == b'"' or text[at] == b"'":
            at = find(text, text[at], at + 1, size) + 1
        elif text[at] != b">":
            at = value_end[0] = bare_value_end(text, at, size)
    return -1


cdef Py_ssize_t _comment_end(const unsigned char* text, Py_ssize_t start, Py_ssize_t size) noexcept nogil:
    """Behind the comment that begins at `start`, the end of all where nothing ends it; -1 for what is no comment."""
    cdef Py_ssize_t at = start + 4
    if at > size or memcmp(text + start, b"<!--", 4) != 0:
        return -1
    if at < size and text[at] == b">":
        return at + 1
    if at + 1 < size and text[at] == b"-" and text[at + 1] == b">":
        return at + 2
    while True:
        at = find(text, b">", at, size)
        if at == size:
            return size
        if at - 2 >= start + 4 and text[at - 1] == b"-" and text[at - 2] == b"-":
            return at + 1
        if at - 3 >= start + 4 and text[at - 1] == b"!" and text[at - 2] == b"-" and text[at - 3] == b"-":
            return at + 1
        at += 1


cdef Py_ssize_t _plain_raw_text_end(
    const unsigned char* text, bytes name, Py_ssize_t at, Py_ssize_t size, Py_ssize_t* tag_end
) except -1:
    """Where the end tag of a script or style begins, and where it ends; 0 where there is none, it is not finished, or a
    comment in a script may hide it."""
    cdef const unsigned char* letters = name
    cdef Py_ssize_t length = len(name), behind, value_end
    cdef bint in_script = letters[1] == b"c", has_comment = False
    while True:
        at = find(text, b"<", at, size)
        behind = at + 2 + length
        if behind >= size:
            return 0
        if text[at + 1] == b"/":
            if memcmp(text + at + 2, letters, length) == 0 and (
                is_space(text[behind]) or text[behind] == b"/" or text[behind] == b">"
            ):
                tag_end[0] = _tag_end(text, behind, size, &value_end)
                return at if tag_end[0] > 0 else 0
        elif in_script and memcmp(text + at, b"<!--", 4) == 0:
            has_comment = True
        elif has_comment and memcmp(text + at + 1, letters, length) == 0:
            return 0
        at += 1


def scan_tags(scanner, Py_ssize_t begin):
    return (<_Scan>_Scan(scanner)).run(begin)


cdef class _Scan:
    """The lists of one page, and the loop that fills them.

    Most of the time goes to making Python's integers and names, so each offset and each name is made once and shared.
    """

    cdef object scanner, opened, behind
    cdef bytes low
    cdef list names, starts, start_ends, gaps, content_ends, ends, lasts, stack, open_names, known
    cdef Py_ssize_t size, long_tag
    cdef int watched

    def __cinit__(self, scanner):
        source, opened = scanner.source, scanner.open
        self.scanner, self.opened, self.low, self.size = scanner, opened, scanner.low, len(scanner.low)
        self.names, self.starts, self.start_ends, self.gaps = source.names, source.starts, source.start_ends, source.gaps
        self.content_ends, self.ends, self.lasts = source.content_ends, source.ends, source.lasts
        self.stack, self.open_names, self.known = opened.ordinals, opened.names, [b""] * _KNOWN_NAMES
        self.long_tag, self.watched = scanner.long_tag_bytes, opened.watched

    cdef Py_ssize_t run(self, Py_ssize_t begin) except -2:
        """From one tag to the next; up to `self.behind`, which is `position`, all has been taken in."""
        cdef const unsigned char* text = self.low
        cdef Py_ssize_t start = begin, position = begin
        cdef object place
        cdef unsigned char c
        self.behind = begin
        while True:
            start = find(text, b"<", start, self.size)
            if start + 1 >= self.size:  # a `<` that is last is text
                break
            c = text[start + 1]
            if not (is_letter(c) or c == b"/" or c == b"!" or c == b"?"):
                start += 1
                continue
            place = start
            if start > position:
                self.gaps.append(self.behind)
                self.gaps.append(place)
            if is_letter(c):
                position = self.start_tag(start, place)
            elif c == b"/" and start + 2 < self.size and is_letter(text[start + 2]):
                position = self.end_tag(start, place)
            else:
                position = _comment_end(text, start, self.size)
                if position < 0:
                    position = self.scanner.skip_markup(start, is_comment=False)
                if position >= self.size:
                    return position
                self.behind = position
            if position < 0 or position > self.size:
                return min(position, self.size)
            start = position
        self.gaps.append(self.behind)
        self.gaps.append(self.size)
        return self.size

    cdef Py_ssize_t start_tag(self, Py_ssize_t start, object place) except -2:
        """Gives the offset at which to go on: past the end where a jump over text led there, as the tag did not."""
        cdef const unsigned char* text = self.low
        cdef Py_ssize_t value_end, content_end, position, at = name_end(text, start + 2, self.size)
        cdef Py_ssize_t end = _tag_end(text, at, self.size, &value_end)
        cdef bytes name
        cdef bint is_whole
        cdef int rules
        if end < 0:
            return -1
        name = self.name(text + start + 1, at - start - 1)
        is_whole = text[end - 2] == b"/" and value_end != end - 1
        rules = <int>_RULES.get(name, _NONE) & self.watched
        self.behind = end
        if end - start <= self.long_tag:
            if rules == _VOID or (is_whole and rules == _NONE):
                self.add(name, place)
                return end
            if not is_whole and self.does_nothing(rules, name):
                self.stack.append(self.add(name, place))
                self.open_names.append(name)
                if rules == _COUNTED:
                    self.opened.count(name, 1)
                    self.watched = self.opened.watched
                return end
            if rules == _RAW and not is_whole:
                content_end = _plain_raw_text_end(text, name, end, self.size, &position)
                if content_end > 0:
                    return self.raw_text(name, place, content_end, position)
        self.behind = self.scanner.start_tag(name, start, end, is_whole=is_whole)
        self.watched = self.opened.watched
        position = self.behind
        return self.size + 1 if position >= self.size and position != end else position

    cdef Py_ssize_t raw_text(self, bytes name, object place, Py_ssize_t content_end, Py_ssize_t end) except -2:
        """As `Scanner.raw_text`, where the end tag from `content_end` to `end` is the end."""
        cdef Py_ssize_t ordinal = self.add(name, place)
        self.content_ends[ordinal] = content_end
        self.ends[ordinal] = self.behind = end
        return self.size + 1 if end >= self.size else end

    cdef bytes name(self, const unsigned char* text, Py_ssize_t size):
        """The name at `text`; the same object for the same name, mostly, so that it is hashed once."""
        cdef Py_ssize_t slot = (size * 31 + text[0] * 7 + text[size - 1]) % _KNOWN_NAMES
        cdef bytes known = <bytes>self.known[slot]
        if len(known) != size or memcmp(<const unsigned char*>known, text, size) != 0:
            known = self.known[slot] = text[:size]
        return known

    cdef object add(self, bytes name, object place):
        """As `Source.add`, for the tag that ends at `self.behind`."""
        cdef object ordinal = len(self.names)
        self.names.append(name)
        self.starts.append(place)
        self.start_ends.append(self.behind)
        self.content_ends.append(self.behind)
        self.ends.append(self.behind)
        self.lasts.append(ordinal)
        return ordinal

    cdef bint does_nothing(self, int rules, bytes name) except -1:
        """Whether the rules for a start tag find nothing to close."""
        cdef Py_ssize_t depth = len(self.open_names)
        if rules == 0 or rules == _COUNTED or rules == _NONE:
            return True
        if rules == _SAME:
            return name not in self.open_names
        if rules == _HEADING:
            return depth == 0 or self.open_names[depth - 1] not in _HEADINGS
        return rules == _PARENT and depth > 0 and self.open_names[depth - 1] in _PROPER_PARENTS[name]

    cdef Py_ssize_t end_tag(self, Py_ssize_t start, object place) except -2:
        cdef const unsigned char* text = self.low
        cdef Py_ssize_t value_end, at = name_end(text, start + 3, self.size)
        cdef Py_ssize_t end = _tag_end(text, at, self.size, &value_end)
        cdef Py_ssize_t ordinal, depth = len(self.open_names)
        cdef bytes name
        if end < 0:
            return -1
        name = self.name(text + start + 2, at - start - 2)
        self.behind = end
        if depth == 0 or self.open_names[depth - 1] != name:
            self.opened.close(name, start, end)
            self.watched = self.opened.watched
            return end
        self.open_names.pop()
        ordinal = self.stack.pop()
        self.content_ends[ordinal] = place
        self.ends[ordinal] = self.behind
        self.lasts[ordinal] = len(self.names) - 1
        if name in _TRACKED:
            self.opened.count(name, -1)
            self.watched = self.opened.watched
        return end


def index_tags(list names):
    cdef dict by_name = {}
    cdef list places
    cdef object name
    for place in range(len(names)):
        name = names[place]
        places = <list>by_name.get(name)
        if places is None:
            by_name[name] = [place]
        else:
            places.append(place)
    return {(<bytes>name).decode("latin-1"): places for name, places in by_name.items()}


def same_names(list names, list tags):
    cdef bytes name
    cdef str tag
    cdef Py_ssize_t place
    if len(names) != len(tags):
        return False
    for place in range(len(names)):
        name = <bytes>names[place]
        tag = <str>tags[place]
        if len(tag) != len(name) or PyUnicode_KIND(tag) != 1:  # Latin-1 has one byte a letter
            return False
        if memcmp(PyUnicode_1BYTE_DATA(tag), <const unsigned char*>name, len(name)) != 0:
            return False
    return True
