/* The characters of a page's source: names, attributes, comments, raw text.
 *
 * What is not read as it looks (a quote in an attribute's name, "--!>" in a comment) is UNSAFE. */

#include "source.h"

/* The name of a tag, in lower case, and its entry. */
int
read_name(Source *source)
{
    Py_ssize_t size = 0;
    const char *at = source->at;
    for (; at < source->end && *at != '>' && *at != '/' && !is_blank(*at); at++) {
        if (size == MOST_NAME || !(is_alphanumeric(*at) || *at == '-' || *at == ':' || *at == '_'))
            return UNSAFE;
        source->name[size++] = *at >= 'A' && *at <= 'Z' ? (char)(*at | 0x20) : *at;
    }
    source->written = (Span){source->at, size};
    source->at = at;
    source->tag = find_tag(source->tags, (Span){source->name, size});
    return at == source->end ? UNSAFE : OK;
}

/* The value behind "=", with or without quotes. */
static int
read_value(Source *source, Span *value)
{
    const char *at = source->at, *end;
    while (at < source->end && is_blank(*at))
        at++;
    if (at == source->end || *at == '>')
        return UNSAFE;
    if (*at == '"' || *at == '\'') {
        end = memchr(at + 1, *at, (size_t)(source->end - at - 1));
        if (end == NULL)
            return UNSAFE;
        source->at = end + 1;
        at++;
        if (source->at < source->end && !is_blank(*source->at) && *source->at != '>' && *source->at != '/')
            return UNSAFE;
    }
    else {
        for (end = at; end < source->end && *end != '>' && !is_blank(*end); end++)
            if (*end == '"' || *end == '\'' || *end == '<' || *end == '=' || *end == '`')
                return UNSAFE;
        source->at = end;
    }
    *value = (Span){at, end - at};
    return OK;
}

/* From behind a start tag's name to behind its ">". Of two attributes of a name, the walk takes the first. */
int
read_attributes(Source *source)
{
    Attributes *found = &source->walk.attributes;
    found->count = 0;
    source->closed = 0;
    for (;;) {
        while (source->at < source->end && is_blank(*source->at))
            source->at++;
        if (source->at < source->end && *source->at == '/') {
            source->at++;
            source->closed = 1;
            if (source->at == source->end || *source->at != '>')
                return UNSAFE;
        }
        if (source->at == source->end || found->count == MOST_ATTRIBUTES)
            return UNSAFE;
        if (*source->at == '>') {
            source->at++;
            return OK;
        }
        Attribute one = {{source->at, 0}, {source->at, 0}};
        for (; source->at < source->end; source->at++) {
            char byte = *source->at;
            if (byte == '=' || byte == '>' || byte == '/' || is_blank(byte))
                break;
            if (byte == '"' || byte == '\'' || byte == '<' || (byte & 0x80))
                return UNSAFE;
        }
        one.name.size = source->at - one.name.begin;
        if (one.name.size == 0)
            return UNSAFE;
        while (source->at < source->end && is_blank(*source->at))
            source->at++;
        if (source->at < source->end && *source->at == '=') {
            source->at++;
            TRY(read_value(source, &one.value));
        }
        Attribute *items = array_room(found->items, found->count, &found->held, sizeof *items);
        if (items == NULL)
            return FAILED;
        found->items = items;
        items[found->count++] = one;
    }
}

/* From behind an end tag's name to behind its ">". */
int
skip_end_tag(Source *source)
{
    while (source->at < source->end && is_blank(*source->at))
        source->at++;
    return source->at < source->end && *source->at++ == '>' ? OK : UNSAFE;
}

/* Where the end tag of the element whose start tag was just read begins; NULL where that is not certain. */
static const char *
find_end(const Source *source)
{
    const char *at = source->at, *end;
    for (;; at = end + 2) {
        end = find_bytes(at, source->end, "</", 2);
        if (end == NULL || source->end - end < source->written.size + 3)
            return NULL;
        Py_ssize_t i = 0;
        while (i < source->written.size && Py_TOLOWER(end[i + 2]) == source->name[i])
            i++;
        if (i == source->written.size && !is_alphanumeric(end[i + 2]))
            break;
    }
    if (source->written.size != 6 || memcmp(source->name, "script", 6) != 0)
        return end;
    /* "<!--" and "<script" inside a script: it goes on behind the next end tag */
    const char *comment = find_bytes(source->at, end, "<!--", 4);
    return comment != NULL && holds((Span){comment, end - comment}, "<script") ? NULL : end;
}

