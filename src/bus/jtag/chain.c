/* Chains of TAPs. See jtag_chain.h. */
#include "bus/jtag/chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The mark shifted through a register to find its end; no IDCODE equals it by chance. */
#define LONG_MARK 0x5a3c96f10fe1b24dull
enum { LONG_MARK_BITS = 64 };
/* The mark that ends an exchange. */
enum { CHECK = 0xb2, CHECK_BITS = 8 };

static uint64_t bits_at(const uint8_t *tdo, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint64_t)tdo[i] << i;
    return value;
}

/* A TDO that never changes has no chain behind it. */
static const char *stuck(const uint8_t *tdo, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (tdo[i] != tdo[0])
            return NULL;
    return tdo[0] ? "TDO is stuck at 1: is there a powered device, and a path through its TAP?"
                  : "TDO is stuck at 0: is there a powered device, and a path through its TAP?";
}

static enum wt_status send(struct wt_jtag_chain *c, const char *doing, struct wt_error *err)
{
    if (c->scan.reads > 0) {
        uint8_t *tdo = wt_array_grow(c->tdo, &c->tdo_capacity, c->scan.reads, 1);
        if (!tdo)
            return wt_fail(err, WT_NO_MEMORY, "no host memory for the replies of a scan");
        c->tdo = tdo;
    }
    wt_scan_go(&c->scan, WT_TAP_IDLE);
    wt_scan_end(&c->scan);
    enum wt_status status = wt_bitbang_exchange(&c->link, &c->scan, c->tdo, doing, err);
    wt_scan_clear(&c->scan);
    return status;
}

enum wt_status wt_jtag_exchange(struct wt_jtag_chain *c, const char *doing, struct wt_error *err)
{
    enum wt_status status;
    size_t reads = c->scan.reads;
    if ((status = send(c, doing, err)) != WT_OK)
        return status;
    uint64_t check = bits_at(c->tdo + reads - CHECK_BITS, CHECK_BITS);
    if (check == CHECK)
        return WT_OK;
    const char *why = stuck(c->tdo + reads - CHECK_BITS, CHECK_BITS);
    wt_bitbang_close(&c->link); /* a bit too few or too many is one way to get here */
    if (why)
        return wt_fail(err, WT_IO, "%s: while %s: %s", c->link.address.text, doing, why);
    return wt_fail(
        err, WT_IO,
        "%s: while %s: TDO is garbage: 0x%02x was sent through the chain and 0x%02x received",
        c->link.address.text, doing, CHECK, (unsigned)check);
}

/*
 * Shifts the long mark through all instruction or data registers, and @p room bits beyond. Returns
 * their total length in *length; chain->tdo holds their contents.
 */
static enum wt_status measure(struct wt_jtag_chain *c, enum wt_tap_state shift, unsigned room,
                              unsigned *length, const char *doing, struct wt_error *err)
{
    enum wt_status status;
    wt_scan_go(&c->scan, shift);
    wt_scan_shift(&c->scan, LONG_MARK, LONG_MARK_BITS, UINT64_MAX, false);
    for (unsigned i = 0; i < room; i += 32)
        wt_scan_shift(&c->scan, UINT32_MAX, 32, UINT32_MAX, i + 32 >= room);
    if ((status = send(c, doing, err)) != WT_OK)
        return status;
    for (*length = 0; *length <= room; ++*length)
        if (bits_at(c->tdo + *length, LONG_MARK_BITS) == LONG_MARK)
            return WT_OK;
    const char *why = stuck(c->tdo, room + LONG_MARK_BITS);
    return wt_fail(err, WT_IO, "%s: while %s: %s", c->link.address.text, doing,
                   why ? why
                       : "TDO is garbage: the bits sent through the chain did not come out "
                         "(more than 16 TAPs are too many)");
}

/* After Test-Logic-Reset each TAP shows an IDCODE, whose lowest bit is 1, or BYPASS, a 0. */
static enum wt_status find_taps(struct wt_jtag_chain *c, struct wt_error *err)
{
    enum wt_status status;
    unsigned length = 0;
    wt_scan_clear(&c->scan);
    wt_scan_reset(&c->scan);
    if ((status = measure(c, WT_TAP_SHIFT_DR, 32 * WT_JTAG_TAPS, &length, "looking for TAPs",
                          err)) != WT_OK)
        return status;
    c->taps = 0;
    for (unsigned at = 0; at < length; c->taps++) {
        bool has = c->tdo[at];
        if (c->taps == WT_JTAG_TAPS)
            return wt_fail(err, WT_UNSUPPORTED, "%s: the chain has more than %d TAPs",
                           c->link.address.text, WT_JTAG_TAPS);
        if (has && at + 32 > length)
            return wt_fail(err, WT_IO,
                           "%s: while looking for TAPs: TDO is garbage: an IDCODE "
                           "of %u bits",
                           c->link.address.text, length - at);
        c->idcode[c->taps] = has ? (uint32_t)bits_at(c->tdo + at, 32) : 0;
        at += has ? 32 : 1;
    }
    if (!c->taps)
        return wt_fail(err, WT_IO, "%s: TDI is wired to TDO: there is no TAP between them",
                       c->link.address.text);
    return WT_OK;
}

