/* From text to the numbers of its words: WordLines.tokens() of model/words.py and Lexicon.read() of judge/lexicon.py. */

#include "core.h"

enum { LINE_END_NUMBER = 0 };

static unsigned char FOLDED[256]; /* a letter in lower case, a digit, a line end; a blank for the rest of ASCII */

/* Punctuation beyond ASCII that separates words just as a blank does. */
static const Py_UCS4 SEPARATORS[] = {
    0x2019, 0x2018, 0x201C, 0x201D, 0x2013, 0x2014, 0x2026, 0x2022, 0xB7,
    0xAB,   0xBB,   0xA9,   0xAE,   0xB6,   0x2192, 0x200B, 0xFEFF,
};

typedef struct {
    PyObject *numbers, *new_words, *cut_line;
    Bytes found, line;
} Reader;

void
prepare_words(void)
{
    for (int i = 0; i < 256; i++)
        FOLDED[i] = i >= 128 || i == '\n' ? (unsigned char)i : Py_ISALNUM(i) ? (unsigned char)Py_TOLOWER(i) : ' ';
}

static int
add_number(Reader *reader, int32_t number)
{
    return bytes_add(&reader->found, (const char *)&number, sizeof number);
}

/* The number of a word: the one it has, or the next. */
static int
look_up(Reader *reader, PyObject *word)
{
    PyObject *known = PyDict_GetItemWithError(reader->numbers, word);
    if (known != NULL)
        return add_number(reader, (int32_t)PyLong_AsLong(known));
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
    return add_number(reader, (int32_t)count);
}

/* A line without other letters than those of ASCII. */
static int
read_plain(Reader *reader, const unsigned char *at, const unsigned char *end)
{
    for (;;) {
        while (at < end && FOLDED[*at] == ' ')
            at++;
        if (at == end)
            return 0;
        const unsigned char *begin = at;
        while (at < end && FOLDED[*at] != ' ')
            at++;
        PyObject *word = PyUnicode_New(at - begin, 127);
        if (word == NULL)
            return -1;
        Py_UCS1 *letters = PyUnicode_1BYTE_DATA(word);
        for (Py_ssize_t i = 0; i < at - begin; i++)
            letters[i] = FOLDED[begin[i]];
        int status = look_up(reader, word);
        Py_DECREF(word);
        if (status < 0)
            return -1;
    }
}

static int
is_separator(Py_UCS4 character)
{
    for (size_t i = 0; i < sizeof SEPARATORS / sizeof *SEPARATORS; i++)
        if (SEPARATORS[i] == character)
            return 1;
    return 0;
}

/* A line with something beyond ASCII in it: where that are letters, Python cuts it. */
static int
read_other(Reader *reader, const char *at, const char *end)
{
    int letters = 0;
    reader->line.size = 0;
    while (at < end) {
        const char *begin = at;
        Py_UCS4 character = next_character(&at);
        int plain = character < 128 || is_separator(character), status;
        letters |= !plain;
        if (plain)
            status = bytes_add_one(&reader->line, character < 128 ? (char)FOLDED[character] : ' ');
        else
            status = bytes_add(&reader->line, begin, at - begin);
        if (status < 0)
            return -1;
    }
    const char *line = reader->line.data;
    if (!letters)
        return read_plain(reader, (const unsigned char *)line, (const unsigned char *)line + reader->line.size);
    PyObject *text = PyUnicode_DecodeUTF8(line, reader->line.size, NULL);
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

/* read_words(text, numbers, new_words, cut_line) -> an int32 for each word and line end; None for half characters */
PyObject *
core_read_words(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 4 || !PyUnicode_Check(args[0]) || !PyDict_Check(args[1]) || !PyList_Check(args[2])) {
        PyErr_SetString(PyExc_TypeError, "read_words(str, dict, list, callable)");
        return NULL;
    }
    Py_ssize_t size;
    const char *at = PyUnicode_AsUTF8AndSize(args[0], &size);
    if (at == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
            return NULL;
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    Reader reader = {.numbers = args[1], .new_words = args[2], .cut_line = args[3]};
    int status = bytes_room(&reader.found, 64 + size / 3 * 2) < 0 || bytes_room(&reader.line, 256) < 0 ? -1 : 0;
    for (const char *end = at + size; status == 0;) {
        const char *line_end = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        const char *stop = line_end == NULL ? end : line_end;
        if (is_ascii(at, stop))
            status = read_plain(&reader, (const unsigned char *)at, (const unsigned char *)stop);
        else
            status = read_other(&reader, at, stop);
        if (line_end == NULL)
            break;
        if (status == 0)
            status = add_number(&reader, LINE_END_NUMBER);
        at = line_end + 1;
    }
    PyObject *result = status < 0 ? NULL : PyBytes_FromStringAndSize(reader.found.data, reader.found.size);
    bytes_free(&reader.found);
    bytes_free(&reader.line);
    return result;
}
