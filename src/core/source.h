/* The source of a page (source.c), and the tree it stands for (tree.c). */

#ifndef DOWSE_SOURCE_H
#define DOWSE_SOURCE_H

#include "markup.h"

enum { MOST_NAME = 64, MOST_DEPTH = 200, MOST_ATTRIBUTES = 64 };

typedef struct {
    const Tag *tag;        /* without a role where the name is unknown */
    Py_ssize_t name, size; /* where the name stands in what was written */
} OpenTag;

typedef struct {
    const char *at, *end;
    const Tags *tags;
    PyObject *entities; /* {name, with and without ";": characters} */
    Bytes out;

    OpenTag open[MOST_DEPTH];
    Py_ssize_t depth;
    int mode, form, doctype, selects;
    Bytes after_body, after_html; /* comments that stand there */

    char name[MOST_NAME]; /* of the tag being read, in lower case */
    Py_ssize_t name_size;
    const Tag *tag;
    int closed; /* it ended with "/>" */
} Source;

#define ADD(bytes, text) bytes_add((bytes), (text), (Py_ssize_t)sizeof(text) - 1)

static inline int
is_blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\f'; /* no "\r": see `core_serialised` */
}

static inline int
is_letter(char byte)
{
    return (unsigned char)((byte | 0x20) - 'a') < 26;
}

extern const char *const SVG_TAGS[], *const SVG_ATTRIBUTES[];
void set_case(Bytes *out, Py_ssize_t begin, const char *const *names);
int add_characters(Source *source, const char *end);
int read_name(Source *source);
int add_attributes(Source *source, int in_svg);
int skip_end_tag(Source *source);
int add_content(Source *source, int raw);
int add_comment(Source *source, Bytes *target);
int build(Source *source);

#endif
