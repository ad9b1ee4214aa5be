/* Text and values: what "&amp;" and its like stand for, and the five characters that a serialisation escapes. */

#include "source.h"

enum { LONGEST_LEGACY = 6 }; /* letters of a reference's name that needs no ";" */

/* Bytes that may not be copied as they are: 1 in values only. 0xC2 begins a no-break space. */
static const unsigned char MARKED[256] = {['&'] = 2, ['<'] = 2, ['>'] = 2, ['"'] = 1, [0xC2] = 2};

static int add_reference(Source *source, const char **at, const char *end, int in_value);

/* Text or a value; `references`: "&" begins one. */
int
add_escaped(Source *source, const char *at, const char *end, int in_value, int references)
{
    const int least = in_value ? 1 : 2;
    Bytes *out = &source->out;
    for (;;) {
        const char *run = at;
        while (at < end && MARKED[(unsigned char)*at] < least)
            at++;
        if (bytes_add(out, run, at - run) < 0)
            return FAILED;
        if (at == end)
            return OK;
        if (*at == '&' && references) {
            TRY(add_reference(source, &at, end, in_value));
            continue;
        }
        int failed;
        switch (*at++) {
        case '&':
            failed = ADD(out, "&amp;");
            break;
        case '<':
            failed = ADD(out, "&lt;");
            break;
        case '>':
            failed = ADD(out, "&gt;");
            break;
        case '"':
            failed = ADD(out, "&quot;");
            break;
        default:
            if (at < end && *at == '\xA0') {
                at++;
                failed = ADD(out, "&nbsp;");
            }
            else
                failed = bytes_add_one(out, '\xC2');
        }
        if (failed)
            return FAILED;
    }
}

/* "&#64;", "&#x40;"; what browsers replace (0, controls, halves of characters) is UNSAFE. */
static int
add_number(Source *source, const char **at, const char *end, int in_value)
{
    const char *here = *at + 2;
    unsigned base = 10;
    if (here < end && (*here | 0x20) == 'x') {
        base = 16;
        here++;
    }
    const char *digits = here;
    unsigned number = 0;
    for (; here < end && is_alphanumeric(*here); here++) {
        unsigned digit = is_letter(*here) ? (unsigned)((*here | 0x20) - 'a') + 10 : (unsigned)(*here - '0');
        if (digit >= base)
            break;
        if (number <= 0x10FFFF)
            number = number * base + digit;
    }
    if (here == digits)
        return UNSAFE;
    if (number > 0x10FFFF || (number >= 0xD800 && number < 0xE000) || (number >= 0x7F && number < 0xA0) ||
        (number < 0x20 && number != '\n' && number != '\t'))
        return UNSAFE;
    char bytes[4];
    int size = 0;
    if (number < 0x80)
        bytes[size++] = (char)number;
    else {
        if (number < 0x800)
            bytes[size++] = (char)(0xC0 | number >> 6);
        else {
            if (number < 0x10000)
                bytes[size++] = (char)(0xE0 | number >> 12);
            else {
                bytes[size++] = (char)(0xF0 | number >> 18);
                bytes[size++] = (char)(0x80 | (number >> 12 & 0x3F));
            }
            bytes[size++] = (char)(0x80 | (number >> 6 & 0x3F));
        }
        bytes[size++] = (char)(0x80 | (number & 0x3F));
    }
    *at = here + (here < end && *here == ';');
    return add_escaped(source, bytes, bytes + size, in_value, 0);
}

/* The characters of a name, with or without ";"; `found` is NULL where it is none. */
static int
look_up(Source *source, const char *name, Py_ssize_t size, Span *found)
{
    *found = (Span){NULL, 0};
    PyObject *key = PyUnicode_DecodeUTF8(name, size, NULL);
    if (key == NULL)
        return FAILED;
    PyObject *value = PyDict_GetItemWithError(source->entities, key);
    Py_DECREF(key);
    if (value == NULL)
        return PyErr_Occurred() ? FAILED : OK;
    found->begin = PyUnicode_AsUTF8AndSize(value, &found->size);
    return found->begin == NULL ? FAILED : OK;
}

/* "&" and what it stands for. In values, what looks like a name is none before a letter, a digit or "=". */
static int
add_reference(Source *source, const char **at, const char *end, int in_value)
{
    const char *name = *at + 1, *here = name;
    if (here < end && *here == '#')
        return add_number(source, at, end, in_value);
    while (here < end && is_alphanumeric(*here))
        here++;
    Span found = {NULL, 0};
    if (here < end && *here == ';' && here > name)
        TRY(look_up(source, name, here + 1 - name, &found));
    if (found.begin != NULL) {
        *at = here + 1;
        return add_escaped(source, found.begin, found.begin + found.size, in_value, 0);
    }
    Py_ssize_t size = here - name;
    if (!in_value)
        size = size < LONGEST_LEGACY ? size : LONGEST_LEGACY;
    else if (size > LONGEST_LEGACY || (here < end && *here == '='))
        size = 0;
    for (; size >= 2; size = in_value ? 0 : size - 1) {
        TRY(look_up(source, name, size, &found));
        if (found.begin != NULL) {
            *at = name + size;
            return add_escaped(source, found.begin, found.begin + found.size, in_value, 0);
        }
    }
    *at = name;
    return ADD(&source->out, "&amp;") < 0 ? FAILED : OK;
}
