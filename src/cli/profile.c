/* Counts by line: the table, JSON, lcov, limits. See profile.h. */
#include "cli/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/demangle.h"
#include "base/report.h"
#include "base/text.h"
#include "debug/source/modules.h"
#include "target/family.h"

enum { TABLE_LINES = 20 };

/* The counts of a line of a function; where the line is not known, of an instruction. */
struct row {
    const char *function, *file; /* NULL: not known */
    unsigned line;
    struct wt_profile_count sum;
};

static const struct {
    const char *name;
    size_t offset;
} counts[] = {{"issues", offsetof(struct wt_profile_count, issues)},
              {"requests", offsetof(struct wt_profile_count, requests)},
              {"transactions", offsetof(struct wt_profile_count, transactions)},
              {"conflicts", offsetof(struct wt_profile_count, conflicts)},
              {"collisions", offsetof(struct wt_profile_count, collisions)},
              {"bytes", offsetof(struct wt_profile_count, bytes)}};
enum { COUNTS = sizeof counts / sizeof counts[0] };

static uint64_t value_of(const struct wt_profile_count *c, unsigned index)
{
    uint64_t value;
    memcpy(&value, (const char *)c + counts[index].offset, sizeof value);
    return value;
}

/* ---- options ---- */

static enum wt_status add_text(char ***list, size_t *count, const char *text, struct wt_error *err)
{
    size_t capacity = *count;
    char **grown = wt_array_grow(*list, &capacity, *count + 1, sizeof *grown);
    char *copy = grown ? strdup(text) : NULL;
    if (grown)
        *list = grown;
    if (!copy)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    grown[(*count)++] = copy;
    return WT_OK;
}

enum wt_status cli_profile_set(struct cli_profile *p, const char *value, struct wt_error *err)
{
    if (!value) {
        p->table = true;
        return WT_OK;
    }
    if (strncmp(value, "lcov:", 5) == 0 && value[5])
        return add_text(&p->lcov, &p->lcov_count, value + 5, err);
    if (strncmp(value, "json:", 5) == 0)
        return wt_report_add(&p->json, value, err);
    return wt_fail(err, WT_INVALID, "'%s' is neither json:FILE nor lcov:FILE", value);
}

/* "FILE:LINE COUNT<=N" */
struct limit {
    char file[256];
    unsigned line, which;
    uint64_t most;
};

static bool read_limit(const char *text, struct limit *limit)
{
    char name[32];
    int end = 0;
    uint64_t most;
    if (sscanf(text, "%255[^:]:%u %31[a-z] <= %" SCNu64 "%n", limit->file, &limit->line, name,
               &most, &end) != 4 ||
        text[end])
        return false;
    limit->most = most;
    for (limit->which = 0; limit->which < COUNTS; limit->which++)
        if (strcmp(counts[limit->which].name, name) == 0)
            return true;
    return false;
}

enum wt_status cli_profile_set_limit(struct cli_profile *p, const char *value, struct wt_error *err)
{
    struct limit limit;
    if (!read_limit(value, &limit))
        return wt_fail(err, WT_INVALID,
                       "'%s' is not FILE:LINE COUNT<=N, where COUNT is issues, requests, "
                       "transactions, conflicts, collisions or bytes",
                       value);
    return add_text(&p->limit, &p->limit_count, value, err);
}

