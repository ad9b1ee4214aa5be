/* The characters of a page's source: names, attributes, comments, written as a serialisation has them.
 *
 * What is not read as it looks (a quote in an attribute's name, "--!>" in a comment) is UNSAFE. */

#include "source.h"

/* Text up to `end`, where a tag begins or the page ends. */
int
add_characters(Source *source, const char *end)
{
    const char *at = source->at;
    source->at = end;
    return add_escaped(source, at, end, 0, 1);
}

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
    source->at = at;
    source->name_size = size;
    source->tag = find_tag(source->tags, (Span){source->name, size});
    return at == source->end ? UNSAFE : OK;
}

/* The value behind "=" and its quotes, to where the tag goes on. */
static int
add_value(Source *source)
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
    return add_escaped(source, at, end, 1, 1);
}

/* Names of SVG that have capitals, in whatever case they are written. */
const char *const SVG_TAGS[] = {
    "altGlyph", "altGlyphDef", "altGlyphItem", "animateColor", "animateMotion", "animateTransform", "clipPath",
    "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite", "feConvolveMatrix", "feDiffuseLighting",
    "feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood", "feFuncA", "feFuncB", "feFuncG", "feFuncR",
    "feGaussianBlur", "feImage", "feMerge", "feMergeNode", "feMorphology", "feOffset", "fePointLight",
    "feSpecularLighting", "feSpotLight", "feTile", "feTurbulence", "foreignObject", "glyphRef", "linearGradient",
    "radialGradient", "textPath", NULL,
};
const char *const SVG_ATTRIBUTES[] = {
    "attributeName", "attributeType", "baseFrequency", "baseProfile", "calcMode", "clipPathUnits", "diffuseConstant",
    "edgeMode", "filterUnits", "glyphRef", "gradientTransform", "gradientUnits", "kernelMatrix", "kernelUnitLength",
    "keyPoints", "keySplines", "keyTimes", "lengthAdjust", "limitingConeAngle", "markerHeight", "markerUnits",
    "markerWidth", "maskContentUnits", "maskUnits", "numOctaves", "pathLength", "patternContentUnits",
    "patternTransform", "patternUnits", "pointsAtX", "pointsAtY", "pointsAtZ", "preserveAlpha", "preserveAspectRatio",
    "primitiveUnits", "refX", "refY", "repeatCount", "repeatDur", "requiredExtensions", "requiredFeatures",
    "specularConstant", "specularExponent", "spreadMethod", "startOffset", "stdDeviation", "stitchTiles",
    "surfaceScale", "systemLanguage", "tableValues", "targetX", "targetY", "textLength", "viewBox", "viewTarget",
    "xChannelSelector", "yChannelSelector", "zoomAndPan", NULL,
};

/* Gives the name from `begin` on the capitals that it has among `names`. */
void
set_case(Bytes *out, Py_ssize_t begin, const char *const *names)
{
    char *name = out->data + begin;
    const size_t size = (size_t)(out->size - begin);
    for (; *names != NULL; names++)
        if (**names == *name && strlen(*names) == size && PyOS_strnicmp(*names, name, (Py_ssize_t)size) == 0)
            memcpy(name, *names, size);
}

