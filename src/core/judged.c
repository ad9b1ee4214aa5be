/* What judged pages turned out to be, counted: Siblings.count() and Tables.judged_one() of predict/learning. */

#include "record.h"

/* count_links(base, groups, pages, places, times, values) -> is it done? */
PyObject *
core_count_links(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    static const Py_ssize_t items[6] = {4, sizeof(Counted), 8, 8, 0, 8};
    if (count != 6) {
        PyErr_SetString(PyExc_TypeError, "count_links(base, groups, pages, places, times, values)");
        return NULL;
    }
    Py_buffer buffers[6] = {{0}};
    PyObject *answer = NULL;
    double times = PyFloat_AsDouble(args[4]);
    if (times == -1.0 && PyErr_Occurred())
        return NULL;
    if (get_arrays(args, 6, items, 1u << 1, buffers) < 0)
        goto done;
    Tables tables = {
        .base = buffers[0].buf, .groups = buffers[1].buf,
        .pages = buffers[0].len / items[0], .n_groups = buffers[1].len / items[1],
    };
    const int64_t *pages = buffers[2].buf, *places = buffers[3].buf;
    const double *values = buffers[5].buf;
    Py_ssize_t links = buffers[2].len / 8;
    if (buffers[3].len / 8 != links || buffers[5].len / 8 != links) {
        PyErr_SetString(PyExc_ValueError, "as many places and values as pages are wanted");
        goto done;
    }
    int is_done = 1;
    for (Py_ssize_t i = 0; i < links && is_done; i++)
        is_done = is_link(&tables, pages[i], places[i]);
    for (Py_ssize_t i = 0; i < links && is_done; i++)
        count_link(&tables, pages[i], places[i], (Counted){times, values[i]});
    answer = PyBool_FromLong(is_done);
done:
    release_arrays(buffers, 6);
    return answer;
}

/* count_page(record, base, groups, tokens, sites, value) -> is it done? */
PyObject *
core_count_page(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    static const Py_ssize_t items[6] = {sizeof(Record), 4, sizeof(Counted), sizeof(CountedToken), sizeof(Counted), 0};
    if (count != 6) {
        PyErr_SetString(PyExc_TypeError, "count_page(record, base, groups, tokens, sites, value)");
        return NULL;
    }
    Py_buffer buffers[6] = {{0}};
    PyObject *answer = NULL;
    double value = PyFloat_AsDouble(args[5]);
    if (value == -1.0 && PyErr_Occurred())
        return NULL;
    if (get_arrays(args, 6, items, ~0u << 2, buffers) < 0)
        goto done;
    Tables tables = {
        buffers[1].buf, buffers[2].buf, NULL, buffers[3].buf, buffers[4].buf,
        buffers[1].len / items[1], buffers[2].len / items[2], buffers[4].len / items[4],
    };
    if (buffers[0].len / items[0] != 1 || buffers[3].len / items[3] != BUCKETS) {
        PyErr_SetString(PyExc_ValueError, "one record and tables of other sizes are wanted");
        goto done;
    }
    const Record *record = buffers[0].buf;
    int links = record->parents < PARENTS ? record->parents : PARENTS;
    int is_done = !PY_BIG_ENDIAN && record->site >= 0 && record->site < tables.n_sites;
    for (int i = 0; i < links && is_done; i++)
        is_done = is_link(&tables, record->page[i], record->place[i]);
    if (is_done) {
        tables.sites[record->site].pages += 1.0;
        tables.sites[record->site].value += value;
        for (int i = 0; i < links; i++)
            count_link(&tables, record->page[i], record->place[i], (Counted){1.0, value});
        for (int i = 0; i < WIDTH; i++)
            if (record->token[i]) {
                tables.tokens[record->token[i] & (BUCKETS - 1)].pages += 1.0f;
                tables.tokens[record->token[i] & (BUCKETS - 1)].value += (float)value;
            }
    }
    answer = PyBool_FromLong(is_done);
done:
    release_arrays(buffers, 6);
    return answer;
}
