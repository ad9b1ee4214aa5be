/* Elements, attributes, and what the walk and the tree do with them. */

#ifndef DOWSE_MARKUP_H
#define DOWSE_MARKUP_H

#include "core.h"

enum { OK = 0, FAILED = -1, UNSAFE = 1 }; /* FAILED: a Python exception is set */

/* What the walk does at an element: the numbers of parse/html.py. Below 0: a block, by its number in the outline. */
enum { INLINE, LINES, ANCHOR, HEAD, HTML, LEAVES, SKIPPED = LEAVES, TITLE, META, LINK, BASE, IMAGE, AREA, FRAME, BREAK };

/* Elements that a tree is built with in ways of their own (see tree.c); R_DOUBT: in too many. */
enum {
    R_NONE, R_DOUBT, R_HTML, R_HEAD, R_BODY, R_P, R_LIST, R_LI, R_DD, R_HEADING, R_PRE, R_FORM, R_BUTTON, R_A, R_NOBR, R_BR,
    R_TEXT, R_SVG, R_SELECT, R_OPTION, R_OPTGROUP, R_OBJECT, R_TABLE, R_CAPTION, R_COLGROUP, R_COL, R_ROWS, R_ROW, R_CELL,
};

enum {
    BLOCK = 1,      /* its end tag ends whatever is open inside it */
    ENDS_P = 2,     /* its start tag ends an open paragraph */
    FORMATTING = 4, /* opened again where it was left in a tangle */
    SPECIAL = 8,    /* end tags that have no rule of their own do not reach beyond it, */
    PASSED = 16,    /* but the next item of a list does */
    SCOPE = 32,     /* end tags inside do not reach beyond it */
    IN_HEAD = 64,
    PART = 128,     /* of a table */
    OPTIONAL = 256, /* its end tag is often left out */
    APART = 512,    /* formatting is not opened again for it */
};

enum { VOID = 1, RAW = 2 }; /* what an element holds: nothing, or text without tags and references */

typedef struct {
    char name[15];
    unsigned char size; /* 0: no entry */
    int kind, form;
    int role, rules; /* what it does to the tree: see tree.c */
} Tag;

typedef struct {
    Tag entries[512];
} Tags;

typedef struct {
    const char *begin;
    Py_ssize_t size;
} Span;

typedef struct {
    Span name, value; /* the value still with its references */
} Attribute;

typedef struct {
    Attribute *items;
    Py_ssize_t count, held;
} Attributes;

/* Leaves a function with what `call` gave, unless that is OK. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        int status_ = (call);                                                                                          \
        if (status_ != OK)                                                                                             \
            return status_;                                                                                            \
    } while (0)

Tags *tags_of(PyObject *capsule);
const Tag *find_tag(const Tags *tags, Span name);
int add_unescaped(PyObject *entities, Bytes *bytes, Span text, int in_value);
int unescaped(PyObject *entities, Span value, Bytes *scratch, PyObject **result);
const char *find_bytes(const char *begin, const char *end, const char *what, Py_ssize_t size);
int holds(Span text, const char *what);

static inline int
is_word(Span text, const char *word)
{
    return (size_t)text.size == strlen(word) && memcmp(text.begin, word, (size_t)text.size) == 0;
}

/* A name of small letters, written in whatever case. Here, so that its length is known when this is compiled: it is
 * asked for at every element. */
static inline const Span *
find_attribute(const Attributes *attributes, const char *name)
{
    size_t size = strlen(name);
    for (Py_ssize_t i = 0; i < attributes->count; i++) {
        const Attribute *one = &attributes->items[i];
        if ((size_t)one->name.size != size)
            continue;
        size_t same = 0;
        while (same < size && (one->name.begin[same] | 0x20) == name[same])
            same++;
        if (same == size)
            return &one->value;
    }
    return NULL;
}

#endif
