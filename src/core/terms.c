/* The terms of a page counted: Reading.distinct() of judge/reading.py and text_norm() of judge/similarity.py. */

#include "core.h"

uint64_t *
sorted_by_half(uint64_t *keys, uint64_t *spare, Py_ssize_t count)
{
    uint64_t used = 0;
    for (Py_ssize_t i = 0; i < count; i++)
        used |= keys[i];
    for (int shift = 32; shift < 64 && used >> shift; shift += 8) {
        Py_ssize_t places[256] = {0}, sum = 0;
        for (Py_ssize_t i = 0; i < count; i++)
            places[keys[i] >> shift & 255]++;
        for (int i = 0; i < 256; i++) {
            Py_ssize_t own = places[i];
            places[i] = sum;
            sum += own;
        }
        for (Py_ssize_t i = 0; i < count; i++)
            spare[places[keys[i] >> shift & 255]++] = keys[i];
        uint64_t *sorted = spare;
        spare = keys;
        keys = sorted;
    }
    return keys;
}

/* Each occurrence of a term: its number, and the parts it counts for. -1: leave it to Python. */
static Py_ssize_t
read_terms(const int32_t *terms, const int32_t *numbers, Py_ssize_t size, const double *weights, Py_ssize_t lines,
           uint64_t *keys)
{
    Py_ssize_t count = 0, line = 0;
    int64_t parts = weights == NULL ? PARTS : lines ? parts_of(weights[0]) : -1;
    for (Py_ssize_t i = 0; i < size; i++) {
        if (terms[i] >= 0) {
            if (parts < 0)
                return -1;
            keys[count++] = (uint64_t)terms[i] << 32 | (uint64_t)parts;
        }
        else if (weights != NULL && numbers[i] == 0)
            parts = ++line < lines ? parts_of(weights[line]) : -1;
    }
    return count;
}

/* distinct(terms, numbers, weights of lines or None, and what is to be filled in: distinct terms, their counts, whole
 * numbers without weights) -> how many there are, or -1 */
PyObject *
core_distinct(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 5) {
        PyErr_SetString(PyExc_TypeError, "distinct(terms, numbers, weights, found, counts)");
        return NULL;
    }
    static const Py_ssize_t items[5] = {4, 4, 8, 4, 8};
    Py_buffer buffers[5] = {{0}};
    Py_ssize_t found = -1;
    uint64_t *keys = NULL;
    int weighed = args[2] != Py_None;
    for (int i = 0; i < 5; i++)
        if ((i != 2 || weighed) &&
            get_array(args[i], &buffers[i], items[i], i < 3 ? PyBUF_SIMPLE : PyBUF_WRITABLE) < 0)
            goto done;
    Py_ssize_t size = buffers[0].len / 4;
    if (buffers[1].len != buffers[0].len || buffers[3].len != buffers[0].len || buffers[4].len != 2 * buffers[0].len) {
        PyErr_SetString(PyExc_ValueError, "arrays of one length are wanted");
        goto done;
    }
    if ((keys = PyMem_Malloc(2 * ((size_t)size + 1) * sizeof *keys)) == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    Py_ssize_t terms = read_terms(buffers[0].buf, buffers[1].buf, size, buffers[2].buf, buffers[2].len / 8, keys);
    if (terms < 0)
        goto done;
    const uint64_t *sorted = sorted_by_half(keys, keys + size, terms);
    int32_t *numbers = buffers[3].buf;
    found = 0;
    for (Py_ssize_t i = 0; i < terms; found++) {
        int64_t parts = 0;
        numbers[found] = (int32_t)(sorted[i] >> 32);
        for (; i < terms && (int32_t)(sorted[i] >> 32) == numbers[found]; i++)
            parts += (int64_t)(sorted[i] & UINT32_MAX);
        if (weighed)
            ((double *)buffers[4].buf)[found] = (double)parts / PARTS;
        else
            ((int64_t *)buffers[4].buf)[found] = parts / PARTS;
    }
done:
    PyMem_Free(keys);
    release_arrays(buffers, 5);
    return PyErr_Occurred() ? NULL : PyLong_FromSsize_t(found);
}

/* sorted_weights(counts, are they whole numbers, weights of 0, 1, 2, ... parts, and what is to be filled in: the weight
 * of each count, rising) -> is it? */
PyObject *
core_sorted_weights(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "sorted_weights(counts, whole, table, result)");
        return NULL;
    }
    PyObject *const arrays[3] = {args[0], args[2], args[3]};
    Py_buffer buffers[3] = {{0}};
    int32_t *often = NULL;
    int filled = 0, whole = PyObject_IsTrue(args[1]);
    for (int i = 0; i < 3; i++)
        if (whole < 0 || get_array(arrays[i], &buffers[i], 8, i < 2 ? PyBUF_SIMPLE : PyBUF_WRITABLE) < 0)
            goto done;
    Py_ssize_t size = buffers[0].len / 8, known = buffers[1].len / 8, most = 0;
    if (buffers[2].len != buffers[0].len || size > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "arrays of one length are wanted");
        goto done;
    }
    if ((often = PyMem_Calloc((size_t)known + 1, sizeof *often)) == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        double number = whole ? (double)((const int64_t *)buffers[0].buf)[i] : ((const double *)buffers[0].buf)[i];
        int64_t parts = parts_of(number);
        if (parts < 0 || parts >= known)
            goto done;
        often[parts]++;
        most = parts > most ? (Py_ssize_t)parts : most;
    }
    double *result = buffers[2].buf;
    const double *weights = buffers[1].buf;
    for (Py_ssize_t i = 0; i <= most; i++)
        for (; often[i]; often[i]--)
            *result++ = weights[i];
    filled = 1;
done:
    PyMem_Free(often);
    release_arrays(buffers, 3);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(filled);
}