/* What is inside an element that has no elements in it, and its end. `raw`: nothing there is a reference. */
int
read_content(Source *source, int raw)
{
    const char *end = find_end(source);
    if (end == NULL)
        return UNSAFE;
    TRY(walk_text(&source->walk, (Span){source->at, end - source->at}, raw));
    source->at = end + 2 + source->written.size;
    TRY(skip_end_tag(source));
    return walk_end(&source->walk);
}

/* "<!--a-->", or "<?a>" and "<!a>", which are comments as well. */
int
skip_comment(Source *source)
{
    const char *at = source->at, *end;
    if (source->end - at < 4 || memcmp(at, "<!--", 4) != 0) {
        end = memchr(at, '>', (size_t)(source->end - at));
        if (end == NULL)
            return UNSAFE;
        source->at = end + 1;
        return OK;
    }
    at += 4;
    end = find_bytes(at, source->end, "-->", 3);
    if (end == NULL || *at == '>' || (at[0] == '-' && at[1] == '>') || find_bytes(at, end, "--!>", 4) != NULL)
        return UNSAFE;
    source->at = end + 3;
    return OK;
}

/* Eight bytes at a time where they are ASCII. */
static int
is_utf8(const char *at, const char *end)
{
    while (at < end) {
        uint64_t eight;
        if (end - at >= 8 && (memcpy(&eight, at, 8), !(eight & 0x8080808080808080u))) {
            at += 8;
            continue;
        }
        const unsigned char *byte = (const unsigned char *)at;
        int size = byte[0] < 0x80 ? 1 : byte[0] < 0xE0 ? 2 : byte[0] < 0xF0 ? 3 : 4;
        if (end - at < size || (size > 1 && (byte[0] < 0xC2 || byte[0] > 0xF4)))
            return 0;
        for (int i = 1; i < size; i++)
            if ((byte[i] & 0xC0) != 0x80)
                return 0;
        if ((byte[0] == 0xE0 && byte[1] < 0xA0) || (byte[0] == 0xED && byte[1] > 0x9F) ||
            (byte[0] == 0xF0 && byte[1] < 0x90) || (byte[0] == 0xF4 && byte[1] > 0x8F))
            return 0;
        at += size;
    }
    return 1;
}

/* is_utf8(body) -> bool */
PyObject *
core_is_utf8(PyObject *module, PyObject *body)
{
    (void)module;
    if (!PyBytes_Check(body)) {
        PyErr_SetString(PyExc_TypeError, "is_utf8(bytes)");
        return NULL;
    }
    return PyBool_FromLong(is_utf8(PyBytes_AS_STRING(body), PyBytes_AS_STRING(body) + PyBytes_GET_SIZE(body)));
}

/* The page with "\n" for "\r\n" and "\r", which is what browsers read. */
static int
break_lines(Span page, Bytes *copy)
{
    if (bytes_room(copy, page.size) < 0)
        return FAILED;
    const char *at = page.begin, *end = page.begin + page.size, *mark;
    while ((mark = memchr(at, '\r', (size_t)(end - at))) != NULL) {
        if (bytes_add(copy, at, mark - at) < 0 || bytes_add_one(copy, '\n') < 0)
            return FAILED;
        at = mark + 1;
        at += at < end && *at == '\n';
    }
    return bytes_add(copy, at, end - at) < 0 ? FAILED : OK;
}

/* read(page, tags, is_hidden, link_type, entities) -> (text, links, outline's columns, heads), or None: ask the library */
PyObject *
core_read(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 5 || !PyBytes_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "read(bytes, tags, callable, type, dict)");
        return NULL;
    }
    Source source = {.tags = tags_of(args[1])};
    if (source.tags == NULL)
        return NULL;
    Span page = {PyBytes_AS_STRING(args[0]), PyBytes_GET_SIZE(args[0])};
    Bytes copy = {NULL, 0, 0};
    int status = walk_begin(&source.walk, args + 2, page.size);
    if (status == OK && (memchr(page.begin, '\0', (size_t)page.size) || !is_utf8(page.begin, page.begin + page.size)))
        status = UNSAFE;
    if (status == OK && memchr(page.begin, '\r', (size_t)page.size) != NULL) {
        status = break_lines(page, &copy);
        page = (Span){copy.data, copy.size};
    }
    source.at = page.begin;
    source.end = page.begin + page.size;
    if (status == OK)
        status = build(&source);
    bytes_free(&copy);
    return walk_result(&source.walk, status);
}
