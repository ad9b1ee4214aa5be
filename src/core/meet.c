/* Pages that share a band of a signature: DuplicateIndex._meeting() of parse/duplicates.py. */

#include "core.h"

enum { BANDS = 8, CHAIN = 16, TABLES = 2 * BANDS, SIGNATURES = TABLES, MINHASH, BUFFERS };

static int
is_among(const uint32_t *entries, Py_ssize_t count, uint32_t entry)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (entries[i] == entry)
            return 1;
    return 0;
}

/* meet(tables: heads and followers of each band in turn, signatures, minhash) -> entries, each once */
PyObject *
core_meet(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 3 || !PyList_Check(args[0]) || PyList_GET_SIZE(args[0]) != TABLES) {
        PyErr_SetString(PyExc_TypeError, "meet(tables, signatures, minhash)");
        return NULL;
    }
    Py_buffer buffers[BUFFERS] = {{0}};
    PyObject *answer = NULL;
    for (int i = 0; i < BUFFERS; i++)
        if (get_array(i < TABLES ? PyList_GET_ITEM(args[0], i) : args[i - TABLES + 1], &buffers[i],
                      i < TABLES ? 4 : 8, PyBUF_SIMPLE) < 0)
            goto done;
    const uint64_t *signatures = buffers[SIGNATURES].buf;
    Py_ssize_t entries = buffers[SIGNATURES].len / 8 / BANDS, met = 0;
    uint64_t keys[BANDS];
    uint32_t found[BANDS * CHAIN];
    if (buffers[MINHASH].len != sizeof keys) {
        PyErr_SetString(PyExc_ValueError, "a minhash has 64 bytes");
        goto done;
    }
    memcpy(keys, buffers[MINHASH].buf, sizeof keys);
    for (int band = 0; band < BANDS; band++) {
        const uint32_t *heads = buffers[2 * band].buf, *following = buffers[2 * band + 1].buf;
        Py_ssize_t buckets = buffers[2 * band].len / 4, known = buffers[2 * band + 1].len / 4;
        if (buckets == 0)
            continue;
        uint64_t bucket = (keys[band] * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (uint64_t)(buckets - 1);
        uint32_t entry = heads[bucket];
        int same = 0;
        for (int steps = 0; entry && entry < known && entry < entries && steps < 2 * CHAIN && same < CHAIN; steps++) {
            if (signatures[(Py_ssize_t)entry * BANDS + band] == keys[band]) {
                same++;
                if (!is_among(found, met, entry))
                    found[met++] = entry;
            }
            entry = following[entry];
        }
    }
    if ((answer = PyList_New(met)) == NULL)
        goto done;
    for (Py_ssize_t i = 0; i < met; i++) {
        PyObject *number = PyLong_FromUnsignedLong(found[i]);
        if (number == NULL) {
            Py_CLEAR(answer);
            goto done;
        }
        PyList_SET_ITEM(answer, i, number);
    }
done:
    release_arrays(buffers, BUFFERS);
    return answer;
}
