/* Texts as vectors over terms: Numbering and Vectors of judge/learned/texts.py. Sums are added up in the order in which
 * numpy does it: the last digit is the same. Products of texts are added up by term instead. */

#include "core.h"
#include <math.h>
#include <stdlib.h>

enum { MOST = 5 };

/* Texts behind one another, and what is done with them. */
typedef struct {
    Py_buffer buffers[MOST];
    const int64_t *sizes; /* how many terms each text has */
    const int32_t *terms;
    Py_ssize_t texts, count; /* so many, with so many terms together */
} Flat;

static void
release(Flat *flat)
{
    release_arrays(flat->buffers, MOST);
}

/* The arguments of one of the functions below: sizes and terms, two more, and the result. None is no buffer. */
static int
get_flat(Flat *flat, PyObject *const *args, Py_ssize_t count, const Py_ssize_t *items, const char *usage)
{
    memset(flat, 0, sizeof *flat);
    if (count != MOST) {
        PyErr_SetString(PyExc_TypeError, usage);
        return -1;
    }
    for (int i = 0; i < MOST; i++)
        if (args[i] != Py_None &&
            get_array(args[i], &flat->buffers[i], items[i], i == MOST - 1 ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0)
            goto failed;
    flat->sizes = flat->buffers[0].buf;
    flat->terms = flat->buffers[1].buf;
    flat->texts = flat->buffers[0].len / 8;
    flat->count = flat->buffers[1].len / 4;
    Py_ssize_t left = flat->count;
    for (Py_ssize_t i = 0; i < flat->texts && left >= 0; i++)
        left = flat->sizes[i] < 0 || flat->sizes[i] > left ? -1 : left - flat->sizes[i];
    if (left == 0)
        return 0;
    PyErr_SetString(PyExc_ValueError, "the sizes of texts are not those of their terms");
failed:
    release(flat);
    return -1;
}

static int
is_of(const Flat *flat, int which, Py_ssize_t size)
{
    if (flat->buffers[which].len == size)
        return 1;
    PyErr_SetString(PyExc_ValueError, "an array is not as long as the texts");
    return 0;
}

/* What a table has for a term: the last stands for all beyond. */
static inline double
at_term(const double *table, Py_ssize_t size, int32_t term)
{
    return table[term < 0 ? 0 : term < size ? term : size - 1];
}

/* unit_texts(sizes, terms, weights, rarity, result) */
PyObject *
core_unit_texts(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    static const Py_ssize_t items[MOST] = {8, 4, 4, 8, 8};
    Flat flat;
    if (get_flat(&flat, args, count, items, "unit_texts(sizes, terms, weights, rarity, result)") < 0)
        return NULL;
    Py_ssize_t size = flat.buffers[3].len / 8;
    int fits = is_of(&flat, 2, 4 * flat.count) && is_of(&flat, 4, 8 * flat.count);
    if (fits && size > 0) {
        const float *weights = flat.buffers[2].buf;
        const double *rarity = flat.buffers[3].buf;
        double *result = flat.buffers[4].buf;
        const int32_t *terms = flat.terms;
        for (Py_ssize_t text = 0; text < flat.texts; text++) {
            double squares = 0.0;
            for (int64_t i = 0; i < flat.sizes[text]; i++) {
                result[i] = weights[i] * at_term(rarity, size, terms[i]);
                squares += result[i] * result[i];
            }
            double length = sqrt(squares);
            length = length > 1e-12 ? length : 1e-12;
            for (int64_t i = 0; i < flat.sizes[text]; i++)
                result[i] /= length;
            result += flat.sizes[text], weights += flat.sizes[text], terms += flat.sizes[text];
        }
    }
    release(&flat);
    return fits ? PyBool_FromLong(size > 0) : NULL;
}

/* sum_texts(sizes, terms, weights or None, factor of each text, result) */
PyObject *
core_sum_texts(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    static const Py_ssize_t items[MOST] = {8, 4, 8, 8, 8};
    Flat flat;
    if (get_flat(&flat, args, count, items, "sum_texts(sizes, terms, weights, factors, result)") < 0)
        return NULL;
    Py_ssize_t size = flat.buffers[4].len / 8;
    const double *weights = flat.buffers[2].buf, *factors = flat.buffers[3].buf;
    int fits = is_of(&flat, 3, 8 * flat.texts) && (weights == NULL || is_of(&flat, 2, 8 * flat.count)), is_done = fits;
    if (fits) {
        double *result = flat.buffers[4].buf;
        const int32_t *terms = flat.terms;
        memset(result, 0, (size_t)flat.buffers[4].len);
        for (Py_ssize_t text = 0; text < flat.texts && is_done; text++) {
            double factor = factors[text];
            for (int64_t i = 0; i < flat.sizes[text] && factor != 0.0 && is_done; i++) {
                is_done = terms[i] >= 0 && terms[i] < size;
                if (is_done)
                    result[terms[i]] += weights == NULL ? factor : weights[i] * factor;
            }
            terms += flat.sizes[text];
            weights = weights == NULL ? NULL : weights + flat.sizes[text];
        }
    }
    release(&flat);
    return fits ? PyBool_FromLong(is_done) : NULL;
}

/* dot_texts(sizes, terms, weights, vector, result) */
PyObject *
core_dot_texts(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    static const Py_ssize_t items[MOST] = {8, 4, 8, 8, 8};
    Flat flat;
    if (get_flat(&flat, args, count, items, "dot_texts(sizes, terms, weights, vector, result)") < 0)
        return NULL;
    Py_ssize_t size = flat.buffers[3].len / 8;
    int fits = is_of(&flat, 2, 8 * flat.count) && is_of(&flat, 4, 8 * flat.texts);
    if (fits && size > 0) {
        const double *weights = flat.buffers[2].buf, *vector = flat.buffers[3].buf;
        double *result = flat.buffers[4].buf;
        const int32_t *terms = flat.terms;
        for (Py_ssize_t text = 0; text < flat.texts; text++) {
            double sum = 0.0;
            for (int64_t i = 0; i < flat.sizes[text]; i++)
                sum += weights[i] * at_term(vector, size, terms[i]);
            result[text] = sum;
            weights += flat.sizes[text], terms += flat.sizes[text];
        }
    }
    release(&flat);
    return fits ? PyBool_FromLong(size > 0) : NULL;
}

/* Lists the texts that have each term, with their weights in it, one term behind the other; says where each list ends.
 * No term is below 0. */
static void
by_term(const Flat *flat, const double *weights, int64_t *ends, int32_t *texts, double *of_texts, Py_ssize_t size)
{
    memset(ends, 0, (size_t)(size + 1) * sizeof *ends);
    for (Py_ssize_t i = 0; i < flat->count; i++)
        ends[flat->terms[i] + 1]++;
    for (Py_ssize_t i = 0; i < size; i++)
        ends[i + 1] += ends[i];
    Py_ssize_t at = 0;
    for (Py_ssize_t text = 0; text < flat->texts; text++)
        for (int64_t i = 0; i < flat->sizes[text]; i++, at++) {
            int64_t place = ends[flat->terms[at]]++;
            texts[place] = (int32_t)text;
            of_texts[place] = weights[at];
        }
}

/* multiply_texts(sizes, terms, weights, None, result): the products of all pairs are added to the result. */
PyObject *
core_multiply_texts(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    static const Py_ssize_t items[MOST] = {8, 4, 8, 8, 8};
    Flat flat;
    if (get_flat(&flat, args, count, items, "multiply_texts(sizes, terms, weights, None, result)") < 0)
        return NULL;
    Py_ssize_t size = 0, least = 0, texts = flat.texts;
    for (Py_ssize_t i = 0; i < flat.count; i++) {
        size = flat.terms[i] >= size ? (Py_ssize_t)flat.terms[i] + 1 : size;
        least = flat.terms[i] < least ? flat.terms[i] : least;
    }
    if (!is_of(&flat, 2, 8 * flat.count) || !is_of(&flat, 4, 8 * texts * texts) || least < 0) {
        release(&flat);
        return PyErr_Occurred() ? NULL : PyBool_FromLong(0);
    }
    int64_t *ends = PyMem_Malloc((size_t)(size + 1) * sizeof *ends);
    int32_t *having = PyMem_Malloc((size_t)(flat.count + 1) * sizeof *having);
    double *own = PyMem_Malloc((size_t)(flat.count + 1) * sizeof *own);
    int is_done = ends != NULL && having != NULL && own != NULL;
    if (is_done) {
        double *result = flat.buffers[4].buf;
        by_term(&flat, flat.buffers[2].buf, ends, having, own, size);
        for (int64_t term = 0, start = 0; term < size; start = ends[term++]) /* by now where each one ends */
            for (int64_t one = start; one < ends[term]; one++) {
                double *row = result + (Py_ssize_t)having[one] * texts, weight = own[one];
                row[having[one]] += weight * weight;
                for (int64_t other = one + 1; other < ends[term]; other++) /* a text may have a term twice */
                    row[having[other]] += weight * own[other] * (having[other] == having[one] ? 2 : 1);
            }
        for (Py_ssize_t one = 0; one < texts; one++)
            for (Py_ssize_t other = one + 1; other < texts; other++)
                result[other * texts + one] = result[one * texts + other];
    }
    PyMem_Free(ends);
    PyMem_Free(having);
    PyMem_Free(own);
    release(&flat);
    return is_done ? PyBool_FromLong(1) : PyErr_NoMemory();
}

static int
by_value(const void *one, const void *other)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* Terms as they were stored need not lie where a number of four bytes should. */
static inline uint32_t
bucket_of(const char *terms, Py_ssize_t at, uint32_t mask)
{
    uint32_t term;
    memcpy(&term, terms + 4 * at, sizeof term);
    return term & mask;
}

/* number_terms(numbers by bucket, terms, how many there are, result) -> how many there are now */
PyObject *
core_number_terms(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "number_terms(numbers, terms, known, result)");
        return NULL;
    }
    Py_buffer table = {0}, terms = {0}, result = {0};
    PyObject *answer = NULL;
    uint32_t *new_ones = NULL;
    long known = PyLong_AsLong(args[2]);
    if ((known == -1 && PyErr_Occurred()) || get_array(args[0], &table, 4, PyBUF_WRITABLE) < 0)
        return NULL;
    if (get_array(args[1], &terms, 4, PyBUF_SIMPLE) < 0 || get_array(args[3], &result, 4, PyBUF_WRITABLE) < 0)
        goto done;
    Py_ssize_t buckets = table.len / 4, size = terms.len / 4, new_count = 0;
    if (buckets < 1 || (buckets & (buckets - 1)) != 0 || buckets > INT32_MAX || result.len != terms.len) {
        PyErr_SetString(PyExc_ValueError, "a power of two of buckets is wanted, and as many numbers as terms");
        goto done;
    }
    int32_t *numbers = table.buf, *found = result.buf;
    const char *stored = terms.buf;
    uint32_t mask = (uint32_t)(buckets - 1);
    if ((new_ones = PyMem_Malloc((size_t)(size + 1) * sizeof *new_ones)) == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t i = 0; i < size; i++)
        if ((found[i] = numbers[bucket_of(stored, i, mask)]) < 0)
            new_ones[new_count++] = bucket_of(stored, i, mask);
    qsort(new_ones, (size_t)new_count, sizeof *new_ones, by_value);
    for (Py_ssize_t i = 0; i < new_count; i++)
        if (numbers[new_ones[i]] < 0)
            numbers[new_ones[i]] = (int32_t)known++;
    for (Py_ssize_t i = 0; i < size && new_count; i++)
        found[i] = numbers[bucket_of(stored, i, mask)];
    answer = PyLong_FromLong(known);
done:
    PyMem_Free(new_ones);
    PyBuffer_Release(&table);
    if (terms.obj != NULL)
        PyBuffer_Release(&terms);
    if (result.obj != NULL)
        PyBuffer_Release(&result);
    return answer;
}
