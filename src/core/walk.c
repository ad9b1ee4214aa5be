/* The walk of parse/html.py over a page, told as events: no tree, no recursion.
 *
 * `_Walk` in Python is what this must agree with, to the letter; names are the same where things are. Its list of parts
 * is one run of bytes here, with "\0" for a separator. */

#include "walk.h"
#include <stddef.h>

enum { MOST_ANCHOR = 400, MOST_REL = 100 }; /* characters */
enum { MOST_AROUND = 8 };                   /* links around one whose words may be hidden */

static int
is_space(const char *begin, Py_ssize_t size)
{
    for (const char *end = begin + size; begin < end;) {
        Py_UCS4 character = next_character(&begin); /* not inside the macro, which may use it twice */
        if (!Py_UNICODE_ISSPACE(character))
            return 0;
    }
    return 1;
}

static int
add_separator(Walk *walk)
{
    if (walk->at_separator)
        return OK;
    walk->at_separator = 1;
    walk->breaks++;
    return bytes_add_one(&walk->text, '\0');
}

/* " ".join(text[:most].replace("\0", " ").split()) */
static PyObject *
on_one_line(Walk *walk, Span text, Py_ssize_t most)
{
    Bytes *line = &walk->scratch;
    line->size = 0;
    const char *at = text.begin, *end = text.begin + text.size;
    int blank = 0;
    for (; at < end && most > 0; most--) {
        const char *here = at;
        Py_UCS4 character = next_character(&at);
        if (character == 0 || Py_UNICODE_ISSPACE(character)) {
            blank = line->size > 0;
            continue;
        }
        if (line->held - line->size < 5 && bytes_room(line, 5) < 0)
            return NULL;
        if (blank)
            line->data[line->size++] = ' ';
        blank = 0;
        while (here < at)
            line->data[line->size++] = *here++;
    }
    return PyUnicode_DecodeUTF8(line->data, line->size, NULL);
}

/* " ".join(rel[:100].lower().split()) */
static int
rel_of(Walk *walk, Span written, PyObject **result)
{
    PyObject *rel, *lowered;
    TRY(unescaped(walk->entities, written, &walk->scratch, &rel));
    Py_SETREF(rel, PyUnicode_Substring(rel, 0, MOST_REL));
    if (rel == NULL)
        return FAILED;
    lowered = PyObject_CallMethod(rel, "lower", NULL);
    Py_DECREF(rel);
    if (lowered == NULL)
        return FAILED;
    Span text;
    text.begin = PyUnicode_AsUTF8AndSize(lowered, &text.size);
    *result = text.begin == NULL ? NULL : on_one_line(walk, text, PY_SSIZE_T_MAX);
    Py_DECREF(lowered);
    return *result == NULL ? FAILED : OK;
}

/* RawLink(href, anchor, rel, paragraph, element); the anchor is not escaped. */
static int
add_link(Walk *walk, const OpenLink *link, Span anchor)
{
    if (link->href.size == 0)
        return OK;
    if (link->title.size) {
        walk->scratch.size = 0;
        TRY(add_unescaped(walk->entities, &walk->scratch, link->title, 1));
        Bytes *title = &walk->scratch;
        if (title->size != anchor.size || memcmp(title->data, anchor.begin, (size_t)anchor.size) != 0) {
            if (anchor.begin != walk->joined.data) {
                walk->joined.size = 0;
                TRY(bytes_add(&walk->joined, anchor.begin, anchor.size));
            }
            TRY(bytes_add_one(&walk->joined, ' '));
            TRY(bytes_add(&walk->joined, title->data, title->size));
            anchor = (Span){walk->joined.data, walk->joined.size};
        }
    }
    PyObject *row = walk->link_type->tp_alloc(walk->link_type, 5); /* what tuple.__new__ does for a type of tuple */
    if (row == NULL)
        return FAILED;
    PyObject *item = NULL;
    int status = unescaped(walk->entities, link->href, &walk->scratch, &item);
    if (status == OK) {
        PyTuple_SET_ITEM(row, 0, item);
        item = on_one_line(walk, anchor, MOST_ANCHOR);
        status = item == NULL ? FAILED : OK;
    }
    if (status == OK) {
        PyTuple_SET_ITEM(row, 1, item);
        item = NULL;
        if (link->rel.size)
            status = rel_of(walk, link->rel, &item);
        else if ((item = PyUnicode_FromStringAndSize(NULL, 0)) == NULL)
            status = FAILED;
    }
    if (status == OK) {
        PyTuple_SET_ITEM(row, 2, item);
        PyTuple_SET_ITEM(row, 3, PyLong_FromSsize_t(link->paragraph));
        PyTuple_SET_ITEM(row, 4, PyLong_FromSsize_t(link->element));
        if (PyErr_Occurred() || PyList_Append(walk->links, row) < 0)
            status = FAILED;
    }
    Py_DECREF(row);
    return status;
}

