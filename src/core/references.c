/* What "&amp;" and its like stand for. */

#include "source.h"

enum { LONGEST_LEGACY = 6 }; /* letters of a name that needs no ";" */

/* "&#64;", "&#x40;"; what browsers replace (0, controls, halves of characters) is UNSAFE. */
static int
add_number(Bytes *out, const char **at, const char *end)
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
    *at = here + (here < end && *here == ';');
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
    return bytes_add(out, bytes, size) < 0 ? FAILED : OK;
}

/* The characters of a name, with or without ";"; `found` is NULL where it is none. */
static int
look_up(PyObject *entities, const char *name, Py_ssize_t size, Span *found)
{
    static const struct {
        const char *name;
        Py_ssize_t size;
        Span characters;
    } usual[] = {
        {"amp;", 4, {"&", 1}}, {"lt;", 3, {"<", 1}}, {"gt;", 3, {">", 1}}, {"quot;", 5, {"\"", 1}},
        {"nbsp;", 5, {"\xC2\xA0", 2}},
    };
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (usual[i].size == size && memcmp(usual[i].name, name, (size_t)size) == 0) {
            *found = usual[i].characters;
            return OK;
        }
    *found = (Span){NULL, 0};
    PyObject *key = PyUnicode_DecodeUTF8(name, size, NULL);
    if (key == NULL)
        return FAILED;
    PyObject *value = PyDict_GetItemWithError(entities, key);
    Py_DECREF(key);
    if (value == NULL)
        return PyErr_Occurred() ? FAILED : OK;
    found->begin = PyUnicode_AsUTF8AndSize(value, &found->size);
    return found->begin == NULL ? FAILED : OK;
}

/* "&" and what it stands for. In values, what looks like a name is none before a letter, a digit or "=". */
static int
add_reference(PyObject *entities, Bytes *out, const char **at, const char *end, int in_value)
{
    const char *name = *at + 1, *here = name;
    if (here < end && *here == '#')
        return add_number(out, at, end);
    while (here < end && is_alphanumeric(*here))
        here++;
    Span found = {NULL, 0};
    Py_ssize_t size = here - name;
    if (size && here < end && *here == ';')
        TRY(look_up(entities, name, ++size, &found));
    if (found.begin == NULL) {
        size = here - name;
        if (!in_value)
            size = size < LONGEST_LEGACY ? size : LONGEST_LEGACY;
        else if (size > LONGEST_LEGACY || (here < end && *here == '='))
            size = 0;
        for (; size >= 2; size = in_value ? 0 : size - 1) {
            TRY(look_up(entities, name, size, &found));
            if (found.begin != NULL)
                break;
        }
    }
    *at = found.begin == NULL ? name : name + size;
    if (found.begin == NULL)
        found = (Span){"&", 1};
    return bytes_add(out, found.begin, found.size) < 0 ? FAILED : OK;
}

/* Text or a value with the characters that its references stand for. */
int
add_unescaped(PyObject *entities, Bytes *bytes, Span text, int in_value)
{
    const char *at = text.begin, *end = text.begin + text.size;
    for (;;) {
        const char *mark = at < end ? memchr(at, '&', (size_t)(end - at)) : NULL;
        if (bytes_add(bytes, at, (mark ? mark : end) - at) < 0)
            return FAILED;
        if (mark == NULL)
            return OK;
        at = mark;
        TRY(add_reference(entities, bytes, &at, end, in_value));
    }
}

/* A value with its references replaced, as a str. */
int
unescaped(PyObject *entities, Span value, Bytes *scratch, PyObject **result)
{
    if (value.size && memchr(value.begin, '&', (size_t)value.size) != NULL) {
        scratch->size = 0;
        TRY(add_unescaped(entities, scratch, value, 1));
        value = (Span){scratch->data, scratch->size};
    }
    *result = PyUnicode_DecodeUTF8(value.begin, value.size, NULL);
    return *result == NULL ? FAILED : OK;
}
