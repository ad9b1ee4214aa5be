/* Reading a tree's serialisation, tag by tag.
 *
 * It is regular, whatever page it came from: "<" is markup wherever it stands outside raw text, values are in double
 * quotes, and five characters are escaped. What does not keep to that is UNSAFE, and the page is left to Python. */

#ifndef DOWSE_MARKUP_H
#define DOWSE_MARKUP_H

#include "core.h"

enum { OK = 0, FAILED = -1, UNSAFE = 1 }; /* FAILED: a Python exception is set */

/* What the walk does at an element: the numbers of parse/html.py. Below 0: a block, by its number in the outline. */
enum { INLINE, LINES, ANCHOR, HEAD, HTML, LEAVES, SKIPPED = LEAVES, TITLE, META, LINK, BASE, IMAGE, AREA, FRAME, BREAK };

enum { VOID = 1, RAW = 2, FOREIGN = 4, TEMPLATE = 8, UNREADABLE = 16 }; /* how an element is serialised */

typedef struct {
    char name[15];
    unsigned char size; /* 0: no entry */
    int kind, form;
} Tag;

typedef struct {
    Tag entries[256];
} Tags;

typedef struct {
    const char *begin;
    Py_ssize_t size;
} Span;

typedef struct {
    Span name, value; /* the value still escaped */
} Attribute;

typedef struct {
    Attribute *items;
    Py_ssize_t count, held;
} Attributes;

Tags *tags_of(PyObject *capsule);
const Tag *find_tag(const Tags *tags, Span name);
int read_attributes(const char **at, const char *end, Attributes *found);
int add_unescaped(Bytes *bytes, Span text);
int unescaped(Span text, Bytes *scratch, PyObject **result);
const char *find_bytes(const char *begin, const char *end, const char *what, Py_ssize_t size);
int holds(Span text, const char *what);

/* Here, so that the length of a name is known when this is compiled: it is asked for at every element. */
static inline const Span *
find_attribute(const Attributes *attributes, const char *name)
{
    size_t size = strlen(name);
    for (Py_ssize_t i = 0; i < attributes->count; i++) {
        const Attribute *one = &attributes->items[i];
        if ((size_t)one->name.size == size && memcmp(one->name.begin, name, size) == 0)
            return &one->value;
    }
    return NULL;
}

#endif
