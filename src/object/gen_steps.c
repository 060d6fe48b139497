/* See gen_steps.h. */
#include "object/gen_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/line_table.h"

enum { MAGIC = 0x07230203, HEADER = 5, BOUND = 3, MOST_IDS = 1 << 22, KERNEL = 6, SUB_GROUP = 3 };
/* Opcodes ("SPIR-V Specification", 1.6); of their words the first one has the length, too. */
enum {
    STRING = 7,
    LINE = 8,
    EXTENDED = 12,
    ENTRY_POINT = 15,
    CONSTANT = 43,
    FUNCTION = 54,
    FUNCTION_END = 56,
    CALL = 57,
    VARIABLE = 59,
    BITCAST = 124,
    STORE = 62,
    CONTROL_BARRIER = 224,
    LIFETIME_START = 256,
    LIFETIME_STOP = 257,
    GROUP_ASYNC_COPY = 259,
    NO_LINE = 317
};

struct gen_step_row {
    uint64_t address;
    size_t number; /* the last one of an address counts */
    struct gen_step step;
};

/* A barrier, or a call of a function that may come to one. */
struct gen_step_barrier {
    struct gen_step step;
    uint32_t callee; /* an id; 0: it is a barrier itself */
};

/* An asynchronous copy. Its event is an id, which may be stored to a variable, another id. */
struct async_copy {
    struct gen_step step;
    uint32_t variable; /* 0: none */
    bool used;         /* the event goes elsewhere */
};

struct gen_step_function {
    uint32_t file, first, last; /* its file's string, and its lines */
    bool reached, waits;
};

struct gen_steps {
    struct gen_step_row *row;
    struct gen_step_barrier *barrier;
    struct async_copy *copy; /* for which nothing waits */
    size_t rows, row_room, barriers, barrier_room, copies, copy_room;
    bool unknown; /* there is no module */
};

/* ---- the module ---- */

struct gen_step_module {
    const uint32_t *words;
    size_t count;
    uint32_t bound;
    size_t *at;         /* of ids: the instruction that makes a string, a constant; … */
    uint32_t *number;   /* … of functions */
    uint32_t *copy;     /* … of copies, by their events, from 1 */
    bool *used;         /* ids that an instruction takes for more than to store to them */
    uint32_t *variable; /* … of results of OpBitcast: what they are another type of */
    struct gen_step_function *function; /* their numbers, from 1, are those of steps */
    size_t functions, room;
    uint32_t entry;
    bool lost;
};

/* A string is its bytes up to a zero, within so many words. */
static bool is_text(const uint32_t *words, uint32_t count, const char *text)
{
    const size_t length = strlen(text) + 1;
    return length <= count * sizeof *words && memcmp(words, text, length) == 0;
}

static bool is_sub_group(const struct gen_step_module *m, uint32_t scope)
{
    const uint32_t *w = scope < m->bound && m->at[scope] ? m->words + m->at[scope] : NULL;
    return w && (w[0] & 0xffff) == CONSTANT && w[0] >> 16 > 3 && w[3] == SUB_GROUP;
}

static void add_barrier(struct gen_step_module *m, struct gen_steps *s, uint32_t line,
                        uint32_t callee)
{
    struct gen_step_barrier *grown =
        wt_array_grow(s->barrier, &s->barrier_room, s->barriers + 1, sizeof *grown);
    m->lost |= !grown;
    if (!grown)
        return;
    s->barrier = grown;
    grown[s->barriers++] =
        (struct gen_step_barrier){.step = {(uint32_t)m->functions, line}, .callee = callee};
}

static void add_copy(struct gen_step_module *m, struct gen_steps *s, uint32_t line, uint32_t event)
{
    struct async_copy *grown = wt_array_grow(s->copy, &s->copy_room, s->copies + 1, sizeof *grown);
    m->lost |= !grown;
    if (!grown)
        return;
    s->copy = grown;
    grown[s->copies++] = (struct async_copy){.step = {(uint32_t)m->functions, line}};
    m->copy[event] = (uint32_t)s->copies;
}

