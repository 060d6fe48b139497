/* The requests of the probe to the driver: object/sm_wire.h. */
#include <string.h>

#include "debug/sm/internal.h"

/* Registers of a lane have a dword for each; those of a warp have one value. */
static size_t row_bytes(unsigned number)
{
    return number < WT_SM_P0 || number >= WT_SM_FRAME ? SM_WIRE_ROW : 8;
}

enum wt_status smp_ask(struct wt_probe *p, const struct wt_wire_request *request, void *out,
                       size_t size, struct wt_error *err)
{
    struct wt_wire_answer answer;
    return wt_link_ask(p->common.link, request, NULL, &answer, out, size, err);
}

enum wt_status smp_get_row(struct wt_probe *p, uint32_t warp, unsigned number, void *row,
                           struct wt_error *err)
{
    uint8_t bytes[SM_WIRE_ROW];
    const enum wt_status status = smp_ask(
        p, &(struct wt_wire_request){.verb = SM_WIRE_READ_ROW, .wave = warp, .number = number},
        bytes, sizeof bytes, err);
    if (!status)
        memcpy(row, bytes, row_bytes(number));
    return status;
}

enum wt_status smp_set_row(struct wt_probe *p, uint32_t warp, unsigned number, uint32_t lanes,
                           const void *row, struct wt_error *err)
{
    uint8_t bytes[SM_WIRE_ROW] = {0};
    struct wt_wire_answer answer;
    const struct wt_wire_request request = {.verb = SM_WIRE_WRITE_ROW,
                                            .follows = sizeof bytes,
                                            .wave = warp,
                                            .number = number,
                                            .lanes = lanes};
    memcpy(bytes, row, row_bytes(number));
    const enum wt_status status =
        wt_link_ask(p->common.link, &request, bytes, &answer, NULL, 0, err);
    return status == WT_UNSUPPORTED
               ? wt_fail(err, WT_INVALID, "register %u of warp %u cannot be written so", number,
                         warp)
               : status;
}

enum wt_status smp_get_file(struct wt_probe *p, uint32_t warp, uint64_t offset, void *out,
                            size_t size, struct wt_error *err)
{
    const struct wt_wire_request request = {
        .verb = SM_WIRE_READ_FILE, .wave = warp, .size = (uint32_t)size, .value = offset};
    const enum wt_status status = smp_ask(p, &request, out, size, err);
    return status == WT_UNSUPPORTED
               ? wt_fail(err, WT_INVALID, "the register file of warp %u has no byte 0x%llx", warp,
                         (unsigned long long)offset)
               : status;
}

/* A block of memory: where it begins, and how many bytes it has. */
static enum wt_status find_block(struct wt_probe *p, const struct wt_wire_request *request,
                                 const char *whose, uint64_t *addr, uint32_t *size,
                                 struct wt_error *err)
{
    struct wt_wire_answer answer;
    const enum wt_status status = wt_link_ask(p->common.link, request, NULL, &answer, NULL, 0, err);
    *addr = status ? 0 : answer.value[0];
    *size = status ? 0 : (uint32_t)answer.value[1];
    return status == WT_UNSUPPORTED ? wt_fail(err, WT_STATE, "there is no %s now", whose) : status;
}

enum wt_status smp_find_bank(struct wt_probe *p, unsigned bank, uint64_t *addr, uint32_t *size,
                             struct wt_error *err)
{
    const struct wt_wire_request request = {
        .verb = SM_WIRE_BANK, .wave = WT_NO_HANDLE, .number = bank};
    return find_block(p, &request, "kernel", addr, size, err);
}

enum wt_status smp_find_local(struct wt_probe *p, uint32_t warp, unsigned lane, uint64_t *addr,
                              uint32_t *size, struct wt_error *err)
{
    const struct wt_wire_request request = {.verb = SM_WIRE_LOCAL, .wave = warp, .lane = lane};
    return find_block(p, &request, "such warp", addr, size, err);
}
