/* Which pages have a tree too deep: see parse/bounds.py. */

#include "core.h"

/* looks_deep(page, most_unclosed, most_tags) -> bool, or None: too many tags to tell by their number */
PyObject *
core_looks_deep(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 3 || !PyBytes_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "looks_deep(bytes, int, int)");
        return NULL;
    }
    const Py_ssize_t most_unclosed = PyLong_AsSsize_t(args[1]), most_tags = PyLong_AsSsize_t(args[2]);
    if (PyErr_Occurred())
        return NULL;
    const char *page = PyBytes_AS_STRING(args[0]); /* ends with a NUL: the byte behind any "<" may be read */
    const Py_ssize_t size = PyBytes_GET_SIZE(args[0]);
    Py_ssize_t tags = 0, ends = 0;
    for (Py_ssize_t start = 0; start < size; start += 255) { /* in bytes, of which compilers make long vectors */
        const Py_ssize_t stop = size - start < 255 ? size : start + 255;
        unsigned char here = 0, closing = 0;
        for (Py_ssize_t i = start; i < stop; i++) {
            here += page[i] == '<';
            closing += (page[i] == '<') & (page[i + 1] == '/');
        }
        tags += here;
        ends += closing;
    }
    if (tags <= most_unclosed)
        Py_RETURN_FALSE;
    if (tags > most_tags)
        Py_RETURN_NONE;
    const Py_ssize_t unclosed = tags - (page[size - 1] == '<') - 2 * ends;
    if (unclosed > most_unclosed)
        Py_RETURN_TRUE;
    Py_ssize_t balance = 0;
    for (const char *at = page; (at = memchr(at, '<', (size_t)(page + size - 1 - at))) != NULL; at++) {
        balance += at[1] == '/' ? -1 : 1;
        /* void elements are never closed: those of the whole page are taken to be spread over it */
        if ((double)balance - (double)unclosed * ((double)(at - page) / (double)size) > (double)most_unclosed)
            Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
}

enum { LONGEST = 15, PLACES = 512 }; /* letters of a name; more names than half of these is no honest page */
enum { NESTING, NOT_NESTING, FORMATTING_TAG };

typedef struct {
    char name[LONGEST];
    unsigned char size; /* 0: no name */
    int sort;
    Py_ssize_t open;
} Name;

typedef struct {
    Name names[PLACES];
    int count;
} Names;

/* A name's entry, made where there is none; NULL where there is no room. */
static Name *
name_entry(Names *all, const char *name, Py_ssize_t size)
{
    if (size > LONGEST || size == 0 || all->count > PLACES / 2)
        return NULL;
    unsigned place = (unsigned)size;
    for (Py_ssize_t i = 0; i < size; i++)
        place = place * 31u + (unsigned char)name[i];
    for (;; place++) {
        Name *entry = &all->names[place % PLACES];
        if (entry->size == size && memcmp(entry->name, name, (size_t)size) == 0)
            return entry;
        if (entry->size == 0) {
            memcpy(entry->name, name, (size_t)size);
            entry->size = (unsigned char)size;
            all->count++;
            return entry;
        }
    }
}

/* Takes up a set of names; -1 with an exception where it is none of short ones. */
static int
take_names(Names *all, PyObject *set, int sort)
{
    PyObject *name, *names = PyObject_GetIter(set);
    while (names != NULL && (name = PyIter_Next(names)) != NULL) {
        Name *entry = PyBytes_Check(name) ? name_entry(all, PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name)) : NULL;
        Py_DECREF(name);
        if (entry == NULL)
            PyErr_SetString(PyExc_ValueError, "a set of names of at most 15 bytes is wanted");
        else
            entry->sort = sort;
        if (entry == NULL)
            break;
    }
    Py_XDECREF(names);
    return PyErr_Occurred() ? -1 : 0;
}

/* is_flat(page, not_nesting, formatting, max_depth, max_formatting, max_tags) -> bool: would `_flatter` leave it alone?
 * False also where that is not certain. */
PyObject *
core_is_flat(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 6 || !PyBytes_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "is_flat(bytes, set, set, int, int, int)");
        return NULL;
    }
    Py_ssize_t most_depth = PyLong_AsSsize_t(args[3]), most_formatting = PyLong_AsSsize_t(args[4]);
    Py_ssize_t tags_left = PyLong_AsSsize_t(args[5]);
    if (PyErr_Occurred())
        return NULL;
    Names *all = PyMem_Calloc(1, sizeof *all);
    if (all == NULL)
        return PyErr_NoMemory();
    PyObject *result = NULL;
    if (take_names(all, args[1], NOT_NESTING) < 0 || take_names(all, args[2], FORMATTING_TAG) < 0)
        goto done;
    const char *at = PyBytes_AS_STRING(args[0]), *end = at + PyBytes_GET_SIZE(args[0]);
    Py_ssize_t depth = 0, formatting = 0;
    result = Py_False;
    while ((at = memchr(at, '<', (size_t)(end - at))) != NULL) {
        at++; /* behind the page there is a NUL, which is no part of a name */
        const int is_end = *at == '/';
        const char *begin = at + is_end;
        if (!Py_ISALPHA(*begin))
            continue;
        char name[LONGEST + 1];
        Py_ssize_t size = 0;
        for (at = begin; Py_ISALNUM(*at); at++)
            if (size <= LONGEST)
                name[size++] = (char)Py_TOLOWER(*at);
        Name *entry = name_entry(all, name, size);
        if (--tags_left < 0 || entry == NULL)
            goto done;
        if (entry->sort == NOT_NESTING)
            continue;
        const int is_formatting = entry->sort == FORMATTING_TAG;
        if (!is_end) {
            if (depth >= most_depth || (is_formatting && formatting >= most_formatting))
                goto done;
            entry->open++;
            depth++;
            formatting += is_formatting;
        }
        else if (entry->open > 0) {
            entry->open--;
            depth--;
            formatting -= is_formatting;
        }
    }
    result = Py_True;
done:
    PyMem_Free(all);
    return Py_XNewRef(result);
}
