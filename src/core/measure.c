/* Measures of a page whose words are numbers: Reading.similarities() and .lines() of judge/reading.py and the MinHash of
 * parse/signature.py. */

#include "core.h"
#include <math.h>

enum { BINS = 64, SHINGLE = 4 };

static uint64_t
shingle_hash(const uint64_t *words)
{
    uint64_t hash = words[0] * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash + words[1]) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash + words[2]) * UINT64_C(0xC2B2AE3D27D4EB4F);
    hash = (hash + words[3]) * UINT64_C(0x165667B19E3779F9);
    hash = (hash ^ hash >> 32) * UINT64_C(0xFF51AFD7ED558CCD);
    hash = (hash ^ hash >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    return hash ^ hash >> 33;
}

/* minhash(hashes of words) -> 64 bytes */
PyObject *
core_minhash(PyObject *module, PyObject *hashes)
{
    (void)module;
    Py_buffer buffer;
    if (get_array(hashes, &buffer, 8, PyBUF_SIMPLE) < 0)
        return NULL;
    const uint64_t *words = buffer.buf;
    Py_ssize_t count = buffer.len / 8 - SHINGLE + 1;
    if (count < 1) {
        PyBuffer_Release(&buffer);
        PyErr_SetString(PyExc_ValueError, "at least four words are wanted");
        return NULL;
    }
    uint64_t least[BINS];
    int full[BINS] = {0};
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t hash = shingle_hash(words + i);
        unsigned bin = (unsigned)(hash >> 58);
        if (!full[bin] || hash < least[bin])
            least[bin] = hash;
        full[bin] = 1;
    }
    PyBuffer_Release(&buffer);
    char low[BINS];
    for (unsigned bin = 0; bin < BINS; bin++) { /* an empty one is filled from the next full one to the right */
        unsigned distance = 0;
        while (!full[(bin + distance) % BINS])
            distance++;
        low[bin] = (char)((least[(bin + distance) % BINS] >> 8) + distance * 37);
    }
    return PyBytes_FromStringAndSize(low, BINS);
}

/* How often each term occurs in a stretch of text: an open table of hashes. */
typedef struct {
    int32_t term, count; /* count 0: no entry */
} Counted;

typedef struct {
    const double *topic, *weights; /* of each topical term; of each count */
    Py_ssize_t topical, most;      /* so many of each */
    Counted *table;
    Py_ssize_t table_size; /* a power of two, at least twice the words of any stretch */
    int32_t *places;       /* of the stretch's terms in it */
} Measure;

/* The cosine of a stretch that has a topical term; below 0 where a term is in it too often for the table of weights. */
static double
cosine(Measure *measure, const int32_t *terms, Py_ssize_t size)
{
    Py_ssize_t room = 16;
    while (room < 2 * size)
        room *= 2;
    Py_ssize_t distinct = 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        if (terms[i] < 0)
            continue;
        Py_ssize_t place = first_place((uint32_t)terms[i], room);
        while (measure->table[place].count && measure->table[place].term != terms[i])
            place = (place + 1) & (room - 1);
        if (!measure->table[place].count++) {
            measure->table[place].term = terms[i];
            measure->places[distinct++] = (int32_t)place;
        }
    }
    double product = 0.0, squares = 0.0; /* added up as terms come in the text, however they are numbered */
    for (Py_ssize_t i = 0; i < distinct; i++) {
        Counted one = measure->table[measure->places[i]];
        measure->table[measure->places[i]].count = 0; /* for the next stretch */
        if (one.count >= measure->most)
            return -1.0;
        double weight = measure->weights[one.count];
        squares += weight * weight;
        if (one.term < measure->topical)
            product += weight * measure->topic[one.term];
    }
    double found = product / sqrt(squares);
    return found < 1.0 ? found : 1.0;
}

/* Each stretch: a line, or the neighbouring lines of one group. 1: done; 0: leave it to Python. */
static int
measure_all(Measure *measure, const int32_t *numbers, const int32_t *terms, Py_ssize_t size, const Py_ssize_t *groups,
            Py_ssize_t lines, double *result, Py_ssize_t results)
{
    Py_ssize_t line = 0, last = -1;
    uint32_t topical = (uint32_t)measure->topical;
    for (Py_ssize_t i = 0; i < results; i++)
        result[i] = NAN;
    for (Py_ssize_t begin = 0; begin <= size; line++) {
        Py_ssize_t group = line < lines ? (groups == NULL ? line : groups[line]) : -1;
        if (line >= lines || group >= results || (group >= 0 && group <= last))
            return 0;
        uint32_t near = 0;
        Py_ssize_t words = 0, end = begin;
        for (;; end++, line++) {
            Py_ssize_t first = end;
            for (; end < size && numbers[end]; end++)
                near |= (uint32_t)terms[end] < topical; /* what is no term is the greatest number, without its sign */
            words += end - first;
            if (end == size || groups == NULL || line + 1 >= lines || groups[line + 1] != group)
                break;
        }
        if (group >= 0 && words) {
            last = group;
            result[group] = near ? cosine(measure, terms + begin, end - begin) : 0.0;
            if (result[group] < 0.0)
                return 0;
        }
        begin = end + 1;
    }
    return line == lines;
}

