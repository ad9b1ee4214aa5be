/* The source of a page (source.c, references.c), and the tree it stands for (stack.c, tree.c). */

#ifndef DOWSE_SOURCE_H
#define DOWSE_SOURCE_H

#include "markup.h"

enum { MOST_NAME = 64, MOST_DEPTH = 200, MOST_ATTRIBUTES = 64, MOST_FORMATS = 64 };
enum { NO_FORM, OPEN_FORM, LEFT_FORM }; /* the page's current form: none, open, closed by an element around it */

typedef struct {
    const Tag *tag;        /* without a role where the name is unknown */
    Py_ssize_t name, size; /* where the name stands in what was written */
} OpenTag;

typedef struct {
    const Tag *tag;         /* NULL: a mark */
    Py_ssize_t begin, size; /* its start tag, in what was written */
    Py_ssize_t name;        /* size of its name */
    Py_ssize_t place;       /* among the open elements; -1: it is closed, and opened again when something follows */
} Format;

typedef struct {
    const char *begin, *at, *end;
    const Tags *tags;
    PyObject *entities; /* {name, with and without ";": characters} */
    Bytes out;

    OpenTag open[MOST_DEPTH];
    Py_ssize_t depth;
    Format format[MOST_FORMATS];
    int formats;
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

static inline int
is_alphanumeric(char byte)
{
    return is_letter(byte) || (unsigned char)(byte - '0') < 10;
}

int add_escaped(Source *source, const char *at, const char *end, int in_value, int references);

extern const char *const SVG_TAGS[], *const SVG_ATTRIBUTES[];
void set_case(Bytes *out, Py_ssize_t begin, const char *const *names);
int add_characters(Source *source, const char *end);
int read_name(Source *source);
int add_attributes(Source *source, int in_svg);
int skip_end_tag(Source *source);
int add_content(Source *source, int raw);
int add_comment(Source *source, Bytes *target);

extern const Tag IN_SVG; /* of all elements there */
int imply(Source *source, const char *name);
int insert(Source *source);
int insert_svg(Source *source);
int ignore(Source *source);
int close_one(Source *source);
int close_to(Source *source, Py_ssize_t place);
int close_off(Source *source, Py_ssize_t place);
int has_name(const Source *source, Py_ssize_t place);
Py_ssize_t in_scope(const Source *source, int role);
int reopen(Source *source);
int find_format(const Source *source);
int end_format(Source *source, int number);

int build(Source *source);

#endif
