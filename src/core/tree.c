/* A page's serialisation straight from its source: what the HTML library would write of its tree, without a tree.
 *
 * The rules are those of the HTML standard ("tree construction"), as far as they say where elements begin and end. What
 * takes more than a stack (formatting left in a tangle, text between a table's cells, SVG, templates, framesets) is
 * UNSAFE: the library has to read such a page. So this needs to be right, but not complete. */

#include "source.h"

enum { AGAIN = 2 }; /* beside OK, FAILED and UNSAFE: the rules say to look at the tag once more */
enum { BEFORE_HTML, BEFORE_HEAD, INSIDE_HEAD, AFTER_HEAD, INSIDE_BODY, AFTER_BODY, AFTER_HTML };
enum { NO_FORM, OPEN_FORM, LEFT_FORM };     /* the page's current form: none, open, closed by an element around it */
enum { NO_DOCTYPE, MODERN_DOCTYPE, OLD_DOCTYPE }; /* with the last, there is no telling whether it is quirks mode */

static const Tag NOTHING;

static const Tag *
innermost(const Source *source)
{
    return source->depth ? source->open[source->depth - 1].tag : &NOTHING;
}

static const Tag IN_SVG = {.role = R_SVG};

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

/* The start of an element that the source leaves out. */
static int
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
static int
insert(Source *source)
{
    const Tag *tag = source->tag;
    Py_ssize_t begin = source->out.size + 1, size = source->name_size;
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
    return push(source, begin, size, tag);
}

/* A tag that counts for nothing, except that the attributes of a second <html> or <body> go to the first. */
static int
ignore(Source *source)
{
    Py_ssize_t before = source->out.size;
    TRY(add_attributes(source, 0));
    if (source->out.size > before && (source->tag->role == R_HTML || source->tag->role == R_BODY))
        return UNSAFE;
    source->out.size = before;
    return OK;
}

static int
close_one(Source *source)
{
    OpenTag one = source->open[--source->depth];
    source->selects -= one.tag->role == R_SELECT;
    if (one.tag->role == R_FORM)
        source->form = LEFT_FORM;
    if (source->out.held - source->out.size < one.size + 3 && bytes_room(&source->out, one.size + 3) < 0)
        return FAILED; /* before its name is copied from the same bytes */
    char *at = source->out.data + source->out.size;
    *at++ = '<';
    *at++ = '/';
    memcpy(at, source->out.data + one.name, (size_t)one.size);
    at[one.size] = '>';
    source->out.size += one.size + 3;
    return OK;
}

/* Close an element and all that is open inside it. `clears`: formatting inside it is not opened again. */
static int
close_to(Source *source, Py_ssize_t place, int clears)
{
    for (Py_ssize_t i = source->depth - 1; i > place; i--) {
        const Tag *tag = source->open[i].tag;
        if ((tag->rules & (SCOPE | PART)) || tag->role == R_SELECT || tag->role == R_SVG || (!clears && (tag->rules & FORMATTING)))
            return UNSAFE;
    }
    while (source->depth > place)
        TRY(close_one(source));
    return OK;
}

static int
has_name(const Source *source, Py_ssize_t place)
{
    const OpenTag *one = &source->open[place];
    const char *name = source->out.data + one->name;
    return one->size == source->name_size &&
           (one->tag == &IN_SVG ? PyOS_strnicmp(name, source->name, one->size) : memcmp(name, source->name, (size_t)one->size)) == 0;
}

/* The innermost open element of a role, or of the tag's name (role R_NONE), with no scope between; -1: there is none. */
static Py_ssize_t
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

static int
is_open(const Source *source, int role)
{
    for (Py_ssize_t i = source->depth - 1; i >= 0; i--)
        if (source->open[i].tag->role == role)
            return 1;
    return 0;
}

static int
end_paragraph(Source *source)
{
    Py_ssize_t place = in_scope(source, R_P);
    return place < 0 ? OK : close_to(source, place, 0);
}

/* Before an item of a list begins, the one before it ends. */
static int
end_item(Source *source, int role)
{
    for (Py_ssize_t i = source->depth - 1; i >= 0; i--) {
        const Tag *tag = source->open[i].tag;
        if (tag->role == role)
            return close_to(source, i, 0);
        if ((tag->rules & SPECIAL) && !(tag->rules & PASSED))
            return OK;
    }
    return OK;
}

