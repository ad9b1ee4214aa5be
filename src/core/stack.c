/* The elements that are open, and the formatting that is opened again where it was left in a tangle. */

#include "source.h"

const Tag IN_SVG = {.role = R_SVG};

/* Writes once more what was written before. */
static int
repeat(Bytes *out, Py_ssize_t begin, Py_ssize_t size)
{
    if (out->held - out->size < size && bytes_room(out, size) < 0)
        return FAILED;
    memcpy(out->data + out->size, out->data + begin, (size_t)size);
    out->size += size;
    return OK;
}

static int
push(Source *source, Py_ssize_t name, Py_ssize_t size, const Tag *tag)
{
    if (source->depth == MOST_DEPTH)
        return UNSAFE;
    source->open[source->depth++] = (OpenTag){tag, name, size};
    source->selects += tag->role == R_SELECT;
    if (tag->role == R_FORM)
        source->form = OPEN_FORM;
    return OK;
}

static void
forget_format(Source *source, int number)
{
    source->formats--;
    memmove(&source->format[number], &source->format[number + 1], (size_t)(source->formats - number) * sizeof(Format));
}

/* One more entry of the list of formatting; without a tag it is a mark, which closing a cell goes back to. */
static int
add_format(Source *source, Format format)
{
    int alike = 0, first = 0;
    for (int i = source->formats - 1; i >= 0 && format.tag != NULL && source->format[i].tag != NULL; i--) {
        const Format *other = &source->format[i];
        if (other->tag != format.tag || other->size != format.size)
            continue;
        if (memcmp(source->out.data + other->begin, source->out.data + format.begin, (size_t)format.size) != 0)
            return UNSAFE; /* perhaps the same attributes in another order */
        alike++;
        first = i;
    }
    if (alike == 3) /* as many are kept, by the rules */
        forget_format(source, first);
    if (source->formats == MOST_FORMATS)
        return UNSAFE;
    source->format[source->formats++] = format;
    return OK;
}

/* The start of an element that the source leaves out. */
int
imply(Source *source, const char *name)
{
    Span span = {name, (Py_ssize_t)strlen(name)};
    Py_ssize_t begin = source->out.size + 1;
    if (bytes_add_one(&source->out, '<') < 0 || bytes_add(&source->out, name, span.size) < 0 ||
        bytes_add_one(&source->out, '>') < 0)
        return FAILED;
    return push(source, begin, span.size, find_tag(source->tags, span));
}

/* The element whose start tag is being read. */
int
insert(Source *source)
{
    const Tag *tag = source->tag;
    Py_ssize_t begin = source->out.size, size = source->name_size;
    if (bytes_add_one(&source->out, '<') < 0 || bytes_add(&source->out, source->name, size) < 0)
        return FAILED;
    TRY(add_attributes(source, 0));
    if (bytes_add_one(&source->out, '>') < 0)
        return FAILED;
    if (tag->form == VOID)
        return OK;
    if ((tag->role == R_PRE || tag->role == R_TEXT) && source->at < source->end && !(tag->rules & IN_HEAD)) {
        if (*source->at == '&' && source->end - source->at > 1 && (source->at[1] == '#' || source->at[1] == 'N'))
            return UNSAFE; /* perhaps a line break by another name */
        source->at += *source->at == '\n'; /* right behind the tag it is not text, except of a title */
    }
    if (tag->form == RAW || tag->role == R_TEXT)
        return add_content(source, tag->form == RAW);
    TRY(push(source, begin + 1, size, tag));
    if (tag->rules & FORMATTING)
        return add_format(source, (Format){tag, begin, source->out.size - begin, size, source->depth - 1});
    if (tag->role == R_CELL || tag->role == R_CAPTION || tag->role == R_OBJECT)
        return add_format(source, (Format){NULL, 0, 0, 0, -1});
    return OK;
}

/* An element of SVG, where a tag may be closed at once, and some names have capitals. */
int
insert_svg(Source *source)
{
    Py_ssize_t begin = source->out.size + 1, size = source->name_size;
    if (bytes_add_one(&source->out, '<') < 0 || bytes_add(&source->out, source->name, size) < 0)
        return FAILED;
    set_case(&source->out, begin, SVG_TAGS);
    TRY(add_attributes(source, 1));
    if (bytes_add_one(&source->out, '>') < 0)
        return FAILED;
    TRY(push(source, begin, size, &IN_SVG));
    return source->closed ? close_one(source) : OK;
}

