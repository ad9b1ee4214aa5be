/* The tokens of links, as numbers: name_links() of predict/learning/tokens.py. */

#include "record.h"

enum { OF_ANCHOR = 5, OF_PATH = 6, OF_HOST = 3, MOST = OF_ANCHOR + OF_PATH + OF_HOST };

typedef struct {
    const char *start;
    Py_ssize_t size;
} Text;

static const uint32_t PRIME1 = 0x9E3779B1, PRIME2 = 0x85EBCA77, PRIME3 = 0xC2B2AE3D, PRIME4 = 0x27D4EB2F,
                      PRIME5 = 0x165667B1;

static inline uint32_t
turned(uint32_t bits, int by)
{
    return bits << by | bits >> (32 - by);
}

static inline uint32_t
four_bytes(const char *at)
{
    const unsigned char *byte = (const unsigned char *)at;
    return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

/* XXH32 with seed 0. */
static uint32_t
xxh32(const char *at, Py_ssize_t size)
{
    const char *end = at + size;
    uint32_t hash = PRIME5;
    if (size >= 16) {
        uint32_t lanes[4] = {PRIME1 + PRIME2, PRIME2, 0, 0u - PRIME1};
        for (; end - at >= 16; at += 16)
            for (int i = 0; i < 4; i++)
                lanes[i] = turned(lanes[i] + four_bytes(at + 4 * i) * PRIME2, 13) * PRIME1;
        hash = turned(lanes[0], 1) + turned(lanes[1], 7) + turned(lanes[2], 12) + turned(lanes[3], 18);
    }
    hash += (uint32_t)size;
    for (; end - at >= 4; at += 4)
        hash = turned(hash + four_bytes(at) * PRIME3, 17) * PRIME4;
    for (; at < end; at++)
        hash = turned(hash + (unsigned char)*at * PRIME5, 11) * PRIME1;
    hash = (hash ^ hash >> 15) * PRIME2;
    hash = (hash ^ hash >> 13) * PRIME3;
    return hash ^ hash >> 16;
}

/* The next run of letters and digits; 0 where there is none before the end. */
static int
next_token(const char **at, const char *end, Text *token)
{
    token->start = NULL;
    while (*at < end) {
        const char *here = *at;
        Py_UCS4 character = next_character(at);
        int is_part = character < 128 ? Py_ISALNUM(character) : Py_UNICODE_ISALNUM(character);
        if (is_part && token->start == NULL)
            token->start = here;
        if (!is_part && token->start != NULL) {
            token->size = here - token->start;
            return 1;
        }
    }
    if (token->start == NULL)
        return 0;
    token->size = end - token->start;
    return 1;
}

/* The last tokens of a text, `most` or fewer, written to `found`; how many. */
static int
last_tokens(const char *at, const char *end, int most, Text *found)
{
    Text token;
    int count = 0;
    while (next_token(&at, end, &token)) {
        if (count == most)
            memmove(found, found + 1, (size_t)--count * sizeof *found);
        found[count++] = token;
    }
    return count;
}

static void
name_link(Text url, Text anchor, uint32_t *hashes)
{
    Text found[MOST];
    int count = 0, kept = 0;
    const char *end = anchor.start + anchor.size, *host = url.start, *path;
    while (count < OF_ANCHOR && next_token(&anchor.start, end, &found[count]))
        count++;
    end = url.start + url.size;
    while (end - host >= 3 && memcmp(host, "://", 3) != 0)
        host++;
    host = end - host >= 3 ? host + 3 : end;
    path = memchr(host, '/', (size_t)(end - host));
    path = path == NULL ? end : path;
    count += last_tokens(path, end, OF_PATH, found + count);
    count += last_tokens(host, path, OF_HOST, found + count);
    for (int i = 0; i < count && kept < WIDTH; i++) {
        int before = 0;
        while (before < i && (found[before].size != found[i].size ||
                              memcmp(found[before].start, found[i].start, (size_t)found[i].size) != 0))
            before++;
        if (before < i)
            continue;
        uint32_t hash = xxh32(found[i].start, found[i].size);
        hashes[kept++] = hash % BUCKETS ? hash : hash + 1;
    }
    while (kept < WIDTH)
        hashes[kept++] = 0;
}

/* A text in small letters, and its UTF-8; NULL with an exception. */
static PyObject *
lowered(PyObject *texts, Py_ssize_t at, PyObject *lower, Text *utf8)
{
    PyObject *text = PySequence_GetItem(texts, at);
    if (text == NULL)
        return NULL;
    PyObject *found = PyObject_CallMethodNoArgs(text, lower);
    Py_DECREF(text);
    if (found != NULL && (utf8->start = PyUnicode_AsUTF8AndSize(found, &utf8->size)) == NULL)
        Py_CLEAR(found);
    return found;
}

/* name_links(records, URLs, anchors) -> is every one named? */
PyObject *
core_name_links(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "name_links(records, urls, anchors)");
        return NULL;
    }
    Py_buffer buffer;
    PyObject *lower = PyUnicode_InternFromString("lower");
    if (lower == NULL || get_array(args[0], &buffer, sizeof(Record), PyBUF_WRITABLE) < 0) {
        Py_XDECREF(lower);
        return NULL;
    }
    Record *records = buffer.buf;
    Py_ssize_t rows = PY_BIG_ENDIAN ? 0 : buffer.len / (Py_ssize_t)sizeof(Record), i = 0;
    for (; i < rows; i++) {
        if (records[i].token[0])
            continue;
        Text of_url, of_anchor;
        PyObject *url = lowered(args[1], i, lower, &of_url);
        PyObject *anchor = url == NULL ? NULL : lowered(args[2], i, lower, &of_anchor);
        if (anchor != NULL)
            name_link(of_url, of_anchor, records[i].token);
        Py_XDECREF(url);
        Py_XDECREF(anchor);
        if (anchor == NULL)
            break;
    }
    PyBuffer_Release(&buffer);
    Py_DECREF(lower);
    if (i < rows && !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
        return NULL;
    PyErr_Clear(); /* half a character */
    return PyBool_FromLong(i == rows && !PY_BIG_ENDIAN);
}