static void free_texts(char **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

void cli_profile_free(struct cli_profile *p)
{
    wt_profile_free(p->counts);
    free_texts(p->lcov, p->lcov_count);
    free_texts(p->limit, p->limit_count);
    free(p->json);
}

/* ---- counting ---- */

enum wt_status cli_profile_begin(struct cli_profile *p, struct wt_emulated *e, struct wt_error *err)
{
    struct wt_profile_shape shape = e->family->profile;
    if (!p->table && !p->json && !p->lcov_count && !p->limit_count)
        return WT_OK;
    if (e->family->line)
        shape.line = e->family->line(e);
    if (!shape.together) /* as many as there are lanes */
        shape.banks = shape.together = e->machine->lanes;
    p->counts = wt_profile_begin(e->machine, &shape);
    return p->counts ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory for the counts");
}

static int by_place(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = (x->file == NULL) - (y->file == NULL);
    if (!order && x->file)
        order = strcmp(x->file, y->file);
    if (!order)
        order = (x->line > y->line) - (x->line < y->line);
    if (!order && x->function && y->function)
        order = strcmp(x->function, y->function);
    return order ? order : x->sum.pc < y->sum.pc ? -1 : 1;
}

static void add(struct wt_profile_count *to, const struct wt_profile_count *c)
{
    to->issues += c->issues;
    to->enabled += c->enabled;
    to->lanes += c->lanes;
    to->requests += c->requests;
    to->transactions += c->transactions;
    to->conflicts += c->conflicts;
    to->collisions += c->collisions;
    to->bytes += c->bytes;
}

static bool is_same_file(const struct row *a, const struct row *b)
{
    return a->file && b->file && strcmp(a->file, b->file) == 0;
}

/* The rows of instructions; *lines: those of lines, by place. */
static struct row *make_rows(const struct wt_emulated *e, const struct wt_profile_count *list,
                             size_t count, struct row **lines, size_t *line_count)
{
    struct row *rows = calloc(count + 1, sizeof *rows), *sums = calloc(count + 1, sizeof *sums);
    *lines = sums;
    *line_count = 0;
    if (!rows || !sums) {
        free(rows);
        free(sums);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t offset;
        struct row *r = &rows[i];
        r->sum = list[i];
        if (!e->modules || !wt_modules_function(e->modules, 0, r->sum.pc, &r->function, &offset))
            r->function = NULL;
        if (!e->modules || !wt_modules_line(e->modules, 0, r->sum.pc, &r->file, &r->line))
            r->file = NULL;
    }
    qsort(rows, count, sizeof *rows, by_place);
    for (size_t i = 0; i < count; i++) {
        struct row *last = *line_count ? &sums[*line_count - 1] : NULL;
        if (last && is_same_file(last, &rows[i]) && last->line == rows[i].line && last->function &&
            rows[i].function && strcmp(last->function, rows[i].function) == 0)
            add(&last->sum, &rows[i].sum);
        else
            sums[(*line_count)++] = rows[i];
    }
    return rows;
}

/* ---- reports ---- */

static uint64_t work_of(const struct row *r)
{
    return r->sum.issues + r->sum.transactions + r->sum.conflicts + r->sum.collisions;
}

static int by_work(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return work_of(x) != work_of(y) ? work_of(x) < work_of(y) ? 1 : -1 : by_place(a, b);
}

/* The text of a line of source, without the blanks around it; "" where it is not to be had. */
static void source_text(const struct row *r, char *text, size_t size)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = r->file ? fopen(r->file, "re") : NULL;
    ssize_t length = 0;
    *text = 0;
    for (unsigned n = 0; file && length >= 0 && n < r->line; n++)
        length = getline(&line, &room, file);
    if (file && length > 0)
        snprintf(text, size, "%.*s", (int)strcspn(wt_skip_blanks(line), "\r\n"),
                 wt_skip_blanks(line));
    if (file)
        fclose(file);
    free(line);
}

static void print_place(const struct row *r)
{
    char name[200], source[100];
    const char *slash = r->file ? strrchr(r->file, '/') : NULL;
    wt_demangle(r->function ? r->function : "?", name, sizeof name);
    source_text(r, source, sizeof source);
    if (r->file)
        fprintf(stderr, "%s:%u (%s)%s%s\n", slash ? slash + 1 : r->file, r->line, name,
                *source ? "  " : "", source);
    else
        fprintf(stderr, "0x%" PRIx64 " (%s)\n", r->sum.pc, name);
}

static void print_table(const struct row *lines, size_t count, const char *lane)
{
    fprintf(stderr,
            "wavetrap: profile, the lines with most instructions and accesses first\n"
            "    issues  %5ss  requests  transactions  conflicts  collisions       bytes  "
            "line\n",
            lane);
    for (size_t i = 0; i < count && i < TABLE_LINES; i++) {
        const struct wt_profile_count *c = &lines[i].sum;
        fprintf(stderr,
                "%10" PRIu64 "  %4.0f %%  %8" PRIu64 "  %12" PRIu64 "  %9" PRIu64 "  %10" PRIu64
                "  %10" PRIu64 "  ",
                c->issues, 100.0 * (double)c->enabled / (double)(c->lanes ? c->lanes : 1),
                c->requests, c->transactions, c->conflicts, c->collisions, c->bytes);
        print_place(&lines[i]);
    }
    if (count > TABLE_LINES)
        fprintf(stderr, "  and %zu lines more ('--profile=json:FILE' has all)\n",
                count - TABLE_LINES);
}

