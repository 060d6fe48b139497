/* Reads and writes memory of stopped threads, for clients. */
#include "debug/core/state.h"

#include <inttypes.h>
#include <string.h>

#include "debug/core/checks.h"
#include "debug/core/known.h"
#include "debug/core/memory.h"
#include "debug/core/past.h"
#include "debug/core/patches.h"
#include "debug/core/sync.h"
#include "debug/core/threads.h"
#include "debug/core/touches.h"
#include "debug/core/waves.h"

/* The wave through which an access by @p thread is made. */
static enum wt_status access_through(struct wt_debugger *d, wt_thread thread, uint32_t *wave,
                                     unsigned *lane, struct wt_error *err)
{
    enum wt_status status = dbg_stopped_thread(d, thread, wave, lane, WT_IGNORED);
    if (!status)
        return WT_OK;
    /* Memory outlives threads: after the program's end, or while all waves run, any wave will do.
     * During a search of the past this does not hold: memory is then that of a time the user did
     * not choose. */
    if (!d->travel.going && (thread == 0 || d->run.ended || status == WT_STATE)) {
        *lane = 0;
        *wave = dbg_memory_wave(d);
        if (d->run.nonstop || !d->run.going || dbg_has_memory_port(d) ||
            d->wave[*wave].go == GO_STOPPED)
            return WT_OK;
    }
    return dbg_stopped_thread(d, thread, wave, lane, err);
}

/* Breakpoints are planted in space 0. They must also be hidden in other spaces that show the same
 * memory. */
static struct wt_address with_code(const struct wt_debugger *d, struct wt_address addr)
{
    const bool same = addr.space < 64 && d->topology->code_spaces >> addr.space & 1;
    return same ? wt_address_of(addr.offset) : addr;
}

enum wt_status wt_debugger_read_memory(struct wt_debugger *d, wt_thread thread,
                                       struct wt_address addr, void *out, size_t size,
                                       struct wt_error *err)
{
    uint32_t wave;
    unsigned lane;
    if (size == 0)
        return WT_OK;
    addr = with_code(d, addr);
    enum wt_status status = access_through(d, thread, &wave, &lane, err);
    if (!status)
        status = dbg_note(d, dbg_raw_read(d, wave, lane, addr, out, size, err));
    if (status)
        return status;
    dbg_show_original(d, addr, out, size);
    return WT_OK;
}

/* Writes through a wave's lane; breakpoints planted in the range stay planted. */
static enum wt_status write_through(struct wt_debugger *d, uint32_t wave, unsigned lane,
                                    struct wt_address addr, const void *bytes, size_t size,
                                    struct wt_error *err)
{
    enum wt_status status = dbg_change_past(d, err);
    if (status)
        return status;
    /* Breakpoints in the range are lifted first: the new instruction may have another length. */
    bool lifted = false;
    for (size_t i = 0; i < d->breakpoints.count && !status; i++) {
        if (d->breakpoints.list[i].planted &&
            wt_ranges_meet(addr, size, wt_address_of(d->breakpoints.list[i].trap.addr),
                           d->breakpoints.list[i].trap.size)) {
            status = dbg_lift(d, &d->breakpoints.list[i], wave, err);
            lifted = true;
        }
    }
    if (!status)
        status = dbg_note(d, dbg_raw_write(d, wave, lane, addr, bytes, size, err));
    if (lifted && d->run.going) {
        struct wt_error ignored;
        enum wt_status planted = dbg_sync_breakpoints(d, status ? &ignored : err);
        status = status ? status : planted;
    }
    return status;
}

enum wt_status wt_debugger_write_memory(struct wt_debugger *d, wt_thread thread,
                                        struct wt_address addr, const void *bytes, size_t size,
                                        struct wt_error *err)
{
    uint32_t wave;
    unsigned lane;
    if (size == 0)
        return WT_OK;
    addr = with_code(d, addr);
    enum wt_status status = access_through(d, thread, &wave, &lane, err);
    return status ? status : write_through(d, wave, lane, addr, bytes, size, err);
}

