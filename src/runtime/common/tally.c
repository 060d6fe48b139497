/* See tally.h. */
#include "runtime/common/tally.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulator/translate/rows.h"

static struct wt_tally *map(int fd)
{
    void *at = mmap(NULL, sizeof(struct wt_tally), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

struct wt_tally *wt_tally_create(struct wt_error *err)
{
    char path[64];
    const int fd = memfd_create("wavetrap-tally", MFD_CLOEXEC);
    struct wt_tally *t = fd >= 0 && !ftruncate(fd, sizeof *t) ? map(fd) : NULL;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), fd);
    if (t && !setenv(WT_TALLY_VARIABLE, path, 1))
        return t;
    wt_fail(err, WT_NO_MEMORY, "no memory to count kernels in: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return NULL;
}

/* ---- drivers ---- */

static struct wt_tally *shared; /* the process's; NULL: nobody counts */

static void open_shared(void)
{
    const char *path = getenv(WT_TALLY_VARIABLE);
    const int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    shared = fd >= 0 ? map(fd) : NULL;
    if (path && !shared)
        fprintf(stderr, "wavetrap: the kernels of process %ld are not counted: %s: %s\n",
                (long)getpid(), path, strerror(errno));
    if (fd >= 0)
        close(fd);
}

static struct wt_tally *get_shared(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_shared);
    return shared;
}

struct wt_tally_gpu *wt_tally_of(uint32_t family)
{
    struct wt_tally *t = get_shared();
    return t ? &t->gpu[wt_tally_place(family)] : NULL;
}

void wt_tally_add(uint32_t family, uint64_t launches, uint64_t issues)
{
    struct wt_tally_gpu *tally = wt_tally_of(family);
    if (!tally)
        return;
    atomic_fetch_add(&tally->launches, launches);
    atomic_fetch_add(&tally->issues, issues);
}

void wt_tally_translated(uint32_t family, struct wt_rows_totals now, struct wt_rows_totals *counted)
{
    struct wt_tally_gpu *tally = wt_tally_of(family);
    if (tally) {
        atomic_fetch_add(&tally->blocks, now.blocks - counted->blocks);
        atomic_fetch_add(&tally->in_blocks, now.issues - counted->issues);
    }
    *counted = now;
}

void wt_tally_refused(uint32_t family, const char *why)
{
    struct wt_tally_gpu *g = wt_tally_of(family);
    if (!g)
        return;
    atomic_fetch_add(&g->refused, 1);
    if (atomic_exchange(&g->has_reason, true))
        return;
    snprintf(g->reason, sizeof g->reason, "%s", why);
    atomic_store(&g->reason_whole, true);
}

void wt_tally_models(uint32_t family, const char *models)
{
    struct wt_tally_gpu *g = wt_tally_of(family);
    if (g && !atomic_exchange(&g->has_models, true))
        snprintf(g->models, sizeof g->models, "%s", models);
}

static bool has_near(const struct wt_tally_gpu *g, const char *name)
{
    for (unsigned i = 0; i < WT_NEAR_MOST; i++)
        if (g->near[i].whole && strcmp(g->near[i].name, name) == 0)
            return true;
    return false;
}

void wt_tally_near(uint32_t family, const struct wt_near *near)
{
    struct wt_tally_gpu *g = near->count ? wt_tally_of(family) : NULL;
    for (unsigned i = 0; g && i < near->count; i++) {
        if (has_near(g, near->name[i]) || atomic_load(&g->nears) >= WT_NEAR_MOST)
            continue;
        const uint32_t place = atomic_fetch_add(&g->nears, 1);
        if (place >= WT_NEAR_MOST)
            return;
        memcpy(g->near[place].name, near->name[i], WT_NEAR_NAME);
        atomic_store(&g->near[place].whole, true);
    }
}

void wt_tally_fault(uint32_t family)
{
    struct wt_tally_gpu *g = wt_tally_of(family);
    if (g)
        atomic_fetch_add(&g->faults, 1);
}

bool wt_tally_over(void)
{
    const struct wt_tally *t = get_shared();
    return t && atomic_load_explicit(&t->over, memory_order_relaxed);
}
