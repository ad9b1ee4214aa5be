/* The elements that are open, and the formatting that is opened again where it was left in a tangle. */

#include "source.h"

const Tag IN_SVG = {.role = R_SVG};

static int
push(Source *source, Span name, const Tag *tag)
{
    if (source->depth == MOST_DEPTH)
        return UNSAFE;
    source->open[source->depth++] = (OpenTag){tag, name};
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
    int same = 0, alike = 0, first = 0;
    for (int i = source->formats - 1; i >= 0 && format.tag != NULL && source->format[i].tag != NULL; i--) {
        const Format *other = &source->format[i];
        if (other->tag != format.tag)
            continue;
        same++;
        alike += other->written.size == format.written.size &&
                 memcmp(other->written.begin, format.written.begin, (size_t)format.written.size) == 0;
        first = i;
    }
    if (same >= 3) { /* of three that are alike, the first is forgotten */
        if (alike != same)
            return UNSAFE; /* as to their attributes, they may be alike all the same */
        forget_format(source, first);
    }
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
    const Tag *tag = find_tag(source->tags, span);
    source->walk.attributes.count = 0;
    TRY(walk_start(&source->walk, tag->kind, 0));
    return push(source, span, tag);
}

/* The element whose start tag is being read. */
int
insert(Source *source)
{
    const Tag *tag = source->tag;
    const char *begin = source->written.begin;
    TRY(read_attributes(source));
    TRY(walk_start(&source->walk, tag->kind, tag->form));
    if (tag->form == VOID)
        return OK;
    if ((tag->role == R_PRE || tag->role == R_TEXT) && source->at < source->end && !(tag->rules & IN_HEAD)) {
        if (*source->at == '&' && source->end - source->at > 1 && (source->at[1] == '#' || source->at[1] == 'N'))
            return UNSAFE; /* perhaps a line break by another name */
        source->at += *source->at == '\n'; /* right behind the tag it is not text, except of a title */
    }
    if (tag->form == RAW || tag->role == R_TEXT)
        return read_content(source, tag->form == RAW);
    TRY(push(source, source->written, tag));
    if (tag->rules & FORMATTING)
        return add_format(source, (Format){tag, {begin, source->at - begin}, source->written, source->depth - 1});
    if (tag->role == R_CELL || tag->role == R_CAPTION || tag->role == R_OBJECT)
        return add_format(source, (Format){NULL, {NULL, 0}, {NULL, 0}, -1});
    return OK;
}

/* An element of SVG, where a tag may be closed at once. */
int
insert_svg(Source *source)
{
    TRY(read_attributes(source));
    TRY(walk_start(&source->walk, source->tag->kind, 0));
    TRY(push(source, source->written, &IN_SVG));
    return source->closed ? close_one(source) : OK;
}

/* A tag that counts for nothing, except that the attributes of a second <html> or <body> go to the first. */
int
ignore(Source *source)
{
    TRY(read_attributes(source));
    const int gives = source->tag->role == R_HTML || source->tag->role == R_BODY;
    return gives && source->walk.attributes.count ? UNSAFE : OK;
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
    return walk_end(&source->walk);
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

/* Has the open element the name of the tag being read? */
int
has_name(const Source *source, Py_ssize_t place)
{
    const OpenTag *one = &source->open[place];
    if (one->tag == source->tag && one->tag->size)
        return 1;
    return one->name.size == source->written.size && PyOS_strnicmp(one->name.begin, source->name, one->name.size) == 0;
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
    if (source->selects)
        return UNSAFE;
    const char *at = source->at;
    for (int i = first; i < source->formats; i++) {
        Format *format = &source->format[i];
        if (++source->reopened > MOST_REOPENED)
            return UNSAFE; /* more tags than the page has, and ever more */
        source->at = format->name.begin + format->name.size;
        TRY(read_attributes(source));
        TRY(walk_start(&source->walk, format->tag->kind, 0));
        TRY(push(source, format->name, format->tag));
        format->place = source->depth - 1;
    }
    source->at = at;
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
