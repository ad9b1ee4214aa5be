/* What of a page its site repeats: repeated_blocks() of engine/page/judged.py and distinct_lines() of parse/repeats.py. */

#include "core.h"

typedef struct {
    const int64_t *sizes;                         /* of each line */
    const uint64_t *sums;                         /* its hash */
    const unsigned char *known;                   /* the hashes of lines that repeat, rising, their lowest byte first */
    Py_ssize_t lines, repeated, most_lines;       /* how many of both; so many are told at most */
    const int32_t *starts;                        /* of each block its first line, rising */
    Py_ssize_t blocks;
} Page;

static uint64_t
known_line(const Page *page, Py_ssize_t place)
{
    uint64_t hash = 0;
    for (int i = 7; i >= 0; i--)
        hash = hash << 8 | page->known[8 * place + i];
    return hash;
}

static int
is_known(const Page *page, uint64_t hash)
{
    Py_ssize_t low = 0, high = page->repeated;
    while (low < high) {
        Py_ssize_t middle = low + (high - low) / 2;
        if (known_line(page, middle) < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < page->repeated && known_line(page, low) == hash;
}

/* The block of each line, -1 before the first, and what each block is worth; returns how many there are. `*any`: does one
 * of them repeat? */
static Py_ssize_t
weigh_blocks(const Page *page, double mostly, double weight, Py_ssize_t *groups, double *weights, int *any)
{
    Py_ssize_t block = -1;
    *any = 0;
    int64_t words = 0, repeated = 0;
    for (Py_ssize_t line = 0; line <= page->lines; line++) {
        while (line == page->lines || (block + 1 < page->blocks && page->starts[block + 1] <= line)) {
            int repeats = repeated && (double)repeated >= mostly * (double)words;
            if (block >= 0) {
                weights[block] = repeats ? weight : 1.0;
                *any |= repeats;
            }
            if (line == page->lines)
                return block + 1;
            block++;
            words = repeated = 0;
        }
        groups[line] = block;
        words += page->sizes[line];
        if (page->sizes[line] && is_known(page, page->sums[line]))
            repeated += page->sizes[line];
    }
    return block + 1;
}

static void
sort(uint64_t *values, Py_ssize_t count)
{
    static const Py_ssize_t gaps[] = {301, 132, 57, 23, 10, 4, 1}; /* Ciura, 2001 */
    for (size_t k = 0; k < sizeof gaps / sizeof *gaps; k++)
        for (Py_ssize_t i = gaps[k]; i < count; i++) {
            uint64_t value = values[i];
            Py_ssize_t at = i;
            for (; at >= gaps[k] && values[at - gaps[k]] > value; at -= gaps[k])
                values[at] = values[at - gaps[k]];
            values[at] = value;
        }
}

/* The distinct hashes of lines that are in a block and have a word, rising: the first and the last of too many. */
static Py_ssize_t
tell_lines(const Page *page, const Py_ssize_t *groups, uint64_t *told)
{
    Py_ssize_t count = 0, distinct = 0, most = page->most_lines;
    for (Py_ssize_t line = 0; line < page->lines; line++)
        if (groups[line] >= 0 && page->sums[line])
            told[count++] = page->sums[line];
    if (count > most) {
        memmove(told + most / 2, told + count - most / 2, (size_t)(most / 2) * sizeof *told);
        count = most / 2 * 2;
    }
    sort(told, count);
    for (Py_ssize_t i = 0; i < count; i++)
        if (i == 0 || told[i] != told[i - 1])
            told[distinct++] = told[i];
    return distinct;
}

enum { SIZES, SUMS, KNOWN, GROUPS, WEIGHTS, BY_LINE, TOLD, ARRAYS };

/* blocks(first lines of blocks, sizes of lines, their hashes, hashes that repeat, mostly, weight, most lines, and what is
 * to be filled in: group of each line, weight of each block and of each line, distinct lines) -> (blocks, lines, does a block
 * repeat?), or None */
PyObject *
core_blocks(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 11) {
        PyErr_SetString(PyExc_TypeError, "blocks() takes 11 arguments");
        return NULL;
    }
    PyObject *const arrays[ARRAYS] = {args[1], args[2], args[3], args[7], args[8], args[9], args[10]}, *answer = NULL;
    Py_buffer buffers[ARRAYS] = {{0}};
    Page page = {0};
    double mostly = PyFloat_AsDouble(args[4]), weight = PyFloat_AsDouble(args[5]);
    page.most_lines = PyLong_AsSsize_t(args[6]);
    int32_t *starts = PyErr_Occurred() ? NULL : read_numbers(args[0], &page.blocks);
    if (starts == NULL)
        goto done;
    for (int i = 0; i < ARRAYS; i++)
        if (get_array(arrays[i], &buffers[i], 8, i < GROUPS ? PyBUF_SIMPLE : PyBUF_WRITABLE) < 0)
            goto done;
    page.starts = starts;
    page.sizes = buffers[SIZES].buf;
    page.sums = buffers[SUMS].buf;
    page.known = buffers[KNOWN].buf;
    page.lines = buffers[SIZES].len / 8;
    page.repeated = buffers[KNOWN].len / 8;
    if (buffers[SUMS].len != buffers[SIZES].len || buffers[GROUPS].len != buffers[SIZES].len ||
        buffers[BY_LINE].len != buffers[SIZES].len || buffers[TOLD].len != buffers[SIZES].len || buffers[WEIGHTS].len / 8 != page.blocks || page.most_lines < 0) {
        PyErr_SetString(PyExc_ValueError, "as many blocks as they begin are wanted, and lines as there are sizes");
        goto done;
    }
    for (Py_ssize_t i = 1; i < page.blocks; i++)
        if (starts[i] < starts[i - 1])
            goto done;
    const Py_ssize_t *groups = buffers[GROUPS].buf;
    double *weights = buffers[WEIGHTS].buf, *by_line = buffers[BY_LINE].buf;
    int any;
    Py_ssize_t blocks = weigh_blocks(&page, mostly, weight, buffers[GROUPS].buf, weights, &any);
    for (Py_ssize_t line = 0; line < page.lines; line++)
        by_line[line] = groups[line] < 0 ? 1.0 : weights[groups[line]];
    answer = Py_BuildValue("(nnO)", blocks, tell_lines(&page, groups, buffers[TOLD].buf), any ? Py_True : Py_False);
done:
    PyMem_Free(starts);
    release_arrays(buffers, ARRAYS);
    if (answer == NULL && !PyErr_Occurred())
        Py_RETURN_NONE;
    return answer;
}
