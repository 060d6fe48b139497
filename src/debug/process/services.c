/* The services of all host programs for a front end: core files, which the process writes itself
 * (object/core_wire.h), why waves wait, and their faults. */
#include "debug/process/link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object/core_wire.h"

static enum wt_status whole_path(const char *path, char *whole, size_t size, struct wt_error *err)
{
    char folder[4096] = "";
    if (*path != '/' && !getcwd(folder, sizeof folder))
        return wt_fail(err, WT_IO, "the folder of %.200s: %s", path, strerror(errno));
    if (snprintf(whole, size, "%s%s%s", folder, *folder ? "/" : "", path) >= (int)size)
        return wt_fail(err, WT_INVALID, "%.200s…: the name of the file is too long", path);
    return WT_OK;
}

static struct wt_core_wire_patch wire_patch(const struct wt_patch *from)
{
    struct wt_core_wire_patch to = {.addr = from->addr, .size = (uint32_t)from->size};
    _Static_assert(sizeof to.bytes == WT_PATCH_BYTES, "a patch is one of the debugger's");
    memcpy(to.bytes, from->bytes, sizeof to.bytes);
    memcpy(to.mask, from->mask, sizeof to.mask);
    return to;
}

/* All but the path. The breakpoints follow. */
static void fill_in(struct wt_core_wire *core, const struct wt_core_file_request *request)
{
    uint8_t *to = (uint8_t *)(core + 1);
    core->lane = request->lane;
    core->issues = request->issues;
    core->planted = (uint32_t)request->planted_count;
    snprintf(core->reason, sizeof core->reason, "%s", request->text);
    for (size_t i = 0; i < request->planted_count; i++, to += sizeof(struct wt_core_wire_planted)) {
        const struct wt_planted *from = &request->planted[i];
        const struct wt_core_wire_planted planted = {.addr = from->addr,
                                                     .time = from->time,
                                                     .trap = wire_patch(&from->trap),
                                                     .original = wire_patch(&from->original)};
        memcpy(to, &planted, sizeof planted);
    }
}

static enum wt_status save_core_file(void *link, const struct wt_core_file_request *request,
                                     struct wt_error *err)
{
    const size_t size =
        sizeof(struct wt_core_wire) + request->planted_count * sizeof(struct wt_core_wire_planted);
    char why[512] = "";
    struct wt_wire_request asked = {.verb = WT_WIRE_CORE, .follows = (uint32_t)size};
    struct wt_wire_answer answer;
    enum wt_status status;
    if (size > WT_WIRE_MOST)
        return wt_fail(err, WT_UNSUPPORTED, "a core file has no room for %zu breakpoints",
                       request->planted_count);
    struct wt_core_wire *core = calloc(1, size);
    if (!core)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a core file");
    wt_process_link_locate(link, request->wave, &asked);
    core->wave = asked.wave;
    fill_in(core, request);
    if ((status = whole_path(request->path, core->path, sizeof core->path, err)) == WT_OK)
        status = wt_process_link_ask(link, &asked, core, &answer, why, sizeof why, err);
    free(core);
    why[sizeof why - 1] = 0;
    return status || answer.result >= 0
               ? status
               : wt_fail(err, WT_IO, "%s", *why ? why : "the core file was refused");
}

/* ---- waves ---- */

static bool wave_waits(void *link, uint32_t wave, wt_wave_id id, struct wt_wave_view *view)
{
    struct wt_wire_request request = {.verb = WT_WIRE_WAITS, .value = id};
    struct wt_wire_answer answer;
    wt_process_link_locate(link, wave, &request);
    return wt_process_link_ask(link, &request, NULL, &answer, view, sizeof *view, WT_IGNORED) ==
               WT_OK &&
           answer.result >= 0 && wt_connection_has_view(view, answer.size);
}

/* The number that answers a question about a wave; 0: none does. */
static uint64_t ask_number(void *link, uint32_t verb, uint32_t wave, wt_wave_id id, uint64_t addr)
{
    struct wt_wire_request request = {.verb = verb, .value = id, .addr = addr};
    struct wt_wire_answer answer;
    wt_process_link_locate(link, wave, &request);
    return wt_process_link_ask(link, &request, NULL, &answer, NULL, 0, WT_IGNORED) == WT_OK &&
                   answer.result >= 0
               ? answer.value[0]
               : 0;
}

static uint64_t wave_state(void *link, uint32_t wave, wt_wave_id id)
{
    return ask_number(link, WT_WIRE_STATE, wave, id, 0);
}

