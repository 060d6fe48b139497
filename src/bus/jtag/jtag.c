/* The JTAG transport. See jtag.h. */
#include "bus/jtag/jtag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bus/jtag/chain.h"
#include "bus/jtag/dtm.h"

enum {
    DMI_OP_BITS = 2,
    DMI_FIXED_BITS = 34, /* op and data */
    DMI_ABITS_MAX = 63,  /* dtmcs.abits has six bits */
    /* While the DTM says "busy" the clocks between two scans grow, up to here. */
    IDLE_MAX = 1 << 16,
    /* Accesses of a round trip after "busy": what is sent after it is sent again, so it is few; it
     * doubles with each round trip that went well. */
    WINDOW_MIN = 16,
    /* After nobody answered a call it is not made again at each access, for so long. */
    REST_MS = 1000,
    /* Round trips that may leave a batch where it was. */
    PATIENCE = 8,
};
_Static_assert(DMI_FIXED_BITS + DMI_ABITS_MAX <= WT_JTAG_DR_MAX, "a scan holds the longest dmi");

struct jtag_bus {
    struct wt_bus bus;
    struct wt_jtag_options options;
    struct wt_jtag_chain chain;
    bool found; /* the DTM is known, and the connection in step */
    unsigned abits;
    unsigned idle, told_idle; /* clocks in Run-Test/Idle after each dmi scan; what dtmcs says */
    size_t window;            /* accesses of the next round trip */
    int64_t rest_until_ms;
    char about[160];
};

static enum wt_status exchange(struct jtag_bus *b, const char *doing, struct wt_error *err)
{
    b->bus.round_trips++;
    enum wt_status status = wt_jtag_exchange(&b->chain, doing, err);
    if (status)
        b->found = false; /* the connection is closed */
    return status;
}

static uint32_t word_at(const uint8_t *tdo, unsigned bits)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bits; i++)
        value |= (uint32_t)tdo[i] << i;
    return value;
}

/* Finds the TAP and its DTM, and leaves the instruction register at DMI. */
static enum wt_status find(struct jtag_bus *b, struct wt_error *err)
{
    enum wt_status status;
    struct wt_jtag_chain *c = &b->chain;
    const char *where = c->link.address.text;
    b->found = false;
    b->bus.round_trips += 2;
    if ((status = wt_jtag_find(c, &b->options, err)) != WT_OK)
        return status;
    /* A debugger that was here before may have left an error. */
    wt_jtag_put_ir(c, WT_DTM_DTMCS);
    wt_jtag_put_dr(c, WT_DTM_DMIRESET, 32, UINT32_MAX, true);
    if ((status = exchange(b, "reading DTMCS", err)) != WT_OK)
        return status;
    uint32_t dtmcs = word_at(c->tdo, 32);
    unsigned version = dtmcs & 15;
    b->abits = dtmcs >> 4 & 63;
    b->idle = b->told_idle = dtmcs >> 12 & 7;
    b->window = b->options.batch;
    if (version != WT_DTM_VERSION)
        return wt_fail(
            err, WT_UNSUPPORTED,
            "%s: DTMCS reads 0x%08x: version %u is not a Debug Transport Module of RISC-V "
            "Debug Specification 0.13 (version 1)%s",
            where, dtmcs, version, version == 0 ? "; 0 is one of 0.11" : "");
    if (b->abits < WT_DTM_ABITS_MIN)
        return wt_fail(err, WT_UNSUPPORTED,
                       "%s: DTMCS reads 0x%08x: addresses of %u bits do not reach the registers of "
                       "a Debug Module",
                       where, dtmcs, b->abits);
    wt_jtag_put_ir(c, WT_DTM_DMI);
    /* Sent with the first batch. */
    b->found = true;
    snprintf(
        b->about, sizeof b->about,
        "IDCODE 0x%08x (TAP %u of %u, instruction register of %u bits), Debug Transport Module "
        "of version %u, %u address bits, idle %u",
        c->idcode[c->tap], c->tap, c->taps, c->ir_bits[c->tap], version, b->abits, b->idle);
    return WT_OK;
}

