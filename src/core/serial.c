/* Reading a tree's serialisation, tag by tag.
 *
 * It is regular, whatever page it came from: "<" is markup wherever it stands outside raw text, values are in double
 * quotes, and five characters are escaped. What does not keep to that is UNSAFE, and the page is left to Python. */

#include "walk.h"

typedef struct {
    const char *at, *end;
    const Tags *tags;
    Span *open; /* names of the elements that are open */
    Py_ssize_t depth, held;
    Py_ssize_t foreign; /* elements of SVG and MathML that are open, by their roots */
    Walk walk;
} Serial;

/* The attributes of a start tag, from behind its name to behind its ">".
 *
 * A name has no blank, "/" or ">" in it, and "=" at its front at most: so it ends at the first of those. */
static int
read_attributes(const char **at, const char *end, Attributes *found)
{
    const char *here = *at;
    found->count = 0;
    for (;;) {
        if (here == end)
            return UNSAFE;
        if (*here == '>')
            break;
        if (*here++ != ' ' || here == end)
            return UNSAFE;
        Attribute attribute = {{here, 0}, {here, 0}};
        for (here++; here < end && *here != '=' && *here != ' ' && *here != '>';)
            here++;
        attribute.name.size = here - attribute.name.begin;
        if (end - here < 2 || here[0] != '=' || here[1] != '"')
            return UNSAFE;
        attribute.value.begin = here += 2;
        here = memchr(here, '"', (size_t)(end - here));
        if (here == NULL)
            return UNSAFE;
        attribute.value.size = here++ - attribute.value.begin;
        Attribute *items = array_room(found->items, found->count, &found->held, sizeof *items);
        if (items == NULL)
            return FAILED;
        found->items = items;
        items[found->count++] = attribute;
    }
    *at = here + 1;
    return OK;
}

/* Where raw text ends, whose element's start tag has been read; NULL when that is not certain. */
static const char *
raw_end(const Serial *serial, Span name)
{
    char tag[20] = "</";
    memcpy(tag + 2, name.begin, (size_t)name.size);
    tag[name.size + 2] = '>';
    const char *end = find_bytes(serial->at, serial->end, tag, name.size + 3);
    if (end == NULL || name.size != 6 || memcmp(name.begin, "script", 6) != 0)
        return end;
    /* "<!--" and "<script" inside a script: it goes on behind the next end tag */
    const char *comment = find_bytes(serial->at, end, "<!--", 4);
    return comment != NULL && holds((Span){comment, end - comment}, "<script") ? NULL : end;
}

static int
start_tag(Serial *serial)
{
    Span name = {serial->at, 0};
    while (serial->at < serial->end && *serial->at != ' ' && *serial->at != '>')
        serial->at++;
    name.size = serial->at - name.begin;
    if (name.size == 0)
        return UNSAFE;
    const Tag *tag = find_tag(serial->tags, name);
    if (tag->form == UNREADABLE || (serial->foreign && tag->form && tag->form != FOREIGN))
        return UNSAFE; /* in SVG and MathML these names are serialised otherwise, and where they end is hard to tell */
    TRY(read_attributes(&serial->at, serial->end, &serial->walk.attributes));
    TRY(walk_start(&serial->walk, tag->kind, tag->form));
    if (tag->form == VOID)
        return OK;
    Span *open = array_room(serial->open, serial->depth, &serial->held, sizeof *open);
    if (open == NULL)
        return FAILED;
    serial->open = open;
    open[serial->depth++] = name;
    serial->foreign += tag->form == FOREIGN;
    if (tag->form != RAW)
        return OK;
    const char *end = raw_end(serial, name);
    if (end == NULL)
        return UNSAFE;
    TRY(walk_text(&serial->walk, (Span){serial->at, end - serial->at}, 1));
    serial->at = end;
    return OK;
}

static int
end_tag(Serial *serial)
{
    if (serial->depth == 0)
        return UNSAFE;
    const Span name = serial->open[serial->depth - 1];
    const char *at = serial->at;
    if (serial->end - at < name.size + 3 || at[name.size + 2] != '>' || memcmp(at + 2, name.begin, (size_t)name.size) != 0)
        return UNSAFE;
    serial->at += name.size + 3;
    serial->depth--;
    serial->foreign -= find_tag(serial->tags, name)->form == FOREIGN;
    return walk_end(&serial->walk);
}

static int
run(Serial *serial)
{
    while (serial->at < serial->end) {
        if (*serial->at != '<') {
            const char *next = memchr(serial->at, '<', (size_t)(serial->end - serial->at));
            if (next == NULL || serial->depth == 0)
                return UNSAFE;
            TRY(walk_text(&serial->walk, (Span){serial->at, next - serial->at}, 0));
            serial->at = next;
        }
        const char *mark = serial->at + 1;
        Py_ssize_t left = serial->end - mark;
        if (left >= 1 && *mark == '/')
            TRY(end_tag(serial));
        else if (left >= 1 && (*mark == '!' || *mark == '?')) {
            int comment = left >= 3 && memcmp(mark, "!--", 3) == 0;
            const char *end = comment ? find_bytes(mark + 3, serial->end, "-->", 3) : memchr(mark, '>', (size_t)left);
            if (end == NULL)
                return UNSAFE;
            serial->at = end + (comment ? 3 : 1);
            TRY(walk_comment(&serial->walk));
        }
        else {
            serial->at = mark;
            TRY(start_tag(serial));
        }
    }
    return serial->depth ? UNSAFE : OK;
}

/* walk(html, tags, is_hidden, link_type, entities) -> (text, links, outline's columns, heads), or None: leave it to
 * Python */
PyObject *
core_walk(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 5 || !PyUnicode_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "walk(str, tags, callable, type, dict)");
        return NULL;
    }
    Serial serial = {.tags = tags_of(args[1])};
    if (serial.tags == NULL)
        return NULL;
    Py_ssize_t size;
    serial.at = PyUnicode_AsUTF8AndSize(args[0], &size);
    if (serial.at == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
            return NULL;
        PyErr_Clear(); /* half a character: nothing that UTF-8 can say */
        Py_RETURN_NONE;
    }
    serial.end = serial.at + size;
    int status = walk_begin(&serial.walk, args + 2, size);
    if (status == OK)
        status = memchr(serial.at, '\0', (size_t)size) != NULL ? UNSAFE : run(&serial);
    PyMem_Free(serial.open);
    return walk_result(&serial.walk, status);
}
