/* From text to the numbers of its words: WordLines.tokens() of model/words.py and Lexicon.read() of judge/lexicon.py. */

#include "core.h"

enum { LINE_END_NUMBER = 0 };

static unsigned char FOLDED[256]; /* a letter in lower case, a digit, a line end; a blank for the rest of ASCII */

/* Where the words stand that were looked up lately: a dict of all words is too large to stay in a processor's cache. */
enum { WORD_PARTS = 3 };

typedef struct {
    uint64_t word[WORD_PARTS]; /* eight bytes each; the rest is 0 */
    int32_t number, unused;
} Recent;

enum { MOST_RECENT = 1 << 14, RECENT_SIZE = MOST_RECENT * (int)sizeof(Recent) };

typedef struct {
    PyObject *numbers, *new_words, *cut_line;
    Recent *recent;
    Bytes found, line;
} Reader;

int
prepare_words(PyObject *module)
{
    for (int i = 0; i < 256; i++)
        FOLDED[i] = i >= 128 || i == '\n' ? (unsigned char)i : Py_ISALNUM(i) ? (unsigned char)Py_TOLOWER(i) : ' ';
    return PyModule_AddIntConstant(module, "RECENT_SIZE", RECENT_SIZE);
}

static int
is_ascii(const char *at, const char *end)
{
    uint64_t seen = 0, eight;
    for (; end - at >= 8; at += 8) {
        memcpy(&eight, at, 8);
        seen |= eight;
    }
    for (; at < end; at++)
        seen |= (unsigned char)*at;
    return !(seen & UINT64_C(0x8080808080808080));
}

static int
add_number(Reader *reader, int32_t number)
{
    return bytes_add(&reader->found, (const char *)&number, sizeof number);
}

/* The number of a word: the one it has, or the next; -1 with an exception set. */
static int32_t
number_of(Reader *reader, PyObject *word)
{
    PyObject *known = PyDict_GetItemWithError(reader->numbers, word);
    if (known != NULL)
        return (int32_t)PyLong_AsLong(known);
    if (PyErr_Occurred())
        return -1;
    Py_ssize_t count = PyDict_GET_SIZE(reader->numbers);
    if (count > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "too many words");
        return -1;
    }
    PyObject *number = PyLong_FromSsize_t(count);
    if (number == NULL)
        return -1;
    int status = PyDict_SetItem(reader->numbers, word, number);
    Py_DECREF(number);
    if (status < 0 || PyList_Append(reader->new_words, word) < 0)
        return -1;
    return (int32_t)count;
}

static int
look_up(Reader *reader, PyObject *word)
{
    int32_t number = number_of(reader, word);
    return number < 0 ? -1 : add_number(reader, number);
}

/* Eight bytes at once, the first of them lowest; what is behind `end` reads as 0. */
static uint64_t
eight_bytes(const unsigned char *at, const unsigned char *end)
{
    uint64_t bytes = 0;
    if (end - at >= 8)
        memcpy(&bytes, at, 8);
    else
        memcpy(&bytes, at, (size_t)(end - at));
#if PY_BIG_ENDIAN
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

/* The highest bit of each byte that is between two of ASCII, no byte having it set before. */
static inline uint64_t
between(uint64_t bytes, unsigned char first, unsigned char last)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    return (bytes + ones * (0x80u - first)) & ~(bytes + ones * (0x7Fu - last)) & ones * 0x80;
}

/* The highest bit of each byte that is of a word: what FOLDED has no blank or line end for. Folds them. */
static inline uint64_t
of_words(uint64_t *bytes)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    uint64_t beyond = *bytes & high, low = *bytes & ~high;
    uint64_t letters = between(low | high >> 2, 'a', 'z') & ~beyond;
    *bytes |= letters >> 2;
    return letters | (between(low, '0', '9') & ~beyond) | beyond;
}

/* Looks up a word in UTF-8 whose letters of ASCII may be in upper case, and that was not looked up lately. */
static int32_t
look_up_bytes(Reader *reader, const unsigned char *begin, Py_ssize_t size)
{
    PyObject *text;
    if (is_ascii((const char *)begin, (const char *)begin + size)) {
        text = PyUnicode_New(size, 127);
        for (Py_ssize_t i = 0; text != NULL && i < size; i++)
            PyUnicode_1BYTE_DATA(text)[i] = FOLDED[begin[i]];
    }
    else /* such a line is in lower case already */
        text = PyUnicode_DecodeUTF8((const char *)begin, size, NULL);
    if (text == NULL)
        return -1;
    int32_t number = number_of(reader, text);
    Py_DECREF(text);
    return number;
}

