/*
 * Fuzz target: reports of counts, and limits. The input is lines: a limit, the name of a file, of a
 * function, of a kernel; then a byte for each number of three rows. What the writers write is read
 * again by json-c, and line by line; what a limit means is found out by a second reader of its
 * grammar: FILE:LINE COUNT<=N.
 */
#include <assert.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/report.h"
#include "report/profile_table.h"

enum { TEXTS = 4, ROWS = 3, ROOM = 300 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- the input ---- */

static void take_line(const uint8_t **data, size_t *size, char *text)
{
    const uint8_t *end = memchr(*data, '\n', *size);
    const size_t length = end ? (size_t)(end - *data) : *size;
    snprintf(text, ROOM, "%.*s", (int)length, (const char *)*data);
    for (char *c = text; *c; c++)
        *c = *c == 1 ? '\n' : *c; /* names may have line ends */
    *data += length + (end != NULL);
    *size -= length + (end != NULL);
}

static uint64_t take_number(const uint8_t **data, size_t *size)
{
    if (!*size)
        return 3;
    --*size;
    return *(*data)++;
}

/* ---- limits ---- */

/* The decimal number there; false: there is none, or it is above the most. */
static bool read_number(const char **text, uint64_t most, uint64_t *number)
{
    const char *begin = *text;
    for (*number = 0; **text >= '0' && **text <= '9'; ++*text) {
        const uint64_t digit = (uint64_t)(**text - '0');
        if (*number > (most - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return *text > begin;
}

/* The counts of a row by their names; UINT64_MAX: there is no such count. */
static uint64_t count_of(const struct wt_profile_count *c, const char *name)
{
    const struct {
        const char *name;
        uint64_t value;
    } all[] = {{"issues", c->issues},
               {"requests", c->requests},
               {"transactions", c->transactions},
               {"conflicts", c->conflicts},
               {"collisions", c->collisions},
               {"bytes", c->bytes}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].value;
    return UINT64_MAX;
}

static bool is_of(const char *path, const char *file)
{
    const size_t all = strlen(path), part = strlen(file);
    return part <= all && strcmp(path + all - part, file) == 0 &&
           (part == all || *file == '/' || path[all - part - 1] == '/');
}

static void check_limit(const char *limit, const struct wt_report_profile_table *t)
{
    char file[ROOM], name[ROOM];
    uint64_t line, most, sum = 0;
    const char *at = strchr(limit, ':');
    const size_t length = at ? (size_t)(at - limit) : 0;
    bool good = length > 0 && length < 256, any = false;
    snprintf(file, sizeof file, "%.*s", (int)length, limit);
    if (at)
        at++;
    good = good && read_number(&at, UINT32_MAX, &line) && *at == ' ';
    const size_t letters = good ? strspn(at += strspn(at, " "), "abcdefghijklmnopqrstuvwxyz") : 0;
    snprintf(name, sizeof name, "%.*s", (int)letters, good ? at : "");
    good = good && count_of(&t->row[0].sum, name) != UINT64_MAX;
    if (good)
        at += letters + strspn(at + letters, " ");
    good = good && strncmp(at, "<=", 2) == 0;
    if (good)
        at += 2 + strspn(at + 2, " ");
    good = good && read_number(&at, UINT64_MAX, &most) && !*at;
    assert(wt_report_profile_is_limit(limit) == good);
    if (!good)
        return;
    for (size_t i = 0; i < t->count; i++)
        if (t->row[i].line == line && is_of(t->row[i].file, file)) {
            sum += count_of(&t->row[i].sum, name);
            any = true;
        }
    assert(wt_report_profile_is_over(limit, t) == (!any || sum > most));
}

/* ---- reports ---- */

/* Makes a file in memory for a report; `path` becomes its name. */
static int new_file(char *path)
{
    const int fd = memfd_create("report", MFD_CLOEXEC);
    assert(fd >= 0);
    sprintf(path, "/proc/self/fd/%d", fd);
    return fd;
}

static char *whole(int fd)
{
    const off_t size = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1);
    assert(text && pread(fd, text, (size_t)size, 0) == size);
    close(fd);
    return text;
}

static bool is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text > 0x7f)
            return false;
    return true;
}

static void check_objects(const struct wt_report_profile_table *t)
{
    char path[64], *save = NULL;
    const int fd = new_file(path);
    wt_report_profile_write_objects(path, t, true);
    char *text = whole(fd);
    size_t i = 0;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save), i++) {
        json_object *o = json_tokener_parse(line), *member;
        assert(o && i < t->count);
        const struct wt_report_profile_row *r = &t->row[i];
        assert(json_object_object_get_ex(o, "bytes", &member));
        assert(json_object_get_uint64(member) == r->sum.bytes);
        assert(json_object_object_get_ex(o, "file", &member));
        if (is_ascii(r->file))
            assert(strcmp(json_object_get_string(member), r->file) == 0);
        json_object_put(o);
    }
    assert(i == t->count);
    free(text);
}

/* Each line of each file once, with the sum of its issues. */
static void check_lcov(const struct wt_report_profile_table *t)
{
    char path[64], *save = NULL;
    struct wt_error err;
    const int fd = new_file(path);
    uint64_t sum = 0, all = 0;
    unsigned files = 0, ends = 0;
    assert(wt_report_profile_write_lcov(path, t, &err) == WT_OK);
    char *text = whole(fd);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        unsigned number;
        unsigned long long issues;
        const bool counts = sscanf(line, "DA:%u,%llu", &number, &issues) == 2;
        assert(counts || strcmp(line, "TN:") == 0 || strncmp(line, "SF:", 3) == 0 ||
               strcmp(line, "end_of_record") == 0);
        sum += counts ? issues : 0;
        files += strncmp(line, "SF:", 3) == 0;
        ends += strcmp(line, "end_of_record") == 0;
    }
    for (size_t i = 0; i < t->count; i++)
        all += t->row[i].sum.issues;
    assert(sum == all && files == ends);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[TEXTS][ROOM];
    struct wt_report_profile_row row[ROWS];
    for (unsigned i = 0; i < TEXTS; i++)
        take_line(&data, &size, text[i]);
    for (unsigned i = 0; i < ROWS; i++) {
        row[i] =
            (struct wt_report_profile_row){.file = text[1], .function = text[2], .kernel = text[3]};
        row[i].line = (unsigned)take_number(&data, &size) % 8 + 1;
        row[i].line = i && row[i].line < row[i - 1].line ? row[i - 1].line : row[i].line;
        row[i].sum.issues = take_number(&data, &size) + 1;
        row[i].sum.requests = take_number(&data, &size);
        row[i].sum.transactions = take_number(&data, &size);
        row[i].sum.bytes = take_number(&data, &size) << 8 * (i * 3);
    }
    struct wt_report_profile_table t = {
        .row = row, .count = ROWS, .capacity = ROWS, .lane = "lane"};
    check_limit(text[0], &t);
    check_objects(&t);
    check_lcov(&t);
    char *printed = NULL;
    size_t length;
    FILE *out = open_memstream(&printed, &length);
    assert(out);
    wt_report_profile_print_table(out, &t); /* sorts the rows */
    fclose(out);
    free(printed);
    return 0;
}
