/* Saving and restoring a device, for time travel. See machine/state.h. */
#include "emulator/machine/state.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/vortex/watch.h"

struct wt_state {
    struct wt_state_head head;
    uint64_t startup, argument;
    uint32_t halted, halted_active, mpm_class;
    char inject_fault[256];
    struct vx_dm dm;
    struct vx_warp *warp; /* with the device's own pointers, which never change */
    struct vx_core *core; /* likewise, but for `local`, a fork */
    uint32_t *wmask;
    uint32_t *arrived;  /* of all cores, one after the other */
    uint8_t *registers; /* of the warps whose `touched` is set, one after the other */
    struct wt_console_saved console;
    uint32_t cores;
};

void vx_free_state(struct wt_state *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; s->core && i < s->cores; i++)
        wt_memory_free(s->core[i].local);
    wt_state_end(&s->head);
    wt_console_saved_free(&s->console);
    free(s->warp);
    free(s->core);
    free(s->wmask);
    free(s->arrived);
    free(s->registers);
    free(s);
}

/* The registers of a warp, if they may be other than zero. */
static struct wt_row registers_of(struct wt_machine *m, uint32_t i)
{
    const struct vx_device *d = (const struct vx_device *)m;
    return (struct wt_row){d->registers + i * d->warp_bytes,
                           d->warp[i].touched ? d->warp_bytes : 0};
}

static struct wt_row arrived_of(struct wt_machine *m, uint32_t i)
{
    const struct vx_device *d = (const struct vx_device *)m;
    return (struct wt_row){d->core[i].arrived, d->barriers * sizeof *d->core[i].arrived};
}

static bool save_cores(struct wt_state *s, const struct vx_device *d)
{
    s->cores = d->core_count;
    s->core = wt_state_copy(&s->head, d->core, d->core_count * sizeof *s->core);
    if (!s->core)
        return false;
    for (uint32_t i = 0; i < d->core_count; i++)
        s->core[i].local = NULL; /* not the device's, should a fork fail */
    for (uint32_t i = 0; i < d->core_count; i++)
        if (!(s->core[i].local = wt_memory_fork(d->core[i].local)))
            return false;
    return true;
}

static bool save(struct wt_state *s, struct vx_device *d)
{
    struct wt_machine *m = &d->machine;
    if (!wt_state_begin(&s->head, m, d->memory, &d->tlb, sizeof *s))
        return false;
    s->startup = d->config.startup;
    s->argument = d->config.argument;
    s->halted = d->halted;
    s->halted_active = d->halted_active;
    s->mpm_class = d->mpm_class;
    memcpy(s->inject_fault, d->inject_fault, sizeof s->inject_fault);
    s->dm = d->dm;
    s->wmask = wt_state_copy(&s->head, d->dm.wmask, (m->waves + 31) / 32 * sizeof *s->wmask);
    s->warp = wt_state_copy(&s->head, d->warp, m->waves * sizeof *s->warp);
    s->registers = wt_state_save_rows(&s->head, m, m->waves, registers_of);
    s->arrived = (uint32_t *)wt_state_save_rows(&s->head, m, d->core_count, arrived_of);
    return s->wmask && s->warp && s->registers && s->arrived && save_cores(s, d) &&
           wt_console_save(&d->console, &s->console, &s->head.bytes);
}

struct wt_state *vx_save(struct wt_machine *m)
{
    struct wt_state *s = calloc(1, sizeof *s);
    if (s && !save(s, (struct vx_device *)m)) {
        vx_free_state(s);
        return NULL;
    }
    return s;
}

static void restore_warps(struct vx_device *d, const struct wt_state *s)
{
    struct wt_machine *m = &d->machine;
    for (uint32_t i = 0; i < m->waves; i++)
        if (d->warp[i].touched && !s->warp[i].touched)
            memset(d->registers + i * d->warp_bytes, 0, d->warp_bytes);
    memcpy(d->warp, s->warp, m->waves * sizeof *d->warp);
    wt_state_restore_rows(m, m->waves, registers_of, s->registers);
}

static void restore_cores(struct vx_device *d, const struct wt_state *s)
{
    for (uint32_t i = 0; i < d->core_count; i++) {
        struct vx_core *core = &d->core[i];
        struct wt_memory *local = core->local;
        *core = s->core[i];
        core->local = local;
        wt_memory_become(local, s->core[i].local);
    }
    wt_state_restore_rows(&d->machine, d->core_count, arrived_of, (const uint8_t *)s->arrived);
}

bool vx_restore(struct wt_machine *m, const struct wt_state *s)
{
    assert(s && s->cores == ((struct vx_device *)m)->core_count);
    struct vx_device *d = (struct vx_device *)m;
    /* The only part that may fail. */
    if (!wt_console_reserve(&d->console, &s->console))
        return false;
    d->config.startup = s->startup;
    d->config.argument = s->argument;
    d->halted = s->halted;
    d->halted_active = s->halted_active;
    d->mpm_class = s->mpm_class;
    memcpy(d->inject_fault, s->inject_fault, sizeof d->inject_fault);
    uint32_t *wmask = d->dm.wmask;
    d->dm = s->dm;
    d->dm.wmask = wmask;
    memcpy(wmask, s->wmask, (m->waves + 31) / 32 * sizeof *wmask);
    restore_warps(d, s);
    restore_cores(d, s);
    wt_console_restore(&d->console, &s->console);
    wt_state_resume(&s->head, m, d->memory, &d->code);
    return true;
}

uint64_t vx_held_bytes(struct wt_machine *m)
{
    const struct vx_device *d = (struct vx_device *)m;
    uint64_t bytes = wt_memory_held(d->memory);
    for (uint32_t i = 0; i < d->core_count; i++)
        bytes += wt_memory_held(d->core[i].local);
    return bytes;
}

uint64_t vx_live_bytes(struct wt_machine *m)
{
    const struct vx_device *d = (struct vx_device *)m;
    uint64_t bytes = wt_memory_resident(d->memory);
    for (uint32_t i = 0; i < d->core_count; i++)
        bytes += wt_memory_resident(d->core[i].local);
    return bytes;
}
