/* What the parts of the compiled core share. Everything here has a twin in Python that says what it must give. */

#ifndef DOWSE_CORE_H
#define DOWSE_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

/* Bytes that grow. `add` and `room` return -1 with MemoryError set when there is no more. */
typedef struct {
    char *data;
    Py_ssize_t size, held;
} Bytes;

int bytes_room(Bytes *bytes, Py_ssize_t more);
void bytes_free(Bytes *bytes);

static inline int
bytes_add(Bytes *bytes, const char *data, Py_ssize_t size)
{
    if (bytes->held - bytes->size < size && bytes_room(bytes, size) < 0)
        return -1;
    if (size)
        memcpy(bytes->data + bytes->size, data, (size_t)size);
    bytes->size += size;
    return 0;
}

static inline int
bytes_add_one(Bytes *bytes, char byte)
{
    return bytes_add(bytes, &byte, 1);
}

/* An array, made longer where `count` elements fill the `held` there are; NULL with MemoryError set when it cannot be. */
void *array_room(void *array, Py_ssize_t count, Py_ssize_t *held, size_t element);

/* An array of numpy's, or anything that has a buffer, of items of one size; -1 with an exception where it is none. */
int get_array(PyObject *object, Py_buffer *buffer, Py_ssize_t item, int flags);

/* Several at once; bits of `writable` stand for those that are written to. Where items have 0 bytes there is none. To be
 * released in any case, and all zero before. */
int get_arrays(PyObject *const *objects, int count, const Py_ssize_t *items, unsigned writable, Py_buffer *buffers);
void release_arrays(Py_buffer *buffers, int count);

/* A list of integers that fit 31 bits and are not below 0, to be freed; NULL, perhaps without an exception, where it is
 * none. */
int32_t *read_numbers(PyObject *list, Py_ssize_t *count);

/* Numbers in the order of their upper halves, else as they stood; `spare` has as much room. Returns the one of both that
 * they are in then. */
uint64_t *sorted_by_half(uint64_t *keys, uint64_t *spare, Py_ssize_t count);

/* Where a number stands first in an open table of so many places, a power of two. The factor is odd and nobody's to
 * know: whoever writes a page could otherwise fill a table from one place on, where every look-up passes all others. */
extern uint64_t slot_factor;

static inline Py_ssize_t
first_place(uint32_t number, Py_ssize_t room)
{
    return (Py_ssize_t)(number * slot_factor >> 32) & (room - 1);
}

/* An occurrence is counted in four parts, of which a line may be worth any number: sums are exact, in any order. Returns
 * -1 where a count has no whole number of them, or too many. */
enum { PARTS = 4, MOST_PARTS = 1 << 20 };

static inline int64_t
parts_of(double count)
{
    double parts = count * PARTS;
    return parts >= 0 && parts <= MOST_PARTS && parts == (double)(int64_t)parts ? (int64_t)parts : -1;
}

/* One character of UTF-8 that is known to be valid; moves `*at` behind it. */
static inline Py_UCS4
next_character(const char **at)
{
    const unsigned char *byte = (const unsigned char *)*at;
    if (byte[0] < 0x80) {
        *at += 1;
        return byte[0];
    }
    if (byte[0] < 0xE0) {
        *at += 2;
        return (Py_UCS4)(byte[0] & 0x1F) << 6 | (byte[1] & 0x3F);
    }
    if (byte[0] < 0xF0) {
        *at += 3;
        return (Py_UCS4)(byte[0] & 0x0F) << 12 | (Py_UCS4)(byte[1] & 0x3F) << 6 | (byte[2] & 0x3F);
    }
    *at += 4;
    return (Py_UCS4)(byte[0] & 0x07) << 18 | (Py_UCS4)(byte[1] & 0x3F) << 12 | (Py_UCS4)(byte[2] & 0x3F) << 6 |
           (byte[3] & 0x3F);
}

PyObject *core_tags(PyObject *module, PyObject *names);
PyObject *core_sorts(PyObject *module, PyObject *names);
PyObject *core_cheap_bytes(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_is_utf8(PyObject *module, PyObject *body);
PyObject *core_read(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_read_words(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_minhash(PyObject *module, PyObject *hashes);
PyObject *core_similarities(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_lines(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_distinct(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_sorted_weights(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_bag(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_blocks(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_gather(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_partition(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_mentions(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_in_context(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_evidence(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_note_links(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_name_links(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_unit_texts(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_sum_texts(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_dot_texts(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_multiply_texts(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_number_terms(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_count_links(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_count_page(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_count_answer(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_chances(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_look_up(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *core_count_lines(PyObject *module, PyObject *const *args, Py_ssize_t count);
int prepare_words(PyObject *module); /* when the module is loaded */

#endif
