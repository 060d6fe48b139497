/* Checks of PLATFORM, DCONFIG and DSELECT. See conformance.h. */
#include "debug/conformance/internal.h"

#define PLATFORM "0x0: PLATFORM"
#define DCONFIG "0x1: DCONFIG"
#define DSELECT "0x2: DSELECT"

/* ---- PLATFORM ---- */

static void platform_read_only(struct conformance *c)
{
    if (!awake(c))
        return;
    wr(c, DM_PLATFORM, ~c->device.platform);
    if (!expect(c, c->device.platform, rd(c, DM_PLATFORM), "PLATFORM after writing its complement"))
        return;
    wr(c, DM_PLATFORM, 0);
    expect(c, c->device.platform, rd(c, DM_PLATFORM), "PLATFORM after writing 0");
}

static void platform_id(struct conformance *c)
{
    expect(c, 1, wt_field(c->device.platform, 31, 28), "PLATFORM.platformid (1 is Vortex)");
}

static void platform_counts(struct conformance *c)
{
    const struct wt_conformance_device *d = &c->device;
    uint64_t waves = (uint64_t)d->clusters * d->cores * d->warps;
    if (!d->clusters || !d->cores || !d->warps)
        failed(c, "expected at least one of each, got %u clusters, %u cores, %u warps", d->clusters,
               d->cores, d->warps);
    else if (waves > 32768)
        failed(c, "expected at most 32768 warps (DSELECT.warpsel), got %u x %u x %u = %llu",
               d->clusters, d->cores, d->warps, (unsigned long long)waves);
}

static void compare_csr(struct conformance *c, unsigned csr, const char *field, uint32_t value)
{
    uint32_t came;
    if (injectable(c) && get_csr(c, c->warp, csr, &came))
        expect(c, came, value, "PLATFORM.%s, expected as CSR 0x%x has it", field, csr);
}

static void platform_numthreads(struct conformance *c)
{
    compare_csr(c, CSR_NUM_THREADS, "numthreads (as a power of two)", c->device.threads);
}

static void platform_numwarps(struct conformance *c)
{
    compare_csr(c, CSR_NUM_WARPS, "numwarps", c->device.warps);
}

static void platform_numcores(struct conformance *c)
{
    compare_csr(c, CSR_NUM_CORES, "numclusters times numcores",
                c->device.clusters * c->device.cores);
}

/* ---- fields that are RW ---- */

/*
 * Writes values to a field while the register's other writable bits are all 0, and then all 1. The
 * arguments name those of them that must keep their value.
 */
static bool field_holds(struct conformance *c, unsigned reg, const char *name, unsigned msb,
                        unsigned lsb, uint32_t limit, uint32_t others)
{
    const uint32_t field = wt_with_field(0, msb, lsb, 0xffffffff);
    for (unsigned ones = 0; ones < 2; ones++) {
        const uint32_t rest = ones ? others & ~field : 0;
        for (uint32_t bit = 0; bit <= limit; bit = bit ? bit << 1 : 1) {
            for (unsigned dense = 0; dense < 2; dense++) {
                /* 0, 1, 2, 4 … and 0, 1, 3, 7 …, as far as these values are meaningful for the
                 * device's shape. */
                uint32_t value = dense ? bit | (bit ? bit - 1 : 0) : bit;
                if (value > limit)
                    value = limit;
                const uint32_t word = wt_with_field(rest, msb, lsb, value);
                wr(c, reg, word);
                const uint32_t came = rd(c, reg) & (others | field);
                if (!expect(c, value, wt_field(came, msb, lsb), "%s after writing 0x%x to it", name,
                            (unsigned)value) ||
                    !expect(c, rest, came & ~field, "the fields beside %s after writing it 0x%x",
                            name, (unsigned)value))
                    return false;
            }
        }
    }
    return true;
}

enum { DCONFIG_FIELDS = (int)0xfc000001u };

/* The number of a check of a field, which it names. */
#define BITS(msb, lsb) ((msb) << 8 | (lsb))

static void dconfig_field(struct conformance *c)
{
    const unsigned msb = c->check->number >> 8, lsb = c->check->number & 0xff;
    if (!awake(c))
        return;
    field_holds(c, DM_DCONFIG, c->check->about.reg, msb, lsb, wt_field(0xffffffff, msb, lsb),
                (uint32_t)DCONFIG_FIELDS);
    wr(c, DM_DCONFIG, c->dconfig);
}

