/* A page's tree straight from its source, told to the walk as the elements of it begin and end; no tree is made.
 *
 * The rules are those of the HTML standard ("tree construction"), as far as they say where elements begin and end. What
 * needs a tree (blocks that are moved out of formatting, text between a table's cells), templates and framesets are
 * UNSAFE: the library has to read such a page. So this needs to be right, but not complete. */

#include "source.h"

enum { AGAIN = 2 }; /* beside OK, FAILED and UNSAFE: the rules say to look at the tag once more */
enum { BEFORE_HTML, BEFORE_HEAD, INSIDE_HEAD, AFTER_HEAD, INSIDE_BODY, AFTER_BODY, AFTER_HTML };
enum { NO_DOCTYPE, MODERN_DOCTYPE, OLD_DOCTYPE }; /* with the last, there is no telling whether it is quirks mode */

static const Tag NOTHING;

static const Tag *
innermost(const Source *source)
{
    return source->depth ? source->open[source->depth - 1].tag : &NOTHING;
}

static int
end_paragraph(Source *source)
{
    Py_ssize_t place = in_scope(source, R_P);
    return place < 0 ? OK : close_to(source, place);
}

/* Before an item of a list begins, the one before it ends. */
static int
end_item(Source *source, int role)
{
    for (Py_ssize_t i = source->depth - 1; i >= 0; i--) {
        const Tag *tag = source->open[i].tag;
        if (tag->role == role)
            return close_to(source, i);
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
        Span around = source->open[source->depth - 1].name;
        if ((around.size == 5 && PyOS_strnicmp(around.begin, "title", 5) == 0) ||
            (around.size == 4 && PyOS_strnicmp(around.begin, "desc", 4) == 0))
            return 0;
    }
    Span name = {source->name, source->written.size};
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
        TRY(close_off(source, place));
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
    case R_HEAD:
    case R_BODY:
        return ignore(source);
    case R_SVG:
        TRY(reopen(source));
        return insert_svg(source);
    case R_HEADING:
        if (innermost(source)->role == R_HEADING)
            TRY(close_one(source));
        break;
    case R_BUTTON:
        place = in_scope(source, R_BUTTON);
        if (place >= 0)
            TRY(close_to(source, place));
        break;
    case R_A: { /* links do not stand in links */
        int number = find_format(source);
        if (number >= 0)
            TRY(end_format(source, number));
        break;
    }
    case R_NOBR:
        if (find_format(source) >= 0)
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
    if (!(tag->rules & (ENDS_P | IN_HEAD | APART)))
        TRY(reopen(source));
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
        if (tag->role == R_HTML && innermost(source) != &IN_SVG)
            return ignore(source); /* also behind the body, which does not go on with it */
        source->mode = INSIDE_BODY;
        if (innermost(source) == &IN_SVG)
            return is_svg(source) ? insert_svg(source) : UNSAFE;
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
        return close_off(source, place);
    int role = source->tag->role;
    if (around != R_CELL || !(role == R_TABLE || role == R_ROW || (role == R_ROWS && has_name(source, place - 2))))
        return UNSAFE;
    TRY(close_off(source, place));
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
    case R_BR: /* counts as a start tag */
        TRY(reopen(source));
        source->walk.attributes.count = 0;
        return walk_start(&source->walk, tag->kind, VOID);
    case R_DOUBT:
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
            TRY(imply(source, "p"));
        return place < 0 ? close_one(source) : close_to(source, place);
    case R_LI:
        for (place = source->depth - 1; place >= 0 && source->open[place].tag->role != R_LI; place--) {
            const Tag *one = source->open[place].tag;
            if ((one->rules & SCOPE) || one->role == R_LIST)
                return OK;
        }
        return place < 0 ? OK : close_to(source, place);
    case R_HEADING:
    case R_DD:
        place = in_scope(source, tag->role == R_DD ? R_NONE : R_HEADING);
        if (tag->role == R_HEADING && in_scope(source, R_NONE) != place)
            return UNSAFE;
        return place < 0 ? OK : close_to(source, place);
    case R_FORM: {
        int form = source->form;
        source->form = NO_FORM;
        place = in_scope(source, R_FORM);
        if (form != OPEN_FORM || place < 0)
            return OK;
        for (Py_ssize_t i = place + 1; i < source->depth; i++)
            if (!(source->open[i].tag->rules & OPTIONAL))
                return UNSAFE; /* it goes on without the form around it */
        TRY(close_to(source, place));
        source->form = NO_FORM;
        return OK;
    }
    case R_OBJECT:
        place = in_scope(source, R_NONE);
        return place < 0 ? OK : close_off(source, place);
    default:
        break;
    }
    if (tag->role == R_TABLE || (tag->rules & PART))
        return end_in_cell(source);
    if (tag->rules & FORMATTING) {
        int number = find_format(source), listed = 0;
        for (int i = 0; i < source->formats; i++)
            listed |= source->format[i].place == source->depth - 1;
        if (!listed && has_name(source, source->depth - 1))
            return close_one(source);
        if (number >= 0)
            return end_format(source, number);
    }
    if (tag->rules & BLOCK) {
        place = in_scope(source, R_NONE);
        return place < 0 ? OK : close_to(source, place);
    }
    for (place = source->depth - 1; place >= 0; place--) {
        if (has_name(source, place))
            return close_to(source, place);
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

/* Characters of the body, after which it goes on. */
static int
text_in_body(Source *source, const char *end)
{
    if (innermost(source) != &IN_SVG)
        TRY(reopen(source));
    Span text = {source->at, end - source->at};
    source->at = end;
    return walk_text(&source->walk, text, 0);
}

/* Text up to the next tag. */
static int
text(Source *source)
{
    const char *end = memchr(source->at, '<', (size_t)(source->end - source->at)), *at = source->at;
    if (end == NULL)
        end = source->end;
    const int in_frame = is_frame(innermost(source));
    if (source->mode == INSIDE_BODY && !in_frame)
        return text_in_body(source, end);
    while (at < end && is_blank(*at))
        at++;
    if (at < end && (*at == '&' || in_frame))
        return UNSAFE; /* perhaps a blank; text that is moved out of the table */
    if (source->mode > INSIDE_BODY) {
        source->mode = at < end ? INSIDE_BODY : source->mode;
        return text_in_body(source, end);
    }
    if (source->mode >= INSIDE_HEAD)
        TRY(walk_text(&source->walk, (Span){source->at, at - source->at}, 1));
    source->at = at;
    if (at == end)
        return OK;
    TRY(begin_body(source));
    return text_in_body(source, end);
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
    return OK;
}

/* Around the page, and behind its body, comments are no part of it. */
static int
comment(Source *source)
{
    TRY(skip_comment(source));
    return source->mode > BEFORE_HTML && source->mode <= INSIDE_BODY ? walk_comment(&source->walk) : OK;
}

static int
mark_up(Source *source)
{
    const char *at = source->at;
    Py_ssize_t left = source->end - at;
    if (left < 3)
        return UNSAFE;
    if ((at[1] == '!' && at[2] == '[') || (at[1] == '?' && (left < 6 || memcmp(at, "<?xml ", 6) != 0)))
        return UNSAFE; /* character data, instructions to other programs */
    if (at[1] == '?' || (at[1] == '!' && (at[2] | 0x20) != 'd'))
        return comment(source);
    if (at[1] == '!')
        return doctype(source);
    int status, is_end = at[1] == '/';
    if (!is_letter(at[1 + is_end])) {
        if (is_end || source->mode != INSIDE_BODY || is_frame(innermost(source)))
            return UNSAFE;
        if (innermost(source) != &IN_SVG)
            TRY(reopen(source));
        source->at++;
        return walk_text(&source->walk, (Span){"<", 1}, 1);
    }
    source->at += 1 + is_end;
    TRY(read_name(source));
    if (is_end)
        TRY(skip_end_tag(source));
    while ((status = is_end ? end_tag(source) : start_tag(source)) == AGAIN)
        ;
    return status;
}

/* Reads the whole page. */
int
build(Source *source)
{
    while (source->at < source->end)
        TRY(*source->at == '<' ? mark_up(source) : text(source));
    TRY(begin_body(source));
    while (source->depth)
        TRY(close_one(source));
    return OK;
}