/* The innermost open table, cell or caption; -1: there is none. */
static Py_ssize_t
in_table(const Source *source)
{
    for (Py_ssize_t i = source->depth - 1; i >= 0; i--) {
        int role = source->open[i].tag->role;
        if (role == R_TABLE || role == R_CELL || role == R_CAPTION)
            return i;
    }
    return -1;
}

/* Is the tag being read one of SVG there, and of nothing else? Inside some of its elements, tags are HTML's again. */
static int
is_svg(const Source *source)
{
    static const char *const html[] = {"foreignobject", "ruby", "span", "sub", "sup", "var"};
    if (innermost(source) == &IN_SVG) {
        const OpenTag *around = &source->open[source->depth - 1];
        Span name = {source->out.data + around->name, around->size};
        if (is_word(name, "title") || is_word(name, "desc"))
            return 0;
    }
    Span name = {source->name, source->name_size};
    for (size_t i = 0; i < sizeof html / sizeof *html; i++)
        if (is_word(name, html[i]))
            return 0;
    const Tag *tag = source->tag;
    return !(tag->role || tag->rules || tag->form) || tag->role == R_SVG || tag->role == R_A ||
           is_word(name, "title") || is_word(name, "image");
}

static int
is_frame(const Tag *tag)
{
    return tag->role == R_TABLE || tag->role == R_COLGROUP || tag->role == R_ROWS || tag->role == R_ROW;
}

/* A start tag right inside a table, a group of rows or of columns, or a row. */
static int
start_in_frame(Source *source)
{
    int role = source->tag->role;
    if (!(source->tag->rules & PART))
        return (source->tag->rules & IN_HEAD) && source->tag->form == RAW && innermost(source)->role != R_COLGROUP &&
                       source->name[0] == 's' /* script, style */
                   ? insert(source)
                   : UNSAFE;
    switch (innermost(source)->role) {
    case R_TABLE:
        if (role == R_CAPTION || role == R_COLGROUP || role == R_ROWS)
            return insert(source);
        TRY(imply(source, role == R_COL ? "colgroup" : "tbody"));
        return AGAIN;
    case R_COLGROUP:
        if (role == R_COL)
            return insert(source);
        break;
    case R_ROWS:
        if (role == R_ROW)
            return insert(source);
        if (role == R_CELL) {
            TRY(imply(source, "tr"));
            return AGAIN;
        }
        break;
    default:
        if (role == R_CELL)
            return insert(source);
    }
    TRY(close_one(source));
    return AGAIN;
}

/* A start tag that begins an SVG, or is inside one. */
static int
start_in_svg(Source *source)
{
    Py_ssize_t begin = source->out.size + 1, size = source->name_size;
    if (!is_svg(source) || bytes_add_one(&source->out, '<') < 0 || bytes_add(&source->out, source->name, size) < 0)
        return PyErr_Occurred() ? FAILED : UNSAFE;
    set_case(&source->out, begin, SVG_TAGS);
    TRY(add_attributes(source, 1));
    if (bytes_add_one(&source->out, '>') < 0)
        return FAILED;
    TRY(push(source, begin, size, &IN_SVG));
    return source->closed ? close_one(source) : OK;
}

