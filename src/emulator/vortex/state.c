/*
 * Saving and restoring a device, for time travel: all that decides how it goes on, and nothing that
 * can be made again (decoded code, the TLB). Memory is shared with the device page by page.
 */
#include <stdlib.h>
#include <string.h>

#include "emulator/vortex/watch.h"

/* A console line that is not complete. */
struct saved_line {
    unsigned slot;
    size_t length;
    char *text;
};

struct wt_state {
    uint64_t time;
    struct wt_fault fault;
    struct wt_turns turns;
    uint64_t startup, argument;
    uint32_t halted, halted_active, active_warps, mpm_class;
    char inject_fault[256];
    struct vx_dm dm;
    struct wt_memory *memory;
    struct vx_warp *warp; /* with the device's own pointers, which never change */
    struct vx_core *core; /* likewise, but for `local`, a fork */
    uint32_t *wmask;
    uint32_t *arrived;  /* of all cores, one after the other */
    uint8_t *registers; /* of the warps whose `touched` is set, one after the other */
    struct saved_line *line;
    unsigned lines;
    uint32_t cores;
    uint64_t bytes;
};

void vx_free_state(struct wt_state *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; s->core && i < s->cores; i++)
        wt_memory_free(s->core[i].local);
    for (unsigned i = 0; i < s->lines; i++)
        free(s->line[i].text);
    wt_memory_free(s->memory);
    free(s->warp);
    free(s->core);
    wt_turns_free(&s->turns);
    free(s->wmask);
    free(s->arrived);
    free(s->registers);
    free(s->line);
    free(s);
}

/* A copy of `size` bytes, counted; what is empty gets a byte, so that NULL means no memory. */
static void *copy_of(struct wt_state *s, const void *from, size_t size)
{
    void *copy = malloc(size ? size : 1);
    if (copy)
        memcpy(copy, from, size);
    s->bytes += size;
    return copy;
}

static bool save_warps(struct wt_state *s, const struct vx_device *d)
{
    size_t touched = 0;
    for (uint32_t i = 0; i < d->machine.waves; i++)
        touched += d->warp[i].touched;
    s->warp = copy_of(s, d->warp, d->machine.waves * sizeof *s->warp);
    s->registers = malloc(touched ? touched * d->warp_bytes : 1);
    if (!s->warp || !s->registers)
        return false;
    s->bytes += touched * d->warp_bytes;
    uint8_t *to = s->registers;
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        if (!d->warp[i].touched)
            continue;
        memcpy(to, d->registers + i * d->warp_bytes, d->warp_bytes);
        to += d->warp_bytes;
    }
    return true;
}

static bool save_cores(struct wt_state *s, const struct vx_device *d)
{
    s->cores = d->core_count;
    s->core = copy_of(s, d->core, d->core_count * sizeof *s->core);
    s->arrived = malloc((size_t)d->core_count * d->barriers * sizeof *s->arrived);
    if (!s->core)
        return false;
    for (uint32_t i = 0; i < d->core_count; i++)
        s->core[i].local = NULL; /* not the device's, should a fork fail */
    if (!s->arrived)
        return false;
    s->bytes += (uint64_t)d->core_count * d->barriers * sizeof *s->arrived;
    for (uint32_t i = 0; i < d->core_count; i++) {
        memcpy(s->arrived + (size_t)i * d->barriers, d->core[i].arrived,
               d->barriers * sizeof *s->arrived);
        s->core[i].local = wt_memory_fork(d->core[i].local);
        if (!s->core[i].local)
            return false;
    }
    return true;
}

static bool save_console(struct wt_state *s, const struct vx_device *d)
{
    unsigned lines = 0;
    for (unsigned i = 0; i < d->config.console_slots; i++)
        lines += d->console[i].length != 0;
    s->line = calloc(lines ? lines : 1, sizeof *s->line);
    if (!s->line)
        return false;
    for (unsigned i = 0; i < d->config.console_slots; i++) {
        const struct vx_console_slot *slot = &d->console[i];
        if (!slot->length)
            continue;
        char *text = copy_of(s, slot->text, slot->length);
        if (!text)
            return false;
        s->line[s->lines++] = (struct saved_line){i, slot->length, text};
    }
    return true;
}