/* One access. The bits of @p want are those of the access before it. */
static void put_dmi(struct jtag_bus *b, enum wt_dmi_op op, const struct wt_bus_op *access,
                    bool want_data, bool last)
{
    wt_scan_bits tdi = op, want = (1u << DMI_OP_BITS) - 1;
    if (op != WT_DMI_NOP)
        tdi |= (wt_scan_bits)access->addr << DMI_FIXED_BITS;
    if (op == WT_DMI_WRITE)
        tdi |= (wt_scan_bits)access->value << DMI_OP_BITS;
    if (want_data)
        want |= (wt_scan_bits)UINT32_MAX << DMI_OP_BITS;
    wt_jtag_put_dr(&b->chain, tdi, DMI_FIXED_BITS + b->abits, want, last);
    wt_scan_idle(&b->chain.scan, b->idle);
}

/* Clears the sticky error, which leaves the instruction register at DMI. */
static void put_dmireset(struct jtag_bus *b)
{
    wt_jtag_put_ir(&b->chain, WT_DTM_DTMCS);
    wt_jtag_put_dr(&b->chain, WT_DTM_DMIRESET, 32, 0, false);
    wt_jtag_put_ir(&b->chain, WT_DTM_DMI);
}

static enum wt_status failed(struct jtag_bus *b, const struct wt_bus_op *op, struct wt_error *err)
{
    put_dmireset(b); /* goes with the next batch */
    return wt_fail(err, WT_IO, "%s: the Debug Module refused the %s of address 0x%x (dmi.op 2)",
                   b->chain.link.address.text, op->write ? "write" : "read", op->addr);
}

/*
 * The DTM reported "busy": an access (@p op, if it is one of ours) was still in progress when its
 * result was read. That access continues; later ones were not begun. Clears the error and waits
 * longer and longer for the result.
 */
static enum wt_status recover(struct jtag_bus *b, struct wt_bus_op *op, struct wt_error *err)
{
    enum wt_status status;
    b->window = b->options.batch < WINDOW_MIN ? b->options.batch : WINDOW_MIN;
    for (;;) {
        unsigned waited = b->idle;
        b->idle += b->idle / 2 + 1;
        if (b->idle > IDLE_MAX) {
            b->idle = b->told_idle;
            return wt_fail(err, WT_TIMEOUT,
                           "%s: the Debug Module is busy: an access is not done after %u clocks "
                           "of TCK",
                           b->chain.link.address.text, waited);
        }
        put_dmireset(b);
        wt_scan_idle(&b->chain.scan, b->idle);
        put_dmi(b, WT_DMI_NOP, NULL, true, true);
        if ((status = exchange(b, "waiting for a busy Debug Module", err)) != WT_OK)
            return status;
        switch (word_at(b->chain.tdo, DMI_OP_BITS)) {
        case WT_DMI_OK:
            if (op && !op->write)
                op->value = word_at(b->chain.tdo + DMI_OP_BITS, 32);
            return WT_OK;
        case WT_DMI_BUSY:
            break;
        default:
            if (op)
                return failed(b, op, err);
            put_dmireset(b); /* nobody waits for the access that failed */
            return WT_OK;
        }
    }
}

/*
 * One round trip for up to @p count accesses. The scan that starts an access shows how the one
 * before it went; one more, which does nothing, shows it for the last. Returns in *done how many
 * were done.
 */
static enum wt_status piece(struct jtag_bus *b, struct wt_bus_op *ops, size_t count, size_t *done,
                            struct wt_error *err)
{
    enum wt_status status;
    for (size_t i = 0; i <= count; i++) {
        enum wt_dmi_op op = i == count ? WT_DMI_NOP : ops[i].write ? WT_DMI_WRITE : WT_DMI_READ;
        put_dmi(b, op, &ops[i], i && !ops[i - 1].write, i == count);
    }
    if ((status = exchange(b, "accessing debug registers", err)) != WT_OK)
        return status;
    const uint8_t *tdo = b->chain.tdo;
    for (size_t i = 0; i <= count; i++) {
        struct wt_bus_op *op = i ? &ops[i - 1] : NULL;
        const uint32_t answer = word_at(tdo, DMI_OP_BITS);
        tdo += DMI_OP_BITS;
        if (answer == WT_DMI_BUSY) {
            *done = i;
            return recover(b, op, err);
        }
        if (answer != WT_DMI_OK && op)
            return failed(b, op, err);
        if (answer != WT_DMI_OK) { /* an access before this batch failed */
            *done = 0;
            put_dmireset(b);
            return WT_OK;
        }
        if (op && !op->write) {
            op->value = word_at(tdo, 32);
            tdo += 32;
        }
    }
    *done = count;
    b->window = b->window > b->options.batch / 2 ? b->options.batch : 2 * b->window;
    return WT_OK;
}