static int
start_in_body(Source *source)
{
    const Tag *tag = source->tag;
    Py_ssize_t place;
    if (source->selects && tag->role != R_OPTION && tag->role != R_OPTGROUP)
        return UNSAFE;
    if (tag->rules & PART) {
        place = in_table(source);
        if (place < 0)
            return ignore(source);
        if (source->open[place].tag->role != R_CELL)
            return UNSAFE;
        TRY(close_to(source, place, 1));
        return AGAIN;
    }
    if (tag->role == R_LI || tag->role == R_DD)
        TRY(end_item(source, tag->role));
    if (tag->role == R_FORM && source->form != NO_FORM)
        return ignore(source);
    if (tag->rules & ENDS_P)
        TRY(end_paragraph(source));
    switch (tag->role) {
    case R_DOUBT:
        return UNSAFE;
    case R_HTML:
    case R_HEAD:
    case R_BODY:
        return ignore(source);
    case R_SVG:
        return start_in_svg(source);
    case R_HEADING:
        if (innermost(source)->role == R_HEADING)
            TRY(close_one(source));
        break;
    case R_BUTTON:
        place = in_scope(source, R_BUTTON);
        if (place >= 0)
            TRY(close_to(source, place, 0));
        break;
    case R_A:
    case R_NOBR:
        if (is_open(source, tag->role))
            return UNSAFE;
        break;
    case R_OPTION:
    case R_OPTGROUP:
        if (innermost(source)->role == R_OPTION)
            TRY(close_one(source));
        if (tag->role == R_OPTGROUP && innermost(source)->role == R_OPTGROUP && source->selects)
            TRY(close_one(source));
        break;
    case R_TABLE:
        if (in_scope(source, R_P) >= 0) { /* not in quirks mode, it ends a paragraph */
            if (source->doctype == OLD_DOCTYPE)
                return UNSAFE;
            if (source->doctype == MODERN_DOCTYPE)
                TRY(end_paragraph(source));
        }
        break;
    default:
        break;
    }
    return insert(source);
}

static int
start_tag(Source *source)
{
    const Tag *tag = source->tag;
    switch (source->mode) {
    case BEFORE_HTML:
        source->mode = BEFORE_HEAD;
        if (tag->role == R_HTML)
            return insert(source);
        TRY(imply(source, "html"));
        return AGAIN;
    case BEFORE_HEAD:
        if (tag->role == R_HTML)
            return ignore(source);
        source->mode = INSIDE_HEAD;
        if (tag->role == R_HEAD)
            return insert(source);
        TRY(imply(source, "head"));
        return AGAIN;
    case INSIDE_HEAD:
        if (tag->role == R_HTML || tag->role == R_HEAD)
            return ignore(source);
        if (tag->rules & IN_HEAD)
            return insert(source);
        if (tag->role == R_DOUBT)
            return UNSAFE;
        source->mode = AFTER_HEAD;
        TRY(close_one(source));
        return AGAIN;
    case AFTER_HEAD:
        if (tag->role == R_HTML || tag->role == R_HEAD)
            return ignore(source);
        if (tag->role == R_DOUBT || (tag->rules & IN_HEAD))
            return UNSAFE;
        source->mode = INSIDE_BODY;
        if (tag->role == R_BODY)
            return insert(source);
        TRY(imply(source, "body"));
        return AGAIN;
    default:
        source->mode = INSIDE_BODY;
        if (innermost(source) == &IN_SVG)
            return start_in_svg(source);
        return is_frame(innermost(source)) ? start_in_frame(source) : start_in_body(source);
    }
}

/* An end tag right inside a table, a group of rows or of columns, or a row. */
static int
end_in_frame(Source *source)
{
    Py_ssize_t last = source->depth - 1;
    if (has_name(source, last))
        return close_one(source);
    int role = source->tag->role;
    if (role != R_TABLE && !(role == R_ROWS && source->open[last].tag->role == R_ROW && has_name(source, last - 1)))
        return UNSAFE;
    TRY(close_one(source));
    return AGAIN;
}

/* An end tag of a table or a part of one, from inside a cell or a caption. */
static int
end_in_cell(Source *source)
{
    Py_ssize_t place = in_table(source);
    if (place < 0)
        return OK;
    int around = source->open[place].tag->role;
    if (has_name(source, place) && around != R_TABLE)
        return close_to(source, place, 1);
    int role = source->tag->role;
    if (around != R_CELL || !(role == R_TABLE || role == R_ROW || (role == R_ROWS && has_name(source, place - 2))))
        return UNSAFE;
    TRY(close_to(source, place, 1));
    return AGAIN;
}

