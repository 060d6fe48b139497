/* A host program as a target, for every family. See process.h. */
#include "target/process.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "debug/process/history.h"
#include "debug/source/source.h"

#define BUSY_MS 2000 /* for so long a program may be busy with a debugger that has gone */

static enum wt_status find(int pid, const struct wt_family **family, struct wt_error *err)
{
    enum wt_status status;
    bool reachable = false;
    *family = NULL;
    for (const struct wt_family *const *f = wt_families; *f; f++) {
        if (!(*f)->debug.process)
            continue;
        if ((status = wt_connection_reachable(pid, (*f)->debug.process->socket, &reachable, err)) !=
            WT_OK)
            return status;
        if (reachable) {
            *family = *f;
            return WT_OK;
        }
    }
    return WT_OK;
}

static enum wt_status find_elsewhere(struct wt_process_place *place,
                                     const struct wt_family **family, struct wt_error *err)
{
    uint32_t wire;
    *family = NULL;
    const enum wt_status status = wt_connection_ask_family(place, &wire, err);
    if (status)
        return status;
    for (const struct wt_family *const *f = wt_families; *f; f++)
        if ((*f)->debug.process && (*f)->debug.process->wire == wire)
            *family = *f;
    return *family ? WT_OK : wt_fail(err, WT_UNSUPPORTED, "its GPUs are of no known family");
}

enum wt_status wt_process_wait(struct wt_process_place *place, unsigned ms,
                               const struct wt_family **family, struct wt_error *err)
{
    if (place->address)
        return find_elsewhere(place, family, err);
    const struct timespec moment = {.tv_nsec = 2000000};
    const int64_t until = wt_clock_ms() + ms;
    enum wt_status status;
    while ((status = find(place->pid, family, err)) == WT_OK && !*family && wt_clock_ms() < until)
        nanosleep(&moment, NULL);
    return status;
}

static enum wt_status begin(struct wt_process *p, const struct wt_family *family,
                            struct wt_error *err)
{
    assert(family->debug.process);
    *p = (struct wt_process){.family = family};
    p->modules = wt_modules_new();
    p->target.services = &p->services;
    return p->modules ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for a list of modules");
}

/* The steps of all families after connecting. */
static enum wt_status take_up(struct wt_process *p, struct wt_error *err)
{
    p->target.context = p->wire;
    wt_process_link_offer(&p->services);
    if (p->family->debug.process->offer)
        p->family->debug.process->offer(&p->services);
    const enum wt_status status = wt_process_link_want_memory(p->wire, err);
    return status ? status : p->family->debug.process->refresh(p, err);
}

/* The GPUs that a process has told of, as a probe's link. */
static enum wt_status take_gpus(struct wt_process *p, struct wt_error *err)
{
    const struct wt_family_debug *family = &p->family->debug;
    const struct wt_wire_hello *hello = &p->wire->hello;
    struct wt_link *link = &p->wire->link;
    *link = (struct wt_link){&wt_process_link_ops, p->wire, true, .gpus = hello->devices};
    memcpy(link->units, hello->units, sizeof link->units);
    memcpy(link->place, hello->place, sizeof link->place);
    p->target.link = link;
    for (uint32_t i = 0; i < link->gpus; i++) {
        if (!link->units[i] || link->units[i] > family->most_units)
            return wt_fail(err, WT_UNSUPPORTED, "process %d has a GPU of %u %ss",
                           p->wire->connection.pid, (unsigned)link->units[i],
                           p->family->words.core);
        p->wire->waves[i] = link->units[i] * family->unit_waves;
    }
    return WT_OK;
}

static enum wt_status connect_once(struct wt_process *p, const struct wt_process_place *place,
                                   struct wt_error *err)
{
    const struct wt_process_ops *ops = p->family->debug.process;
    struct wt_wire_answer answer;
    enum wt_status status;
    p->own = p->wire = calloc(1, ops->own_bytes);
    if (!p->wire)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a connection");
    p->wire->history.lanes = ops->lanes;
    if ((status = wt_process_link_open(p->wire, place, ops->socket, ops->wire, err)) != WT_OK ||
        (status = take_gpus(p, err)) != WT_OK ||
        (ops->begin && (status = ops->begin(p, err)) != WT_OK))
        return status;
    return wt_process_link_tell(p->wire, (struct wt_wire_request){.verb = WT_WIRE_ATTACH}, &answer,
                                err);
}

/* The process may not have seen yet that the connection of wt_process_wait(), or one of `ps`, is
 * closed. */
static enum wt_status connect_to(struct wt_process *p, const struct wt_process_place *place,
                                 struct wt_error *err)
{
    const struct timespec moment = {.tv_nsec = 20000000};
    const int64_t until = wt_clock_ms() + BUSY_MS;
    enum wt_status status;
    while ((status = connect_once(p, place, err)) == WT_STATE && wt_clock_ms() < until) {
        const struct wt_family *family = p->family;
        nanosleep(&moment, NULL);
        wt_process_close(p);
        if ((status = begin(p, family, err)) != WT_OK)
            break;
    }
    return status;
}

enum wt_status wt_process_open(struct wt_process *p, const struct wt_family *family,
                               const struct wt_process_place *place,
                               const struct wt_debugger_options *options, uint64_t history,
                               struct wt_error *err)
{
    enum wt_status status = begin(p, family, err);
    if (!status)
        status = connect_to(p, place, err);
    if (!status)
        status = take_up(p, err);
    /* Before the debugger looks which services there are. */
    if (!status && history)
        status = wt_process_history_begin(p->wire, history, &p->services, err);
    if (!status)
        status = wt_debugger_open(&p->target, family->debug.probe, options, &p->debugger, err);
    if (status)
        wt_process_close(p);
    return status;
}

