/* Is a page surely cheap for a tree builder? See parse/bounds.py, parse/openings.py and parse/markup.py. */

#include "markup.h"
#include "source.h"

enum {
    BARRIER_BIT = 1 << 0, SPECIAL_BIT = 1 << 1, SCOPED_BIT = 1 << 2, FORMATTING_BIT = 1 << 3, NEVER_OPEN = 1 << 4,
    LEAVES_SVG = 1 << 5, NEVER_OPEN_IN_SVG = 1 << 6, HTML_INSIDE = 1 << 7, ENDS_PARAGRAPH = 1 << 8, PART_BIT = 1 << 9,
    CELL = 1 << 10, P = 1 << 11, LI = 1 << 12, DD = 1 << 13, OPTION = 1 << 14, A = 1 << 15, NOBR = 1 << 16,
    ROOT = 1 << 17, FORM = 1 << 18, TABLE = 1 << 19, FOREIGN_BIT = 1 << 20, SELECT = 1 << 21, TEMPLATE_BIT = 1 << 22,
    FRAMESET = 1 << 23, COLUMN = 1 << 24, TITLE_BIT = 1 << 25, STOPS_P = 1 << 26, STOPS_LI = 1 << 27,
    RAW_BIT = 1 << 28, /* given with the names: the text inside has no tags, */
    ITEM = LI | DD | OPTION,
};
enum { LOOK_BACK = 32, MOVED_BLOCKS = 6, ALIKE = 3, WITH_TABLE = 4, NODE = 192, BYTE = 4, TURNS = 8, COPIED = 16 };
enum { MOST_OPEN_FORMATS = 256 }; /* of more, Python keeps the books */

static const char *const CAPSULE = "dowse._core.sorts";

enum { GAP = 1, ENDS_NAME = 2, ENDS_ATTRIBUTE = 4, ENDS_VALUE = 8 }; /* what a byte is in a tag */

static const unsigned char CLASS[256] = {
    [' '] = GAP | ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE, ['\t'] = GAP | ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE,
    ['\n'] = GAP | ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE, ['\f'] = GAP | ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE,
    ['\r'] = GAP | ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE, ['/'] = ENDS_NAME | ENDS_ATTRIBUTE,
    ['>'] = ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE, ['='] = ENDS_ATTRIBUTE,
};

/* A name in small letters: its first bytes as numbers, so that most are compared at once. */
typedef struct {
    uint64_t first, second;
    Span written;
} Name;

typedef struct {
    Name name; /* of no size: none */
    int sort;
} Sort;

typedef struct {
    Sort entries[512];
} Sorts;

typedef struct {
    Name name;
    Span written;
    int sort, cell;
} Opened;

typedef struct {
    const Sorts *sorts;
    const char *at, *end;
    Opened *stack;
    Py_ssize_t depth, held;
    Span formats[MOST_OPEN_FORMATS]; /* those of the stack, in any order */
    int format_count;
    int64_t cost, format_cost;
    Py_ssize_t fostered, merged;
    Py_ssize_t foreign, selects, tables, templates, paragraphs;
    int ark, form, cell, pure, odd;
    Name title;
    const char *cdata_end;
} Reckoning;

/* One tag as it is read. */
typedef struct {
    Name name;
    Span written;
    int is_end, closed, sort;
    Py_ssize_t attributes, count; /* bytes of them; how many */
} Read;

static int
is_gap(char byte)
{
    return CLASS[(unsigned char)byte] & GAP;
}

/* The name that begins here, up to what ends it. */
static Name
name_at(const char *at, const char *end)
{
    Name name = {0, 0, {at, 0}};
    Py_ssize_t size = 0;
    for (; at < end && !(CLASS[(unsigned char)*at] & ENDS_NAME); at++, size++) {
        const uint64_t letter = (unsigned char)Py_TOLOWER(*at);
        if (size < 8)
            name.first |= letter << 8 * size;
        else if (size < 16)
            name.second |= letter << 8 * (size - 8);
    }
    name.written.size = size;
    return name;
}

