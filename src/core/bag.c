/* The terms of a page that are kept: Reading.bag() of judge/reading.py. */

#include "core.h"

typedef struct {
    uint64_t *hashes, *keys, *spare; /* of each term its hash; room for as many numbers, twice */
    int64_t *parts;                  /* how often it occurs */
    Py_ssize_t count;
} Terms;

/* The number that has so many lower ones; reorders them. Byte by byte from the highest, so that it takes no longer for one
 * order than for another: which one it is, a page decides. */
static uint64_t
ranked(uint64_t *values, Py_ssize_t count, Py_ssize_t rank)
{
    uint64_t used = 0;
    for (Py_ssize_t i = 0; i < count; i++)
        used |= values[i];
    for (int shift = 56; shift >= 0 && count > 1; shift -= 8) {
        if (!(used >> shift & 255))
            continue;
        Py_ssize_t often[256] = {0}, kept = 0;
        uint64_t byte = 0;
        for (Py_ssize_t i = 0; i < count; i++)
            often[values[i] >> shift & 255]++;
        for (; rank >= often[byte]; byte++)
            rank -= often[byte];
        for (Py_ssize_t i = 0; i < count; i++)
            if ((values[i] >> shift & 255) == byte)
                values[kept++] = values[i];
        count = kept;
    }
    return values[0];
}

/* Keeps the `most` terms that occur most often; of equals, those with the lowest hash. */
static void
keep_most(Terms *terms, Py_ssize_t most)
{
    for (Py_ssize_t i = 0; i < terms->count; i++)
        terms->keys[i] = (uint64_t)terms->parts[i];
    int64_t least = (int64_t)ranked(terms->keys, terms->count, terms->count - most);
    Py_ssize_t left = most, equal = 0, kept = 0;
    for (Py_ssize_t i = 0; i < terms->count; i++) {
        left -= terms->parts[i] > least;
        if (terms->parts[i] == least)
            terms->keys[equal++] = terms->hashes[i];
    }
    uint64_t last = ranked(terms->keys, equal, left - 1);
    for (Py_ssize_t i = 0; i < terms->count; i++)
        if (terms->parts[i] > least || (terms->parts[i] == least && terms->hashes[i] <= last)) {
            terms->hashes[kept] = terms->hashes[i];
            terms->parts[kept++] = terms->parts[i];
        }
    terms->count = kept;
}

/* A count as 16 bits can hold it, the nearest of two, of equally near ones the even. */
static float
rounded(int64_t parts, int64_t most)
{
    float value = (float)(parts < most * PARTS ? parts : most * PARTS) / PARTS;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits + 0xFFF + (bits >> 13 & 1)) & ~UINT32_C(0x1FFF);
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* Writes the terms in the order of the lower halves of their hashes, then the upper. */
static void
write_terms(Terms *terms, int64_t most_often, uint32_t *found, float *counts)
{
    for (Py_ssize_t i = 0; i < terms->count; i++)
        terms->keys[i] = terms->hashes[i] << 32 | (uint64_t)i;
    uint64_t *sorted = sorted_by_half(terms->keys, terms->spare, terms->count);
    for (Py_ssize_t i = 1; i < terms->count; i++)
        for (Py_ssize_t at = i; at && sorted[at] >> 32 == sorted[at - 1] >> 32 &&
                                terms->hashes[(uint32_t)sorted[at]] < terms->hashes[(uint32_t)sorted[at - 1]]; at--) {
            uint64_t key = sorted[at];
            sorted[at] = sorted[at - 1];
            sorted[at - 1] = key;
        }
    for (Py_ssize_t i = 0; i < terms->count; i++) {
        found[i] = (uint32_t)(sorted[i] >> 32);
        counts[i] = rounded(terms->parts[(uint32_t)sorted[i]], most_often);
    }
}

/* Hash and count of each term: 1, or 0: leave it to Python. */
static int
read_terms(Terms *terms, const Py_buffer *table, const int32_t *numbers, const void *counts, int whole)
{
    for (Py_ssize_t i = 0; i < terms->count; i++) {
        double count = whole ? (double)((const int64_t *)counts)[i] : ((const double *)counts)[i];
        terms->parts[i] = parts_of(count);
        if (terms->parts[i] < 0 || numbers[i] < 0 || numbers[i] >= table->len / 8)
            return 0;
        terms->hashes[i] = ((const uint64_t *)table->buf)[numbers[i]];
    }
    return 1;
}

enum { TABLE, NUMBERS, COUNTS, FOUND, OFTEN, ARRAYS };

/* bag(hashes of all terms, numbers, counts, are they whole numbers, most terms, most often, and what is to be filled in:
 * terms, counts) -> are they? */
PyObject *
core_bag(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 8) {
        PyErr_SetString(PyExc_TypeError, "bag(table, numbers, counts, whole, most, most_often, found, often)");
        return NULL;
    }
    static const Py_ssize_t items[ARRAYS] = {8, 4, 8, 4, 4};
    PyObject *const arrays[ARRAYS] = {args[0], args[1], args[2], args[6], args[7]};
    Py_buffer buffers[ARRAYS] = {{0}};
    int filled = 0;
    Py_ssize_t most = PyLong_AsSsize_t(args[4]), most_often = PyLong_AsSsize_t(args[5]);
    int whole = PyObject_IsTrue(args[3]);
    Terms terms = {0};
    for (int i = 0; i < ARRAYS && !PyErr_Occurred(); i++)
        get_array(arrays[i], &buffers[i], items[i], i < FOUND ? PyBUF_SIMPLE : PyBUF_WRITABLE);
    if (PyErr_Occurred())
        goto done;
    Py_ssize_t size = terms.count = buffers[NUMBERS].len / 4, kept = size < most ? size : most;
    if (most < 1 || size > INT32_MAX || buffers[COUNTS].len / 8 != size || buffers[FOUND].len / 4 != kept ||
        buffers[OFTEN].len / 4 != kept) {
        PyErr_SetString(PyExc_ValueError, "as many counts as terms are wanted, and room for those that are kept");
        goto done;
    }
    uint64_t *room = terms.hashes = PyMem_Malloc(4 * ((size_t)size + 1) * sizeof *room);
    if (room == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    terms.keys = room + size;
    terms.spare = room + 2 * size;
    terms.parts = (int64_t *)(room + 3 * size);
    if (!read_terms(&terms, &buffers[TABLE], buffers[NUMBERS].buf, buffers[COUNTS].buf, whole))
        goto done;
    if (terms.count > most)
        keep_most(&terms, most);
    if (terms.count != kept) /* two terms have one hash */
        goto done;
    write_terms(&terms, most_often, buffers[FOUND].buf, buffers[OFTEN].buf);
    filled = 1;
done:
    PyMem_Free(terms.hashes);
    release_arrays(buffers, ARRAYS);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(filled);
}