/* Notes where an instruction of a function takes the events of copies. */
static void follow_events(struct gen_step_module *m, struct gen_steps *s, const uint32_t *w,
                          uint32_t length)
{
    const uint32_t opcode = w[0] & 0xffff;
    if (opcode == LINE || opcode == NO_LINE || opcode == EXTENDED || opcode == LIFETIME_START ||
        opcode == LIFETIME_STOP)
        return;
    if (opcode == BITCAST && length > 3 && w[2] < m->bound && w[3] < m->bound) {
        m->variable[w[2]] = w[3];
        return;
    }
    struct async_copy *stored = opcode == STORE && length > 2 && w[2] < m->bound && m->copy[w[2]]
                                    ? &s->copy[m->copy[w[2]] - 1]
                                    : NULL;
    if (stored) {
        stored->used |= stored->variable && stored->variable != w[1];
        stored->variable = w[1];
        return;
    }
    for (uint32_t i = 1; i < length; i++) {
        if (w[i] >= m->bound)
            continue;
        m->used[w[i]] = m->used[m->variable[w[i]]] = true;
        if (m->copy[w[i]])
            s->copy[m->copy[w[i]] - 1].used = true;
    }
}

static void add_function(struct gen_step_module *m, uint32_t id)
{
    struct gen_step_function *grown =
        wt_array_grow(m->function, &m->room, m->functions + 1, sizeof *grown);
    m->lost |= !grown;
    if (!grown)
        return;
    m->function = grown;
    grown[m->functions++] = (struct gen_step_function){.file = 0};
    if (id < m->bound)
        m->number[id] = (uint32_t)m->functions;
}

/* A line of the last function, which has more than one file's where a compiler has inlined. */
static void add_line(struct gen_step_module *m, uint32_t file, uint32_t line)
{
    struct gen_step_function *f = &m->function[m->functions - 1];
    if (!line)
        return;
    f->first = f->file && f->first < line ? f->first : line;
    f->last = f->last > line ? f->last : line;
    f->file = f->file && f->file != file ? UINT32_MAX : file;
}

static void read_module(struct gen_step_module *m, struct gen_steps *s, const char *kernel)
{
    uint32_t length, line = 0;
    bool inside = false;
    for (size_t at = HEADER; at < m->count; at += length) {
        const uint32_t *w = m->words + at, opcode = w[0] & 0xffff;
        length = w[0] >> 16;
        if (!length || length > m->count - at)
            return;
        if (opcode == STRING && length > 2 && w[1] < m->bound)
            m->at[w[1]] = at;
        else if (opcode == CONSTANT && length > 3 && w[2] < m->bound)
            m->at[w[2]] = at;
        else if (opcode == ENTRY_POINT && length > 3 && w[1] == KERNEL &&
                 is_text(w + 3, length - 3, kernel))
            m->entry = w[2];
        else if (opcode == FUNCTION && length > 4) {
            add_function(m, w[2]);
            inside = m->functions > 0;
            line = 0;
        } else if (opcode == FUNCTION_END)
            inside = false;
        else if (opcode == NO_LINE)
            line = 0;
        else if (opcode == LINE && length > 3 && inside)
            add_line(m, w[1], line = w[2]);
        else if (opcode == CALL && length > 3 && inside)
            add_barrier(m, s, line, w[3]);
        else if (opcode == CONTROL_BARRIER && length > 3 && inside && is_sub_group(m, w[1]))
            add_barrier(m, s, line, 0);
        else if (opcode == GROUP_ASYNC_COPY && length > 8 && inside && w[2] < m->bound) {
            follow_events(m, s, w + 3, length - 3);
            add_copy(m, s, line, w[2]);
            continue;
        }
        if (inside && opcode != VARIABLE && opcode != FUNCTION)
            follow_events(m, s, w, length);
    }
}

static struct gen_step_function *function_of(const struct gen_step_module *m, uint32_t id)
{
    return id < m->bound && m->number[id] ? &m->function[m->number[id] - 1] : NULL;
}

/* Which functions the kernel comes to, and which come to a barrier; the others' are none, and so
 * are their copies, and those for which something may wait. */
