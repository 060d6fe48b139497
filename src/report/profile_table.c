/* See profile_table.h. */
#include "report/profile_table.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/demangle.h"
#include "base/report.h"

enum { TABLE_LINES = 20 };

static const struct {
    const char *name;
    size_t offset;
} counts[] = {{"issues", offsetof(struct wt_profile_count, issues)},
              {"requests", offsetof(struct wt_profile_count, requests)},
              {"transactions", offsetof(struct wt_profile_count, transactions)},
              {"conflicts", offsetof(struct wt_profile_count, conflicts)},
              {"collisions", offsetof(struct wt_profile_count, collisions)},
              {"bytes", offsetof(struct wt_profile_count, bytes)},
              {"products", offsetof(struct wt_profile_count, products)}};
enum { COUNTS = sizeof counts / sizeof counts[0] };

static uint64_t value_of(const struct wt_profile_count *c, unsigned index)
{
    uint64_t value;
    memcpy(&value, (const char *)c + counts[index].offset, sizeof value);
    return value;
}

/* ---- rows ---- */

enum wt_status wt_report_profile_add(struct wt_report_profile_table *t,
                                     const struct wt_report_profile_place *place,
                                     const struct wt_profile_count *count, struct wt_error *err)
{
    const struct wt_modules *m = place->modules;
    uint64_t offset;
    struct wt_report_profile_row *grown =
        wt_array_grow(t->row, &t->capacity, t->count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the counts");
    t->row = grown;
    struct wt_report_profile_row *r = &grown[t->count++];
    *r = (struct wt_report_profile_row){
        .place = *place, .offset = count->pc - place->base, .sum = *count};
    r->sum.pc -= place->bias;
    if (!m || !wt_modules_function(m, 0, count->pc, &r->function, &offset))
        r->function = NULL;
    if (!m || !count->entry || !wt_modules_function(m, 0, count->entry, &r->kernel, &offset))
        r->kernel = NULL;
    if (!m || !wt_modules_user_line(m, 0, count->pc, &r->file, &r->line))
        r->file = NULL;
    return WT_OK;
}

void wt_report_profile_table_free(struct wt_report_profile_table *t)
{
    free(t->row);
    *t = (struct wt_report_profile_table){.count = 0};
}

/* NULL is behind all texts. */
static int by_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a == NULL) - (b == NULL);
}

static int by_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Files and lines first, what is not known last. */
static int by_line(const struct wt_report_profile_row *a, const struct wt_report_profile_row *b)
{
    int order = by_text(a->file, b->file);
    if (!order && a->file)
        order = by_number(a->line, b->line);
    if (!order)
        order = by_text(a->function, b->function);
    return order ? order : by_text(a->kernel, b->kernel);
}

static int by_instruction(const struct wt_report_profile_row *a,
                          const struct wt_report_profile_row *b)
{
    int order = by_line(a, b);
    if (!order)
        order = by_number(a->place.code, b->place.code);
    return order ? order : by_number(a->offset, b->offset);
}

static int by_line_of_all(const void *a, const void *b)
{
    const struct wt_report_profile_row *x = a, *y = b;
    if (x->file && y->file)
        return by_line(x, y);
    return x->place.unlisted && y->place.unlisted ? by_number(x->place.code, y->place.code)
                                                  : by_instruction(x, y);
}

static int by_order(const struct wt_report_profile_row *a, const struct wt_report_profile_row *b)
{
    return by_number(a->place.order, b->place.order);
}

static int by_line_of_process(const void *a, const void *b)
{
    const int order = by_order(a, b);
    return order ? order : by_line_of_all(a, b);
}

static int by_instruction_of_process(const void *a, const void *b)
{
    const int order = by_order(a, b);
    return order ? order : by_instruction(a, b);
}

/* Makes one row of those that are equal. */
static void join(struct wt_report_profile_table *t, int (*order)(const void *a, const void *b))
{
    size_t kept = 0;
    if (t->count)
        qsort(t->row, t->count, sizeof *t->row, order);
    for (size_t i = 0; i < t->count; i++) {
        struct wt_report_profile_row *last = kept ? &t->row[kept - 1] : NULL, *r = &t->row[i];
        if (!last || order(last, r)) {
            t->row[kept++] = *r;
            continue;
        }
        wt_profile_add(&last->sum, &r->sum);
        last->sum.pc = last->sum.pc < r->sum.pc ? last->sum.pc : r->sum.pc;
    }
    t->count = kept;
}

void wt_report_profile_join_instructions(struct wt_report_profile_table *t)
{
    join(t, by_instruction_of_process);
}

enum wt_status wt_report_profile_lines(const struct wt_report_profile_table *t, bool by_process,
                                       struct wt_report_profile_table *lines, struct wt_error *err)
{
    *lines =
        (struct wt_report_profile_table){.count = t->count, .capacity = t->count, .lane = t->lane};
    if (!(lines->row = malloc(t->count ? t->count * sizeof *t->row : 1)))
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the counts");
    if (t->count)
        memcpy(lines->row, t->row, t->count * sizeof *t->row);
    join(lines, by_process ? by_line_of_process : by_line_of_all);
    return WT_OK;
}