static int
is_same(const Name *one, const Name *other)
{
    const Py_ssize_t size = one->written.size;
    if (one->first != other->first || one->second != other->second || size != other->written.size)
        return 0;
    return size <= 16 || PyOS_strnicmp(one->written.begin + 16, other->written.begin + 16, size - 16) == 0;
}

static Sort *
entry_of(const Sorts *sorts, const Name *name)
{
    uint64_t mixed = (name->first ^ name->second * UINT64_C(0xC2B2AE3D27D4EB4F)) * UINT64_C(0x9E3779B97F4A7C15);
    for (unsigned place = (unsigned)(mixed >> 55);; place++) {
        const Sort *entry = &sorts->entries[place % 512];
        if (entry->name.written.size == 0 || is_same(name, &entry->name))
            return (Sort *)entry;
    }
}

static void
free_sorts(PyObject *capsule)
{
    PyMem_Free(PyCapsule_GetPointer(capsule, CAPSULE));
}

/* sorts({name: bits}) -> a table for `cheap_bytes` */
PyObject *
core_sorts(PyObject *module, PyObject *names)
{
    (void)module;
    if (!PyDict_Check(names) || PyDict_GET_SIZE(names) > 250) {
        PyErr_SetString(PyExc_ValueError, "a dict of at most 250 names is wanted");
        return NULL;
    }
    Sorts *sorts = PyMem_Calloc(1, sizeof *sorts);
    if (sorts == NULL)
        return PyErr_NoMemory();
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(names, &position, &key, &value)) {
        Name name = {0, 0, {NULL, 0}};
        if (PyBytes_Check(key))
            name = name_at(PyBytes_AS_STRING(key), PyBytes_AS_STRING(key) + PyBytes_GET_SIZE(key));
        long sort = PyLong_AsLong(value);
        if (name.written.size < 1 || name.written.size > 16 || PyErr_Occurred()) {
            PyMem_Free(sorts);
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "names have 1 to 16 bytes");
            return NULL;
        }
        Sort *entry = entry_of(sorts, &name);
        name.written.begin = NULL; /* it need not live as long as this */
        *entry = (Sort){name, (int)sort};
    }
    PyObject *capsule = PyCapsule_New(sorts, CAPSULE, free_sorts);
    if (capsule == NULL)
        PyMem_Free(sorts);
    return capsule;
}

/* A tag, from its "<" to behind its ">"; UNSAFE where the page ends within it. */
static int
read_tag(Reckoning *reckoning, Read *tag)
{
    const char *at = reckoning->at, *end = reckoning->end;
    tag->written.begin = at++;
    tag->is_end = *at == '/';
    tag->name = name_at(at + tag->is_end, end);
    at = tag->name.written.begin + tag->name.written.size;
    tag->attributes = tag->count = 0;
    for (const char *first = at;;) {
        const char *mark = at;
        while (at < end && (is_gap(*at) || *at == '/'))
            at++;
        if (at == end)
            return UNSAFE;
        if (*at == '>') {
            tag->closed = at > mark && at[-1] == '/';
            break;
        }
        for (at++; at < end && !(CLASS[(unsigned char)*at] & ENDS_ATTRIBUTE);)
            at++;
        while (at < end && is_gap(*at))
            at++;
        if (at < end && *at == '=') {
            for (at++; at < end && is_gap(*at);)
                at++;
            if (at < end && (*at == '"' || *at == '\'')) {
                const char *close = memchr(at + 1, *at, (size_t)(end - at - 1));
                if (close == NULL)
                    return UNSAFE;
                at = close + 1;
            }
            else
                while (at < end && !(CLASS[(unsigned char)*at] & ENDS_VALUE))
                    at++;
        }
        tag->count++;
        tag->attributes = at - first;
    }
    reckoning->at = at + 1;
    tag->written.size = reckoning->at - tag->written.begin;
    tag->sort = entry_of(reckoning->sorts, &tag->name)->sort;
    return OK;
}