/* The same of a family whose driver tells where lanes wait. */
static bool wave_detail(void *link, uint32_t wave, wt_wave_id id, struct wt_wave_detail *detail)
{
    struct {
        struct wt_wave_view view;
        struct wt_wire_waiters waiter[WT_MAX_LANES];
    } got;
    struct wt_wire_request request = {.verb = WT_WIRE_WAITS, .value = id};
    struct wt_wire_answer answer;
    *detail = (struct wt_wave_detail){0};
    wt_process_link_locate(link, wave, &request);
    if (wt_process_link_ask(link, &request, NULL, &answer, &got, sizeof got, WT_IGNORED) != WT_OK ||
        answer.result < 0 || answer.size < sizeof got.view ||
        !wt_connection_has_view(&got.view, sizeof got.view))
        return false;
    detail->view = got.view;
    detail->waiter_count = (unsigned)((answer.size - sizeof got.view) / sizeof *got.waiter);
    for (unsigned i = 0; i < detail->waiter_count; i++)
        detail->waiter[i] = (struct wt_wave_waiters){
            .lanes = (wt_lanes)got.waiter[i].lanes[1] << 64 | got.waiter[i].lanes[0],
            .pc = got.waiter[i].pc};
    return true;
}

void wt_process_link_offer_detail(struct wt_target_services *services)
{
    services->wave_waits = NULL; /* the detail has more */
    services->wave_detail = wave_detail;
}

static uint64_t home(void *link, wt_wave_handle wave, wt_wave_id id, struct wt_address addr)
{
    return ask_number(link, WT_WIRE_HOME, wave, id, addr.offset);
}

static bool wave_fault(void *link, uint32_t wave, wt_wave_id id, struct wt_fault *fault)
{
    struct wt_wire_request at = {0};
    wt_process_link_locate(link, wave, &at);
    return wt_process_link_fault(link, at.device, at.wave, id, fault);
}

/* Whether texts end and numbers are in range. */
static bool is_sound(const struct wt_object_view *view)
{
    return memchr(view->by, 0, sizeof view->by) && memchr(view->name, 0, sizeof view->name) &&
           view->made_depth <= WT_OBJECT_STACK && view->freed_depth <= WT_OBJECT_STACK;
}

static size_t objects(void *link, wt_wave_handle wave, uint64_t addr, struct wt_object_view *list)
{
    struct wt_wire_request request = {.verb = WT_WIRE_OBJECTS, .addr = addr};
    struct wt_wire_answer answer;
    wt_process_link_locate(link, wave, &request);
    if (wt_process_link_ask(link, &request, NULL, &answer, list, WT_OBJECT_VIEWS * sizeof *list,
                            WT_IGNORED) != WT_OK ||
        answer.result < 0 || answer.size % sizeof *list)
        return 0;
    for (size_t i = 0; i < answer.size / sizeof *list; i++)
        if (!is_sound(&list[i]))
            return 0;
    return answer.size / sizeof *list;
}

static bool defined(void *link, wt_wave_handle wave, const struct wt_defined_request *asked,
                    struct wt_defined_view *view)
{
    struct wt_wire_request request = {.verb = WT_WIRE_DEFINED, .follows = sizeof *asked};
    struct wt_wire_answer answer;
    wt_process_link_locate(link, wave, &request);
    return wt_process_link_ask(link, &request, asked, &answer, view, sizeof *view, WT_IGNORED) ==
               WT_OK &&
           answer.result >= 0 && answer.size == sizeof *view &&
           memchr(view->wave, 0, sizeof view->wave) && is_sound(&view->object);
}

static bool host_queues(void *context, bool launches, FILE *out)
{
    enum { ROOM = 1 << 16 };
    const struct wt_wire_request request = {
        .verb = WT_WIRE_STANDING, .value = launches, .size = ROOM};
    struct wt_wire_answer answer;
    char *text = malloc(ROOM);
    const bool told =
        text &&
        wt_process_link_ask(context, &request, NULL, &answer, text, ROOM, WT_IGNORED) == WT_OK &&
        answer.result >= 0 && fwrite(text, 1, answer.size, out) && answer.size;
    free(text);
    return told;
}

void wt_process_link_offer(struct wt_target_services *services)
{
    services->wave_waits = wave_waits;
    services->wave_state = wave_state;
    services->wave_fault = wave_fault;
    services->home = home;
    services->objects = objects;
    services->defined = defined;
    services->host_queues = host_queues;
    services->save_core_file = save_core_file;
    wt_process_link_offer_judge(services);
}