/* From behind a start tag's name to behind its ">": ` name="value"` for each attribute, the first of a name. */
int
add_attributes(Source *source, int in_svg)
{
    struct {
        Py_ssize_t begin, size;
    } names[MOST_ATTRIBUTES];
    Bytes *out = &source->out;
    source->closed = 0;
    for (int count = 0;;) {
        while (source->at < source->end && is_blank(*source->at))
            source->at++;
        if (source->at < source->end && *source->at == '/') {
            source->at++;
            source->closed = 1;
            if (source->at == source->end || *source->at != '>')
                return UNSAFE;
        }
        if (source->at == source->end || count == MOST_ATTRIBUTES)
            return UNSAFE;
        if (*source->at == '>') {
            source->at++;
            return OK;
        }
        const Py_ssize_t before = out->size;
        const char *name = source->at;
        for (; source->at < source->end; source->at++) {
            char byte = *source->at;
            if (byte == '=' || byte == '>' || byte == '/' || is_blank(byte))
                break;
            if (byte == '"' || byte == '\'' || byte == '<' || byte < 0)
                return UNSAFE;
        }
        Py_ssize_t size = source->at - name;
        if (size == 0 || bytes_add_one(out, ' ') < 0 || bytes_add(out, name, size) < 0)
            return size == 0 ? UNSAFE : FAILED;
        char *copy = out->data + before + 1;
        for (Py_ssize_t i = 0; i < size; i++)
            if (copy[i] >= 'A' && copy[i] <= 'Z')
                copy[i] |= 0x20;
        int doubled = 0;
        for (int i = 0; i < count; i++)
            doubled |= names[i].size == size && memcmp(out->data + names[i].begin, copy, (size_t)size) == 0;
        if (in_svg)
            set_case(out, before + 1, SVG_ATTRIBUTES);
        names[count].begin = before + 1;
        names[count].size = size;
        while (source->at < source->end && is_blank(*source->at))
            source->at++;
        if (ADD(out, "=\"") < 0)
            return FAILED;
        if (source->at < source->end && *source->at == '=') {
            source->at++;
            TRY(add_value(source));
        }
        if (bytes_add_one(out, '"') < 0)
            return FAILED;
        if (doubled)
            out->size = before;
        else
            count++;
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
        if (end == NULL || source->end - end < source->name_size + 3)
            return NULL;
        Py_ssize_t i = 0;
        while (i < source->name_size && Py_TOLOWER(end[i + 2]) == source->name[i])
            i++;
        if (i == source->name_size && !is_alphanumeric(end[i + 2]))
            break;
    }
    if (source->name_size != 6 || memcmp(source->name, "script", 6) != 0)
        return end;
    /* "<!--" and "<script" inside a script: it goes on behind the next end tag */
    const char *comment = find_bytes(source->at, end, "<!--", 4);
    return comment != NULL && holds((Span){comment, end - comment}, "<script") ? NULL : end;
}

/* What is inside an element that has no elements in it, and its end tag. `raw`: nothing there is a reference. */
int
add_content(Source *source, int raw)
{
    const char *end = find_end(source);
    if (end == NULL)
        return UNSAFE;
    if (raw && bytes_add(&source->out, source->at, end - source->at) < 0)
        return FAILED;
    if (!raw)
        TRY(add_characters(source, end));
    source->at = end + 2 + source->name_size;
    if (ADD(&source->out, "</") < 0 || bytes_add(&source->out, source->name, source->name_size) < 0 ||
        bytes_add_one(&source->out, '>') < 0)
        return FAILED;
    return skip_end_tag(source);
}

/* "<!--a-->", or "<?a>" and "<!a>", which are "<!--?a-->" and "<!--a-->". */
int
add_comment(Source *source, Bytes *target)
{
    const char *at = source->at, *end;
    if (source->end - at < 4 || memcmp(at, "<!--", 4) != 0) {
        end = memchr(at, '>', (size_t)(source->end - at));
        if (end == NULL)
            return UNSAFE;
        source->at = end + 1;
        at += at[1] == '?' ? 1 : 2;
    }
    else {
        at += 4;
        end = find_bytes(at, source->end, "-->", 3);
        if (end == NULL || *at == '>' || (at[0] == '-' && at[1] == '>') || find_bytes(at, end, "--!>", 4) != NULL)
            return UNSAFE;
        source->at = end + 3;
    }
    return ADD(target, "<!--") < 0 || bytes_add(target, at, end - at) < 0 || ADD(target, "-->") < 0 ? FAILED : OK;
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

/* serialised(page, tags, entities) -> the serialisation of its tree, or None: ask the library */
PyObject *
core_serialised(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 3 || !PyBytes_Check(args[0]) || !PyDict_Check(args[2])) {
        PyErr_SetString(PyExc_TypeError, "serialised(bytes, tags, dict)");
        return NULL;
    }
    Source source = {.entities = args[2], .tags = tags_of(args[1])};
    if (source.tags == NULL)
        return NULL;
    Span page = {PyBytes_AS_STRING(args[0]), PyBytes_GET_SIZE(args[0])};
    Bytes copy = {NULL, 0, 0};
    int status = memchr(page.begin, '\0', (size_t)page.size) || !is_utf8(page.begin, page.begin + page.size) ? UNSAFE : OK;
    if (status == OK && memchr(page.begin, '\r', (size_t)page.size) != NULL) {
        status = break_lines(page, &copy);
        page = (Span){copy.data, copy.size};
    }
    source.begin = source.at = page.begin;
    source.end = page.begin + page.size;
    if (status == OK)
        status = bytes_room(&source.out, page.size + page.size / 8 + 256) < 0 ? FAILED : build(&source);
    PyObject *result = NULL;
    if (status == OK)
        result = PyBytes_FromStringAndSize(source.out.data, source.out.size);
    else if (status == UNSAFE)
        result = Py_NewRef(Py_None);
    bytes_free(&copy);
    bytes_free(&source.out);
    bytes_free(&source.after_body);
    bytes_free(&source.after_html);
    return result;
}