/* Moves behind "<!--a-->", "<!a>", "<?a>" or "</ a>". */
static void
pass_comment(Reckoning *reckoning)
{
    const char *at = reckoning->at, *end = reckoning->end;
    if (end - at < 4 || memcmp(at, "<!--", 4) != 0) {
        at = memchr(at, '>', (size_t)(end - at));
        reckoning->at = at == NULL ? end : at + 1;
        return;
    }
    at += 4;
    if (at < end && *at == '>')
        at += 1;
    else if (end - at >= 2 && at[0] == '-' && at[1] == '>')
        at += 2;
    else {
        for (;; at++) {
            at = find_bytes(at, end, "--", 2);
            if (at == NULL || (end - at > 2 && at[2] == '>') || (end - at > 3 && at[2] == '!' && at[3] == '>'))
                break;
        }
        at = at == NULL ? end : at + 3 + (at[2] == '!');
    }
    reckoning->at = at;
}

static int
is_named(Span name, const char *other, Py_ssize_t size)
{
    return name.size == size && PyOS_strnicmp(name.begin, other, size) == 0;
}

/* Is there an end or a start tag of that name here, of which "<" or "</" was read? */
static int
is_tag_of(const char *at, const char *end, Span name)
{
    return end - at > name.size && PyOS_strnicmp(at, name.begin, name.size) == 0 &&
           (is_gap(at[name.size]) || at[name.size] == '/' || at[name.size] == '>');
}

/* Where the end tag of a script begins, or the page ends. */
static const char *
script_end(const char *at, const char *end)
{
    static const Span script = {"script", 6};
    int state = 0; /* 1 behind "<!--", 2 behind "<script" in there */
    for (; at < end; at++) {
        if (*at == '<') {
            if (end - at >= 4 && memcmp(at, "<!--", 4) == 0) {
                if (state == 0) {
                    state = 1;
                    at++; /* "<!-->" is both */
                }
                else
                    at += 3;
            }
            else if (end - at >= 2 && at[1] == '/' && is_tag_of(at + 2, end, script)) {
                if (state != 2)
                    return at;
                state = 1;
                at += 8;
            }
            else if (is_tag_of(at + 1, end, script)) {
                state = state ? 2 : 0;
                at += 7;
            }
        }
        else if (*at == '-' && end - at >= 3 && at[1] == '-' && at[2] == '>') {
            state = 0;
            at += 2;
        }
    }
    return end;
}

static const char *
raw_end(const char *at, const char *end, Span name)
{
    if (is_named(name, "plaintext", 9))
        return end;
    if (is_named(name, "script", 6))
        return script_end(at, end);
    for (; (at = find_bytes(at, end, "</", 2)) != NULL; at += 2)
        if (is_tag_of(at + 2, end, name))
            return at;
    return end;
}

/* 1, 0, or -1: perhaps. See `Openings.raw_is_certain`. */
static int
raw_is_certain(const Reckoning *reckoning)
{
    if (reckoning->foreign)
        return reckoning->pure ? 0 : -1;
    return reckoning->selects || reckoning->odd ? -1 : 1;
}

static void
charge(Reckoning *reckoning, int sort)
{
    const Py_ssize_t depth = reckoning->depth + WITH_TABLE * reckoning->tables;
    reckoning->cost += 1 + (sort & FORMATTING_BIT ? TURNS : 1) * depth + reckoning->format_cost +
                       reckoning->fostered / COPIED;
}

/* How many formatting elements that are open were written like this. */
static int
count_alike(const Reckoning *reckoning, Span written, int *last)
{
    int alike = 0;
    for (int i = 0; i < reckoning->format_count; i++) {
        Span other = reckoning->formats[i];
        if (other.size == written.size && memcmp(other.begin, written.begin, (size_t)written.size) == 0) {
            alike++;
            *last = i;
        }
    }
    return alike;
}

static int
open_format(Reckoning *reckoning, Span written)
{
    int last;
    if (reckoning->format_count == MOST_OPEN_FORMATS)
        return UNSAFE;
    if (count_alike(reckoning, written, &last) < ALIKE)
        reckoning->format_cost += NODE + BYTE * written.size;
    else
        reckoning->ark = 1;
    reckoning->formats[reckoning->format_count++] = written;
    return OK;
}