static void dconfig_reserved(struct conformance *c)
{
    if (!awake(c))
        return;
    wr(c, DM_DCONFIG, ~(uint32_t)DCONFIG_FIELDS);
    uint32_t came = rd(c, DM_DCONFIG);
    wr(c, DM_DCONFIG, c->dconfig);
    expect(c, 0, came, "DCONFIG after writing 1s to its reserved bits [25:1] and 0 to its fields");
}

/* ---- what DCONFIG's fields do ---- */

/* The number of reads for which ndmreset reads 1 with ndmresetcyc = cycles. */
static bool reset_length(struct conformance *c, uint32_t cycles, unsigned *reads)
{
    *reads = 0;
    if (!at_reset(c))
        return false;
    wr(c, DM_DCONFIG, wt_with_field(c->dconfig, 31, 29, cycles));
    wmask_all(c);
    request(c, DCTRL_RESETHALTREQ | DCTRL_NDMRESET);
    struct patience p = {0};
    while (rd(c, DM_DCTRL) & DCTRL_NDMRESET) {
        ++*reads;
        /* For some devices reads alone advance the clock: they get no turns here. */
        if (*reads > 1000 && !more(c, &p))
            return failed(c, "DCTRL.ndmreset does not return to 0 with ndmresetcyc=%u",
                          (unsigned)cycles);
    }
    return !c->broken;
}

static void dconfig_ndmreset_length(struct conformance *c)
{
    unsigned shortest = 0, longest = 0;
    if (!reset_length(c, 0, &shortest) || !reset_length(c, 7, &longest))
        return;
    wr(c, DM_DCONFIG, c->dconfig);
    if (shortest == 0 && longest == 0)
        cannot_yet(c, WOULD_SLOWNESS,
                   "ndmreset is over before DCTRL can be read, with every ndmresetcyc");
    else if (longest <= shortest)
        failed(c,
               "expected ndmreset to last longer with ndmresetcyc=7 (128 cycles) than with 0 (1 "
               "cycle), got %u and %u reads of DCTRL",
               longest, shortest);
}

/* The number of resumes after a reset with resethaltreq until the warp runs. */
static bool halt_length(struct conformance *c, uint32_t cycles, unsigned *resumes)
{
    *resumes = 0;
    if (!placed(c))
        return false;
    wr(c, DM_DCONFIG, wt_with_field(c->dconfig, 28, 26, cycles));
    wmask_only(c, c->warp);
    request(c, DCTRL_RESETHALTREQ | DCTRL_NDMRESET);
    if (!wait_for(c, DM_DCTRL, DCTRL_NDMRESET, 0))
        return cannot_yet(c, WOULD_TIME, "DCTRL.ndmreset does not return to 0");
    select_warp(c, c->warp);
    struct patience p = {0};
    struct wt_bus_op ops[] = {{true, DM_DCTRL, DCTRL_DMACTIVE | DCTRL_RESUMEREQ},
                              {.addr = DM_DCTRL},
                              {.addr = DM_WSTATUS}};
    do {
        ++*resumes;
        accesses(c, ops, 3);
    } while (ops[2].value >> (c->warp % 32) & 1 && (*resumes < 1000 || more(c, &p)));
    if (ops[2].value >> (c->warp % 32) & 1)
        return failed(c, "warp %u never resumes after a reset with resethaltreqcyc=%u",
                      (unsigned)c->warp, (unsigned)cycles);
    return !c->broken;
}

static void dconfig_resethaltreq_length(struct conformance *c)
{
    unsigned shortest = 0, longest = 0;
    if (!halt_length(c, 0, &shortest) || !halt_length(c, 7, &longest))
        return;
    wr(c, DM_DCONFIG, c->dconfig);
    if (shortest <= 1 && longest <= 1)
        cannot_yet(
            c, WOULD_SLOWNESS,
            "resethaltreq is over before a resumereq can meet it, with every resethaltreqcyc");
    else if (longest <= shortest)
        failed(c,
               "expected resethaltreq to withstand resumereq longer with resethaltreqcyc=7 than "
               "with 0, got %u and %u requests until the warp ran",
               longest, shortest);
}

/* Lets the first warp execute an ebreak; returns whether it halted there. */
static bool meet_ebreak(struct conformance *c, uint32_t eh, bool *halted)
{
    if (!placed(c) || !go_to(c, c->warp, AT_EBREAK))
        return false;
    wr(c, DM_DCONFIG, c->dconfig | eh);
    release_warp(c, c->warp);
    const uint32_t bit = (uint32_t)1 << (c->warp % 32);
    if (eh) {
        *halted = wait_for(c, DM_WSTATUS, bit, bit);
    } else {
        settle(c);
        *halted = rd(c, DM_WSTATUS) & bit;
    }
    return !c->broken;
}

