/* Lines that a site repeats on its pages: _counted() of parse/repeats.py. */

#include "core.h"

/* count_lines(lines, counts, lines of the page, are counts halved?, count of a repeated line, how many of them at most)
 * -> lines, counts, repeated lines or None where there are more */
PyObject *
core_count_lines(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 6) {
        PyErr_SetString(PyExc_TypeError, "count_lines(lines, counts, page, halve, repeated, most)");
        return NULL;
    }
    Py_buffer buffers[3] = {{0}};
    PyObject *merged = NULL, *counted = NULL, *known = NULL, *answer = NULL;
    int halve = PyObject_IsTrue(args[3]);
    long repeated = PyLong_AsLong(args[4]), most = PyLong_AsLong(args[5]);
    if (halve < 0 || PyErr_Occurred())
        return NULL;
    for (int i = 0; i < 3; i++)
        if (get_array(args[i], &buffers[i], i == 1 ? 1 : 8, PyBUF_SIMPLE) < 0)
            goto done;
    const uint64_t *old = buffers[0].buf, *new = buffers[2].buf;
    const uint8_t *before = buffers[1].buf;
    Py_ssize_t olds = buffers[0].len / 8, news = buffers[2].len / 8, i = 0, j = 0, size = 0, often = 0;
    if (buffers[1].len != olds) {
        PyErr_SetString(PyExc_ValueError, "as many counts as lines are wanted");
        goto done;
    }
    merged = PyBytes_FromStringAndSize(NULL, (olds + news) * 8);
    counted = PyBytes_FromStringAndSize(NULL, olds + news);
    if (merged == NULL || counted == NULL)
        goto done;
    uint64_t *lines = (uint64_t *)PyBytes_AS_STRING(merged);
    uint8_t *counts = (uint8_t *)PyBytes_AS_STRING(counted);
    while (i < olds || j < news) {
        uint64_t line;
        unsigned times = 0;
        if (j == news || (i < olds && old[i] <= new[j])) {
            line = old[i];
            times = before[i++];
            if (j < news && new[j] == line)
                times += times < 255, j++;
        }
        else {
            line = new[j++];
            times = 1;
        }
        if (halve && (times >>= 1) == 0)
            continue;
        lines[size] = line;
        counts[size++] = (uint8_t)times;
        often += (long)times >= repeated;
    }
    if (_PyBytes_Resize(&merged, size * 8) < 0 || _PyBytes_Resize(&counted, size) < 0)
        goto done;
    if (often > most)
        known = Py_NewRef(Py_None);
    else if ((known = PyBytes_FromStringAndSize(NULL, often * 8)) != NULL) {
        uint64_t *chosen = (uint64_t *)PyBytes_AS_STRING(known);
        lines = (uint64_t *)PyBytes_AS_STRING(merged);
        counts = (uint8_t *)PyBytes_AS_STRING(counted);
        for (Py_ssize_t k = 0; k < size; k++)
            if ((long)counts[k] >= repeated)
                *chosen++ = lines[k];
    }
    if (known != NULL)
        answer = PyTuple_Pack(3, merged, counted, known);
done:
    Py_XDECREF(merged);
    Py_XDECREF(counted);
    Py_XDECREF(known);
    release_arrays(buffers, 3);
    return answer;
}