static Span
value_of(const Walk *walk, const char *name)
{
    const Span *value = find_attribute(&walk->attributes, name);
    return value == NULL ? (Span){NULL, 0} : *value;
}

static int
open_link(Walk *walk)
{
    OpenLink *links = array_room(walk->open_links, walk->links_open, &walk->links_held, sizeof *links);
    if (links == NULL)
        return FAILED;
    walk->open_links = links;
    if (walk->links_open == 0)
        walk->unseen.size = 0;
    links[walk->links_open++] = (OpenLink){
        .href = value_of(walk, "href"),
        .title = value_of(walk, "title"),
        .rel = value_of(walk, "rel"),
        .text = walk->text.size,
        .unseen = walk->unseen.size,
        .paragraph = walk->breaks,
        .element = walk->element,
        .first_alt = walk->alt_count,
        .after_separator = walk->at_separator,
    };
    return OK;
}

/* As much of a text as an anchor needs: links around links must not copy all of it, each of them. */
static Span
shortened(Span text)
{
    const Py_ssize_t most = 4 * (MOST_ANCHOR + 1); /* bytes */
    if (text.size > most)
        for (text.size = most; (text.begin[text.size] & 0xC0) == 0x80;)
            text.size--;
    return text;
}

static int
close_link(Walk *walk)
{
    OpenLink *link = &walk->open_links[--walk->links_open];
    if (link->href.begin == NULL)
        return OK;
    Span anchor = shortened((Span){walk->text.data + link->text, walk->text.size - link->text});
    if (walk->alt_count > link->first_alt) {
        walk->joined.size = 0;
        TRY(bytes_add(&walk->joined, anchor.begin, anchor.size));
        for (Py_ssize_t i = link->first_alt; i < walk->alt_count; i++) {
            TRY(bytes_add_one(&walk->joined, ' '));
            TRY(add_unescaped(walk->entities, &walk->joined, walk->alts[i], 1));
        }
        walk->alt_count = link->first_alt;
        anchor = (Span){walk->joined.data, walk->joined.size};
    }
    else if (anchor.size == 0 && walk->links_open < MOST_AROUND) {
        Span unseen = {walk->unseen.data + link->unseen, walk->unseen.size - link->unseen};
        if (walk->any_hidden)
            anchor = unseen;
        else if (unseen.size && (link->title.size || !is_space(unseen.begin, unseen.size)))
            walk->undecided = 1; /* it is the anchor if something is hidden further down */
    }
    if (walk->breaks != link->paragraph && !link->after_separator)
        link->paragraph++;
    if (walk->breaks == link->paragraph)
        walk->at_separator = 0;
    return add_link(walk, link, anchor);
}

/* An element about the page as a whole is handed back to Python: (kind, attributes, text). The first of a name counts. */
static int
add_head(Walk *walk, int kind, Span text)
{
    PyObject *entry = NULL, *inside = NULL, *attributes = PyDict_New();
    int status = attributes == NULL ? FAILED : OK;
    for (Py_ssize_t i = 0; status == OK && i < walk->attributes.count; i++) {
        const Attribute *one = &walk->attributes.items[i];
        Bytes *lowered = &walk->scratch;
        lowered->size = 0;
        if (bytes_add(lowered, one->name.begin, one->name.size) < 0)
            status = FAILED;
        for (Py_ssize_t j = 0; j < lowered->size; j++)
            lowered->data[j] = (char)Py_TOLOWER(lowered->data[j]);
        PyObject *value, *name = status == OK ? PyUnicode_DecodeUTF8(lowered->data, lowered->size, NULL) : NULL;
        status = name == NULL ? FAILED : unescaped(walk->entities, one->value, &walk->scratch, &value);
        if (status == OK) {
            status = PyDict_SetDefault(attributes, name, value) == NULL ? FAILED : OK;
            Py_DECREF(value);
        }
        Py_XDECREF(name);
    }
    if (status == OK && (inside = PyUnicode_DecodeUTF8(text.begin, text.size, NULL)) == NULL)
        status = FAILED;
    if (status == OK) {
        entry = Py_BuildValue("(iOO)", kind, attributes, inside);
        status = entry == NULL ? FAILED : PyList_Append(walk->heads, entry);
    }
    Py_XDECREF(entry);
    Py_XDECREF(inside);
    Py_XDECREF(attributes);
    return status;
}

