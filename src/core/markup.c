#include "markup.h"

static const char *const CAPSULE = "dowse._core.tags";

/* What is known of elements; what several lines say of one adds up. */
static const struct {
    const char *names;
    int form, role, rules;
} KNOWN[] = {
    /* what they hold: nothing, or text without tags and references */
    {"area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr", VOID, 0, 0},
    {"iframe noembed noframes noscript script style xmp", RAW, 0, 0},
    /* how trees are built with them */
    {"frame frameset image math plaintext rb rp rt rtc template xmp", 0, R_DOUBT, 0},
    {"svg", 0, R_SVG, 0},
    {"html", 0, R_HTML, SPECIAL | SCOPE},
    {"head", 0, R_HEAD, SPECIAL},
    {"body", 0, R_BODY, SPECIAL},
    {"p", 0, R_P, ENDS_P | SPECIAL | PASSED | OPTIONAL},
    {"li", 0, R_LI, ENDS_P | SPECIAL | OPTIONAL},
    {"dd dt", 0, R_DD, ENDS_P | SPECIAL | OPTIONAL},
    {"h1 h2 h3 h4 h5 h6", 0, R_HEADING, ENDS_P | SPECIAL},
    {"pre listing", 0, R_PRE, BLOCK | ENDS_P | SPECIAL},
    {"form", 0, R_FORM, ENDS_P | SPECIAL},
    {"button", 0, R_BUTTON, BLOCK | SPECIAL},
    {"a", 0, R_A, FORMATTING},
    {"nobr", 0, R_NOBR, FORMATTING},
    {"br", 0, R_BR, SPECIAL},
    {"title textarea", 0, R_TEXT, SPECIAL | APART},
    {"select", 0, R_SELECT, SPECIAL},
    {"option", 0, R_OPTION, OPTIONAL},
    {"optgroup", 0, R_OPTGROUP, OPTIONAL},
    {"applet marquee object", 0, R_OBJECT, SPECIAL | SCOPE},
    {"table", 0, R_TABLE, SPECIAL | SCOPE | APART},
    {"caption", 0, R_CAPTION, SPECIAL | SCOPE | PART},
    {"colgroup", 0, R_COLGROUP, SPECIAL | PART},
    {"col", 0, R_COL, SPECIAL | PART},
    {"tbody tfoot thead", 0, R_ROWS, SPECIAL | PART},
    {"tr", 0, R_ROW, SPECIAL | PART},
    {"td th", 0, R_CELL, SPECIAL | SCOPE | PART},
    {"b big code em font i s small strike strong tt u", 0, 0, FORMATTING},
    {"address div", 0, 0, BLOCK | ENDS_P | SPECIAL | PASSED},
    {"article aside blockquote center details dir dl fieldset figcaption figure footer header hgroup main menu "
     "nav search section summary",
     0, 0, BLOCK | ENDS_P | SPECIAL},
    {"ol ul", 0, R_LIST, BLOCK | ENDS_P | SPECIAL},
    {"dialog", 0, 0, BLOCK | ENDS_P},
    {"hr", 0, 0, ENDS_P | SPECIAL},
    {"base basefont bgsound link meta noframes noscript script style title", 0, 0, IN_HEAD | SPECIAL},
    {"area embed img input keygen wbr", 0, 0, SPECIAL},
    {"iframe noembed param source track", 0, 0, SPECIAL | APART},
};

static unsigned
place_of(Span name)
{
    const unsigned char *bytes = (const unsigned char *)name.begin;
    return ((unsigned)name.size * 31u + bytes[0] * 7u + bytes[name.size - 1] * 17u + bytes[name.size / 2] * 3u) & 511u;
}

/* Where a name is, or where it belongs. A table is never full: see `core_tags`. */
static Tag *
entry_of(Tags *tags, Span name)
{
    unsigned place = place_of(name);
    while (tags->entries[place].size) {
        Tag *tag = &tags->entries[place];
        if (tag->size == name.size && memcmp(tag->name, name.begin, (size_t)name.size) == 0)
            break;
        place = (place + 1) & 511u;
    }
    return &tags->entries[place];
}

static Tag *
take_up(Tags *tags, Span name)
{
    Tag *tag = entry_of(tags, name);
    memcpy(tag->name, name.begin, (size_t)name.size);
    tag->size = (unsigned char)name.size;
    return tag;
}

const Tag *
find_tag(const Tags *tags, Span name)
{
    static const Tag unknown;
    if (name.size > (Py_ssize_t)sizeof unknown.name)
        return &unknown;
    return entry_of((Tags *)tags, name); /* an empty entry is as good as the unknown one */
}

static void
free_tags(PyObject *capsule)
{
    PyMem_Free(PyCapsule_GetPointer(capsule, CAPSULE));
}

Tags *
tags_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, CAPSULE);
}

/* tags({name: kind}) -> a table for `read` */
PyObject *
core_tags(PyObject *module, PyObject *names)
{
    (void)module;
    if (!PyDict_Check(names) || PyDict_GET_SIZE(names) > 150) {
        PyErr_SetString(PyExc_ValueError, "a dict of at most 150 names is wanted");
        return NULL;
    }
    Tags *tags = PyMem_Calloc(1, sizeof *tags);
    if (tags == NULL)
        return PyErr_NoMemory();
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(names, &position, &key, &value)) {
        Span name;
        name.begin = PyUnicode_AsUTF8AndSize(key, &name.size);
        long kind = PyLong_AsLong(value);
        if (name.begin == NULL || PyErr_Occurred())
            goto failed;
        if (name.size < 1 || name.size > (Py_ssize_t)sizeof tags->entries[0].name || kind < -1000 || kind > BREAK) {
            PyErr_SetString(PyExc_ValueError, "names have 1 to 15 bytes, kinds go up to 13");
            goto failed;
        }
        take_up(tags, name)->kind = (int)kind;
    }
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        for (const char *at = KNOWN[i].names; *at; at += *at == ' ') {
            Span name = {at, 0};
            for (; *at && *at != ' '; at++)
                name.size++;
            Tag *tag = take_up(tags, name);
            tag->form |= KNOWN[i].form;
            tag->role |= KNOWN[i].role;
            tag->rules |= KNOWN[i].rules;
        }
    PyObject *capsule = PyCapsule_New(tags, CAPSULE, free_tags);
    if (capsule != NULL)
        return capsule;
failed:
    PyMem_Free(tags);
    return NULL;
}

const char *
find_bytes(const char *begin, const char *end, const char *what, Py_ssize_t size)
{
    while (end - begin >= size) {
        const char *found = memchr(begin, what[0], (size_t)(end - begin - size + 1));
        if (found == NULL)
            return NULL;
        if (memcmp(found, what, (size_t)size) == 0)
            return found;
        begin = found + 1;
    }
    return NULL;
}

/* Does `what`, in lower case, occur in a text, in whatever case? */
int
holds(Span text, const char *what)
{
    Py_ssize_t size = (Py_ssize_t)strlen(what);
    for (Py_ssize_t start = 0; start + size <= text.size; start++) {
        Py_ssize_t i = 0;
        while (i < size && Py_TOLOWER(text.begin[start + i]) == what[i])
            i++;
        if (i == size)
            return 1;
    }
    return 0;
}