enum wt_status wt_process_open_none(struct wt_process *p, const struct wt_family *family,
                                    const char *program, const struct wt_debugger_options *options,
                                    struct wt_error *err)
{
    enum wt_status status = begin(p, family, err);
    p->none = (struct wt_no_process){&p->image, family->debug.process->answer_none, NULL};
    p->no_link = wt_family_link(&family->debug, family->debug.shown_units);
    p->no_link.ops = &wt_no_process_link;
    p->no_link.context = &p->none;
    p->target.link = &p->no_link;
    if (!status && family->debug.process->show_file)
        status = family->debug.process->show_file(p, program, err);
    if (!status)
        status = wt_debugger_open(&p->target, family->debug.probe, options, &p->debugger, err);
    if (status)
        wt_process_close(p);
    return status;
}

enum wt_status wt_process_refresh(struct wt_process *p, struct wt_error *err)
{
    return p->own ? p->family->debug.process->refresh(p, err) : WT_OK;
}

/* By coming and going as a debugger. */
static enum wt_status release(const struct wt_process_place *place, const struct wt_family *family,
                              struct wt_error *err)
{
    struct wt_process p;
    enum wt_status status = begin(&p, family, err);
    if (!status)
        status = connect_once(&p, place, err);
    wt_process_close(&p);
    return status;
}

enum wt_status wt_process_release_others(const struct wt_process_place *place,
                                         const struct wt_family *debugged, uint32_t *known,
                                         const struct wt_family **found, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    bool reachable = false;
    *found = NULL;
    for (unsigned i = 0; wt_families[i] && !status && !place->address; i++) {
        const struct wt_family *f = wt_families[i];
        if (!f->debug.process || f == debugged || *known >> i & 1)
            continue;
        status = wt_connection_reachable(place->pid, f->debug.process->socket, &reachable, err);
        if (status || !reachable)
            continue;
        *known |= (uint32_t)1 << i;
        *found = f;
        return release(place, f, err);
    }
    return status;
}

unsigned wt_process_instruction_text(struct wt_process *p, uint64_t pc, const uint8_t *bytes,
                                     size_t available, char *text, size_t size)
{
    const struct wt_family *f = p->family;
    if (f->debug.process->instruction_text)
        return f->debug.process->instruction_text(p, pc, bytes, available, text, size);
    const struct wt_module *m = wt_modules_at(p->modules, 0, pc);
    return f->isa.instruction_text ? f->isa.instruction_text(NULL, m ? m->symbols : NULL, pc, bytes,
                                                             available, text, size)
                                   : 0;
}

bool wt_process_code_register(struct wt_process *p, uint64_t pc, size_t n,
                              struct wt_code_register *reg)
{
    const struct wt_process_ops *ops = p->family->debug.process;
    return ops->code_register && ops->code_register(p, pc, n, reg);
}

static void free_code(const struct wt_process *p, void *code)
{
    if (code)
        p->family->debug.process->free_code(code);
}

void wt_process_show_file(struct wt_process *none)
{
    if (!none->file_modules)
        return;
    wt_memory_image_free(&none->image);
    wt_modules_free(none->modules);
    free_code(none, none->code);
    none->image = none->file;
    none->modules = none->file_modules;
    none->code = none->file_code;
    none->file = (struct wt_memory_image){0};
    none->file_modules = NULL;
    none->file_code = NULL;
}

#define MOST_LEFT ((uint64_t)1 << 30)

struct process_left {
    struct wt_memory_image *image;
    uint64_t bytes;
};

static bool take_piece(void *context, uint64_t addr, uint8_t *bytes, uint64_t size)
{
    struct process_left *left = context;
    left->bytes += bytes ? size : 0;
    return wt_memory_image_add(left->image, addr, bytes, size) && left->bytes < MOST_LEFT;
}

bool wt_process_has_closed(const struct wt_process *process)
{
    return process->wire && process->wire->connection.end.closed;
}

void wt_process_show_end(struct wt_process *none, struct wt_process *ended)
{
    struct process_left left = {.image = &none->image};
    wt_process_show_file(none);
    if (none->family != ended->family)
        return;
    none->file = none->image;
    none->file_modules = none->modules;
    none->file_code = none->code;
    none->image = (struct wt_memory_image){0};
    none->modules = ended->modules;
    none->code = ended->code;
    ended->modules = NULL;
    ended->code = NULL;
    if (ended->family->debug.process->final_memory)
        ended->family->debug.process->final_memory(ended, take_piece, &left);
    else
        wt_process_link_final_memory(ended->wire, 0, take_piece, &left);
}

void wt_process_close(struct wt_process *p)
{
    wt_debugger_close(p->debugger);
    if (p->own) {
        if (p->family->debug.process->end)
            p->family->debug.process->end(p);
        wt_process_link_close(p->wire);
        free(p->own);
    }
    wt_modules_free(p->modules);
    wt_modules_free(p->file_modules);
    free_code(p, p->code);
    free_code(p, p->file_code);
    wt_memory_image_free(&p->image);
    wt_memory_image_free(&p->file);
    *p = (struct wt_process){.family = NULL};
}