static void
close_format(Reckoning *reckoning, Span written)
{
    int last = 0;
    if (count_alike(reckoning, written, &last) <= ALIKE)
        reckoning->format_cost -= NODE + BYTE * written.size;
    reckoning->formats[last] = reckoning->formats[--reckoning->format_count];
}

static int
open_tag(Reckoning *reckoning, const Read *tag)
{
    Opened *stack = array_room(reckoning->stack, reckoning->depth, &reckoning->held, sizeof *stack);
    if (stack == NULL)
        return FAILED;
    reckoning->stack = stack;
    const int sort = tag->sort, fostered = sort & FORMATTING_BIT && reckoning->tables && !reckoning->cell;
    stack[reckoning->depth++] = (Opened){tag->name, tag->written, sort, reckoning->cell};
    if (fostered)
        stack[reckoning->depth - 1].name = (Name){'<', 0, {"<", 1}}; /* no tag has this name */
    if (sort & FORMATTING_BIT)
        return open_format(reckoning, tag->written);
    if (sort & FOREIGN_BIT && !reckoning->foreign)
        reckoning->pure = !(reckoning->selects || reckoning->odd);
    reckoning->paragraphs += (sort & P) != 0;
    reckoning->tables += (sort & TABLE) != 0;
    reckoning->foreign += (sort & FOREIGN_BIT) != 0;
    reckoning->selects += (sort & SELECT) != 0;
    reckoning->templates += (sort & TEMPLATE_BIT) != 0;
    reckoning->odd |= (sort & FRAMESET) != 0;
    reckoning->cell &= !(sort & TABLE);
    return OK;
}

static void
take_away(Reckoning *reckoning, Py_ssize_t place)
{
    const Opened one = reckoning->stack[place];
    reckoning->depth--;
    memmove(&reckoning->stack[place], &reckoning->stack[place + 1],
            (size_t)(reckoning->depth - place) * sizeof *reckoning->stack);
    const int sort = one.sort;
    if (sort & FORMATTING_BIT) {
        close_format(reckoning, one.written);
        return;
    }
    reckoning->paragraphs -= (sort & P) != 0;
    reckoning->foreign -= (sort & FOREIGN_BIT) != 0;
    reckoning->selects -= (sort & SELECT) != 0;
    reckoning->templates -= (sort & TEMPLATE_BIT) != 0;
    if (sort & TABLE) {
        reckoning->cell = one.cell;
        if (--reckoning->tables == 0)
            reckoning->fostered = 0;
    }
}

/* Takes away the innermost entry of that name, with none between that stops it. */
static void
close_tag(Reckoning *reckoning, const Name *name, int stop, int most_special)
{
    Py_ssize_t least = reckoning->depth > LOOK_BACK ? reckoning->depth - LOOK_BACK : 0;
    int special = 0;
    for (Py_ssize_t place = reckoning->depth - 1; place >= least; place--) {
        const Opened *one = &reckoning->stack[place];
        if (is_same(name, &one->name)) {
            if (special <= most_special)
                take_away(reckoning, place);
            return;
        }
        if (one->sort & stop)
            return;
        special += (one->sort & SPECIAL_BIT) != 0;
    }
}

static int
start_foreign(Reckoning *reckoning, const Read *tag)
{
    const int sort = tag->sort;
    reckoning->title.written.size = 0;
    if (reckoning->pure) {
        if (tag->closed && !(sort & LEAVES_SVG))
            return OK;
        if (sort & TITLE_BIT)
            reckoning->title = tag->name;
        reckoning->pure = !(sort & (LEAVES_SVG | HTML_INSIDE));
    }
    return sort & NEVER_OPEN_IN_SVG ? OK : open_tag(reckoning, tag);
}

