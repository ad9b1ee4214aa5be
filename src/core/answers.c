/* Which URLs answer: Answers.count() and Answers.chances() of predict/learning/answers.py. */

#include "record.h"
#include <math.h>

enum { PASSING = 2 };

static const double KAPPA = 3.0;

/* count_answer(record, tokens, sites) -> is it done? */
PyObject *
core_count_answer(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    static const Py_ssize_t items[3] = {sizeof(Record), sizeof(CountedToken), sizeof(Counted)};
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "count_answer(record, tokens, sites)");
        return NULL;
    }
    Py_buffer buffers[3] = {{0}};
    PyObject *answer = NULL;
    if (get_arrays(args, 3, items, ~1u, buffers) < 0)
        goto done;
    if (buffers[0].len / items[0] != 1 || buffers[1].len / items[1] != BUCKETS) {
        PyErr_SetString(PyExc_ValueError, "one record and tables of other sizes are wanted");
        goto done;
    }
    const Record *record = buffers[0].buf;
    CountedToken *tokens = buffers[1].buf;
    Counted *sites = buffers[2].buf;
    int is_done = !PY_BIG_ENDIAN && record->site >= 0 && record->site < buffers[2].len / items[2];
    if (is_done) {
        sites[record->site].pages += 1.0;
        sites[record->site].value += record->failed > 0;
        for (int i = 0; i < TOLD && record->failed != PASSING; i++)
            if (told(record, i)) {
                tokens[told(record, i) & (BUCKETS - 1)].pages += 1.0f;
                tokens[told(record, i) & (BUCKETS - 1)].value += record->failed > 0;
            }
    }
    answer = PyBool_FromLong(is_done);
done:
    release_arrays(buffers, 3);
    return answer;
}

static double
chance(const Record *record, const CountedToken *tokens, Counted site, double usual)
{
    double fails = (site.value + KAPPA * usual) / (site.pages + KAPPA), odds = fails / (1.0 - fails);
    double more = 1.0, less = 1.0;
    for (int i = 0; i < TOLD; i++)
        if (told(record, i)) {
            CountedToken token = tokens[told(record, i) & (BUCKETS - 1)];
            more *= token.value + KAPPA * fails;
            less *= ((double)token.pages - token.value + KAPPA * (1.0 - fails)) * odds;
        }
    return 1.0 / (1.0 + odds * sqrt(more / less));
}

/* chances(records, tokens, sites, usual, result) -> is the result filled in? */
PyObject *
core_chances(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    static const Py_ssize_t items[5] = {sizeof(Record), sizeof(CountedToken), sizeof(Counted), 0, sizeof(double)};
    if (count != 5) {
        PyErr_SetString(PyExc_TypeError, "chances(records, tokens, sites, usual, result)");
        return NULL;
    }
    Py_buffer buffers[5] = {{0}};
    PyObject *answer = NULL;
    double usual = PyFloat_AsDouble(args[3]);
    if (usual == -1.0 && PyErr_Occurred())
        return NULL;
    if (get_arrays(args, 5, items, 1u << 4, buffers) < 0)
        goto done;
    Py_ssize_t rows = buffers[0].len / items[0], n_sites = buffers[2].len / items[2];
    if (buffers[4].len / items[4] != rows || buffers[1].len / items[1] != BUCKETS || n_sites < 1) {
        PyErr_SetString(PyExc_ValueError, "tables of other sizes are wanted");
        goto done;
    }
    const Record *records = buffers[0].buf;
    const Counted *sites = buffers[2].buf;
    double *found = buffers[4].buf;
    for (Py_ssize_t i = 0; i < rows && !PY_BIG_ENDIAN; i++) {
        Py_ssize_t site = records[i].site < n_sites ? records[i].site : n_sites - 1;
        found[i] = chance(&records[i], buffers[1].buf, sites[site > 0 ? site : 0], usual);
    }
    answer = PyBool_FromLong(!PY_BIG_ENDIAN);
done:
    release_arrays(buffers, 5);
    return answer;
}
