/* The walk of parse/html.py over a tree's serialisation: one pass over the bytes, no tree, no recursion.
 *
 * `_Walk` in Python is what this must agree with, to the letter; names are the same where things are. Its list of parts
 * is one run of bytes here, with "\0" for a separator. */

#include "markup.h"
#include <stddef.h>

enum { MOST_ANCHOR = 400, MOST_REL = 100 }; /* characters */

typedef struct {
    int kind;
    Span name;
} Open;

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
    const char *at, *end;
    const Tags *tags;
    PyObject *is_hidden;
    PyTypeObject *link_type;

    Bytes text;       /* visible text and separators */
    int at_separator; /* was a separator the last part? */
    Py_ssize_t breaks;

    Open *open;
    Py_ssize_t depth, open_held;
    Element *elements;
    Py_ssize_t count, elements_held, element;
    OpenLink *open_links;
    Py_ssize_t links_open, links_held;
    Span *alts; /* of images in open links, the innermost link's last */
    Py_ssize_t alt_count, alts_held;
    Bytes unseen; /* text nodes inside open links that are not visible: the anchors of folded menus */

    Py_ssize_t muted, skipped; /* depth at which that began; 0: not */
    Py_ssize_t foreign;        /* elements of SVG and MathML that are open, by their roots */
    Py_ssize_t template;       /* depth of the outermost one that is open */
    int any_hidden, undecided;

    Attributes attributes; /* of the tag being read */
    Bytes scratch, joined;
    PyObject *links, *heads;
} Walk;

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

