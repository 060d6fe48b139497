/*
 * Fuzz target: what a remote_bitbang client may send to an emulated TAP. The first bytes choose the
 * Debug Transport Module, the rest is the stream, given in pieces. The replies are bits, the TAP is
 * where the diagram says, and the registers are touched only by whole accesses of the DMI.
 */
#include <stdlib.h>
#include <string.h>

#include "bus/jtag/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct registers {
    uint32_t addresses; /* of the DMI */
    uint64_t accesses;
    uint32_t value;
};

static uint32_t read_register(void *context, uint32_t addr)
{
    struct registers *r = context;
    if (addr >= r->addresses)
        abort();
    r->accesses++;
    return r->value ^ addr;
}

static void write_register(void *context, uint32_t addr, uint32_t value)
{
    struct registers *r = context;
    if (addr >= r->addresses)
        abort();
    r->accesses++;
    r->value = value;
}

/* Where TMS leads, kept apart from the TAP under test: rising edges while TRST is not asserted. */
struct follower {
    bool tck, trst;
    enum wt_tap_state state;
    uint64_t updates;
};

static void follow(struct follower *f, uint8_t c)
{
    if (c == 't' || c == 'u') {
        f->trst = true;
        f->state = WT_TAP_RESET;
    } else if (c == 'r' || c == 's') {
        f->trst = false;
    } else if (c >= '0' && c <= '7') {
        bool tck = c >= '4';
        if (tck && !f->tck && !f->trst) {
            f->state = wt_tap_next(f->state, (c - '0') >> 1 & 1);
            f->updates += f->state == WT_TAP_UPDATE_DR;
        }
        f->tck = tck;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEAD = 4 };
    if (size < HEAD)
        return 0;
    struct wt_dtm_config config = {.idcode = WT_DTM_DEFAULT_IDCODE,
                                   .abits = WT_DTM_ABITS_MIN +
                                            data[0] % (WT_DTM_ABITS_MAX - WT_DTM_ABITS_MIN + 1),
                                   .idle = data[0] >> 5,
                                   .cycles = data[1],
                                   .addresses = data[2]};
    struct registers registers = {.addresses = config.addresses ? config.addresses
                                                                : (uint32_t)1 << config.abits};
    const struct wt_bus_device device = {
        .context = &registers, .read = read_register, .write = write_register};
    struct wt_dtm dtm;
    struct follower follower = {.state = WT_TAP_RESET};
    size_t room = 1 + data[3] % 16;
    wt_dtm_init(&dtm, &config, &device);
    for (size_t at = HEAD; at < size;) {
        uint8_t out[16];
        size_t replies;
        bool quit;
        size_t taken = wt_bitbang_take(&dtm, data + at, size - at, out, room, &replies, &quit);
        if (taken > size - at || replies > room || (taken == 0 && replies == 0))
            abort();
        for (size_t i = 0; i < replies; i++)
            if (out[i] != '0' && out[i] != '1')
                abort();
        for (size_t i = 0; i < taken; i++)
            follow(&follower, data[at + i]);
        if (dtm.state != follower.state || dtm.dr_bits > 64 || dtm.ir > 31 || dtm.sticky > 3 ||
            registers.accesses > follower.updates)
            abort();
        at += taken;
        if (quit) {
            wt_dtm_unplug(&dtm);
            follower = (struct follower){.state = WT_TAP_RESET, .updates = follower.updates};
        }
    }
    return 0;
}
