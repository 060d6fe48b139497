/*
 * Fuzz target: state files of `wavetrap explore`. Each line of the input gets its valid seal, so
 * that the parser goes on behind the seal; a line that begins with a tab is left as it is. A run
 * that was read is appended again, and the file then reads the same.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "explore/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 64 };
struct runs {
    struct explore_outcomes outcomes;
    uint64_t run[MOST];
    size_t count;
};

static enum wt_status take(void *context, uint64_t run, const struct explore_outcome *outcome,
                           struct wt_error *err)
{
    struct runs *r = context;
    size_t place;
    if (r->count == MOST)
        return wt_fail(err, WT_STATE, "enough");
    r->run[r->count++] = run;
    return explore_outcomes_add(&r->outcomes, outcome, run, &place, err);
}

/* A file of memory with a first line and the input's, sealed. */
static int file_of(const uint8_t *data, size_t size, uint64_t command)
{
    const int fd = memfd_create("journal", 0);
    FILE *out = fdopen(dup(fd), "w");
    assert(fd >= 0 && out);
    /* An empty file gets its first line. */
    char path[32];
    struct explore_journal j;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert(explore_journal_open(&j, path, command, take, &(struct runs){.count = 0}, WT_IGNORED) ==
           WT_OK);
    explore_journal_close(&j);
    fseek(out, 0, SEEK_END);
    while (size) {
        const uint8_t *end = memchr(data, '\n', size);
        const size_t length = end ? (size_t)(end - data) : size;
        if (*data == '\t')
            fwrite(data + 1, 1, length ? length - 1 : 0, out);
        else
            fprintf(out, "%016" PRIx64 " %.*s", (uint64_t)XXH3_64bits(data, length), (int)length,
                    data);
        if (end)
            fputc('\n', out);
        data += length + (end != NULL);
        size -= length + (end != NULL);
    }
    fclose(out);
    return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct runs runs = {.count = 0}, again = {.count = 0};
    struct explore_journal j;
    struct wt_error err;
    char path[32];
    const int fd = file_of(data, size, 7);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (explore_journal_open(&j, path, 7, take, &runs, &err) == WT_OK) {
        const size_t before = runs.count;
        if (before < MOST && runs.outcomes.count)
            assert(explore_journal_add(&j, 3, &runs.outcomes.list[0].outcome, &err) == WT_OK);
        explore_journal_close(&j);
        const enum wt_status status = explore_journal_open(&j, path, 7, take, &again, &err);
        assert(status == WT_OK || before == MOST - 1);
        assert(status || again.count == before + (before < MOST && runs.outcomes.count != 0));
        assert(memcmp(again.run, runs.run, before * sizeof *runs.run) == 0);
        if (!status)
            explore_journal_close(&j);
    } else {
        assert(err.text[0]);
    }
    explore_outcomes_free(&runs.outcomes);
    explore_outcomes_free(&again.outcomes);
    close(fd);
    return 0;
}