/* A lane of a wave that is stopped. */
static enum wt_status stopped_lane(struct wt_debugger *d, wt_wave_id id, unsigned lane,
                                   uint32_t *wave, struct wt_error *err)
{
    enum wt_status status = dbg_find_wave(d, id, wave, err);
    if (status)
        return status;
    if (!dbg_stands(d, *wave))
        return dbg_refuse_running(d, &d->wave[*wave], err);
    if (lane >= d->wave[*wave].self.lanes)
        return wt_fail(err, WT_INVALID, "a %s has %ss 0 to %u", d->topology->wave_word,
                       d->topology->lane_word, d->wave[*wave].self.lanes - 1);
    return WT_OK;
}

enum wt_status wt_debugger_read_lane(struct wt_debugger *d, wt_wave_id id, unsigned lane,
                                     struct wt_address addr, void *out, size_t size,
                                     struct wt_error *err)
{
    uint32_t wave = 0;
    enum wt_status status = stopped_lane(d, id, lane, &wave, err);
    if (status || size == 0)
        return status;
    addr = with_code(d, addr);
    if ((status = dbg_note(d, dbg_raw_read(d, wave, lane, addr, out, size, err))) != WT_OK)
        return status;
    dbg_show_original(d, addr, out, size);
    return WT_OK;
}

enum wt_status wt_debugger_write_lane(struct wt_debugger *d, wt_wave_id id, unsigned lane,
                                      struct wt_address addr, const void *bytes, size_t size,
                                      struct wt_error *err)
{
    uint32_t wave = 0;
    enum wt_status status = stopped_lane(d, id, lane, &wave, err);
    return status || size == 0 ? status
                               : write_through(d, wave, lane, with_code(d, addr), bytes, size, err);
}

enum wt_status wt_debugger_instruction(struct wt_debugger *d, wt_thread thread, uint64_t addr,
                                       struct wt_instruction *instruction, struct wt_error *err)
{
    uint32_t wave;
    unsigned lane;
    struct wt_window window;
    enum wt_status status;
    if ((status = access_through(d, thread, &wave, &lane, err)) ||
        (status = dbg_read_window(d, wave, addr, &window, err)))
        return status;
    dbg_show_original(d, wt_address_of(window.addr), window.bytes, window.size);
    d->ops->decode(d->probe, addr, &window, instruction);
    return WT_OK;
}

enum wt_status wt_debugger_find_caller(struct wt_debugger *d, const struct wt_callee *callee,
                                       struct wt_caller *caller, struct wt_error *err)
{
    if (!d->ops->find_caller)
        return wt_fail(err, WT_UNSUPPORTED, "nothing says where the function returns to");
    return d->ops->find_caller(d->probe, callee, caller, err);
}

enum wt_status wt_debugger_find_kept(struct wt_debugger *d, const struct wt_kept_address *asked,
                                     struct wt_kept_answer *answer, struct wt_error *err)
{
    *answer = (struct wt_kept_answer){.state = WT_KEPT_IN_PLACE};
    return d->ops->find_kept ? d->ops->find_kept(d->probe, asked, answer, err) : WT_OK;
}

void wt_debugger_find_cfa(struct wt_debugger *d, const struct wt_kept_address *asked,
                          struct wt_cfa_answer *answer)
{
    *answer = (struct wt_cfa_answer){.is_given = false};
    if (d->ops->find_cfa)
        d->ops->find_cfa(d->probe, asked, answer);
}

enum wt_status wt_debugger_find_home(struct wt_debugger *d, wt_thread thread,
                                     struct wt_address addr, uint64_t size, struct wt_address *home,
                                     uint64_t *part, struct wt_error *err)
{
    uint32_t wave;
    unsigned lane;
    *home = addr;
    *part = size;
    if (!d->ops->find_home || !size)
        return WT_OK;
    enum wt_status status = access_through(d, thread, &wave, &lane, err);
    return status
               ? status
               : dbg_note(d, d->ops->find_home(d->probe, wave, lane, addr, size, home, part, err));
}