static int
start_tag(Reckoning *reckoning, const Read *tag)
{
    static const Name p = {'p', 0, {"p", 1}};
    const int sort = tag->sort;
    charge(reckoning, sort & (A | NOBR) ? sort : 0);
    if (sort & ROOT) {
        reckoning->cost += tag->attributes / 2 * reckoning->merged;
        reckoning->merged += tag->attributes / 2;
    }
    if (reckoning->foreign)
        return start_foreign(reckoning, tag);
    if (sort & NEVER_OPEN) {
        if (sort & PART_BIT && reckoning->tables)
            reckoning->cell = sort & CELL && !reckoning->selects;
        reckoning->odd |= sort & COLUMN && reckoning->templates;
    }
    if (sort & ENDS_PARAGRAPH && reckoning->paragraphs)
        close_tag(reckoning, &p, BARRIER_BIT | STOPS_P, LOOK_BACK);
    if (sort & NEVER_OPEN)
        return OK;
    if (sort & ITEM && reckoning->depth && (reckoning->stack[reckoning->depth - 1].sort & ITEM) == (sort & ITEM))
        return OK;
    if (sort & FOREIGN_BIT && tag->closed)
        return OK;
    if (sort & A)
        close_tag(reckoning, &tag->name, BARRIER_BIT, LOOK_BACK);
    if (sort & FORM && !reckoning->templates) {
        if (reckoning->form)
            return OK;
        reckoning->form = 1;
    }
    return open_tag(reckoning, tag);
}

static void
end_tag(Reckoning *reckoning, const Read *tag)
{
    const int sort = tag->sort;
    charge(reckoning, sort);
    const Name title = reckoning->title;
    reckoning->title.written.size = 0;
    if (reckoning->foreign) {
        reckoning->pure |= is_same(&tag->name, &title);
        reckoning->pure &= is_same(&tag->name, &reckoning->stack[reckoning->depth - 1].name); /* SVG is open */
        close_tag(reckoning, &tag->name, BARRIER_BIT | SPECIAL_BIT, LOOK_BACK);
    }
    else if (sort & NEVER_OPEN)
        reckoning->cell &= !(sort & PART_BIT);
    else if (sort & FORM && !reckoning->templates) {
        if (reckoning->form)
            close_tag(reckoning, &tag->name, BARRIER_BIT, LOOK_BACK);
        reckoning->form = 0;
    }
    else if (sort & FORMATTING_BIT)
        close_tag(reckoning, &tag->name, BARRIER_BIT, reckoning->ark ? 0 : MOVED_BLOCKS);
    else {
        int stop = sort & SCOPED_BIT ? BARRIER_BIT : BARRIER_BIT | SPECIAL_BIT;
        stop |= sort & P ? STOPS_P : sort & LI ? STOPS_LI : 0;
        close_tag(reckoning, &tag->name, stop, LOOK_BACK);
    }
}

/* "<!" and the like. */
static int
comment(Reckoning *reckoning)
{
    const char *at = reckoning->at, *end = reckoning->end;
    reckoning->cost += 1 + reckoning->fostered / COPIED;
    pass_comment(reckoning);
    if (!reckoning->foreign || end - at < 9 || memcmp(at, "<![CDATA[", 9) != 0)
        return OK;
    if (reckoning->cdata_end < reckoning->at) {
        const char *found = find_bytes(at, end, "]]>", 3);
        reckoning->cdata_end = found == NULL ? end : found + 3;
    }
    if (raw_is_certain(reckoning) != 0 && reckoning->at != reckoning->cdata_end)
        return UNSAFE;
    reckoning->at = reckoning->cdata_end;
    return OK;
}

/* What is inside an element that has no tags in it; `is_raw` is 0 where it is one like others, or might as well be. */
static int
pass_raw(Reckoning *reckoning, const Read *tag, int *is_raw)
{
    const int certain = raw_is_certain(reckoning);
    *is_raw = 0;
    if (certain == 0)
        return OK;
    const char *end = raw_end(reckoning->at, reckoning->end, tag->name.written);
    const int frames = is_named(tag->name.written, "noframes", 8) && !reckoning->foreign && !reckoning->selects;
    if (certain < 0 && !frames)
        return memchr(reckoning->at, '<', (size_t)(end - reckoning->at)) == NULL ? OK : UNSAFE;
    *is_raw = 1;
    reckoning->cost += 1 + reckoning->fostered / COPIED;
    reckoning->at = end;
    return OK;
}

