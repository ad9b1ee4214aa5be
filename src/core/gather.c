/* The links of a page, made distinct: gather() of parse/links.py. */

#include "core.h"

enum { HREF, ANCHOR, REL, PARAGRAPH, ELEMENT, FIELDS };                                       /* of a link */
enum { URLS, COUNTS, ANCHORS, RELS, POSITIONS, MENTIONED, PARAGRAPHS, ELEMENTS, TEXTS, COLUMNS };

typedef struct {
    PyObject *known, *resolve, *nofollow, *max_links;
    PyObject *columns[COLUMNS], *rows, *refused;
    Py_ssize_t most, nowhere;
    int page_nofollow;
} Gatherer;

static int
append_number(PyObject *list, Py_ssize_t value)
{
    PyObject *number = PyLong_FromSsize_t(value);
    int status = number == NULL ? -1 : PyList_Append(list, number);
    Py_XDECREF(number);
    return status;
}

static int
count_one(PyObject *counts, PyObject *key)
{
    PyObject *before = PyDict_GetItemWithError(counts, key);
    if (before == NULL && PyErr_Occurred())
        return -1;
    PyObject *number = PyLong_FromSsize_t(before == NULL ? 1 : PyLong_AsSsize_t(before) + 1);
    int status = number == NULL ? -1 : PyDict_SetItem(counts, key, number);
    Py_XDECREF(number);
    return status;
}

static int
says_nofollow(Gatherer *gatherer, PyObject *rel)
{
    if (gatherer->page_nofollow || PyUnicode_GET_LENGTH(rel) == 0)
        return gatherer->page_nofollow;
    PyObject *tokens = PyUnicode_Split(rel, NULL, -1);
    int found = tokens == NULL ? -1 : PySequence_Contains(tokens, gatherer->nofollow);
    Py_XDECREF(tokens);
    return found;
}

/* (canonical target, rule that refuses it): a new reference to what is known of a link's address, or is found now. */
static PyObject *
target_of(Gatherer *gatherer, PyObject *href)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(href), mark = PyUnicode_FindChar(href, '#', 0, size, 1);
    if (mark == -2 || (href = mark < 0 ? Py_NewRef(href) : PyUnicode_Substring(href, 0, mark)) == NULL)
        return NULL;
    PyObject *target = PyDict_GetItemWithError(gatherer->known, href);
    if (target != NULL)
        Py_INCREF(target);
    else if (!PyErr_Occurred())
        target = PyObject_CallOneArg(gatherer->resolve, href);
    Py_DECREF(href);
    if (target != NULL && (!PyTuple_Check(target) || PyTuple_GET_SIZE(target) != 2 ||
                           !PyUnicode_Check(PyTuple_GET_ITEM(target, 0)) || !PyUnicode_Check(PyTuple_GET_ITEM(target, 1)))) {
        PyErr_SetString(PyExc_TypeError, "a target and a rule are wanted");
        Py_CLEAR(target);
    }
    return target;
}

/* The row of a link's target, a new one where it has none; -1: it has none, it is refused or no link; -2: an exception. */
static Py_ssize_t
row_of(Gatherer *gatherer, PyObject *link, PyObject *target, Py_ssize_t position)
{
    PyObject *url = PyTuple_GET_ITEM(target, 0), *reason = PyTuple_GET_ITEM(target, 1);
    if (PyUnicode_GET_LENGTH(url) == 0 && PyUnicode_GET_LENGTH(reason) == 0) {
        gatherer->nowhere++;
        return -1;
    }
    int nofollow = says_nofollow(gatherer, PyTuple_GET_ITEM(link, REL));
    if (nofollow < 0)
        return -2;
    if (nofollow)
        reason = gatherer->nofollow;
    PyObject *known = PyDict_GetItemWithError(gatherer->rows, url);
    if (known == NULL && PyErr_Occurred())
        return -2;
    Py_ssize_t rows = PyDict_GET_SIZE(gatherer->rows);
    if (PyUnicode_GET_LENGTH(reason) == 0 && known == NULL && rows >= gatherer->most)
        reason = gatherer->max_links;
    if (PyUnicode_GET_LENGTH(reason))
        return count_one(gatherer->refused, reason) < 0 ? -2 : -1;
    if (known != NULL)
        return PyLong_AsSsize_t(known);
    PyObject *row = PyLong_FromSsize_t(rows);
    int status = row == NULL ? -1 : PyDict_SetItem(gatherer->rows, url, row);
    Py_XDECREF(row);
    PyObject *const *columns = gatherer->columns;
    if (status < 0 || PyList_Append(columns[URLS], url) < 0 || append_number(columns[COUNTS], 0) < 0 ||
        PyList_Append(columns[ANCHORS], PyTuple_GET_ITEM(link, ANCHOR)) < 0 ||
        PyList_Append(columns[RELS], PyTuple_GET_ITEM(link, REL)) < 0 || append_number(columns[POSITIONS], position) < 0)
        return -2;
    return rows;
}

