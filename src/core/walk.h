/* The walk of parse/html.py as events: an element begins, text follows, it ends. */

#ifndef DOWSE_WALK_H
#define DOWSE_WALK_H

#include "markup.h"

typedef struct {
    Py_ssize_t tag, parent, start, end, height;
} Element;

typedef struct {
    Span href, title, rel; /* as written; `begin` is NULL where there is none */
    Py_ssize_t text;       /* where in the text it began, */
    Py_ssize_t unseen;     /* and among what is not seen */
    Py_ssize_t paragraph, element, first_alt;
    int after_separator;
} OpenLink;

typedef struct {
    PyObject *is_hidden, *entities; /* {name, with and without ";": characters} */
    PyTypeObject *link_type;

    Bytes text;       /* visible text and separators */
    int at_separator; /* was a separator the last part? */
    Py_ssize_t breaks;
    Bytes *node; /* where the text node goes that is being written; NULL: nowhere */
    Py_ssize_t node_begin;

    int *open; /* kinds of the elements that are open, with something in them */
    Py_ssize_t depth, open_held;
    int begun, begun_kind, begun_hidden; /* one more, of which nothing is known to be in it */
    Element *elements;
    Py_ssize_t count, elements_held, element;
    OpenLink *open_links;
    Py_ssize_t links_open, links_held;
    Span *alts; /* of images in open links, the innermost link's last */
    Py_ssize_t alt_count, alts_held;
    Bytes unseen; /* text nodes inside open links that are not visible: the anchors of folded menus */

    Py_ssize_t muted, skipped; /* depth at which that began; 0: not */
    int any_hidden, undecided, in_title;

    Attributes attributes; /* of the element that begins: to be filled in before it does */
    Bytes title, scratch, joined;
    PyObject *links, *heads;
} Walk;

/* args: is_hidden, type of links, entities. -1 with an exception where they are of the wrong kind. */
int walk_begin(Walk *walk, PyObject *const *args, Py_ssize_t page);
int walk_start(Walk *walk, int kind, int form);
int walk_text(Walk *walk, Span text, int raw); /* raw: "&" is meant */
int walk_comment(Walk *walk);
int walk_end(Walk *walk);
PyObject *walk_result(Walk *walk, int status); /* None where it is UNSAFE; what the walk holds is freed */

#endif
