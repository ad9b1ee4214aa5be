/* A page's links, noted at their targets, and counted where these are known: note_links() of
   predict/learning/notes.py. */

#include "record.h"
#include <math.h>

enum { MANY = 60000 };

static void
note_link(Record *record, int32_t page, uint16_t place)
{
    if (record->parents >= PARENTS) {
        memmove(record->page, record->page + 1, sizeof record->page - sizeof *record->page);
        memmove(record->place, record->place + 1, sizeof record->place - sizeof *record->place);
    }
    int slot = record->parents < PARENTS ? record->parents : PARENTS - 1;
    record->page[slot] = page;
    record->place[slot] = place;
    record->parents = (uint16_t)((record->parents < MANY ? record->parents : MANY - 1) + 1);
}

static void
note_context(Record *record, const float *similarity)
{
    for (int i = 0; i < CONTEXTS; i++) {
        float seen = isnan(similarity[i]) ? 0.0f : similarity[i], mean = of_half(record->mean[i]);
        uint16_t half = to_half(seen);
        if (of_half(record->best[i]) < of_half(half))
            record->best[i] = half;
        record->mean[i] = to_half(mean + (seen - mean) / record->parents);
    }
}

/* Where no place is left, the oldest link will be forgotten. */
static int
forgets(const Record *record)
{
    return record->parents >= PARENTS && !isnan(record->own);
}

static void
count_record(const Tables *tables, const Record *record, long page, int64_t place)
{
    if (isnan(record->own))
        return;
    count_link(tables, page, place, (Counted){1.0, record->own});
    if (forgets(record))
        count_link(tables, record->page[0], record->place[0], (Counted){-1.0, -(double)record->own});
}

/* note_links(records, page, places, sites, similarity, base, groups) -> is it done? */
PyObject *
core_note_links(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    static const Py_ssize_t items[7] = {sizeof(Record), 0, 8, 8, CONTEXTS * sizeof(float), 4, sizeof(Counted)};
    if (count != 7) {
        PyErr_SetString(PyExc_TypeError, "note_links(records, page, places, sites, similarity, base, groups)");
        return NULL;
    }
    Py_buffer buffers[7] = {{0}};
    PyObject *answer = NULL;
    long page = PyLong_AsLong(args[1]);
    if (page == -1 && PyErr_Occurred())
        return NULL;
    if (get_arrays(args, 7, items, 1u | 1u << 6, buffers) < 0)
        goto done;
    Tables tables = {
        .base = buffers[5].buf, .groups = buffers[6].buf,
        .pages = buffers[5].len / items[5], .n_groups = buffers[6].len / items[6],
    };
    Py_ssize_t rows = buffers[0].len / items[0], told = buffers[3].len / items[3];
    if (buffers[2].len / items[2] != rows || told > rows || buffers[4].len / items[4] != told) {
        PyErr_SetString(PyExc_ValueError, "as many places as records are wanted, and as many similarities as sites");
        goto done;
    }
    int is_done = !PY_BIG_ENDIAN && page >= 0 && page <= INT32_MAX;
    Record *records = buffers[0].buf;
    const int64_t *places = buffers[2].buf, *sites = buffers[3].buf;
    const float *similarity = buffers[4].buf;
    for (Py_ssize_t i = 0; i < rows && is_done; i++)
        is_done = is_link(&tables, page, places[i]) &&
                  (!forgets(&records[i]) || is_link(&tables, records[i].page[0], records[i].place[0]));
    for (Py_ssize_t i = 0; i < rows && is_done; i++) {
        count_record(&tables, &records[i], page, places[i]);
        note_link(&records[i], (int32_t)page, (uint16_t)places[i]);
        if (i < told) {
            records[i].site = (int32_t)sites[i];
            note_context(&records[i], similarity + CONTEXTS * i);
        }
    }
    answer = PyBool_FromLong(is_done);
done:
    release_arrays(buffers, 7);
    return answer;
}