/* A tag that counts for nothing, except that the attributes of a second <html> or <body> go to the first. */
int
ignore(Source *source)
{
    Py_ssize_t before = source->out.size;
    TRY(add_attributes(source, 0));
    if (source->out.size > before && (source->tag->role == R_HTML || source->tag->role == R_BODY))
        return UNSAFE;
    source->out.size = before;
    return OK;
}

int
close_one(Source *source)
{
    OpenTag one = source->open[--source->depth];
    source->selects -= one.tag->role == R_SELECT;
    if (one.tag->role == R_FORM)
        source->form = LEFT_FORM;
    if (one.tag->rules & FORMATTING)
        for (int i = source->formats - 1; i >= 0; i--)
            if (source->format[i].place == source->depth)
                source->format[i].place = -1;
    if (ADD(&source->out, "</") < 0)
        return FAILED;
    TRY(repeat(&source->out, one.name, one.size));
    return bytes_add_one(&source->out, '>') < 0 ? FAILED : OK;
}

/* Close an element and all that is open inside it. */
int
close_to(Source *source, Py_ssize_t place)
{
    for (Py_ssize_t i = source->depth - 1; i > place; i--) {
        const Tag *tag = source->open[i].tag;
        if ((tag->rules & (SCOPE | PART)) || tag->role == R_SELECT || tag->role == R_SVG)
            return UNSAFE;
    }
    while (source->depth > place)
        TRY(close_one(source));
    return OK;
}

/* Close a cell, a caption or an object: formatting that began in it ends there. */
int
close_off(Source *source, Py_ssize_t place)
{
    TRY(close_to(source, place));
    while (source->formats && source->format[--source->formats].tag != NULL)
        ;
    return OK;
}

int
has_name(const Source *source, Py_ssize_t place)
{
    const OpenTag *one = &source->open[place];
    const char *name = source->out.data + one->name;
    if (one->size != source->name_size)
        return 0;
    return one->tag == &IN_SVG ? PyOS_strnicmp(name, source->name, one->size) == 0
                               : memcmp(name, source->name, (size_t)one->size) == 0;
}

/* The innermost open element of a role, or of the tag's name (role R_NONE), with no scope between; -1: there is none. */
Py_ssize_t
in_scope(const Source *source, int role)
{
    for (Py_ssize_t i = source->depth - 1; i >= 0; i--) {
        const Tag *tag = source->open[i].tag;
        if (role ? tag->role == role : has_name(source, i))
            return i;
        if ((tag->rules & SCOPE) || (role == R_P && tag->role == R_BUTTON))
            return -1;
    }
    return -1;
}

/* Formatting that was closed by what is around it is opened again before more text or more inline elements. */
int
reopen(Source *source)
{
    int first = source->formats;
    while (first > 0 && source->format[first - 1].tag != NULL && source->format[first - 1].place < 0)
        first--;
    if (first == source->formats)
        return OK;
    if (source->selects || source->out.size > 4 * (source->end - source->begin) + 65536)
        return UNSAFE; /* the second: more tags than the page has, and ever more */
    for (int i = first; i < source->formats; i++) {
        Format *format = &source->format[i];
        Py_ssize_t begin = source->out.size;
        TRY(repeat(&source->out, format->begin, format->size));
        TRY(push(source, begin + 1, format->name, format->tag));
        format->place = source->depth - 1;
    }
    return OK;
}

/* The last of the list with the tag's name, up to the last mark; -1: there is none. */
int
find_format(const Source *source)
{
    for (int i = source->formats - 1; i >= 0 && source->format[i].tag != NULL; i--)
        if (source->format[i].tag == source->tag)
            return i;
    return -1;
}

/* The end of formatting: the first steps of what the standard calls the adoption agency. A block inside it that goes on
 * behind it is UNSAFE: such blocks are moved. */
int
end_format(Source *source, int number)
{
    Py_ssize_t place = source->format[number].place;
    for (Py_ssize_t i = source->depth - 1; i > place && place >= 0; i--)
        if (source->open[i].tag->rules & (SPECIAL | SCOPE))
            return UNSAFE;
    if (place >= 0)
        TRY(close_to(source, place));
    forget_format(source, number);
    return OK;
}
