/* The evidence for candidates: Tables.features() of predict/learning/features.py. */

#include "record.h"
#include <math.h>

enum { RATES = 4, BEST = 3, MEAN = BEST + CONTEXTS, SIBLINGS = MEAN + CONTEXTS,
       OF_TOKENS = SIBLINGS + 3 * (RATES - 1), OF_SITE, OF_PARENTS, ALWAYS, NEVER, COLUMNS };

static const double KAPPA = 4.0, KAPPA_RUN = 2.0, KAPPA_TOKEN = 3.0, KAPPA_SITE = 1.0, KAPPA_PARENTS = 0.5, SPREAD = 2.0;

static inline double
more_than_usual(Counted counted, double usual)
{
    return counted.value - counted.pages * usual;
}

/* What the page of a link is worth, and its targets: all, those of the long run, those of the short run. 0: no such link. */
static int
rates_of_link(const Tables *tables, int32_t page, int32_t place, double usual, double rates[RATES])
{
    Py_ssize_t groups[3];
    if (!groups_of_link(tables, page, place, groups))
        return 0;
    Counted counted = tables->groups[groups[0]];
    rates[0] = tables->own[groups[0]];
    rates[1] = more_than_usual(counted, usual) / (counted.pages + KAPPA);
    for (int i = 1; i < 3; i++) {
        counted = tables->groups[groups[i]];
        rates[1 + i] = (more_than_usual(counted, usual) + KAPPA_RUN * rates[1]) / (counted.pages + KAPPA_RUN);
    }
    return 1;
}

/* How much more than usual pages with these tokens are worth, over the root of their number. */
static double
of_tokens(const Tables *tables, const uint32_t *tokens, double usual)
{
    double more = 0.0, there = 0.0;
    for (int i = 0; i < WIDTH; i++)
        if (tokens[i]) {
            CountedToken rounded = tables->tokens[tokens[i] & (BUCKETS - 1)];
            Counted counted = {rounded.pages, rounded.value};
            more += more_than_usual(counted, usual) / (counted.pages + KAPPA_TOKEN);
            there++;
        }
    return more / sqrt(there > 1.0 ? there : 1.0);
}

/* The evidence for one that pages link to. 0: it has a link that the tables do not know. */
static int
fill(const Tables *tables, const Record *record, double usual, double *found)
{
    double rates[RATES], best[RATES] = {0.0}, sums[RATES] = {0.0};
    int known = record->parents < PARENTS ? record->parents : PARENTS;
    for (int link = 0; link < known; link++) {
        if (!rates_of_link(tables, record->page[link], record->place[link], usual, rates))
            return 0;
        for (int i = 0; i < RATES; i++) {
            best[i] = link && best[i] > rates[i] ? best[i] : rates[i];
            sums[i] += rates[i];
        }
    }
    double spread = sqrt(known + SPREAD), shrink = record->parents / (record->parents + KAPPA_PARENTS);
    found[0] = best[0];
    found[1] = (sums[0] + KAPPA_PARENTS * usual) / (known + KAPPA_PARENTS);
    found[2] = (sums[0] - known * usual) / spread;
    for (int i = 0; i < CONTEXTS; i++) {
        found[BEST + i] = of_half(record->best[i]);
        found[MEAN + i] = of_half(record->mean[i]) * shrink;
    }
    for (int i = 1; i < RATES; i++) {
        double *of_rate = found + SIBLINGS + 3 * (i - 1);
        of_rate[0] = sums[i] / known;
        of_rate[1] = best[i];
        of_rate[2] = sums[i] / spread;
    }
    Py_ssize_t site = record->site < tables->n_sites ? record->site : tables->n_sites - 1;
    Counted counted = tables->sites[site > 0 ? site : 0];
    found[OF_TOKENS] = of_tokens(tables, record->token, usual);
    found[OF_SITE] = more_than_usual(counted, usual) / (counted.pages + KAPPA_SITE);
    found[OF_PARENTS] = log1p(record->parents) * 0.05;
    return 1;
}

/* evidence(records, base, groups, own, tokens, sites, usual, result) -> is the result filled in? */
PyObject *
core_evidence(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    static const Py_ssize_t items[8] = {
        sizeof(Record), 4, sizeof(Counted), 8, sizeof(CountedToken), sizeof(Counted), 0, COLUMNS * sizeof(double),
    };
    if (count != 8) {
        PyErr_SetString(PyExc_TypeError, "evidence(records, base, groups, own, tokens, sites, usual, result)");
        return NULL;
    }
    Py_buffer buffers[8] = {{0}};
    PyObject *answer = NULL;
    double usual = PyFloat_AsDouble(args[6]);
    if (usual == -1.0 && PyErr_Occurred())
        return NULL;
    if (get_arrays(args, 8, items, 1u << 7, buffers) < 0)
        goto done;
    Py_ssize_t rows = buffers[0].len / items[0];
    Tables tables = {
        buffers[1].buf, buffers[2].buf, buffers[3].buf, buffers[4].buf, buffers[5].buf,
        buffers[1].len / items[1], buffers[2].len / items[2], buffers[5].len / items[5],
    };
    if (buffers[7].len / items[7] != rows || buffers[3].len / items[3] != tables.n_groups ||
        buffers[4].len / items[4] != BUCKETS || tables.n_sites < 1) {
        PyErr_SetString(PyExc_ValueError, "tables of other sizes are wanted");
        goto done;
    }
    const Record *records = buffers[0].buf;
    double *found = buffers[7].buf;
    int is_filled = !PY_BIG_ENDIAN;
    for (Py_ssize_t i = 0; i < rows && is_filled; i++, found += COLUMNS) {
        if (records[i].parents)
            is_filled = fill(&tables, &records[i], usual, found);
        else
            memset(found, 0, COLUMNS * sizeof *found);
        found[ALWAYS] = 1.0;
        found[NEVER] = -1.0;
    }
    answer = PyBool_FromLong(is_filled);
done:
    release_arrays(buffers, 8);
    return answer;
}
