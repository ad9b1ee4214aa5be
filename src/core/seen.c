/* Links looked up in the frontier: look_up() of frontier/seen.py. */

#include "core.h"
#include <math.h>

enum { FINGERPRINTS, KEYS, VALUES, ORDERS, STATES, KINDS, IDS, PRIORITIES, STANDING, BUFFERS };

/* A priority from its order (frontier/candidates.py). */
static double
priority_of(uint64_t order)
{
    double priority;
    uint64_t bits = order >> 63 ? order : order ^ (UINT64_MAX >> 1);
    memcpy(&priority, &bits, sizeof priority);
    return priority;
}

/* look_up(fingerprints, keys and values of the table, orders and states of all candidates, kind of each state, and what
 * is to be filled in: ids, priorities, standing) */
PyObject *
core_look_up(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    static const Py_ssize_t items[BUFFERS] = {8, 8, 4, 8, 1, 1, 8, 8, 1};
    if (count != BUFFERS) {
        PyErr_SetString(PyExc_TypeError,
                        "look_up(fingerprints, keys, values, orders, states, kinds, ids, priorities, standing)");
        return NULL;
    }
    Py_buffer buffers[BUFFERS] = {{0}};
    PyObject *answer = NULL;
    if (get_arrays(args, BUFFERS, items, ~0u << IDS, buffers) < 0)
        goto done;
    const uint64_t *wanted = buffers[FINGERPRINTS].buf, *keys = buffers[KEYS].buf, *orders = buffers[ORDERS].buf;
    const int32_t *values = buffers[VALUES].buf;
    const uint8_t *states = buffers[STATES].buf, *kinds = buffers[KINDS].buf;
    int64_t *ids = buffers[IDS].buf;
    double *priorities = buffers[PRIORITIES].buf;
    uint8_t *standing = buffers[STANDING].buf;
    Py_ssize_t links = buffers[FINGERPRINTS].len / 8, size = buffers[KEYS].len / 8, known = buffers[ORDERS].len / 8;
    if (buffers[VALUES].len / 4 != size || size > UINT32_MAX || buffers[STATES].len != known ||
        buffers[KINDS].len != 256 || buffers[IDS].len / 8 != links || buffers[PRIORITIES].len / 8 != links ||
        buffers[STANDING].len != links) {
        PyErr_SetString(PyExc_ValueError, "arrays of other lengths are wanted");
        goto done;
    }
    for (Py_ssize_t i = 0; i < links; i++) {
        uint64_t key = wanted[i] ? wanted[i] : 1; /* 0 marks an empty slot */
        Py_ssize_t slot = (Py_ssize_t)((key >> 32) * (uint64_t)size >> 32), steps = 0;
        ids[i] = -1;
        priorities[i] = NAN;
        standing[i] = 0;
        for (; steps < size && keys[slot] && keys[slot] != key; steps++)
            slot = slot + 1 < size ? slot + 1 : 0;
        if (steps == size || !keys[slot])
            continue;
        int32_t id = values[slot];
        if (id < 0 || id >= known) {
            PyErr_SetString(PyExc_IndexError, "a candidate is beyond the columns");
            goto done;
        }
        ids[i] = id;
        priorities[i] = priority_of(orders[id]);
        standing[i] = kinds[states[id]];
    }
    answer = Py_NewRef(Py_None);
done:
    release_arrays(buffers, BUFFERS);
    return answer;
}
