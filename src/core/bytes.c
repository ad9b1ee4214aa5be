/* Memory that grows, and that of others. */

#include "core.h"

int
bytes_room(Bytes *bytes, Py_ssize_t more)
{
    if (more > PY_SSIZE_T_MAX / 2 - bytes->held) {
        PyErr_NoMemory();
        return -1;
    }
    Py_ssize_t held = bytes->held * 2 > bytes->held + more ? bytes->held * 2 : bytes->held + more;
    char *data = PyMem_Realloc(bytes->data, (size_t)held);
    if (data == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    bytes->data = data;
    bytes->held = held;
    return 0;
}

void
bytes_free(Bytes *bytes)
{
    PyMem_Free(bytes->data);
}

void *
array_room(void *array, Py_ssize_t count, Py_ssize_t *held, size_t element)
{
    if (count < *held)
        return array;
    Py_ssize_t more = *held ? *held * 2 : 64;
    if (*held > PY_SSIZE_T_MAX / 2 / (Py_ssize_t)element) {
        PyErr_NoMemory();
        return NULL;
    }
    void *longer = PyMem_Realloc(array, (size_t)more * element);
    if (longer == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    *held = more;
    return longer;
}

int
get_array(PyObject *object, Py_buffer *buffer, Py_ssize_t item, int flags)
{
    if (PyObject_GetBuffer(object, buffer, flags) < 0)
        return -1;
    if (buffer->len % item == 0)
        return 0;
    PyBuffer_Release(buffer);
    PyErr_SetString(PyExc_ValueError, "a buffer has half an item at its end");
    return -1;
}

int32_t *
read_numbers(PyObject *list, Py_ssize_t *count)
{
    if (!PyList_CheckExact(list))
        return NULL;
    Py_ssize_t size = *count = PyList_GET_SIZE(list);
    int32_t *numbers = size < INT32_MAX ? PyMem_Malloc(((size_t)size + 1) * sizeof *numbers) : NULL;
    if (numbers == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = PyList_GET_ITEM(list, i);
        int overflow = 1;
        long value = PyLong_CheckExact(item) ? PyLong_AsLongAndOverflow(item, &overflow) : 0;
        if (overflow || value < 0 || value > INT32_MAX) {
            PyMem_Free(numbers);
            return NULL;
        }
        numbers[i] = (int32_t)value;
    }
    return numbers;
}

int
get_arrays(PyObject *const *objects, int count, const Py_ssize_t *items, unsigned writable, Py_buffer *buffers)
{
    for (int i = 0; i < count; i++)
        if (items[i] &&
            get_array(objects[i], &buffers[i], items[i], writable >> i & 1 ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0)
            return -1;
    return 0;
}

void
release_arrays(Py_buffer *buffers, int count)
{
    for (int i = 0; i < count; i++)
        if (buffers[i].obj != NULL)
            PyBuffer_Release(&buffers[i]);
}
