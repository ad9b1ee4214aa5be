/* dowse._core: what a page's time is made of, compiled. See core.h. */

#include "core.h"

static PyMethodDef methods[] = {
    {"tags", core_tags, METH_O, NULL},
    {"sorts", core_sorts, METH_O, NULL},
    {"cheap_bytes", (PyCFunction)(void (*)(void))core_cheap_bytes, METH_FASTCALL, NULL},
    {"is_utf8", core_is_utf8, METH_O, NULL},
    {"read", (PyCFunction)(void (*)(void))core_read, METH_FASTCALL, NULL},
    {"read_words", (PyCFunction)(void (*)(void))core_read_words, METH_FASTCALL, NULL},
    {"minhash", core_minhash, METH_O, NULL},
    {"similarities", (PyCFunction)(void (*)(void))core_similarities, METH_FASTCALL, NULL},
    {"lines", (PyCFunction)(void (*)(void))core_lines, METH_FASTCALL, NULL},
    {"distinct", (PyCFunction)(void (*)(void))core_distinct, METH_FASTCALL, NULL},
    {"sorted_weights", (PyCFunction)(void (*)(void))core_sorted_weights, METH_FASTCALL, NULL},
    {"bag", (PyCFunction)(void (*)(void))core_bag, METH_FASTCALL, NULL},
    {"blocks", (PyCFunction)(void (*)(void))core_blocks, METH_FASTCALL, NULL},
    {"gather", (PyCFunction)(void (*)(void))core_gather, METH_FASTCALL, NULL},
    {"partition", (PyCFunction)(void (*)(void))core_partition, METH_FASTCALL, NULL},
    {"mentions", (PyCFunction)(void (*)(void))core_mentions, METH_FASTCALL, NULL},
    {"in_context", (PyCFunction)(void (*)(void))core_in_context, METH_FASTCALL, NULL},
    {"evidence", (PyCFunction)(void (*)(void))core_evidence, METH_FASTCALL, NULL},
    {"note_links", (PyCFunction)(void (*)(void))core_note_links, METH_FASTCALL, NULL},
    {"name_links", (PyCFunction)(void (*)(void))core_name_links, METH_FASTCALL, NULL},
    {"unit_texts", (PyCFunction)(void (*)(void))core_unit_texts, METH_FASTCALL, NULL},
    {"sum_texts", (PyCFunction)(void (*)(void))core_sum_texts, METH_FASTCALL, NULL},
    {"dot_texts", (PyCFunction)(void (*)(void))core_dot_texts, METH_FASTCALL, NULL},
    {"multiply_texts", (PyCFunction)(void (*)(void))core_multiply_texts, METH_FASTCALL, NULL},
    {"number_terms", (PyCFunction)(void (*)(void))core_number_terms, METH_FASTCALL, NULL},
    {"count_links", (PyCFunction)(void (*)(void))core_count_links, METH_FASTCALL, NULL},
    {"count_page", (PyCFunction)(void (*)(void))core_count_page, METH_FASTCALL, NULL},
    {"count_answer", (PyCFunction)(void (*)(void))core_count_answer, METH_FASTCALL, NULL},
    {"chances", (PyCFunction)(void (*)(void))core_chances, METH_FASTCALL, NULL},
    {"look_up", (PyCFunction)(void (*)(void))core_look_up, METH_FASTCALL, NULL},
    {"count_lines", (PyCFunction)(void (*)(void))core_count_lines, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

/* Raised with every change of what a function takes or gives; dowse/compiled.py has the same number. */
enum { VERSION = 13 };

uint64_t slot_factor = 1;

/* Python has a secret of its own for the hashes of strings. */
static int
choose_factor(void)
{
    PyObject *text = PyUnicode_FromString("dowse: where numbers stand in a table");
    Py_hash_t hash = text == NULL ? -1 : PyObject_Hash(text);
    Py_XDECREF(text);
    slot_factor = (uint64_t)hash | 1;
    return hash == -1 ? -1 : 0;
}

static int
prepare(PyObject *module)
{
    return choose_factor() < 0 || PyModule_AddIntConstant(module, "VERSION", VERSION) < 0 ? -1 : prepare_words(module);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, prepare}, {0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "dowse._core", .m_methods = methods, .m_slots = slots,
};

PyMODINIT_FUNC
PyInit__core(void)
{
    return PyModuleDef_Init(&module);
}