/* similarities(numbers, terms, groups or None, lines, topic, weights, result) -> is the result filled in? */
PyObject *
core_similarities(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 7) {
        PyErr_SetString(PyExc_TypeError, "similarities(numbers, terms, groups, lines, topic, weights, result)");
        return NULL;
    }
    static const Py_ssize_t items[7] = {4, 4, sizeof(Py_ssize_t), 0, 8, 8, 8};
    Py_buffer buffers[7] = {{0}};
    PyObject *answer = NULL;
    Measure measure = {0};
    Py_ssize_t lines = PyLong_AsSsize_t(args[3]);
    if (lines == -1 && PyErr_Occurred())
        return NULL;
    for (int i = 0; i < 7; i++)
        if (items[i] && args[i] != Py_None &&
            get_array(args[i], &buffers[i], items[i], i == 6 ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0)
            goto done;
    Py_ssize_t size = buffers[1].len / 4;
    if (buffers[0].len != buffers[1].len || (args[2] != Py_None && buffers[2].len / items[2] != lines) ||
        size > INT32_MAX / 4) {
        PyErr_SetString(PyExc_ValueError, "as many numbers as terms are wanted, and as many groups as lines");
        goto done;
    }
    measure.topic = buffers[4].buf;
    measure.topical = buffers[4].len / 8;
    measure.weights = buffers[5].buf;
    measure.most = buffers[5].len / 8;
    for (measure.table_size = 16; measure.table_size < 2 * size;)
        measure.table_size *= 2;
    measure.table = PyMem_Calloc((size_t)measure.table_size, sizeof *measure.table);
    measure.places = PyMem_Malloc((size_t)(size + 1) * sizeof *measure.places);
    if (measure.table == NULL || measure.places == NULL)
        PyErr_NoMemory();
    else
        answer = PyBool_FromLong(measure_all(&measure, buffers[0].buf, buffers[1].buf, size,
                                             args[2] == Py_None ? NULL : buffers[2].buf, lines, buffers[6].buf,
                                             buffers[6].len / 8));
done:
    PyMem_Free(measure.table);
    PyMem_Free(measure.places);
    release_arrays(buffers, 7);
    return answer;
}

/* lines(numbers, hashes of all words, and what is to be filled in: words of each line, sum of their hashes, hash of each
 * word) -> are they? */
PyObject *
core_lines(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 5) {
        PyErr_SetString(PyExc_TypeError, "lines(numbers, table, sizes, sums, hashes)");
        return NULL;
    }
    Py_buffer buffers[5] = {{0}};
    PyObject *answer = NULL;
    for (int i = 0; i < 5; i++)
        if (get_array(args[i], &buffers[i], i ? 8 : 4, i < 2 ? PyBUF_SIMPLE : PyBUF_WRITABLE) < 0)
            goto done;
    const int32_t *numbers = buffers[0].buf;
    const uint64_t *table = buffers[1].buf;
    int64_t *sizes = buffers[2].buf;
    uint64_t *sums = buffers[3].buf, *hashes = buffers[4].buf;
    Py_ssize_t size = buffers[0].len / 4, known = buffers[1].len / 8, lines = buffers[2].len / 8;
    Py_ssize_t words = buffers[4].len / 8, line = 0, word = 0, i = 0;
    if (buffers[3].len != buffers[2].len) {
        PyErr_SetString(PyExc_ValueError, "as many sums as sizes are wanted");
        goto done;
    }
    memset(sizes, 0, (size_t)lines * sizeof *sizes);
    memset(sums, 0, (size_t)lines * sizeof *sums);
    for (; i < size && line < lines; i++) {
        if (numbers[i] == 0) {
            line++;
            continue;
        }
        if (numbers[i] < 0 || numbers[i] >= known || word == words)
            break;
        uint64_t hash = hashes[word++] = table[numbers[i]];
        sizes[line]++;
        sums[line] += hash;
    }
    answer = PyBool_FromLong(i == size && line + 1 == lines && word == words);
done:
    release_arrays(buffers, 5);
    return answer;
}