struct wt_state *vx_save(struct wt_machine *m)
{
    struct vx_device *d = (struct vx_device *)m;
    struct wt_state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    if (!wt_turns_init(&s->turns, &d->turns.policy, m->waves)) {
        vx_free_state(s);
        return NULL;
    }
    wt_turns_copy(&s->turns, &d->turns);
    s->time = m->time;
    s->fault = m->fault;
    s->startup = d->config.startup;
    s->argument = d->config.argument;
    s->halted = d->halted;
    s->halted_active = d->halted_active;
    s->active_warps = d->active_warps;
    s->mpm_class = d->mpm_class;
    memcpy(s->inject_fault, d->inject_fault, sizeof s->inject_fault);
    s->dm = d->dm;
    s->bytes = sizeof *s + wt_turns_bytes(&s->turns);
    s->wmask = copy_of(s, d->dm.wmask, (m->waves + 31) / 32 * sizeof *s->wmask);
    s->memory = wt_memory_fork(d->memory);
    if (!s->wmask || !s->memory || !save_warps(s, d) || !save_cores(s, d) || !save_console(s, d)) {
        vx_free_state(s);
        return NULL;
    }
    /* Pages that the device could write are shared from now on. */
    wt_tlb_clear(&d->tlb);
    return s;
}

/* Room for all saved lines; the only part of a restore that may fail. */
static bool reserve_console(struct vx_device *d, const struct wt_state *s)
{
    for (unsigned i = 0; i < s->lines; i++) {
        struct vx_console_slot *slot = &d->console[s->line[i].slot];
        if (slot->room >= s->line[i].length)
            continue;
        /* Rooms are 64 times a power of two (vx_console_put). */
        size_t room = slot->room ? slot->room : 64;
        while (room < s->line[i].length)
            room *= 2;
        char *text = realloc(slot->text, room);
        if (!text)
            return false;
        slot->text = text;
        slot->room = room;
    }
    return true;
}

static void restore_warps(struct vx_device *d, const struct wt_state *s)
{
    const uint8_t *from = s->registers;
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        uint8_t *to = d->registers + i * d->warp_bytes;
        if (s->warp[i].touched) {
            memcpy(to, from, d->warp_bytes);
            from += d->warp_bytes;
        } else if (d->warp[i].touched) {
            memset(to, 0, d->warp_bytes);
        }
    }
    memcpy(d->warp, s->warp, d->machine.waves * sizeof *d->warp);
}

bool vx_restore(struct wt_machine *m, const struct wt_state *s)
{
    struct vx_device *d = (struct vx_device *)m;
    if (!reserve_console(d, s))
        return false;
    m->time = s->time;
    m->fault = s->fault;
    d->config.startup = s->startup;
    d->config.argument = s->argument;
    d->halted = s->halted;
    d->halted_active = s->halted_active;
    d->active_warps = s->active_warps;
    d->mpm_class = s->mpm_class;
    memcpy(d->inject_fault, s->inject_fault, sizeof d->inject_fault);
    uint32_t *wmask = d->dm.wmask;
    d->dm = s->dm;
    d->dm.wmask = wmask;
    memcpy(wmask, s->wmask, (m->waves + 31) / 32 * sizeof *wmask);
    wt_turns_copy(&d->turns, &s->turns);
    restore_warps(d, s);
    for (uint32_t i = 0; i < d->core_count; i++) {
        struct vx_core *core = &d->core[i];
        struct wt_memory *local = core->local;
        *core = s->core[i];
        core->local = local;
        wt_memory_become(local, s->core[i].local);
        memcpy(core->arrived, s->arrived + (size_t)i * d->barriers,
               d->barriers * sizeof *core->arrived);
    }
    for (unsigned i = 0; i < d->config.console_slots; i++)
        d->console[i].length = 0;
    for (unsigned i = 0; i < s->lines; i++) {
        struct vx_console_slot *slot = &d->console[s->line[i].slot];
        memcpy(slot->text, s->line[i].text, s->line[i].length);
        slot->length = s->line[i].length;
    }
    vx_code_note_pages(d);
    wt_memory_become(d->memory, s->memory);
    vx_code_keep_pages(d);
    wt_tlb_clear(&d->tlb);
    d->event = false;
    wt_watch_set_forget(m);
    return true;
}

uint64_t vx_state_bytes(const struct wt_state *s)
{
    return s->bytes;
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