static int
end_in_body(Source *source)
{
    const Tag *tag = source->tag;
    Py_ssize_t place;
    if (source->selects) {
        if (tag->role == R_OPTGROUP && innermost(source)->role == R_OPTION)
            TRY(close_one(source));
        if (tag->role == R_SELECT) {
            while (innermost(source)->role != R_SELECT)
                TRY(close_one(source));
        }
        return has_name(source, source->depth - 1) ? close_one(source) : UNSAFE;
    }
    switch (tag->role) {
    case R_DOUBT:
    case R_BR:
    case R_SELECT:
    case R_OPTION:
    case R_OPTGROUP:
        return UNSAFE;
    case R_HTML:
    case R_BODY:
        for (Py_ssize_t i = 1; i < source->depth; i++)
            if (source->open[i].tag->rules & SCOPE)
                return UNSAFE;
        source->mode = tag->role == R_BODY ? AFTER_BODY : AFTER_HTML;
        return OK;
    case R_P:
        place = in_scope(source, R_P);
        if (place < 0)
            return ADD(&source->out, "<p></p>") < 0 ? FAILED : OK;
        return close_to(source, place, 0);
    case R_LI:
        for (place = source->depth - 1; place >= 0 && source->open[place].tag->role != R_LI; place--) {
            const Tag *one = source->open[place].tag;
            if ((one->rules & SCOPE) || one->role == R_LIST)
                return OK;
        }
        return place < 0 ? OK : close_to(source, place, 0);
    case R_HEADING:
    case R_DD:
        place = in_scope(source, tag->role == R_DD ? R_NONE : R_HEADING);
        if (tag->role == R_HEADING && in_scope(source, R_NONE) != place)
            return UNSAFE;
        return place < 0 ? OK : close_to(source, place, 0);
    case R_FORM: {
        int form = source->form;
        source->form = NO_FORM;
        place = in_scope(source, R_FORM);
        if (form != OPEN_FORM || place < 0)
            return OK;
        for (Py_ssize_t i = place + 1; i < source->depth; i++)
            if (!(source->open[i].tag->rules & OPTIONAL))
                return UNSAFE; /* it goes on without the form around it */
        TRY(close_to(source, place, 0));
        source->form = NO_FORM;
        return OK;
    }
    case R_OBJECT:
        place = in_scope(source, R_NONE);
        return place < 0 ? OK : close_to(source, place, 1);
    default:
        break;
    }
    if (tag->role == R_TABLE || (tag->rules & PART))
        return end_in_cell(source);
    if (tag->rules & FORMATTING) {
        if (has_name(source, source->depth - 1))
            return close_one(source);
        for (place = 0; place < source->depth; place++)
            if (has_name(source, place))
                return UNSAFE;
        return OK;
    }
    if (tag->rules & BLOCK) {
        place = in_scope(source, R_NONE);
        return place < 0 ? OK : close_to(source, place, 0);
    }
    for (place = source->depth - 1; place >= 0; place--) {
        if (has_name(source, place))
            return close_to(source, place, 0);
        if (source->open[place].tag->rules & SPECIAL)
            return OK;
    }
    return OK;
}

static int
end_tag(Source *source)
{
    if (source->mode == INSIDE_HEAD) {
        int role = source->tag->role;
        if (role == R_HEAD) {
            source->mode = AFTER_HEAD;
            return close_one(source);
        }
        return role == R_HTML || role == R_BODY || role == R_BR || role == R_DOUBT ? UNSAFE : OK;
    }
    if (source->mode < INSIDE_BODY)
        return UNSAFE;
    if (source->mode == AFTER_BODY && source->tag->role == R_HTML) {
        source->mode = AFTER_HTML;
        return OK;
    }
    source->mode = INSIDE_BODY;
    if (innermost(source) == &IN_SVG)
        return has_name(source, source->depth - 1) ? close_one(source) : UNSAFE;
    return is_frame(innermost(source)) ? end_in_frame(source) : end_in_body(source);
}

/* Up to the body, as a page that leaves these tags out has them. */
static int
begin_body(Source *source)
{
    static const char *const missing[] = {"html", "head", NULL, "body"};
    for (; source->mode < INSIDE_BODY; source->mode++)
        TRY(source->mode == INSIDE_HEAD ? close_one(source) : imply(source, missing[source->mode]));
    return OK;
}

/* Text up to the next tag. */
static int
text(Source *source)
{
    const char *end = memchr(source->at, '<', (size_t)(source->end - source->at)), *at = source->at;
    if (end == NULL)
        end = source->end;
    if (source->mode == INSIDE_BODY && !is_frame(innermost(source)))
        return add_characters(source, end);
    while (at < end && is_blank(*at))
        at++;
    if (source->mode < INSIDE_HEAD)
        source->at = at;
    else if (at > source->at)
        TRY(add_characters(source, at));
    if (at == end)
        return OK;
    if (*at == '&' || (source->mode >= INSIDE_BODY && is_frame(innermost(source))))
        return UNSAFE;
    if (source->mode < INSIDE_BODY)
        TRY(begin_body(source));
    source->mode = INSIDE_BODY;
    return add_characters(source, end);
}