/* ---- the table ---- */

static uint64_t work_of(const struct wt_report_profile_row *r)
{
    return r->sum.issues + r->sum.transactions + r->sum.conflicts + r->sum.collisions;
}

static int by_work(const void *a, const void *b)
{
    const int order = by_number(work_of(b), work_of(a));
    return order ? order : by_line_of_all(a, b);
}

/* Writes the first line of a text without the blanks before it. */
static void take_line(const char *line, size_t length, char *text, size_t size)
{
    size_t n = 0;
    for (; length && (*line == ' ' || *line == '\t'); length--)
        line++;
    while (n < length && line[n] != '\r' && line[n] != '\n')
        n++;
    snprintf(text, size, "%.*s", (int)n, line);
}

/* A line of a text that is no file. */
static void text_line(const char *all, size_t length, unsigned number, char *text, size_t size)
{
    const char *end = all + length;
    for (; number > 1 && all; number--) {
        all = memchr(all, '\n', (size_t)(end - all));
        if (all)
            all++;
    }
    if (all && number == 1)
        take_line(all, (size_t)(end - all), text, size);
}

/* The text of a line of source; "" where it is not to be had. */
static void source_text(const struct wt_report_profile_row *r, char *text, size_t size)
{
    char *line = NULL;
    size_t room = 0;
    const struct wt_modules *m = r->place.modules;
    const char *known = r->file && m ? wt_modules_text(m, r->file, &room) : NULL;
    *text = 0;
    if (known) {
        text_line(known, room, r->line, text, size);
        return;
    }
    FILE *file = r->file ? fopen(r->file, "re") : NULL;
    ssize_t length = 0;
    for (unsigned n = 0; file && length >= 0 && n < r->line; n++)
        length = getline(&line, &room, file);
    if (file && length > 0)
        take_line(line, (size_t)length, text, size);
    if (file)
        fclose(file);
    free(line);
}

static void print_place(FILE *out, const struct wt_report_profile_row *r)
{
    char name[200], kernel[200] = "", source[100];
    const char *slash = r->file ? strrchr(r->file, '/') : NULL;
    wt_demangle(r->function ? r->function : "?", name, sizeof name);
    if (r->kernel && by_text(r->kernel, r->function))
        wt_demangle(r->kernel, kernel, sizeof kernel);
    source_text(r, source, sizeof source);
    if (r->place.unlisted) {
        fputs("a kernel of no module (of the GPU's runtime)\n", out);
        return;
    }
    if (r->file)
        fprintf(out, "%s:%u", slash ? slash + 1 : r->file, r->line);
    else
        fprintf(out, "0x%" PRIx64, r->sum.pc);
    fprintf(out, " (%s%s%s)%s%s\n", name, *kernel ? " in " : "", kernel, *source ? "  " : "",
            source);
}

void wt_report_profile_print_table(FILE *out, struct wt_report_profile_table *lines)
{
    if (lines->count)
        qsort(lines->row, lines->count, sizeof *lines->row, by_work);
    bool matrices = false;
    for (size_t i = 0; i < lines->count; i++)
        matrices |= lines->row[i].sum.products != 0;
    fprintf(out,
            "wavetrap: profile, the lines with most instructions and accesses first\n"
            "    issues  %5ss  requests  transactions  conflicts  collisions       bytes  "
            "%sline\n",
            lines->lane, matrices ? "    products  " : "");
    for (size_t i = 0; i < lines->count && i < TABLE_LINES; i++) {
        const struct wt_profile_count *c = &lines->row[i].sum;
        fprintf(out,
                "%10" PRIu64 "  %4.0f %%  %8" PRIu64 "  %12" PRIu64 "  %9" PRIu64 "  %10" PRIu64
                "  %10" PRIu64 "  ",
                c->issues, 100.0 * (double)c->enabled / (double)(c->lanes ? c->lanes : 1),
                c->requests, c->transactions, c->conflicts, c->collisions, c->bytes);
        if (matrices)
            fprintf(out, "%12" PRIu64 "  ", c->products);
        print_place(out, &lines->row[i]);
    }
    if (!lines->count)
        fprintf(out, "  (no instruction of a GPU has been counted)\n");
    if (lines->count > TABLE_LINES)
        fprintf(out, "  and %zu lines more ('--profile=json:FILE' has all)\n",
                lines->count - TABLE_LINES);
}

/* ---- files ---- */

static void write_name(struct wt_report_object *o, const char *member, const char *symbol)
{
    char name[512];
    wt_demangle(symbol, name, sizeof name);
    wt_report_text(o, member, name);
}