enum wt_status wt_debugger_objects(struct wt_debugger *d, wt_thread thread, struct wt_address addr,
                                   struct wt_object_view *list, size_t *count, struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    uint32_t wave;
    unsigned lane;
    enum wt_status status;
    *count = 0;
    if (!services->objects)
        return wt_fail(err, WT_UNSUPPORTED, "this target does not report allocations");
    if ((status = access_through(d, thread, &wave, &lane, err)) != WT_OK)
        return status;
    if (addr.space ||
        (services->home && services->home(d->target->context, wave, d->wave[wave].self.id, addr)))
        return wt_fail(err, WT_UNSUPPORTED,
                       "memory of a work-group or of a lane is not an allocation of the program");
    *count = services->objects(d->target->context, wave, addr.offset, list);
    return WT_OK;
}

enum wt_status wt_debugger_defined(struct wt_debugger *d, wt_thread thread, struct wt_address addr,
                                   const struct wt_defined_request *request,
                                   struct wt_defined_view *view, struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    struct wt_defined_request asked = *request;
    uint32_t wave;
    unsigned lane;
    enum wt_status status = dbg_stopped_thread(d, thread, &wave, &lane, err);
    if (status)
        return status;
    addr = wt_address_generic(d->topology, addr);
    if (!request->name[0] && addr.space)
        return wt_fail(err, WT_UNSUPPORTED, "nothing is known of memory of this address space");
    asked.id = d->wave[wave].self.id;
    asked.address = addr.offset;
    *view = (struct wt_defined_view){.answer = WT_DEFINED_NOT_CHECKED};
    if (services->defined && !services->defined(d->target->context, wave, &asked, view))
        return wt_fail(err, WT_STATE, "the program does not answer");
    switch ((enum wt_defined_answer)view->answer) {
    case WT_DEFINED_KNOWN:
        return WT_OK;
    case WT_DEFINED_NO_VALUE:
        return wt_fail(err, WT_INVALID, "%.20s is not a register that instructions write",
                       asked.name);
    case WT_DEFINED_NO_WAVE:
        return wt_fail(err, WT_STATE, "the wave has ended");
    case WT_DEFINED_FORGOTTEN:
        return wt_fail(
            err, WT_STATE,
            "which values were defined at this time is not known: it is from issue time %" PRIu64
            " on ('goto %" PRIu64 "')",
            view->since, view->since);
    case WT_DEFINED_CHANGED:
        return wt_fail(err, WT_STATE,
                       "the defined bits there before the host wrote at issue time %" PRIu64
                       " are not kept: ask from then on ('goto %" PRIu64 "')",
                       view->since, view->since);
    default:
        return wt_fail(err, WT_STATE,
                       "uninitialised values are not followed: 'wavetrap debug --check=init' does, "
                       "on AMD's GPUs, SM and Vortex");
    }
}

size_t wt_debugger_host_writes(struct wt_debugger *d, wt_thread thread, struct wt_address addr,
                               uint64_t size, struct wt_host_write *list, size_t most, bool *more)
{
    const struct wt_target_services *services = d->target->services;
    uint32_t wave;
    unsigned lane;
    *more = false;
    if (!services->host_writes || !services->time || addr.space ||
        access_through(d, thread, &wave, &lane, WT_IGNORED) != WT_OK)
        return 0;
    const size_t count = services->host_writes(d->target->context, wave, addr.offset, size,
                                               services->time(d->target->context), list, most);
    *more = count > most;
    return count > most ? most : count;
}

bool wt_debugger_host_queues(struct wt_debugger *d, bool launches, FILE *out)
{
    const struct wt_target_services *services = d->target->services;
    return services->host_queues && services->host_queues(d->target->context, launches, out);
}