static enum wt_status jtag_reconnect(struct wt_bus *bus, struct wt_error *err)
{
    struct jtag_bus *b = (struct jtag_bus *)bus;
    b->found = false;
    wt_scan_clear(&b->chain.scan);
    enum wt_status status = wt_bitbang_connect(&b->chain.link, err);
    if (!status)
        status = find(b, err);
    b->rest_until_ms = status == WT_TIMEOUT ? wt_clock_ms() + REST_MS : 0;
    return status;
}

static enum wt_status jtag_transact(struct wt_bus *bus, struct wt_bus_op *ops, size_t count,
                                    struct wt_error *err)
{
    enum wt_status status;
    struct jtag_bus *b = (struct jtag_bus *)bus;
    if (!b->found && wt_clock_ms() < b->rest_until_ms)
        return wt_fail(err, WT_TIMEOUT, "%s: nobody answered a moment ago",
                       b->chain.link.address.text);
    if (!b->found && (status = jtag_reconnect(bus, err)) != WT_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        if (b->abits < 16 && ops[i].addr >> b->abits)
            return wt_fail(err, WT_INVALID, "%s: address 0x%x has more than the %u bits of the DMI",
                           b->chain.link.address.text, ops[i].addr, b->abits);
    unsigned idle_trips = 0;
    for (size_t at = 0; at < count;) {
        size_t n = count - at < b->window ? count - at : b->window, done = 0;
        if ((status = piece(b, ops + at, n, &done, err)) != WT_OK)
            return status;
        at += done;
        idle_trips = done ? 0 : idle_trips + 1;
        if (idle_trips == PATIENCE)
            return wt_fail(err, WT_IO,
                           "%s: the Debug Transport Module reports an error again and again, "
                           "though it was cleared",
                           b->chain.link.address.text);
    }
    return WT_OK;
}

static void jtag_close(struct wt_bus *bus)
{
    struct jtag_bus *b = (struct jtag_bus *)bus;
    wt_jtag_chain_free(&b->chain);
    free(b);
}

static const struct wt_bus_ops jtag_ops = {
    .name = "jtag",
    .transact = jtag_transact,
    .close = jtag_close,
    .reconnect = jtag_reconnect,
};

struct wt_jtag_options wt_jtag_default_options(const char *address)
{
    return (struct wt_jtag_options){
        .address = address, .tap = -1, .timeout_ms = 5000, .batch = WT_JTAG_BATCH};
}

enum wt_status wt_jtag_parse_ir(const char *text, struct wt_jtag_options *options,
                                struct wt_error *err)
{
    const char *at = text;
    options->ir_count = 0;
    for (;;) {
        char *end;
        unsigned long bits = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;
        if (!bits || bits > WT_JTAG_IR_MAX || options->ir_count == WT_JTAG_TAPS)
            return wt_fail(err, WT_INVALID,
                           "'%.40s' is not a list of up to %d lengths from 1 to %d, as 5,4", text,
                           WT_JTAG_TAPS, WT_JTAG_IR_MAX);
        options->ir_bits[options->ir_count++] = (uint8_t)bits;
        if (*end && *end != ',')
            return wt_fail(err, WT_INVALID, "'%.40s': '%.10s' is not expected after a length", text,
                           end);
        if (!*end)
            return WT_OK;
        at = end + 1;
    }
}

enum wt_status wt_bus_jtag_open(const struct wt_jtag_options *options, struct wt_bus **bus,
                                struct wt_error *err)
{
    static const char prefix[] = "remote_bitbang:";
    const char *address = options->address;
    if (strncmp(address, prefix, sizeof prefix - 1) == 0)
        address += sizeof prefix - 1;
    struct jtag_bus *b = calloc(1, sizeof *b);
    if (!b)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    b->bus.ops = &jtag_ops;
    b->options = *options;
    if (!b->options.batch)
        b->options.batch = WT_JTAG_BATCH;
    b->chain.link.fd = -1;
    b->chain.link.timeout_ms = options->timeout_ms;
    struct wt_address *where = &b->chain.link.address;
    enum wt_status status = wt_address_parse(address, where, err);
    /* For messages: as it is given, so that nobody takes it for the line protocol. */
    snprintf(where->text, sizeof where->text, "%s%.200s", prefix, address);
    if (!status)
        status = jtag_reconnect(&b->bus, err);
    if (status)
        jtag_close(&b->bus);
    *bus = status ? NULL : &b->bus;
    return status;
}

const char *wt_bus_jtag_about(const struct wt_bus *bus)
{
    return ((const struct jtag_bus *)bus)->about;
}