static void keep_barriers(struct gen_step_module *m, struct gen_steps *s)
{
    struct gen_step_function *entry = function_of(m, m->entry);
    size_t kept = 0;
    bool more = entry;
    if (entry)
        entry->reached = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < s->barriers; i++) {
            const struct gen_step_barrier *b = &s->barrier[i];
            struct gen_step_function *by = &m->function[b->step.function - 1],
                                     *callee = b->callee ? function_of(m, b->callee) : NULL;
            const bool reaches = callee && by->reached && !callee->reached,
                       waits = !by->waits && (!b->callee || (callee && callee->waits));
            more |= reaches | waits;
            by->waits |= waits;
            if (reaches)
                callee->reached = true;
        }
    }
    for (size_t i = 0; i < s->barriers; i++) {
        const struct gen_step_barrier b = s->barrier[i];
        const struct gen_step_function *by = &m->function[b.step.function - 1],
                                       *callee = b.callee ? function_of(m, b.callee) : NULL;
        /* Compilers make an entry point of its own, without lines, that calls the kernel. */
        if (by->reached && (!b.callee || (by->last && callee && callee->waits)))
            s->barrier[kept++] = b;
    }
    s->barriers = kept;
    kept = 0;
    for (size_t i = 0; i < s->copies; i++) {
        const struct async_copy c = s->copy[i];
        const bool used = c.used || (c.variable && (c.variable >= m->bound || m->used[c.variable]));
        if (m->function[c.step.function - 1].reached && !used)
            s->copy[kept++] = c;
    }
    s->copies = kept;
}

/* ---- lines ---- */