void wt_report_profile_write_objects(const char *files, const struct wt_report_profile_table *t,
                                     bool instructions)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct wt_report_profile_row *r = &t->row[i];
        struct wt_report_object o;
        if (!r->file && !instructions)
            continue;
        wt_report_begin_of(&o, files, "profile", r->place.process);
        write_name(&o, "function", r->function ? r->function : "");
        if (r->kernel)
            write_name(&o, "kernel", r->kernel);
        if (r->file) {
            wt_report_text(&o, "file", r->file);
            wt_report_number(&o, "line", r->line);
        }
        if (instructions)
            wt_report_address(&o, "pc", r->sum.pc);
        wt_report_number(&o, "enabled", r->sum.enabled);
        wt_report_number(&o, "lanes", r->sum.lanes);
        for (unsigned k = 0; k < COUNTS; k++)
            wt_report_number(&o, counts[k].name, value_of(&r->sum, k));
        wt_report_end(&o);
    }
}

static bool is_same_file(const struct wt_report_profile_row *a,
                         const struct wt_report_profile_row *b)
{
    return a->file && b->file && strcmp(a->file, b->file) == 0;
}

/* A tracefile has no way to name a file whose name has a line end. */
static void write_path(FILE *out, const char *path)
{
    fputs("TN:\nSF:", out);
    for (; *path; path++)
        fputc(*path == '\n' || *path == '\r' ? '?' : *path, out);
    fputc('\n', out);
}

enum wt_status wt_report_profile_write_lcov(const char *path,
                                            const struct wt_report_profile_table *lines,
                                            struct wt_error *err)
{
    const struct wt_report_profile_row *row = lines->row;
    FILE *out = fopen(path, "w");
    if (!out)
        return wt_fail(err, WT_IO, "%s: cannot create: %s", path, strerror(errno));
    for (size_t i = 0, end; i < lines->count && row[i].file; i = end) {
        uint64_t issues = 0;
        if (!i || !is_same_file(&row[i - 1], &row[i]))
            write_path(out, row[i].file);
        for (end = i;
             end < lines->count && is_same_file(&row[i], &row[end]) && row[end].line == row[i].line;
             end++)
            issues += row[end].sum.issues;
        fprintf(out, "DA:%u,%" PRIu64 "\n", row[i].line, issues);
        if (end == lines->count || !is_same_file(&row[i], &row[end]))
            fputs("end_of_record\n", out);
    }
    const bool broken = ferror(out);
    if (fclose(out) || broken)
        return wt_fail(err, WT_IO, "%s: cannot write: %s", path, strerror(errno));
    return WT_OK;
}

/* ---- limits ---- */

/* "FILE:LINE COUNT<=N" */
struct limit {
    char file[256];
    unsigned line, which;
    uint64_t most;
};

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " ");
}

/* A decimal number, up to @p most. NULL: none is there; else what is behind it. */
static const char *read_number(const char *text, uint64_t most, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !errno && *number <= most ? end : NULL;
}

static bool read_limit(const char *text, struct limit *limit)
{
    const size_t length = strcspn(text, ":");
    uint64_t line;
    if (!length || length >= sizeof limit->file || !text[length])
        return false;
    snprintf(limit->file, sizeof limit->file, "%.*s", (int)length, text);
    const char *at = read_number(text + length + 1, UINT_MAX, &line);
    if (!at || *at != ' ')
        return false;
    limit->line = (unsigned)line;
    at = skip_spaces(at);
    const size_t letters = strcspn(at, " <");
    for (limit->which = 0; limit->which < COUNTS; limit->which++)
        if (strlen(counts[limit->which].name) == letters &&
            strncmp(at, counts[limit->which].name, letters) == 0)
            break;
    at = skip_spaces(at + letters);
    if (limit->which == COUNTS || strncmp(at, "<=", 2) != 0)
        return false;
    at = read_number(skip_spaces(at + 2), UINT64_MAX, &limit->most);
    return at && !*at;
}

bool wt_report_profile_is_limit(const char *text)
{
    struct limit limit;
    return read_limit(text, &limit);
}

static bool ends_with(const char *path, const char *name)
{
    const size_t all = strlen(path), part = strlen(name);
    return part <= all && strcmp(path + all - part, name) == 0 &&
           (part == all || path[all - part - 1] == '/' || *name == '/');
}

bool wt_report_profile_is_over(const char *text, const struct wt_report_profile_table *lines)
{
    struct limit limit;
    uint64_t sum = 0;
    bool any = false;
    read_limit(text, &limit);
    for (size_t i = 0; i < lines->count; i++) {
        const struct wt_report_profile_row *r = &lines->row[i];
        if (r->file && r->line == limit.line && ends_with(r->file, limit.file)) {
            sum += value_of(&r->sum, limit.which);
            any = true;
        }
    }
    if (!any)
        fprintf(stderr, "wavetrap: --profile-limit='%s': no instruction of that line has issued\n",
                text);
    else if (sum > limit.most)
        fprintf(stderr, "wavetrap: --profile-limit='%s': they are %" PRIu64 "\n", text, sum);
    return !any || sum > limit.most;
}
