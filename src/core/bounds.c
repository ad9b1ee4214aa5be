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