static void write_object(const char *files, const struct row *r, bool instruction)
{
    struct wt_report_object o;
    char name[512];
    wt_report_begin(&o, files, "profile");
    wt_demangle(r->function ? r->function : "", name, sizeof name);
    wt_report_text(&o, "function", name);
    if (r->file) {
        wt_report_text(&o, "file", r->file);
        wt_report_number(&o, "line", r->line);
    }
    if (instruction || !r->file)
        wt_report_address(&o, "pc", r->sum.pc);
    wt_report_number(&o, "enabled", r->sum.enabled);
    wt_report_number(&o, "lanes", r->sum.lanes);
    for (unsigned i = 0; i < COUNTS; i++)
        wt_report_number(&o, counts[i].name, value_of(&r->sum, i));
    wt_report_end(&o);
}

/* A tracefile of lcov: of each line how many of its instructions have issued. */
static enum wt_status write_lcov(const char *path, const struct row *lines, size_t count,
                                 struct wt_error *err)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return wt_fail(err, WT_IO, "%s: cannot create: %s", path, strerror(errno));
    for (size_t i = 0, end; i < count && lines[i].file; i = end) {
        uint64_t issues = 0;
        if (!i || !is_same_file(&lines[i - 1], &lines[i]))
            fprintf(out, "TN:\nSF:%s\n", lines[i].file);
        for (end = i; end < count && is_same_file(&lines[i], &lines[end]) &&
                      lines[end].line == lines[i].line;
             end++)
            issues += lines[end].sum.issues;
        fprintf(out, "DA:%u,%" PRIu64 "\n", lines[i].line, issues);
        if (end == count || !is_same_file(&lines[i], &lines[end]))
            fputs("end_of_record\n", out);
    }
    const bool broken = ferror(out);
    if (fclose(out) || broken)
        return wt_fail(err, WT_IO, "%s: cannot write: %s", path, strerror(errno));
    return WT_OK;
}

static bool ends_with(const char *path, const char *name)
{
    const size_t all = strlen(path), part = strlen(name);
    return part <= all && strcmp(path + all - part, name) == 0 &&
           (part == all || path[all - part - 1] == '/' || *name == '/');
}

static bool is_over(const char *text, const struct row *lines, size_t count)
{
    struct limit limit;
    uint64_t sum = 0;
    bool any = false;
    read_limit(text, &limit);
    for (size_t i = 0; i < count; i++)
        if (lines[i].file && lines[i].line == limit.line && ends_with(lines[i].file, limit.file)) {
            sum += value_of(&lines[i].sum, limit.which);
            any = true;
        }
    if (!any)
        fprintf(stderr, "wavetrap: --profile-limit='%s': no instruction of that line has issued\n",
                text);
    else if (sum > limit.most)
        fprintf(stderr, "wavetrap: --profile-limit='%s': they are %" PRIu64 "\n", text, sum);
    return !any || sum > limit.most;
}

enum wt_status cli_profile_end(struct cli_profile *p, struct wt_emulated *e, bool *over,
                               struct wt_error *err)
{
    const struct wt_profile_count *list;
    size_t count, line_count;
    struct row *lines;
    *over = false;
    if (!p->counts)
        return WT_OK;
    enum wt_status status = wt_profile_end(p->counts, &list, &count, err);
    struct row *rows = status ? NULL : make_rows(e, list, count, &lines, &line_count);
    if (!rows)
        return status ? status : wt_fail(err, WT_NO_MEMORY, "no host memory for the counts");
    for (size_t i = 0; i < p->lcov_count && !status; i++)
        status = write_lcov(p->lcov[i], lines, line_count, err);
    for (size_t i = 0; i < p->limit_count; i++)
        *over |= is_over(p->limit[i], lines, line_count);
    for (size_t i = 0; i < line_count && p->json; i++)
        if (lines[i].file)
            write_object(p->json, &lines[i], false);
    for (size_t i = 0; i < count && p->json; i++)
        write_object(p->json, &rows[i], true);
    qsort(lines, line_count, sizeof *lines, by_work);
    if (p->table)
        print_table(lines, line_count, e->family->words.lane);
    free(lines);
    free(rows);
    return status;
}