/* A text node; `raw`: its characters are not escaped. */
static int
add_text(Walk *walk, Span text, int raw)
{
    int visible = !walk->muted && !walk->skipped;
    if (walk->template || (!visible && !walk->links_open))
        return OK;
    Bytes *target = visible ? &walk->text : &walk->unseen;
    Py_ssize_t before = target->size;
    TRY(raw ? bytes_add(target, text.begin, text.size) : add_unescaped(target, text));
    if (!visible)
        return OK;
    if (!is_space(target->data + before, target->size - before)) {
        walk->at_separator = 0;
        return OK;
    }
    Py_ssize_t size = target->size - before;
    target->size = before;
    if (walk->links_open)
        TRY(bytes_add(&walk->unseen, target->data + before, size));
    return walk->at_separator ? OK : bytes_add_one(target, ' ');
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
    TRY(unescaped(written, &walk->scratch, &rel));
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
        TRY(add_unescaped(&walk->scratch, link->title));
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
    int status = unescaped(link->href, &walk->scratch, &item);
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

static int
close_link(Walk *walk)
{
    OpenLink *link = &walk->open_links[--walk->links_open];
    if (link->href.begin == NULL)
        return OK;
    Span anchor = {walk->text.data + link->text, walk->text.size - link->text};
    if (walk->alt_count > link->first_alt) {
        walk->joined.size = 0;
        TRY(bytes_add(&walk->joined, anchor.begin, anchor.size));
        for (Py_ssize_t i = link->first_alt; i < walk->alt_count; i++) {
            TRY(bytes_add_one(&walk->joined, ' '));
            TRY(add_unescaped(&walk->joined, walk->alts[i]));
        }
        walk->alt_count = link->first_alt;
        anchor = (Span){walk->joined.data, walk->joined.size};
    }
    else if (anchor.size == 0) {
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

/* An element about the page as a whole is handed back to Python: (kind, attributes, text). */
static int
add_head(Walk *walk, int kind, Span text)
{
    PyObject *entry = NULL, *inside = NULL, *attributes = PyDict_New();
    int status = attributes == NULL ? FAILED : OK;
    for (Py_ssize_t i = 0; status == OK && i < walk->attributes.count; i++) {
        const Attribute *one = &walk->attributes.items[i];
        PyObject *value, *name = PyUnicode_DecodeUTF8(one->name.begin, one->name.size, NULL);
        status = name == NULL ? FAILED : unescaped(one->value, &walk->scratch, &value);
        if (status == OK) {
            status = PyDict_SetItem(attributes, name, value);
            Py_DECREF(value);
        }
        Py_XDECREF(name);
    }
    if (status == OK)
        status = unescaped(text, &walk->scratch, &inside);
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
    if (style == NULL || !(holds(*style, "none") || holds(*style, "hidden")))
        return OK;
    PyObject *text;
    TRY(unescaped(*style, &walk->scratch, &text));
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
        TRY(add_unescaped(&walk->joined, value_of(walk, kind == AREA ? "alt" : "name")));
        return add_link(walk, &link, (Span){walk->joined.data, walk->joined.size});
    }
    case HTML:
    case META:
    case LINK:
    case BASE:
        return add_head(walk, kind, (Span){"", 0});
    case TITLE: {
        const char *end = memchr(walk->at, '<', (size_t)(walk->end - walk->at));
        if (end == NULL || walk->end - end < 8 || memcmp(end, "</title>", 8) != 0)
            return UNSAFE; /* a title of SVG may have elements in it */
        return add_head(walk, kind, (Span){walk->at, end - walk->at});
    }
    default:
        return OK;
    }
}

static int
push(Walk *walk, int kind, Span name, int hidden)
{
    Open *open = array_room(walk->open, walk->depth, &walk->open_held, sizeof *open);
    if (open == NULL)
        return FAILED;
    walk->open = open;
    open[walk->depth++] = (Open){kind, name};
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
    if (!walk->muted && (kind == HEAD || hidden))
        walk->muted = walk->depth;
    return OK;
}

static int
pop(Walk *walk)
{
    int kind = walk->open[walk->depth - 1].kind, skipped = walk->skipped != 0;
    if (walk->skipped == walk->depth)
        walk->skipped = 0;
    if (walk->muted == walk->depth)
        walk->muted = 0;
    if (walk->template == walk->depth)
        walk->template = 0;
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

/* Where raw text ends, whose element's start tag has been read; NULL when that is not certain. */
static const char *
raw_end(const Walk *walk, Span name)
{
    char tag[20] = "</";
    memcpy(tag + 2, name.begin, (size_t)name.size);
    tag[name.size + 2] = '>';
    const char *end = find_bytes(walk->at, walk->end, tag, name.size + 3);
    if (end == NULL || name.size != 6 || memcmp(name.begin, "script", 6) != 0)
        return end;
    /* "<!--" and "<script" inside a script: it goes on behind the next end tag */
    const char *comment = find_bytes(walk->at, end, "<!--", 4);
    return comment != NULL && holds((Span){comment, end - comment}, "<script") ? NULL : end;
}

/* Is what comes next the end tag of this name? */
static int
is_end_tag(const Walk *walk, Span name)
{
    const char *at = walk->at;
    return walk->end - at >= name.size + 3 && at[0] == '<' && at[1] == '/' && at[name.size + 2] == '>' &&
           memcmp(at + 2, name.begin, (size_t)name.size) == 0;
}

static int
start_tag(Walk *walk)
{
    Span name = {walk->at, 0};
    while (walk->at < walk->end && *walk->at != ' ' && *walk->at != '>')
        walk->at++;
    name.size = walk->at - name.begin;
    if (name.size == 0)
        return UNSAFE;
    const Tag *tag = find_tag(walk->tags, name);
    int kind = tag->kind, hidden;
    if (tag->form == UNREADABLE || (walk->foreign && tag->form && tag->form != FOREIGN))
        return UNSAFE; /* in SVG and MathML these names are serialised otherwise, and where they end is hard to tell */
    TRY(read_attributes(&walk->at, walk->end, &walk->attributes));
    TRY(is_hidden(walk, &hidden));
    walk->any_hidden |= hidden && !walk->template;
    if (!walk->skipped) {
        if (kind == ANCHOR)
            TRY(open_link(walk));
        else if (kind > ANCHOR)
            TRY(enter(walk, kind));
        else if (kind != INLINE)
            TRY(add_separator(walk));
    }
    if (tag->form == VOID)
        return OK;
    if (is_end_tag(walk, name)) { /* nothing inside */
        walk->at += name.size + 3;
        return kind == ANCHOR && !walk->skipped ? close_link(walk) : OK;
    }
    TRY(push(walk, kind, name, hidden));
    if (tag->form == FOREIGN)
        walk->foreign++;
    else if (tag->form == TEMPLATE && !walk->template)
        walk->template = walk->depth;
    else if (tag->form == RAW) {
        const char *end = raw_end(walk, name);
        if (end == NULL)
            return UNSAFE;
        TRY(add_text(walk, (Span){walk->at, end - walk->at}, 1));
        walk->at = end;
    }
    return OK;
}

static int
end_tag(Walk *walk)
{
    if (walk->depth == 0 || !is_end_tag(walk, walk->open[walk->depth - 1].name))
        return UNSAFE;
    Span name = walk->open[walk->depth - 1].name;
    walk->at += name.size + 3;
    if (walk->foreign && find_tag(walk->tags, name)->form == FOREIGN)
        walk->foreign--;
    return pop(walk);
}

static int
run(Walk *walk)
{
    while (walk->at < walk->end) {
        if (*walk->at != '<') {
            const char *next = memchr(walk->at, '<', (size_t)(walk->end - walk->at));
            if (next == NULL || walk->depth == 0)
                return UNSAFE;
            TRY(add_text(walk, (Span){walk->at, next - walk->at}, 0));
            walk->at = next;
        }
        const char *mark = walk->at + 1;
        Py_ssize_t left = walk->end - mark;
        if (left >= 1 && *mark == '/')
            TRY(end_tag(walk));
        else if (left >= 1 && (*mark == '!' || *mark == '?')) {
            int comment = left >= 3 && memcmp(mark, "!--", 3) == 0;
            const char *end = comment ? find_bytes(mark + 3, walk->end, "-->", 3) : memchr(mark, '>', (size_t)left);
            if (end == NULL)
                return UNSAFE;
            walk->at = end + (comment ? 3 : 1);
        }
        else {
            walk->at = mark;
            TRY(start_tag(walk));
        }
    }
    return walk->depth || (walk->undecided && walk->any_hidden) ? UNSAFE : OK;
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
        "(NO(NNNNN)O)", PyUnicode_DecodeUTF8(walk->text.data, walk->text.size, NULL), walk->links,
        column(walk, offsetof(Element, tag)), column(walk, offsetof(Element, parent)),
        column(walk, offsetof(Element, start)), column(walk, offsetof(Element, end)),
        column(walk, offsetof(Element, height)), walk->heads);
}

/* walk(html, tags, is_hidden, link_type) -> (text, links, outline's columns, heads), or None: leave it to Python */
PyObject *
core_walk(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 4 || !(PyUnicode_Check(args[0]) || PyBytes_Check(args[0])) || !PyType_Check(args[3]) ||
        !PyType_IsSubtype((PyTypeObject *)args[3], &PyTuple_Type)) {
        PyErr_SetString(PyExc_TypeError, "walk(str or bytes, tags, callable, type of tuple)");
        return NULL;
    }
    Walk walk = {.at_separator = 1, .breaks = 1, .is_hidden = args[2], .link_type = (PyTypeObject *)args[3]};
    walk.tags = tags_of(args[1]);
    if (walk.tags == NULL)
        return NULL;
    Py_ssize_t size = PyBytes_Check(args[0]) ? PyBytes_GET_SIZE(args[0]) : 0;
    walk.at = PyBytes_Check(args[0]) ? PyBytes_AS_STRING(args[0]) : PyUnicode_AsUTF8AndSize(args[0], &size);
    if (walk.at == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
            return NULL;
        PyErr_Clear(); /* half a character: nothing that UTF-8 can say */
        Py_RETURN_NONE;
    }
    walk.end = walk.at + size;
    PyObject *result = NULL;
    int status = FAILED;
    walk.links = PyList_New(0);
    walk.heads = PyList_New(0);
    walk.elements = array_room(NULL, 0, &walk.elements_held, sizeof *walk.elements);
    if (walk.links != NULL && walk.heads != NULL && walk.elements != NULL && bytes_room(&walk.text, size / 2 + 64) == 0 &&
        bytes_room(&walk.unseen, 256) == 0 && bytes_room(&walk.scratch, 256) == 0 && bytes_room(&walk.joined, 256) == 0) {
        walk.elements[walk.count++] = (Element){0, 0, 1, 2, 0};
        status = memchr(walk.at, '\0', (size_t)size) != NULL ? UNSAFE : run(&walk);
    }
    if (status == OK)
        result = result_of(&walk);
    else if (status == UNSAFE)
        result = Py_NewRef(Py_None);
    Py_XDECREF(walk.links);
    Py_XDECREF(walk.heads);
    PyMem_Free(walk.open);
    PyMem_Free(walk.elements);
    PyMem_Free(walk.open_links);
    PyMem_Free(walk.alts);
    PyMem_Free(walk.attributes.items);
    bytes_free(&walk.text);
    bytes_free(&walk.unseen);
    bytes_free(&walk.scratch);
    bytes_free(&walk.joined);
    return result;
}