static int
is_space_only(const char *at, const char *end)
{
    while (at < end && (is_gap(*at) || *at == '\v'))
        at++;
    return at == end;
}

/* The whole page: OK where it is cheap, up to its end or to the last tag that is read of it. */
static int
reckon(Reckoning *reckoning, Py_ssize_t most_attributes, Py_ssize_t tags_left, int64_t most_cost)
{
    for (;;) {
        const char *text = reckoning->at, *at = text;
        for (;; at++) {
            at = memchr(at, '<', (size_t)(reckoning->end - at));
            if (at == NULL || at + 1 == reckoning->end)
                return OK;
            if (is_letter(at[1]) || at[1] == '/' || at[1] == '!' || at[1] == '?')
                break;
        }
        if (reckoning->tables && !reckoning->cell && !is_space_only(text, at))
            reckoning->fostered += at - text;
        reckoning->at = at;
        if (--tags_left < 0) {
            reckoning->end = at;
            return OK;
        }
        if (reckoning->cost > most_cost)
            return UNSAFE;
        if (!is_letter(at[1]) && !(at[1] == '/' && reckoning->end - at > 2 && is_letter(at[2]))) {
            TRY(comment(reckoning));
            continue;
        }
        Read tag;
        if (read_tag(reckoning, &tag) != OK)
            return OK; /* the page ends within it */
        if (tag.count > most_attributes)
            return UNSAFE;
        int is_raw = 0;
        if (tag.is_end)
            end_tag(reckoning, &tag);
        else if (tag.sort & RAW_BIT)
            TRY(pass_raw(reckoning, &tag, &is_raw));
        if (!tag.is_end && !is_raw)
            TRY(start_tag(reckoning, &tag));
    }
}

/* More "<" than that? In bytes, of which compilers make long vectors. */
static int
has_more_marks(const char *page, Py_ssize_t size, Py_ssize_t most)
{
    for (Py_ssize_t start = 0; start < size; start += 255) {
        const Py_ssize_t stop = size - start < 255 ? size : start + 255;
        unsigned char here = 0;
        for (Py_ssize_t i = start; i < stop; i++)
            here += page[i] == '<';
        most -= here;
    }
    return most < 0;
}

/* cheap_bytes(page, sorts, small, few_tags, most_attributes, most_tags, most_cost) -> how many bytes of the page `_Cutter`
 * takes over as they are, in one piece; -1: it cuts, or that is not certain */
PyObject *
core_cheap_bytes(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    Py_ssize_t numbers[5] = {0};
    if (count != 7 || !PyBytes_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "cheap_bytes(bytes, sorts, int, int, int, int, int)");
        return NULL;
    }
    for (int i = 0; i < 5; i++)
        numbers[i] = PyLong_AsSsize_t(args[2 + i]);
    const Sorts *sorts = PyCapsule_GetPointer(args[1], CAPSULE);
    if (sorts == NULL || PyErr_Occurred())
        return NULL;
    const char *page = PyBytes_AS_STRING(args[0]); /* ends with a NUL: the byte behind any other may be read */
    const Py_ssize_t size = PyBytes_GET_SIZE(args[0]);
    if (size <= numbers[0] && !has_more_marks(page, size, numbers[1]))
        return PyLong_FromSsize_t(size);
    Reckoning *reckoning = PyMem_Calloc(1, sizeof *reckoning);
    if (reckoning == NULL)
        return PyErr_NoMemory();
    reckoning->sorts = sorts;
    reckoning->at = reckoning->cdata_end = page;
    reckoning->end = page + size;
    int status = reckon(reckoning, numbers[2], numbers[3], numbers[4]);
    const Py_ssize_t bytes = status == OK ? reckoning->end - page : -1;
    PyMem_Free(reckoning->stack);
    PyMem_Free(reckoning);
    return status == FAILED ? NULL : PyLong_FromSsize_t(bytes);
}