/* The word that begins here, folded, as far as there is room for it; returns its end. */
static inline const unsigned char *
read_word(const unsigned char *at, const unsigned char *end, uint64_t word[WORD_PARTS])
{
    for (int part = 0;; part++) {
        uint64_t bytes = eight_bytes(at, end), others = ~of_words(&bytes) & UINT64_C(0x8080808080808080);
        int size = others ? __builtin_ctzll(others) >> 3 : 8;
        if (part < WORD_PARTS)
            word[part] = size == 8 ? bytes : bytes & ((UINT64_C(1) << 8 * size) - 1);
        at += size;
        if (others)
            return at;
    }
}

/* A line in which words stand between what is a blank in FOLDED. `end` is that of all the text. */
static int
read_plain(Reader *reader, const unsigned char *at, const unsigned char *stop, const unsigned char *end)
{
    while (at < stop) {
        uint64_t bytes = eight_bytes(at, end), in_words = of_words(&bytes);
        int blanks = in_words ? __builtin_ctzll(in_words) >> 3 : 8;
        at += blanks;
        if (blanks == 8 || at >= stop)
            continue;
        uint64_t word[WORD_PARTS] = {0};
        const unsigned char *begin = at;
        at = read_word(at, end, word);
        Recent *recent = NULL;
        if (at - begin <= (Py_ssize_t)sizeof word) {
            uint64_t mixed = word[0] ^ word[1] * UINT64_C(0x9E3779B97F4A7C15) ^ word[2] * UINT64_C(0xC2B2AE3D27D4EB4F);
            recent = &reader->recent[mixed * UINT64_C(0xFF51AFD7ED558CCD) >> 50];
            if (memcmp(recent->word, word, sizeof word) == 0) {
                if (add_number(reader, recent->number) < 0)
                    return -1;
                continue;
            }
        }
        int32_t number = look_up_bytes(reader, begin, at - begin);
        if (number < 0 || add_number(reader, number) < 0)
            return -1;
        if (recent != NULL) {
            memcpy(recent->word, word, sizeof word);
            recent->number = number;
        }
    }
    return 0;
}

/* Punctuation beyond ASCII that separates words just as a blank does. */
static int
is_separator(Py_UCS4 character)
{
    switch (character) {
    case 0x2019: case 0x2018: case 0x201C: case 0x201D: case 0x2013: case 0x2014: case 0x2026: case 0x2022: case 0xB7:
    case 0xAB: case 0xBB: case 0xA9: case 0xAE: case 0xB6: case 0x2192: case 0x200B: case 0xFEFF:
        return 1;
    default:
        return 0;
    }
}

/* Letters and signs of Latin and Cyrillic script, punctuation, arrows, figures. Each of them is lower-cased by itself, to
 * one character, and is normalised whatever stands beside it, as long as that is one of these as well. */
static int
is_simple(Py_UCS4 character)
{
    return (character >= 0x80 && character < 0x250 && character != 0x130) ||
           (character >= 0x400 && character < 0x483) || (character >= 0x48A && character < 0x530) ||
           (character >= 0x2010 && character < 0x2060) || (character >= 0x20A0 && character < 0x20D0) ||
           (character >= 0x2190 && character < 0x2300) || (character >= 0x2500 && character < 0x2600);
}

static int
add_character(Bytes *bytes, Py_UCS4 character)
{
    char units[3];
    if (character < 0x80)
        return bytes_add_one(bytes, (char)character);
    if (character < 0x800) {
        units[0] = (char)(0xC0 | character >> 6);
        units[1] = (char)(0x80 | (character & 0x3F));
        return bytes_add(bytes, units, 2);
    }
    units[0] = (char)(0xE0 | character >> 12); /* what is simple is below 0x10000, in lower case too */
    units[1] = (char)(0x80 | (character >> 6 & 0x3F));
    units[2] = (char)(0x80 | (character & 0x3F));
    return bytes_add(bytes, units, 3);
}

