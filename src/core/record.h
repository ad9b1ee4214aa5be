/* What the learner knows of a candidate, as it lies in its table: ROW of predict/learning/notes.py. */

#ifndef DOWSE_RECORD_H
#define DOWSE_RECORD_H

#include "core.h"

enum { PARENTS = 8, WIDTH = 12, CONTEXTS = 6 };

typedef struct {
    int32_t site;
    float own;
    int32_t page[PARENTS];
    uint32_t token[WIDTH];
    uint16_t parents, place[PARENTS], best[CONTEXTS], mean[CONTEXTS], failed; /* best and mean are halves */
    uint32_t path; /* of tags, that leads to it; 0: none is known */
} Record;

_Static_assert(sizeof(Record) == 136, "a record has no gaps");

/* What links say of an answer: tokens, and last the path of tags. 0: nothing. */
enum { TOLD = WIDTH + 1 };

static inline uint32_t
told(const Record *record, int i)
{
    return i < WIDTH ? record->token[i] : record->path;
}

/* Pages that are known, and the sum of their values. */
typedef struct {
    double pages, value;
} Counted;

typedef struct {
    float pages, value;
} CountedToken;

/* What judged pages turned out to be: Tables and Siblings of predict/learning. */
enum { RUNS = 3, STEP = RUNS + 1, BUCKETS = 1 << 18 };

typedef struct {
    const int32_t *base; /* of a page: its first group */
    Counted *groups;     /* by group of links: targets that are known */
    const double *own;   /* of the first group of a page: its value */
    CountedToken *tokens;
    Counted *sites;
    Py_ssize_t pages, n_groups, n_sites;
} Tables;

/* The groups that a link belongs to: the page's, the long run's, the short run's. 0: there is no such link. */
static inline int
groups_of_link(const Tables *tables, int64_t page, int64_t place, Py_ssize_t groups[3])
{
    if (page < 0 || page >= tables->pages || place < 0 || place >= tables->n_groups)
        return 0;
    groups[0] = tables->base[page] > 0 ? tables->base[page] : 0;
    groups[1] = groups[0] + 1 + STEP * (place / RUNS);
    groups[2] = groups[1] + 1 + place % RUNS;
    return groups[2] < tables->n_groups;
}

static inline int
is_link(const Tables *tables, int64_t page, int64_t place)
{
    Py_ssize_t groups[3];
    return groups_of_link(tables, page, place, groups);
}

/* The target of a link is known. */
static inline void
count_link(const Tables *tables, int64_t page, int64_t place, Counted more)
{
    Py_ssize_t groups[3];
    if (!groups_of_link(tables, page, place, groups))
        return;
    for (int i = 0; i < 3; i++) {
        tables->groups[groups[i]].pages += more.pages;
        tables->groups[groups[i]].value += more.value;
    }
}

/* Half precision, the float of 16 bits. */
static inline float
of_half(uint16_t half)
{
    union {
        uint32_t bits;
        float number;
    } found = {(uint32_t)(half & 0x7FFF) << 13};
    found.number *= 0x1p112f; /* its exponents begin so much later */
    if ((half & 0x7C00) == 0x7C00)
        found.bits |= 0x7F800000;
    found.bits |= (uint32_t)(half & 0x8000) << 16;
    return found.number;
}

/* To the nearest, to the even one of two. */
static inline uint16_t
to_half(float number)
{
    union {
        float number;
        uint32_t bits;
    } found = {number};
    uint32_t sign = found.bits >> 16 & 0x8000;
    found.bits &= 0x7FFFFFFF;
    if (found.bits > 0x7F800000)
        return (uint16_t)(sign | 0x7E00);
    if (found.bits >= 0x477FF000) /* 65,520 */
        return (uint16_t)(sign | 0x7C00);
    if (found.bits < 0x38800000) { /* below 2^-14 the steps are 2^-24, as those of a float above a half */
        found.number += 0.5f;
        return (uint16_t)(sign | (found.bits - 0x3F000000));
    }
    return (uint16_t)(sign | (found.bits - 0x38000000 + 0xFFF + (found.bits >> 13 & 1)) >> 13);
}

#endif
