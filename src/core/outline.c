/* A page's outline, by columns: partition() of parse/blocks.py and mentions_of() of parse/links.py. What Python would
 * refuse, or take another way, is left to it. */

#include "core.h"

enum { FIRST_LINE = 1 };
static const uint32_t PRIME = 1000003;

/* So many lists at once: 1, or 0 where one of them cannot be read. All that was read is to be freed in any case. */
static int
read_lists(PyObject *const *lists, int count, int32_t **numbers, Py_ssize_t *sizes)
{
    for (int i = 0; i < count; i++)
        if ((numbers[i] = read_numbers(lists[i], &sizes[i])) == NULL)
            return 0;
    return 1;
}

static void
free_lists(int32_t **numbers, int count)
{
    for (int i = 0; i < count; i++)
        PyMem_Free(numbers[i]);
}

/* Marks the lines where a child of a split element begins or ends. `before` has the links before each line. */
static int
mark_borders(int32_t *const *columns, Py_ssize_t elements, double least_height, const int32_t *before, char *split,
             char *border)
{
    const int32_t *parents = columns[0], *starts = columns[1], *ends = columns[2], *heights = columns[3];
    int32_t lines = ends[0];
    for (Py_ssize_t i = 0; i < elements; i++) {
        int32_t start = starts[i], end = ends[i];
        if (parents[i] >= elements || start > lines || end > lines)
            return 0;
        if (i && (!split[parents[i]] || start == end))
            continue;
        if (i)
            border[start] = border[end] = 1;
        if (heights[i] && heights[i] >= least_height)
            split[i] = before[end] - before[start] >= 1;
    }
    return 1;
}

/* partition(parents, starts, ends, heights, lines of links, least height) -> first lines of blocks, or None */
PyObject *
core_partition(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 6) {
        PyErr_SetString(PyExc_TypeError, "partition(parents, starts, ends, heights, link_lines, least_height)");
        return NULL;
    }
    double least_height = PyFloat_AsDouble(args[5]);
    if (least_height == -1.0 && PyErr_Occurred())
        return NULL;
    int32_t *columns[5] = {NULL}, *before = NULL;
    Py_ssize_t sizes[5] = {0};
    char *marks = NULL;
    PyObject *found = NULL;
    if (!read_lists(args, 5, columns, sizes) || sizes[0] < 1 || sizes[1] != sizes[0] || sizes[2] != sizes[0] ||
        sizes[3] != sizes[0])
        goto done;
    Py_ssize_t elements = sizes[0], lines = columns[2][0];
    before = PyMem_Calloc((size_t)lines + 1, sizeof *before);
    marks = PyMem_Calloc((size_t)(elements + lines + 1), 1);
    if (before == NULL || marks == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t i = 0; i < sizes[4]; i++) {
        if (columns[4][i] >= lines)
            goto done;
        before[columns[4][i] + 1]++;
    }
    for (Py_ssize_t i = 1; i <= lines; i++)
        before[i] += before[i - 1];
    char *border = marks + elements;
    if (!mark_borders(columns, elements, least_height, before, marks, border) || (found = PyList_New(0)) == NULL)
        goto done;
    int32_t seen = 0;
    for (Py_ssize_t line = FIRST_LINE; line < lines || line == FIRST_LINE; line++) {
        if (line > FIRST_LINE && (!border[line] || before[line] <= seen))
            continue;
        if (line > FIRST_LINE)
            seen = before[line];
        PyObject *number = PyLong_FromSsize_t(line);
        if (number == NULL || PyList_Append(found, number) < 0) {
            Py_XDECREF(number);
            Py_CLEAR(found);
            break;
        }
        Py_DECREF(number);
    }
done:
    free_lists(columns, 5);
    PyMem_Free(before);
    PyMem_Free(marks);
    if (found == NULL && !PyErr_Occurred())
        Py_RETURN_NONE;
    return found;
}