/* Moves behind a word, in whatever case, and the blanks that follow it; `end` is the ">" of a doctype. */
static int
skip_word(const char **at, const char *end, const char *word)
{
    Py_ssize_t size = (Py_ssize_t)strlen(word);
    if (end - *at < size || PyOS_strnicmp(*at, word, size) != 0 || !(is_blank((*at)[size]) || (*at)[size] == '>'))
        return 0;
    for (*at += size; is_blank(**at);)
        ++*at;
    return 1;
}

/* Browsers are in quirks mode without a doctype and with many old ones. Here are those with which they are surely not. */
static int
is_modern(const char *at, const char *end)
{
    if (at == end)
        return 1;
    if (!skip_word(&at, end, "public") || at == end || (*at != '"' && *at != '\''))
        return 0;
    const char *name = at + 1, *close = memchr(name, *at, (size_t)(end - name));
    if (close == NULL)
        return 0;
    for (at = close + 1; at < end && is_blank(*at);)
        at++;
    /* then the address of a definition, which HTML 4.01 must have */
    int addressed = end - at > 2 && (*at == '"' || *at == '\'') && memchr(at + 1, *at, (size_t)(end - at - 1)) == end - 1;
    if (!addressed || close[1] == *at)
        return 0;
    return (close - name > 20 && PyOS_strnicmp(name, "-//W3C//DTD XHTML 1.", 20) == 0) ||
           (close - name > 20 && PyOS_strnicmp(name, "-//W3C//DTD HTML 4.01", 21) == 0);
}

/* "<!doctype html>"; a second one counts for nothing. */
static int
doctype(Source *source)
{
    const char *at = source->at + 2, *end = memchr(at, '>', (size_t)(source->end - at));
    if (end == NULL || !skip_word(&at, end, "doctype") || is_frame(innermost(source)))
        return UNSAFE; /* in a group of columns, the library ends the group */
    source->at = end + 1;
    if (source->mode != BEFORE_HTML || source->doctype != NO_DOCTYPE)
        return OK;
    if (!skip_word(&at, end, "html"))
        return UNSAFE;
    source->doctype = is_modern(at, end) ? MODERN_DOCTYPE : OLD_DOCTYPE;
    return ADD(&source->out, "<!DOCTYPE html>") < 0 ? FAILED : OK;
}

static int
mark_up(Source *source)
{
    const char *at = source->at;
    Py_ssize_t left = source->end - at;
    if (left < 4)
        return UNSAFE;
    if ((at[1] == '!' && at[2] == '[') || (at[1] == '?' && (left < 6 || memcmp(at, "<?xml ", 6) != 0)))
        return UNSAFE; /* character data, instructions to other programs */
    if (at[1] == '?' || (at[1] == '!' && (at[2] | 0x20) != 'd'))
        return add_comment(source, source->mode == AFTER_BODY   ? &source->after_body
                                   : source->mode == AFTER_HTML ? &source->after_html
                                                                : &source->out);
    if (at[1] == '!')
        return doctype(source);
    int status, is_end = at[1] == '/';
    if (!is_letter(at[1 + is_end])) {
        if (is_end || source->mode != INSIDE_BODY || is_frame(innermost(source)))
            return UNSAFE;
        source->at++;
        return ADD(&source->out, "&lt;") < 0 ? FAILED : OK;
    }
    source->at += 1 + is_end;
    TRY(read_name(source));
    if (is_end)
        TRY(skip_end_tag(source));
    while ((status = is_end ? end_tag(source) : start_tag(source)) == AGAIN)
        ;
    return status;
}

/* Writes the whole page. */
int
build(Source *source)
{
    while (source->at < source->end)
        TRY(*source->at == '<' ? mark_up(source) : text(source));
    TRY(begin_body(source));
    while (source->depth) {
        TRY(close_one(source));
        const Bytes *behind = source->depth == 1 ? &source->after_body : &source->after_html;
        if (source->depth <= 1 && bytes_add(&source->out, behind->data, behind->size) < 0)
            return FAILED;
    }
    return OK;
}
