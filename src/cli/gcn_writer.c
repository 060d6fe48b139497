/* Who wrote a part of a kernel's buffer last. See gcn_writer.h. */
#include "cli/gcn_writer.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cli/gcn.h"

/* A number at *text, which then stands behind it. */
static bool take_number(const char **text, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *value = strtoull(*text, &end, 0);
    *text = end;
    return !errno;
}

enum wt_status cli_writer_parse(const char *text, struct cli_writer *writer, struct wt_error *err)
{
    const char *at = text;
    uint64_t argument = 0;
    *writer = (struct cli_writer){.length = 4};
    bool good = take_number(&at, &argument) && *at++ == ':' && take_number(&at, &writer->offset);
    if (good && *at == ',') {
        at++;
        good = take_number(&at, &writer->length);
    }
    writer->argument = (size_t)argument;
    return good && !*at && writer->length
               ? WT_OK
               : wt_fail(err, WT_INVALID,
                         "'%.64s' is not ARGUMENT:OFFSET or ARGUMENT:OFFSET,LENGTH in bytes", text);
}

enum wt_status cli_writers_watch(struct cli_kernel_run *r, struct wt_error *err)
{
    struct wt_machine *m = gcn_machine(r->device);
    const struct cli_kernel *k = r->kernel;
    struct wt_watch *list = calloc(k->writers + 1, sizeof *list);
    if (!list)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < k->writers; i++)
        list[i] = (struct wt_watch){.kind = WT_WATCH_WRITE,
                                    .addr = r->launch.value[k->writer[i].argument].addr +
                                            k->writer[i].offset,
                                    .size = k->writer[i].length};
    const bool set = m->ops->set_watches(m, list, k->writers);
    free(list);
    return set ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

/* The work-item that a lane of a wave is: its place in the grid. */
static void find_item(const struct cli_kernel_run *r, const struct wt_watch_hit *hit,
                      uint64_t item[3])
{
    const uint32_t *grid = r->launch.grid, *block = r->launch.block;
    uint32_t group[3] = {0}, index = 0, size[3];
    gcn_wave_group(r->device, hit->wave, group, &index);
    for (unsigned i = 0; i < 3; i++) { /* the last groups of a row may be smaller */
        const uint32_t first = group[i] * block[i];
        size[i] = grid[i] - first < block[i] ? grid[i] - first : block[i];
    }
    const uint32_t n = index * 64 + hit->lane;
    item[0] = (uint64_t)group[0] * block[0] + n % size[0];
    item[1] = (uint64_t)group[1] * block[1] + n / size[0] % size[1];
    item[2] = (uint64_t)group[2] * block[2] + n / size[0] / size[1];
}

static void note(struct cli_kernel_run *r, struct cli_writer *w)
{
    struct wt_machine *m = gcn_machine(r->device);
    const uint64_t addr = r->launch.value[w->argument].addr + w->offset;
    unsigned lanes = 0;
    for (size_t i = 0; i < m->hits; i++) {
        const struct wt_watch_hit *hit = &m->hit[i];
        if (hit->addr >= addr + w->length || addr >= hit->addr + hit->size)
            continue;
        /* A lane's pieces of one access come one after the other. */
        lanes += !lanes || w->hit.lane != hit->lane;
        w->hit = *hit;
    }
    if (!lanes)
        return;
    w->writes++;
    w->lanes = lanes;
    find_item(r, &w->hit, w->item);
    m->ops->place(m, w->hit.wave, w->place, sizeof w->place);
}

void cli_writers_note(struct cli_kernel_run *r)
{
    for (size_t i = 0; i < r->kernel->writers; i++)
        note(r, &r->kernel->writer[i]);
}

/* A number of up to 8 bytes; of a wider access the dword in which the place begins. */
static void print_values(const struct wt_watch_hit *hit, uint64_t addr)
{
    const uint64_t in = hit->size > 8 && addr > hit->addr ? (addr - hit->addr) & ~(uint64_t)3 : 0;
    const unsigned size = hit->size > 8 ? 4 : hit->size;
    fprintf(stderr, "  was 0x%0*" PRIx64 ", is 0x%0*" PRIx64 "\n", (int)size * 2,
            wt_load_le(hit->before + in, size), (int)size * 2, wt_load_le(hit->after + in, size));
}

void cli_writer_report(const struct cli_kernel_run *r, const struct cli_writer *w)
{
    char where[512];
    const struct wt_watch_hit *hit = &w->hit;
    const char *name = r->launch.kernel->argument[w->argument].name;
    const uint64_t last = w->offset + w->length - 1;
    fprintf(stderr, "wavetrap: argument %zu%s%s, byte%s %" PRIu64, w->argument, *name ? ", " : "",
            name, w->length > 1 ? "s" : "", w->offset);
    if (w->length > 1)
        fprintf(stderr, " to %" PRIu64, last);
    if (!w->writes) {
        fprintf(stderr, ": the kernel has not written there\n");
        return;
    }
    fprintf(stderr,
            ": written last by work-item (%" PRIu64 ",%" PRIu64 ",%" PRIu64 "), issue time %" PRIu64
            "\n  lane %u of %s",
            w->item[0], w->item[1], w->item[2], hit->time, hit->lane, w->place);
    if (w->lanes > 1)
        fprintf(stderr, "; %u lanes wrote there, this one last", w->lanes);
    cli_kernel_describe(r, hit->pc, where, sizeof where);
    fprintf(stderr, "\n  at %s\n", where);
    cli_kernel_instruction(r, hit->pc);
    print_values(hit, r->launch.value[w->argument].addr + w->offset);
    if (w->writes > 1)
        fprintf(stderr, "  (%" PRIu64 " instructions wrote there)\n", w->writes);
}