/* Hidden by attribute or inline style? */
static int
is_hidden(Walk *walk, int *hidden)
{
    *hidden = find_attribute(&walk->attributes, "hidden") != NULL;
    const Span *style = *hidden ? NULL : find_attribute(&walk->attributes, "style");
    if (style == NULL || !(holds(*style, "none") || holds(*style, "hidden") || holds(*style, "&")))
        return OK;
    PyObject *text;
    TRY(unescaped(walk->entities, *style, &walk->scratch, &text));
    PyObject *found = PyObject_CallOneArg(walk->is_hidden, text);
    Py_DECREF(text);
    if (found == NULL)
        return FAILED;
    *hidden = found != Py_None;
    Py_DECREF(found);
    return OK;
}

/* The start of an element that is neither inline, nor a block, nor a link. */
static int
enter(Walk *walk, int kind)
{
    switch (kind) {
    case IMAGE:
        if (walk->links_open && walk->open_links[walk->links_open - 1].href.begin != NULL) {
            Span *alts = array_room(walk->alts, walk->alt_count, &walk->alts_held, sizeof *alts);
            if (alts == NULL)
                return FAILED;
            walk->alts = alts;
            alts[walk->alt_count++] = value_of(walk, "alt");
        }
        return OK;
    case BREAK:
        walk->at_separator = 0;
        return bytes_add_one(&walk->text, ' ');
    case AREA:
    case FRAME: {
        OpenLink link = {
            .href = value_of(walk, kind == AREA ? "href" : "src"),
            .title = value_of(walk, "title"),
            .rel = value_of(walk, "rel"),
            .paragraph = walk->breaks,
            .element = walk->element,
        };
        walk->at_separator = 0;
        walk->joined.size = 0;
        TRY(add_unescaped(walk->entities, &walk->joined, value_of(walk, kind == AREA ? "alt" : "name"), 1));
        return add_link(walk, &link, (Span){walk->joined.data, walk->joined.size});
    }
    case HTML:
    case META:
    case LINK:
    case BASE:
        return add_head(walk, kind, (Span){"", 0});
    case TITLE:
        walk->in_title = 1;
        walk->title.size = 0;
        return OK;
    default:
        return OK;
    }
}

/* The element that was begun has something in it: so it is open. */
static int
open_begun(Walk *walk)
{
    if (!walk->begun)
        return OK;
    walk->begun = 0;
    int kind = walk->begun_kind, *open = array_room(walk->open, walk->depth, &walk->open_held, sizeof *open);
    if (open == NULL)
        return FAILED;
    walk->open = open;
    open[walk->depth++] = kind;
    if (walk->skipped)
        return OK;
    if (kind >= LEAVES) {
        walk->skipped = walk->depth;
        return OK;
    }
    if (kind < 0) {
        Element *elements = array_room(walk->elements, walk->count, &walk->elements_held, sizeof *elements);
        if (elements == NULL)
            return FAILED;
        walk->elements = elements;
        elements[walk->count] = (Element){-kind, walk->element, walk->breaks, 0, 0};
        walk->element = walk->count++;
    }
    if (!walk->muted && (kind == HEAD || walk->begun_hidden))
        walk->muted = walk->depth;
    return OK;
}

/* The end of a text node: white space alone is a blank at most. */
static int
end_text(Walk *walk)
{
    Bytes *node = walk->node;
    walk->node = NULL;
    if (node == NULL || node == &walk->unseen)
        return OK;
    const Py_ssize_t size = node->size - walk->node_begin;
    if (!is_space(node->data + walk->node_begin, size)) {
        walk->at_separator = 0;
        return OK;
    }
    node->size = walk->node_begin;
    if (walk->links_open && bytes_add(&walk->unseen, node->data + node->size, size) < 0)
        return FAILED;
    return walk->at_separator ? OK : bytes_add_one(node, ' ');
}

/* Text, or more of it: a node goes on until something else stands there. */
int
walk_text(Walk *walk, Span text, int raw)
{
    if (text.size == 0)
        return OK;
    TRY(open_begun(walk));
    if (walk->in_title)
        TRY(raw ? bytes_add(&walk->title, text.begin, text.size)
                : add_unescaped(walk->entities, &walk->title, text, 0));
    if (walk->node == NULL) {
        const int visible = !walk->muted && !walk->skipped;
        if (!visible && !walk->links_open)
            return OK;
        walk->node = visible ? &walk->text : &walk->unseen;
        walk->node_begin = walk->node->size;
    }
    return raw ? bytes_add(walk->node, text.begin, text.size) : add_unescaped(walk->entities, walk->node, text, 0);
}

int
walk_comment(Walk *walk)
{
    TRY(end_text(walk));
    return open_begun(walk);
}

int
walk_start(Walk *walk, int kind, int form)
{
    int hidden;
    TRY(walk_comment(walk)); /* what there was before it ends in the same way */
    if (walk->in_title)
        return UNSAFE; /* a title of SVG may have elements in it */
    TRY(is_hidden(walk, &hidden));
    walk->any_hidden |= hidden;
    if (!walk->skipped) {
        if (kind == ANCHOR)
            TRY(open_link(walk));
        else if (kind > ANCHOR)
            TRY(enter(walk, kind));
        else if (kind != INLINE)
            TRY(add_separator(walk));
    }
    walk->begun = form != VOID;
    walk->begun_kind = kind;
    walk->begun_hidden = hidden;
    return OK;
}

