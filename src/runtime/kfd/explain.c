/*
 * wavetrap explain-address for a host program: when a wave comes to a function, the given addresses
 * are explained as lanes of that wave see them.
 *
 * WAVETRAP_EXPLAIN holds words: at=FUNCTION or at=FUNCTION+OFFSET, wave=N or wave=each (default:
 * the first wave that comes), lanes=FIRST-LAST, and addresses.
 */
#include "runtime/kfd/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/explain.h"
#include "emulator/machine/machine.h"

enum { MOST_ADDRESSES = 16 };

struct host_watch {
    char function[256];
    struct gcn_watch watch; /* its pc is 0 until the function has been found */
    unsigned first_lane, last_lane;
    uint64_t addr[MOST_ADDRESSES];
    unsigned addresses;
    uint64_t launches; /* how many there had been when it was looked for last */
};

static bool take_word(struct host_watch *w, const char *word)
{
    char *end = NULL;
    if (strncmp(word, "at=", 3) == 0)
        return snprintf(w->function, sizeof w->function, "%s", word + 3) < (int)sizeof w->function;
    if (strncmp(word, "wave=", 5) == 0) {
        if (strcmp(word + 5, "each") == 0)
            return w->watch.wave = GCN_EACH_WAVE, true;
        w->watch.wave = (uint32_t)strtoul(word + 5, &end, 0);
        return end != word + 5 && !*end;
    }
    if (strncmp(word, "lanes=", 6) == 0) {
        w->first_lane = w->last_lane = (unsigned)strtoul(word + 6, &end, 0);
        if (*end == '-')
            w->last_lane = (unsigned)strtoul(end + 1, &end, 0);
        return !*end && w->first_lane <= w->last_lane && w->last_lane < 64;
    }
    if (w->addresses == MOST_ADDRESSES)
        return false;
    w->addr[w->addresses++] = strtoull(word, &end, 0);
    return end != word && !*end;
}

enum wt_status host_watch_start(struct host_gpu *gpu, struct wt_error *err)
{
    char text[sizeof gpu->host->explain], *rest = NULL;
    struct host_watch *w = calloc(1, sizeof *w);
    if (!w)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    gpu->watch = w;
    w->watch.wave = GCN_ANY_WAVE;
    strcpy(text, gpu->host->explain);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (!take_word(w, word))
            return wt_fail(err, WT_INVALID, "WAVETRAP_EXPLAIN: '%s' is not understood", word);
    if (*w->function && w->addresses)
        return WT_OK;
    return wt_fail(err, WT_INVALID, "WAVETRAP_EXPLAIN: at=FUNCTION and an address are needed");
}

void host_watch_stop(struct host_gpu *gpu)
{
    free(gpu->watch);
    gpu->watch = NULL;
}

static void explain(struct host_gpu *gpu, uint32_t wave)
{
    const struct host_watch *w = gpu->watch;
    struct wt_machine *m = gcn_machine(gpu->device);
    char place[WT_WAVE_NAME], where[600];
    atomic_store(&gpu->host->explained, true);
    wt_machine_name_wave(m, wave, place, sizeof place);
    host_describe(gpu->host, w->watch.pc, where, sizeof where);
    for (unsigned lane = w->first_lane; lane <= w->last_lane; lane++) {
        fprintf(stderr, "wavetrap: %s, lane %u, at %s\n", place, lane, where);
        for (unsigned i = 0; i < w->addresses; i++) {
            struct wt_explanation e;
            if (m->ops->explain(m, wave, lane, w->addr[i], &e))
                wt_explanation_print(stderr, w->addr[i], &e);
        }
    }
}

/* "FUNCTION" or "FUNCTION+OFFSET". */
static uint64_t find_place(struct host *host, const char *place)
{
    char name[256];
    uint64_t addr;
    const size_t length = strcspn(place, "+");
    snprintf(name, sizeof name, "%.*s", (int)length, place);
    if (!host_symbol(host, name, &addr))
        return 0;
    return addr + (place[length] ? strtoull(place + length + 1, NULL, 0) : 0);
}

enum wt_run host_watch_run(struct host_gpu *gpu, uint64_t issues)
{
    struct host_watch *w = gpu->watch;
    struct wt_machine *m = gcn_machine(gpu->device);
    const uint64_t end = m->time + issues;
    enum wt_run why = WT_RUN_BUDGET;
    uint32_t met;
    if (gpu->launches != w->launches) { /* its code may have been loaded since */
        w->launches = gpu->launches;
        w->watch.pc = find_place(gpu->host, w->function);
    }
    if (!w->watch.pc)
        return m->ops->run(m, issues);
    do {
        why = gcn_watch_run(gpu->device, &w->watch, end - m->time, &met);
        if (met == GCN_ANY_WAVE)
            break;
        explain(gpu, met);
        if (w->watch.wave != GCN_EACH_WAVE) {
            host_watch_stop(gpu);
            break;
        }
    } while (why == WT_RUN_BUDGET && m->time < end);
    return why;
}