/* The words that Python finds in a line whose ASCII part is prepared. */
static int
read_by_python(Reader *reader, const char *at, const char *end)
{
    reader->line.size = 0;
    while (at < end) {
        const char *begin = at;
        Py_UCS4 character = next_character(&at);
        int status;
        if (character < 128 || is_separator(character))
            status = bytes_add_one(&reader->line, character < 128 ? (char)FOLDED[character] : ' ');
        else
            status = bytes_add(&reader->line, begin, at - begin);
        if (status < 0)
            return -1;
    }
    PyObject *text = PyUnicode_DecodeUTF8(reader->line.data, reader->line.size, NULL);
    PyObject *words = text == NULL ? NULL : PyObject_CallOneArg(reader->cut_line, text);
    Py_XDECREF(text);
    if (words == NULL)
        return -1;
    int status = PyList_Check(words) ? 0 : -1;
    if (status < 0)
        PyErr_SetString(PyExc_TypeError, "a list of words is wanted");
    for (Py_ssize_t i = 0; status == 0 && i < PyList_GET_SIZE(words); i++) {
        PyObject *word = Py_NewRef(PyList_GET_ITEM(words, i));
        status = look_up(reader, word);
        Py_DECREF(word);
    }
    Py_DECREF(words);
    return status;
}

/* What stands here of ASCII, folded; moves `*at` behind it. */
static int
add_ascii(Bytes *bytes, const char **at, const char *end)
{
    const char *begin = *at;
    while (*at < end && !(**at & 0x80))
        ++*at;
    Py_ssize_t size = *at - begin;
    if (bytes->held - bytes->size < size && bytes_room(bytes, size) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < size; i++)
        bytes->data[bytes->size++] = (char)FOLDED[(unsigned char)begin[i]];
    return 0;
}

/* A line with something beyond ASCII in it. */
static int
read_other(Reader *reader, const char *begin, const char *end)
{
    Bytes *line = &reader->line;
    line->size = 0;
    for (const char *at = begin; at < end;) {
        if (add_ascii(line, &at, end) < 0)
            return -1;
        if (at == end)
            break;
        Py_UCS4 character = next_character(&at);
        if (is_separator(character))
            character = ' ';
        else if (is_simple(character))
            character = Py_UNICODE_ISALNUM(character) ? Py_UNICODE_TOLOWER(character) : ' ';
        else
            return read_by_python(reader, begin, end);
        if (add_character(line, character) < 0)
            return -1;
    }
    const unsigned char *folded = (const unsigned char *)line->data;
    return read_plain(reader, folded, folded + line->size, folded + line->size);
}

/* read_words(text, numbers, new_words, cut_line, recent) -> an int32 a word and line end; None for half characters.
 * `recent` is a bytearray of RECENT_SIZE, all 0 while `numbers` has no word. */
PyObject *
core_read_words(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    const int encoded = count == 5 && PyBytes_Check(args[0]);
    if (count != 5 || !(encoded || PyUnicode_Check(args[0])) || !PyDict_Check(args[1]) || !PyList_Check(args[2]) ||
        !PyByteArray_Check(args[4]) || PyByteArray_GET_SIZE(args[4]) != RECENT_SIZE) {
        PyErr_SetString(PyExc_TypeError, "read_words(text, dict, list, callable, bytearray of RECENT_SIZE)");
        return NULL;
    }
    Py_ssize_t size = encoded ? PyBytes_GET_SIZE(args[0]) : 0;
    const char *at = encoded ? PyBytes_AS_STRING(args[0]) : PyUnicode_AsUTF8AndSize(args[0], &size);
    if (at == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
            return NULL;
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    for (Py_ssize_t back = 1; encoded && back <= 3 && back <= size; back++)
        if ((unsigned char)at[size - back] >= (back == 1 ? 0xC0 : back == 2 ? 0xE0 : 0xF0))
            Py_RETURN_NONE; /* it ends within a character, behind which there is nothing to read */
    Reader reader = {.numbers = args[1], .new_words = args[2], .cut_line = args[3]};
    Py_buffer recent; /* held, so that nobody changes its size meanwhile */
    if (PyObject_GetBuffer(args[4], &recent, PyBUF_WRITABLE) < 0)
        return NULL;
    reader.recent = recent.buf;
    int status = bytes_room(&reader.found, 64 + size / 3 * 2) < 0 || bytes_room(&reader.line, 256) < 0 ? -1 : 0;
    for (const char *end = at + size; status == 0;) {
        const char *line_end = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        const char *stop = line_end == NULL ? end : line_end;
        if (is_ascii(at, stop))
            status = read_plain(&reader, (const unsigned char *)at, (const unsigned char *)stop,
                                (const unsigned char *)end);
        else
            status = read_other(&reader, at, stop);
        if (line_end == NULL)
            break;
        if (status == 0)
            status = add_number(&reader, LINE_END_NUMBER);
        at = line_end + 1;
    }
    PyObject *result = status < 0 ? NULL : PyBytes_FromStringAndSize(reader.found.data, reader.found.size);
    PyBuffer_Release(&recent);
    bytes_free(&reader.found);
    bytes_free(&reader.line);
    return result;
}
