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