int
walk_end(Walk *walk)
{
    TRY(end_text(walk));
    if (walk->in_title) {
        walk->in_title = 0;
        TRY(add_head(walk, TITLE, (Span){walk->title.data, walk->title.size}));
    }
    const int skipped = walk->skipped != 0;
    if (walk->begun) { /* nothing inside */
        walk->begun = 0;
        return walk->begun_kind == ANCHOR && !skipped ? close_link(walk) : OK;
    }
    const int kind = walk->open[walk->depth - 1];
    if (walk->skipped == walk->depth)
        walk->skipped = 0;
    if (walk->muted == walk->depth)
        walk->muted = 0;
    walk->depth--;
    if (skipped)
        return OK;
    if (kind == ANCHOR)
        return close_link(walk);
    if (kind == INLINE || kind > LINES)
        return OK;
    TRY(add_separator(walk));
    if (kind < 0) {
        Element *element = &walk->elements[walk->element], *parent = &walk->elements[element->parent];
        element->end = walk->breaks;
        walk->element = element->parent;
        if (parent->height <= element->height && element->start < walk->breaks)
            parent->height = element->height + 1;
    }
    return OK;
}

int
walk_begin(Walk *walk, PyObject *const *args, Py_ssize_t page)
{
    if (!PyType_Check(args[1]) || !PyType_IsSubtype((PyTypeObject *)args[1], &PyTuple_Type) || !PyDict_Check(args[2])) {
        PyErr_SetString(PyExc_TypeError, "a type of tuple and a dict are wanted");
        return FAILED;
    }
    *walk = (Walk){
        .is_hidden = args[0], .link_type = (PyTypeObject *)args[1], .entities = args[2], .at_separator = 1, .breaks = 1,
    };
    walk->links = PyList_New(0);
    walk->heads = PyList_New(0);
    walk->elements = array_room(NULL, 0, &walk->elements_held, sizeof *walk->elements);
    if (walk->links == NULL || walk->heads == NULL || walk->elements == NULL ||
        bytes_room(&walk->text, page / 2 + 64) < 0 || bytes_room(&walk->unseen, 256) < 0 ||
        bytes_room(&walk->title, 256) < 0 || bytes_room(&walk->scratch, 256) < 0 || bytes_room(&walk->joined, 256) < 0)
        return FAILED;
    walk->elements[walk->count++] = (Element){0, 0, 1, 2, 0};
    return OK;
}

/* One column of the outline. */
static PyObject *
column(const Walk *walk, size_t offset)
{
    PyObject *list = PyList_New(walk->count);
    for (Py_ssize_t i = 0; list != NULL && i < walk->count; i++) {
        PyObject *number = PyLong_FromSsize_t(*(const Py_ssize_t *)((const char *)&walk->elements[i] + offset));
        if (number == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, number);
    }
    return list;
}

static PyObject *
result_of(Walk *walk)
{
    char *text = walk->text.data;
    for (Py_ssize_t i = 0, size = walk->text.size; i < size; i++) { /* in one go: compilers make vectors of this */
        char byte = text[i];
        byte = byte == '\n' ? ' ' : byte;
        text[i] = byte == '\0' ? '\n' : byte;
    }
    walk->elements[0].end = walk->breaks + !walk->at_separator;
    return Py_BuildValue(
        "(NO(NNNNN)O)", PyBytes_FromStringAndSize(walk->text.data, walk->text.size), walk->links,
        column(walk, offsetof(Element, tag)), column(walk, offsetof(Element, parent)),
        column(walk, offsetof(Element, start)), column(walk, offsetof(Element, end)),
        column(walk, offsetof(Element, height)), walk->heads);
}

PyObject *
walk_result(Walk *walk, int status)
{
    PyObject *result = NULL;
    if (status == OK && (walk->depth || (walk->undecided && walk->any_hidden)))
        status = UNSAFE;
    if (status == OK)
        result = result_of(walk);
    else if (status == UNSAFE)
        result = Py_NewRef(Py_None);
    Py_XDECREF(walk->links);
    Py_XDECREF(walk->heads);
    PyMem_Free(walk->open);
    PyMem_Free(walk->elements);
    PyMem_Free(walk->open_links);
    PyMem_Free(walk->alts);
    PyMem_Free(walk->attributes.items);
    bytes_free(&walk->text);
    bytes_free(&walk->unseen);
    bytes_free(&walk->title);
    bytes_free(&walk->scratch);
    bytes_free(&walk->joined);
    return result;
}
