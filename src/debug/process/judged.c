/* The services by which a host program judges breakpoints itself (object/live_wire.h). */
#include "debug/process/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "expr/condition_wire.h"
#include "object/live_wire.h"

static void append(struct wt_buffer *to, const struct wt_judged *j)
{
    static const uint8_t zeros[8];
    struct wt_wire_live one = {.pc = j->pc,
                               .addr = j->rule ? j->rule : j->trap.addr,
                               .size = (uint32_t)j->trap.size,
                               .code = (uint32_t)j->size};
    _Static_assert(sizeof one.trap == WT_PATCH_BYTES, "a patch is one of the debugger's");
    memcpy(one.trap, j->trap.bytes, sizeof one.trap);
    memcpy(one.original, j->original.bytes, sizeof one.original);
    memcpy(one.mask, j->trap.mask, sizeof one.mask);
    wt_buffer_append(to, &one, sizeof one);
    wt_buffer_append(to, j->code, j->size);
    wt_buffer_append(to, zeros, (8 - j->size % 8) % 8);
}

static bool judges(void *context)
{
    const struct wt_process_link *link = context;
    return link->hello.devices == 1;
}

/* Those that do not fit a message stay in memory, and the debugger evaluates them. So it does where
 * there are several GPUs: they may have one memory, and an ignore count is for all of them. */
static enum wt_status judge(void *context, const struct wt_judged *list, size_t count,
                            struct wt_error *err)
{
    struct wt_process_link *link = context;
    struct wt_wire_request request = {.verb = WT_WIRE_LIVE};
    struct wt_wire_answer answer;
    struct wt_buffer all = {0};
    enum wt_status status = WT_OK;
    if (!judges(link))
        return WT_OK;
    for (size_t i = 0; i < count; i++)
        if (all.length + sizeof(struct wt_wire_live) + list[i].size + 8 <= WT_WIRE_MOST)
            append(&all, &list[i]);
    if (all.failed)
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for breakpoints");
    request.follows = (uint32_t)all.length;
    if (!status) /* A process that refuses halts waves at all of them. */
        status = wt_process_link_ask(link, &request, all.bytes, &answer, NULL, 0, err);
    free(all.bytes);
    return status;
}

static bool arrived(void *link, wt_wave_handle wave, wt_wave_id id, uint64_t pc, wt_lanes *stop)
{
    struct wt_wire_request request = {.verb = WT_WIRE_ARRIVED, .value = id, .addr = pc};
    struct wt_wire_answer answer;
    struct wt_wire_arrived told;
    wt_process_link_locate(link, wave, &request);
    if (wt_process_link_ask(link, &request, NULL, &answer, &told, sizeof told, WT_IGNORED) !=
            WT_OK ||
        answer.result < 0 || answer.size != sizeof told)
        return false;
    *stop = (wt_lanes)told.stop[1] << 64 | told.stop[0];
    return true;
}

static void hand_over(const uint8_t *bytes, size_t size, const struct wt_judged_news *to)
{
    struct wt_wire_live_news head;
    struct wt_condition_count one;
    if (size < sizeof head)
        return;
    memcpy(&head, bytes, sizeof head);
    const uint64_t counts = (uint64_t)head.counts * sizeof one;
    if (size != sizeof head + counts + head.text)
        return;
    bytes += sizeof head;
    for (uint32_t i = 0; i < head.counts; i++, bytes += sizeof one) {
        memcpy(&one, bytes, sizeof one);
        to->count(to->context, one.owner, one.times);
    }
    if (head.text)
        to->print(to->context, (const char *)bytes, head.text);
}

static void judged(void *context, bool ask, const struct wt_judged_news *to)
{
    struct wt_process_link *link = context;
    const struct wt_wire_request request = {.verb = WT_WIRE_LIVE_NEWS};
    struct wt_wire_answer answer = {.value = {true}};
    uint8_t *bytes = NULL;
    hand_over(link->last, link->last_bytes, to);
    link->last_bytes = 0;
    if (!(ask || link->news) || link->connection.ended || !judges(link) ||
        !(bytes = malloc(WT_WIRE_MOST)))
        return;
    link->news = false;
    while (answer.value[0] && wt_process_link_ask(link, &request, NULL, &answer, bytes,
                                                  WT_WIRE_MOST, WT_IGNORED) == WT_OK)
        hand_over(bytes, answer.size, to);
    hand_over(link->last, link->last_bytes, to); /* it has ended meanwhile */
    link->last_bytes = 0;
    free(bytes);
}

void wt_process_link_offer_judge(struct wt_target_services *services)
{
    services->judge = judge;
    services->judges = judges;
    services->arrived = arrived;
    services->judged = judged;
}