static int
add_mention(PyObject *const *columns, PyObject *link, Py_ssize_t row)
{
    PyObject *anchor = PyTuple_GET_ITEM(link, ANCHOR);
    PyObject *count = PyLong_FromSsize_t(PyLong_AsSsize_t(PyList_GET_ITEM(columns[COUNTS], row)) + 1);
    if (count == NULL || PyList_SetItem(columns[COUNTS], row, count) < 0)
        return -1;
    if (PyUnicode_GET_LENGTH(anchor) > PyUnicode_GET_LENGTH(PyList_GET_ITEM(columns[ANCHORS], row)) &&
        PyList_SetItem(columns[ANCHORS], row, Py_NewRef(anchor)) < 0)
        return -1;
    return append_number(columns[MENTIONED], row) < 0 ||
                   PyList_Append(columns[PARAGRAPHS], PyTuple_GET_ITEM(link, PARAGRAPH)) < 0 ||
                   PyList_Append(columns[ELEMENTS], PyTuple_GET_ITEM(link, ELEMENT)) < 0 ||
                   PyList_Append(columns[TEXTS], anchor) < 0
               ? -1
               : 0;
}

static int
gather_one(Gatherer *gatherer, PyObject *link, Py_ssize_t position)
{
    if (!PyTuple_Check(link) || PyTuple_GET_SIZE(link) != FIELDS || !PyUnicode_Check(PyTuple_GET_ITEM(link, HREF)) ||
        !PyUnicode_Check(PyTuple_GET_ITEM(link, ANCHOR)) || !PyUnicode_Check(PyTuple_GET_ITEM(link, REL))) {
        PyErr_SetString(PyExc_TypeError, "links are wanted");
        return -1;
    }
    PyObject *target = target_of(gatherer, PyTuple_GET_ITEM(link, HREF));
    if (target == NULL)
        return -1;
    Py_ssize_t row = row_of(gatherer, link, target, position);
    Py_DECREF(target);
    return row == -2 ? -1 : row == -1 ? 0 : add_mention(gatherer->columns, link, row);
}

/* gather(links, known targets, resolve, most rows, nofollow) -> the fields of Gathered */
PyObject *
core_gather(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 5 || !PyList_Check(args[0]) || !PyDict_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "gather(list, dict, callable, int, bool)");
        return NULL;
    }
    Gatherer gatherer = {.known = args[1], .resolve = args[2], .most = PyLong_AsSsize_t(args[3])};
    int status = gatherer.most == -1 && PyErr_Occurred() ? -1 : 0;
    if (status < 0 || (gatherer.page_nofollow = PyObject_IsTrue(args[4])) < 0)
        return NULL;
    gatherer.nofollow = PyUnicode_InternFromString("nofollow");
    gatherer.max_links = PyUnicode_InternFromString("max-links");
    gatherer.rows = PyDict_New();
    gatherer.refused = PyDict_New();
    PyObject **columns = gatherer.columns, *result = NULL;
    status = gatherer.nofollow && gatherer.max_links && gatherer.rows && gatherer.refused ? 0 : -1;
    for (int i = 0; status == 0 && i < COLUMNS; i++)
        status = (columns[i] = PyList_New(0)) == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; status == 0 && i < PyList_GET_SIZE(args[0]); i++) {
        PyObject *link = Py_NewRef(PyList_GET_ITEM(args[0], i));
        status = gather_one(&gatherer, link, i);
        Py_DECREF(link);
    }
    if (status == 0)
        result = Py_BuildValue("(OOOOOOOOOnO)", columns[URLS], columns[COUNTS], columns[ANCHORS], columns[RELS],
                               columns[POSITIONS], columns[MENTIONED], columns[PARAGRAPHS], columns[ELEMENTS], columns[TEXTS],
                               PyList_GET_SIZE(args[0]) - gatherer.nowhere, gatherer.refused);
    for (int i = 0; i < COLUMNS; i++)
        Py_XDECREF(columns[i]);
    Py_XDECREF(gatherer.rows);
    Py_XDECREF(gatherer.refused);
    Py_XDECREF(gatherer.nofollow);
    Py_XDECREF(gatherer.max_links);
    return result;
}