/* "0 (IDCODE 0x…), 1 (no IDCODE)": the TAPs that were found. */
static const char *list_taps(const struct wt_jtag_chain *c, char text[256])
{
    size_t n = 0;
    text[0] = 0;
    for (unsigned i = 0; i < c->taps && n < 220; i++) {
        n += (size_t)snprintf(text + n, 256 - n, "%s%u ", i ? ", " : "", i);
        n += c->idcode[i] ? (size_t)snprintf(text + n, 256 - n, "(IDCODE 0x%08x)", c->idcode[i])
                          : (size_t)snprintf(text + n, 256 - n, "(no IDCODE)");
    }
    return text;
}

static enum wt_status choose(struct wt_jtag_chain *c, const struct wt_jtag_options *options,
                             struct wt_error *err)
{
    const char *where = c->link.address.text;
    char list[256];
    if (c->taps > 1 && (options->tap < 0 || !options->ir_count))
        return wt_fail(err, WT_INVALID,
                       "%s: the chain has %u TAPs: %s, with %u instruction register bits in all; "
                       "say which one it is and how long each one's instruction register is "
                       "(--jtag-tap N --jtag-ir BITS,BITS,...)",
                       where, c->taps, list_taps(c, list), c->ir_total);
    if (options->tap >= (int)c->taps)
        return wt_fail(err, WT_INVALID, "%s: there is no TAP %d; the chain has: %s", where,
                       options->tap, list_taps(c, list));
    c->tap = options->tap < 0 ? 0 : (unsigned)options->tap;
    if (options->ir_count) {
        unsigned sum = 0;
        if (options->ir_count != c->taps)
            return wt_fail(err, WT_INVALID,
                           "%s: %u instruction register lengths are given; the "
                           "chain has %u TAPs: %s",
                           where, options->ir_count, c->taps, list_taps(c, list));
        for (unsigned i = 0; i < c->taps; i++)
            sum += c->ir_bits[i] = options->ir_bits[i];
        if (sum != c->ir_total)
            return wt_fail(err, WT_INVALID,
                           "%s: the instruction registers have %u bits together, "
                           "not %u",
                           where, c->ir_total, sum);
    } else {
        c->ir_bits[0] = (uint8_t)c->ir_total;
    }
    if (c->ir_bits[c->tap] < WT_JTAG_IR_MIN)
        return wt_fail(err, WT_UNSUPPORTED,
                       "%s: TAP %u is not a Debug Transport Module: its "
                       "instruction register has %u bits, not %d or more",
                       where, c->tap, c->ir_bits[c->tap], WT_JTAG_IR_MIN);
    return WT_OK;
}

enum wt_status wt_jtag_find(struct wt_jtag_chain *c, const struct wt_jtag_options *options,
                            struct wt_error *err)
{
    enum wt_status status;
    if ((status = find_taps(c, err)) != WT_OK)
        return status;
    /* Ones follow the mark: they leave every TAP in BYPASS. */
    if ((status = measure(c, WT_TAP_SHIFT_IR, WT_JTAG_TAPS * WT_JTAG_IR_MAX, &c->ir_total,
                          "measuring instruction registers", err)) != WT_OK)
        return status;
    return choose(c, options, err);
}

void wt_jtag_put_ir(struct wt_jtag_chain *c, uint32_t ir)
{
    wt_scan_go(&c->scan, WT_TAP_SHIFT_IR);
    for (unsigned i = 0; i < c->taps; i++)
        wt_scan_shift(&c->scan, i == c->tap ? ir : UINT32_MAX, c->ir_bits[i], 0, i + 1 == c->taps);
    wt_scan_go(&c->scan, WT_TAP_UPDATE_IR);
}

/*
 * The bits that come out first are those of the TAPs next to TDO, and what goes in first ends up
 * there. The check pattern goes in before all of them, so it comes out last.
 */
void wt_jtag_put_dr(struct wt_jtag_chain *c, wt_scan_bits tdi, unsigned bits, wt_scan_bits want,
                    bool check)
{
    unsigned extra = check ? CHECK_BITS : 0, length = bits + c->taps - 1;
    wt_scan_bits in = tdi << (c->tap + extra);
    want <<= c->tap;
    if (check) {
        in |= CHECK;
        want |= (wt_scan_bits)((1u << CHECK_BITS) - 1) << length;
    }
    wt_scan_go(&c->scan, WT_TAP_SHIFT_DR);
    wt_scan_shift(&c->scan, in, length + extra, want, true);
    wt_scan_go(&c->scan, WT_TAP_UPDATE_DR);
}

void wt_jtag_chain_free(struct wt_jtag_chain *c)
{
    wt_bitbang_close(&c->link);
    wt_scan_free(&c->scan);
    free(c->tdo);
    c->tdo = NULL;
}