struct lines {
    struct gen_step_module *m;
    struct gen_steps *s;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The only function that the kernel comes to and has the line; 0: none, or several. */
static uint32_t function_at(const struct gen_step_module *m, const char *file, unsigned line)
{
    uint32_t found = 0;
    for (size_t i = 0; i < m->functions; i++) {
        const struct gen_step_function *f = &m->function[i];
        const uint32_t *w = f->file < m->bound ? m->words + m->at[f->file] : NULL;
        if (!f->reached || line < f->first || line > f->last)
            continue;
        if (found || !w || (w[0] & 0xffff) != STRING ||
            !memchr(w + 2, 0, ((w[0] >> 16) - 2) * sizeof *w) ||
            strcmp(base_name((const char *)(w + 2)), base_name(file)) != 0)
            return 0;
        found = (uint32_t)i + 1;
    }
    return found;
}

static void take_row(void *context, uint64_t address, unsigned line, const char *file)
{
    const struct lines *l = context;
    struct gen_steps *s = l->s;
    struct gen_step_row *grown = wt_array_grow(s->row, &s->row_room, s->rows + 1, sizeof *grown);
    l->m->lost |= !grown;
    if (!grown)
        return;
    s->row = grown;
    grown[s->rows] =
        (struct gen_step_row){address, s->rows, {line ? function_at(l->m, file, line) : 0, line}};
    s->rows++;
}

static int by_address(const void *a, const void *b)
{
    const struct gen_step_row *x = a, *y = b;
    return x->address != y->address ? (x->address < y->address ? -1 : 1)
                                    : (x->number > y->number) - (x->number < y->number);
}

/* ---- what others see ---- */

struct gen_steps *gen_steps_make(const uint8_t *bytes, size_t size, const char *kernel,
                                 const uint8_t *elf, size_t elf_size)
{
    const size_t count = bytes ? size / sizeof(uint32_t) : 0;
    struct gen_step_module m = {.count = count};
    struct gen_steps *s = calloc(1, sizeof *s);
    uint32_t *words = malloc(count * sizeof *words + 1);
    if (words && count)
        memcpy(words, bytes, count * sizeof *words);
    m.words = words;
    m.bound = words && count > HEADER && words[0] == MAGIC ? words[BOUND] : 0;
    m.at = m.bound && m.bound <= MOST_IDS ? calloc(m.bound, sizeof *m.at) : NULL;
    m.copy = m.at ? calloc(m.bound, sizeof *m.copy) : NULL;
    m.used = m.copy ? calloc(m.bound, sizeof *m.used) : NULL;
    m.variable = m.used ? calloc(m.bound, sizeof *m.variable) : NULL;
    m.number = m.variable ? calloc(m.bound, sizeof *m.number) : NULL;
    if (s && m.number) {
        read_module(&m, s, kernel);
        if (!m.lost)
            keep_barriers(&m, s);
        if (!(s->barriers || s->copies) || !elf ||
            !line_table_each(elf, elf_size, take_row, &(struct lines){&m, s}))
            s->rows = 0;
        if (s->rows)
            qsort(s->row, s->rows, sizeof *s->row, by_address);
    }
    if (s)
        s->unknown = !m.number || !function_of(&m, m.entry);
    if (s && !s->unknown && (m.lost || !(s->barriers || s->copies))) {
        gen_steps_free(s);
        s = NULL;
    }
    free(words);
    free(m.at);
    free(m.copy);
    free(m.used);
    free(m.variable);
    free(m.number);
    free(m.function);
    return s;
}

struct gen_steps *gen_steps_copy(const struct gen_steps *s)
{
    struct gen_steps *copy = s ? calloc(1, sizeof *copy) : NULL;
    if (!copy)
        return NULL;
    copy->row = malloc(s->rows * sizeof *s->row + 1);
    copy->barrier = malloc(s->barriers * sizeof *s->barrier + 1);
    copy->copy = malloc(s->copies * sizeof *s->copy + 1);
    if (!copy->row || !copy->barrier || !copy->copy) {
        gen_steps_free(copy);
        return NULL;
    }
    copy->unknown = s->unknown;
    copy->rows = s->rows;
    if (s->rows)
        memcpy(copy->row, s->row, s->rows * sizeof *s->row);
    copy->barriers = s->barriers;
    if (s->barriers)
        memcpy(copy->barrier, s->barrier, s->barriers * sizeof *s->barrier);
    copy->copies = s->copies;
    if (s->copies)
        memcpy(copy->copy, s->copy, s->copies * sizeof *s->copy);
    return copy;
}

void gen_steps_free(struct gen_steps *s)
{
    if (!s)
        return;
    free(s->row);
    free(s->barrier);
    free(s->copy);
    free(s);
}

bool gen_steps_knows(const struct gen_steps *s)
{
    return !s->unknown;
}

bool gen_steps_has_barriers(const struct gen_steps *s)
{
    return s && (s->unknown || s->barriers);
}

bool gen_steps_unwaited(const struct gen_steps *s, size_t n, uint64_t *at)
{
    if (!s || n >= s->copies)
        return false;
    const struct gen_step *step = &s->copy[n].step;
    *at = 0;
    for (size_t i = s->rows; i-- > 0;)
        if (step->line && s->row[i].step.function == step->function &&
            s->row[i].step.line == step->line)
            *at = s->row[i].address;
    return true;
}

bool gen_steps_has_lines(const struct gen_steps *s)
{
    bool all = s->rows;
    for (size_t i = 0; i < s->barriers; i++)
        all &= s->barrier[i].step.line != 0;
    return all;
}

struct gen_step gen_steps_at(const struct gen_steps *s, uint64_t at)
{
    WT_BISECT(low, s->rows, s->row[middle].address <= at);
    return low ? s->row[low - 1].step : (struct gen_step){0};
}

bool gen_steps_go_back(const struct gen_steps *s, uint64_t from, uint64_t to)
{
    const struct gen_step first = gen_steps_at(s, from);
    bool left = false;
    WT_BISECT(at, s->rows, s->row[middle].address <= from);
    for (; at < s->rows && s->row[at].address <= to; at++) {
        const struct gen_step *step = &s->row[at].step;
        if (!step->line || step->function != first.function)
            continue;
        if (left && step->line == first.line)
            return true;
        left |= step->line != first.line;
    }
    return false;
}

bool gen_steps_between(const struct gen_steps *s, struct gen_step from, struct gen_step to,
                       bool again)
{
    if (!from.function || from.function != to.function)
        return true;
    for (size_t i = 0; i < s->barriers; i++) {
        const struct gen_step *b = &s->barrier[i].step;
        if (b->function == from.function &&
            (again || from.line > to.line ? b->line >= from.line || b->line <= to.line
                                          : b->line >= from.line && b->line <= to.line))
            return true;
    }
    return false;
}