static void dconfig_ebreakh_on(struct conformance *c)
{
    bool halted;
    if (meet_ebreak(c, DCONFIG_EH, &halted) && !halted)
        failed(c, "expected warp %u to halt at an ebreak with ebreakh=1, it did not (WSTATUS)",
               (unsigned)c->warp);
    wr(c, DM_DCONFIG, c->dconfig);
}

static void dconfig_ebreakh_off(struct conformance *c)
{
    bool halted;
    if (meet_ebreak(c, 0, &halted) && halted)
        failed(c, "expected warp %u not to halt at an ebreak with ebreakh=0, it did (WSTATUS)",
               (unsigned)c->warp);
}

/* ---- DSELECT ---- */

/* The smallest number of 1s alone that is not below @p value. */
static uint32_t all_ones(uint32_t value)
{
    uint32_t ones = 0;
    while (ones < value)
        ones = ones << 1 | 1;
    return ones;
}

static void dselect_field(struct conformance *c)
{
    const unsigned msb = c->check->number >> 8, lsb = c->check->number & 0xff;
    const char *name = c->check->about.reg;
    const uint32_t limit = msb == 31   ? c->windows - 1
                           : msb == 21 ? c->waves - 1
                                       : c->device.threads - 1;
    /* A device need not keep bits that name no window, warp or thread of its own. */
    uint32_t others =
        all_ones(c->windows - 1) << 22 | all_ones(c->waves - 1) << 7 | (c->device.threads - 1);
    if (!limit) {
        cannot_yet(c,
                   msb == 31   ? WOULD_WINDOWS
                   : msb == 21 ? WOULD_WARPS
                               : WOULD_THREADS,
                   "the device has only one that %s could name", name);
        return;
    }
    if (!awake(c))
        return;
    field_holds(c, DM_DSELECT, name, msb, lsb, limit, others);
    dselect(c, 0, 0, 0);
}

const struct check wt_checks_of_shape[] = {
    {{"platform.read-only", PLATFORM, "PLATFORM", "writes change nothing"},
     .run = platform_read_only},
    {{"platform.id", PLATFORM, "PLATFORM.platformid", "it is Vortex's, 1"}, .run = platform_id},
    {{"platform.counts", PLATFORM, "PLATFORM", "one of each at least, 32768 warps at most"},
     .run = platform_counts},
    {{"platform.numthreads", PLATFORM, "PLATFORM.numthreads", "as the program sees it"},
     .run = platform_numthreads},
    {{"platform.numwarps", PLATFORM, "PLATFORM.numwarps", "as the program sees it"},
     .run = platform_numwarps},
    {{"platform.numcores", PLATFORM, "PLATFORM.numcores",
      "times numclusters: as the program sees it"},
     .run = platform_numcores},
    {{"dconfig.ndmresetcyc", DCONFIG, "DCONFIG.ndmresetcyc", "holds what is written"},
     dconfig_field,
     BITS(31, 29)},
    {{"dconfig.resethaltreqcyc", DCONFIG, "DCONFIG.resethaltreqcyc", "holds what is written"},
     dconfig_field,
     BITS(28, 26)},
    {{"dconfig.ebreakh", DCONFIG, "DCONFIG.ebreakh", "holds what is written"},
     dconfig_field,
     BITS(0, 0)},
    {{"dconfig.reserved", DCONFIG, "DCONFIG[25:1]", "reserved bits read 0"},
     .run = dconfig_reserved},
    {{"dconfig.ndmreset-length", DCONFIG, "DCONFIG.ndmresetcyc", "decides how long ndmreset lasts"},
     .run = dconfig_ndmreset_length},
    {{"dconfig.resethaltreq-length", DCONFIG, "DCONFIG.resethaltreqcyc",
      "decides how long resethaltreq lasts"},
     .run = dconfig_resethaltreq_length},
    {{"dconfig.ebreakh-on", DCONFIG, "DCONFIG.ebreakh", "1: an ebreak halts its warp"},
     .run = dconfig_ebreakh_on},
    {{"dconfig.ebreakh-off", DCONFIG, "DCONFIG.ebreakh", "0: an ebreak does not halt its warp"},
     .run = dconfig_ebreakh_off},
    {{"dselect.winsel", DSELECT, "DSELECT.winsel", "holds every window's number"},
     dselect_field,
     BITS(31, 22)},
    {{"dselect.warpsel", DSELECT, "DSELECT.warpsel", "holds every warp's number"},
     dselect_field,
     BITS(21, 7)},
    {{"dselect.threadsel", DSELECT, "DSELECT.threadsel", "holds every thread's number"},
     dselect_field,
     BITS(6, 0)},
    {.run = NULL},
};
