/* Links in their context: in_context() of parse/context.py. */

#include "core.h"
#include <math.h>

enum { ANCHOR, PARAGRAPH, BLOCK, HEADING, PATH, OF_URL, CONTEXTS }; /* columns of the similarities */
enum { MEASURED = 3 };                                              /* what each mention has */
enum { ROWS, LINES, BLOCKS, HEADINGS, PATHS, BY_ANCHOR, BY_URL, BY_LINE, BY_BLOCK, WEIGHTS, SIMILARITY, ARGUMENTS };

typedef struct {
    const void *columns[SIMILARITY];
    Py_ssize_t mentions, targets, lines, blocks;
    double *best;       /* of each target, what each mention has */
    Py_ssize_t *chosen; /* of each target its best mention, -1 before the first */
    double *sums;       /* of anchors by path, at the path's place in the table */
    Py_ssize_t *counts, *table; /* the first target of a path, -1: none */
    Py_ssize_t room;            /* in the table: a power of two */
} Found;

static double
larger(double one, double other) /* of two numbers; the number where one is none */
{
    return isnan(one) || other > one ? other : one;
}

/* Measures each mention; the best values and the best mention of each target. 0: leave it to Python. */
static int
choose(Found *found)
{
    const Py_ssize_t *rows = found->columns[ROWS], *blocks = found->columns[BLOCKS];
    const int32_t *lines = found->columns[LINES], *headings = found->columns[HEADINGS];
    const double *by_anchor = found->columns[BY_ANCHOR], *by_line = found->columns[BY_LINE];
    const double *by_block = found->columns[BY_BLOCK], *weights = found->columns[WEIGHTS];
    int once = found->mentions == found->targets; /* then the mentions are the targets, in their order */
    for (Py_ssize_t i = 0; i < found->targets; i++)
        found->chosen[i] = -1;
    for (Py_ssize_t i = 0; i < found->mentions; i++) {
        Py_ssize_t row = rows[i], block = blocks[i];
        if (row < 0 || row >= found->targets || (once && row != i) || block < 0 || block >= found->blocks ||
            lines[i] < 0 || lines[i] >= found->lines || headings[i] < 0 || headings[i] >= found->lines)
            return 0;
        double weight = weights[block], of_line = by_line[lines[i]];
        double values[MEASURED] = {(isnan(of_line) ? by_anchor[row] : of_line) * weight, by_block[block] * weight,
                                   by_line[headings[i]] * weight};
        double *best = found->best + row * MEASURED;
        if (found->chosen[row] < 0) {
            found->chosen[row] = i;
            memcpy(best, values, sizeof values);
            continue;
        }
        if (values[1] > 0.0 && !(values[1] <= best[1])) /* of equals the first; what is no number counts as 0 */
            found->chosen[row] = i;
        for (int k = 0; k < MEASURED; k++)
            best[k] = larger(best[k], values[k]);
    }
    for (Py_ssize_t i = 0; i < found->targets; i++)
        if (found->chosen[i] < 0)
            return 0;
    return 1;
}

/* The place of a path in the table. */
static Py_ssize_t
place_of(const Found *found, uint32_t path)
{
    const uint32_t *paths = found->columns[PATHS];
    Py_ssize_t place = first_place(path, found->room);
    while (found->table[place] >= 0 && paths[found->chosen[found->table[place]]] != path)
        place = (place + 1) & (found->room - 1);
    return place;
}

static void
fill_in(Found *found, float *similarity)
{
    const double *by_anchor = found->columns[BY_ANCHOR], *by_url = found->columns[BY_URL];
    const uint32_t *paths = found->columns[PATHS];
    for (Py_ssize_t i = 0; i < found->room; i++) {
        found->table[i] = -1;
        found->sums[i] = 0.0;
        found->counts[i] = 0;
    }
    for (Py_ssize_t i = 0; i < found->targets; i++) {
        Py_ssize_t place = place_of(found, paths[found->chosen[i]]);
        if (found->table[place] < 0)
            found->table[place] = i;
        if (!isnan(by_anchor[i])) {
            found->sums[place] += by_anchor[i];
            found->counts[place]++;
        }
    }
    for (Py_ssize_t i = 0; i < found->targets; i++, similarity += CONTEXTS) {
        Py_ssize_t place = place_of(found, paths[found->chosen[i]]);
        similarity[ANCHOR] = (float)by_anchor[i];
        similarity[OF_URL] = (float)by_url[i];
        for (int k = 0; k < MEASURED; k++)
            similarity[PARAGRAPH + k] = (float)found->best[i * MEASURED + k];
        similarity[PATH] = found->counts[place] ? (float)(found->sums[place] / (double)found->counts[place]) : NAN;
    }
}

/* in_context(rows, lines, blocks, headings, paths, by_anchor, by_url, by_line, by_block, weights, similarity) -> is the
 * last filled in? */
PyObject *
core_in_context(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != ARGUMENTS) {
        PyErr_SetString(PyExc_TypeError, "in_context() takes 11 arguments");
        return NULL;
    }
    static const Py_ssize_t items[ARGUMENTS] = {
        sizeof(Py_ssize_t), 4, sizeof(Py_ssize_t), 4, 4, 8, 8, 8, 8, 8, 4 * CONTEXTS};
    Py_buffer buffers[ARGUMENTS] = {{0}};
    Py_ssize_t sizes[ARGUMENTS];
    Found found = {0};
    PyObject *answer = NULL;
    for (int i = 0; i < ARGUMENTS; i++) {
        if (get_array(args[i], &buffers[i], items[i], i < SIMILARITY ? PyBUF_SIMPLE : PyBUF_WRITABLE) < 0)
            goto done;
        sizes[i] = buffers[i].len / items[i];
        if (i < SIMILARITY)
            found.columns[i] = buffers[i].buf;
        if ((i <= PATHS && sizes[i] != sizes[ROWS]) || ((i == BY_URL || i >= SIMILARITY) && sizes[i] != sizes[BY_ANCHOR]) ||
            (i == WEIGHTS && sizes[i] != sizes[BY_BLOCK]) || sizes[i] > INT32_MAX / 4) {
            PyErr_SetString(PyExc_ValueError, "columns of one length are wanted");
            goto done;
        }
    }
    found.mentions = sizes[ROWS];
    found.targets = sizes[BY_ANCHOR];
    found.lines = sizes[BY_LINE];
    found.blocks = sizes[BY_BLOCK];
    for (found.room = 16; found.room < 2 * found.targets;)
        found.room *= 2;
    found.best = PyMem_Malloc((size_t)(found.targets + 1) * MEASURED * sizeof *found.best);
    found.chosen = PyMem_Malloc((size_t)(found.targets + 1) * sizeof *found.chosen);
    found.sums = PyMem_Malloc((size_t)found.room * sizeof *found.sums);
    found.counts = PyMem_Malloc((size_t)found.room * sizeof *found.counts);
    found.table = PyMem_Malloc((size_t)found.room * sizeof *found.table);
    if (!found.best || !found.chosen || !found.sums || !found.counts || !found.table) {
        PyErr_NoMemory();
        goto done;
    }
    int chosen = choose(&found);
    if (chosen)
        fill_in(&found, buffers[SIMILARITY].buf);
    answer = PyBool_FromLong(chosen);
done:
    PyMem_Free(found.best);
    PyMem_Free(found.chosen);
    PyMem_Free(found.sums);
    PyMem_Free(found.counts);
    PyMem_Free(found.table);
    release_arrays(buffers, ARGUMENTS);
    return answer;
}