/* How many of the rising `numbers` are not above `value`. */
static Py_ssize_t
count_up_to(const int32_t *numbers, Py_ssize_t count, int32_t value)
{
    Py_ssize_t low = 0;
    while (low < count) {
        Py_ssize_t middle = low + (count - low) / 2;
        if (numbers[middle] <= value)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* Of each element the hash of its path, and the first lines of headings, which take the place of `starts`: how many
 * there are, or -1 where the outline is none. */
static Py_ssize_t
read_outline(int32_t *const *columns, Py_ssize_t elements, const Py_buffer *is_heading, uint32_t *paths)
{
    const int32_t *tags = columns[0], *parents = columns[1], *ends = columns[3];
    int32_t *starts = columns[2];
    Py_ssize_t headings = 0;
    for (Py_ssize_t i = 0; i < elements; i++) {
        if (tags[i] >= is_heading->len || (i && parents[i] >= i))
            return -1;
        paths[i] = i ? paths[parents[i]] * PRIME + (uint32_t)tags[i] : 0;
        if (((const char *)is_heading->buf)[tags[i]] && ends[i] > starts[i])
            starts[headings++] = starts[i];
    }
    return headings;
}

enum { MENTIONED, LINES, ELEMENTS, TAGS, PARENTS, STARTS, ENDS, BLOCKS, LISTS }; /* arguments: lists, */
enum { IS_HEADING = LISTS, ROWS, AT, IN_BLOCK, HEADING, PATH, ARGUMENTS };      /* bytes, and arrays to be filled in */

/* mentions(rows, lines, elements, tags, parents, starts, ends, first lines of blocks, is_heading, and what is to be
 * filled in: rows, lines, blocks, headings, paths) -> are they? */
PyObject *
core_mentions(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != ARGUMENTS) {
        PyErr_SetString(PyExc_TypeError, "mentions() takes 14 arguments");
        return NULL;
    }
    static const Py_ssize_t items[ARGUMENTS - LISTS] = {1, sizeof(Py_ssize_t), 4, sizeof(Py_ssize_t), 4, 4};
    int32_t *lists[LISTS] = {NULL};
    Py_ssize_t sizes[LISTS] = {0};
    Py_buffer buffers[ARGUMENTS - LISTS] = {{0}};
    uint32_t *paths = NULL;
    int done = 0;
    if (!read_lists(args, LISTS, lists, sizes))
        goto end;
    Py_ssize_t mentions = sizes[MENTIONED], elements = sizes[TAGS];
    for (int i = 0; i < ARGUMENTS - LISTS; i++) {
        if (get_array(args[LISTS + i], &buffers[i], items[i], i ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0)
            goto end;
        if (i && buffers[i].len / items[i] != mentions)
            goto end;
    }
    if (sizes[LINES] != mentions || sizes[ELEMENTS] != mentions || sizes[PARENTS] != elements ||
        sizes[STARTS] != elements || sizes[ENDS] != elements)
        goto end;
    if ((paths = PyMem_Malloc(((size_t)elements + 1) * sizeof *paths)) == NULL) {
        PyErr_NoMemory();
        goto end;
    }
    Py_ssize_t headings = read_outline(lists + TAGS, elements, &buffers[0], paths);
    if (headings < 0)
        goto end;
    Py_ssize_t *rows = buffers[ROWS - LISTS].buf, *blocks = buffers[IN_BLOCK - LISTS].buf;
    int32_t *at = buffers[AT - LISTS].buf, *above = buffers[HEADING - LISTS].buf;
    uint32_t *path = buffers[PATH - LISTS].buf;
    for (Py_ssize_t i = 0; i < mentions; i++) {
        int32_t line = lists[LINES][i], element = lists[ELEMENTS][i];
        if (element >= elements)
            goto end;
        Py_ssize_t heading = count_up_to(lists[STARTS], headings, line);
        rows[i] = lists[MENTIONED][i];
        at[i] = line;
        blocks[i] = count_up_to(lists[BLOCKS], sizes[BLOCKS], line) - 1;
        above[i] = heading ? lists[STARTS][heading - 1] : 0;
        path[i] = paths[element];
    }
    done = 1;
end:
    free_lists(lists, LISTS);
    PyMem_Free(paths);
    release_arrays(buffers, ARGUMENTS - LISTS);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(done);
}
