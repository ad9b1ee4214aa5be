/* The source of a page (source.c, references.c), and the tree it stands for (stack.c, tree.c). */

#ifndef DOWSE_SOURCE_H
#define DOWSE_SOURCE_H

#include "walk.h"

enum { MOST_NAME = 64, MOST_DEPTH = 200, MOST_ATTRIBUTES = 64, MOST_FORMATS = 64, MOST_REOPENED = 20000 };
enum { NO_FORM, OPEN_FORM, LEFT_FORM }; /* the page's current form: none, open, closed by an element around it */

typedef struct {
    const Tag *tag; /* without a role where the name is unknown */
    Span name;      /* in whatever case */
} OpenTag;

typedef struct {
    const Tag *tag; /* NULL: a mark */
    Span written;   /* its start tag */
    Span name;
    Py_ssize_t place; /* among the open elements; -1: it is closed, and opened again when something follows */
} Format;

typedef struct {
    const char *at, *end;
    const Tags *tags;
    Walk walk; /* is told what begins and ends */

    OpenTag open[MOST_DEPTH];
    Py_ssize_t depth;
    Format format[MOST_FORMATS];
    int formats, reopened;
    int mode, form, doctype, selects;

    Span written;         /* the name of the tag being read, */
    char name[MOST_NAME]; /* and in lower case */
    const Tag *tag;
    int closed; /* it ended with "/>" */
} Source;

static inline int
is_blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\f'; /* no "\r": see `core_read` */
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

int read_name(Source *source);
int read_attributes(Source *source);
int skip_end_tag(Source *source);
int read_content(Source *source, int raw);
int skip_comment(Source *source);

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
