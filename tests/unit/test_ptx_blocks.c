/*
 * Translated blocks of PTX beside its handlers: random kernels on two devices, of which one
 * translates from the first visit on, with the same states at the same issue times, hits of
 * watches, and faults. WAVETRAP_LONG=N takes N times as many kernels, WAVETRAP_SEED other ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bits.h"
#include "emulator/machine/state.h"
#include "emulator/sm/internal.h"
#include "emulator/sm/ptx/ptx.h"
#include "emulator/translate/rows.h"
#include "choices.h"
#include "told.h"

enum { KERNELS = 200, DWORDS = 8, QWORDS = 6, SINGLES = 6, DOUBLES = 4, PREDICATES = 4 };
enum { ONCE = 48 }; /* registers of short kernels, of 32 bits and of 64, that are written once */
#define CODE UINT64_C(0x100000000)
#define DATA UINT64_C(0x180000000)
#define BUFFER UINT64_C(0x200000000)
#define BUFFER_SIZE 0x3000
#define BANK UINT64_C(0x300000000)
#define FAR_BANK (BANK + 0x7000) /* the TLB has it beside pages of the buffer */
#define LOCAL UINT64_C(0x400000000)
#define SHARED 1040

/* Singles about the limits of what counts as 0, and such as their results are about it. */
enum { EDGES = 32 };
static const uint32_t edge[EDGES] = {
    0,          1,          0x3fffff,   0x400000,   0x7ffffe,   0x7fffff,   0x800000,   0x800001,
    0xffffff,   0x1000000,  0x1000001,  0x3f800000, 0x3f000000, 0x3effffff, 0x3f7fffff, 0x3f800001,
    0x80000000, 0x80000001, 0x807ffffe, 0x807fffff, 0x80800000, 0x80800001, 0x80ffffff, 0xbf800000,
    0x7f800000, 0xff800000, 0x7fffffff, 0x7f800001, 0xffc00000, 0x7f7fffff, 0x7e800000, 0x7e800001};

/* ---- a random kernel ---- */

struct text {
    char bytes[1 << 16];
    size_t size;
    unsigned labels;
    uint32_t local; /* bits of offsets into local memory: a warp has it in 1, 2 or 5 pages */
    bool alone;     /* most accesses are those of all lanes to one place of local memory */
    bool forward;   /* there is no call, and, unless it `mixes`, no loop, nothing for which lanes
                       meet, and one end */
    bool mixes;
    unsigned once; /* of the registers that are written once, those that are */
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->size += (size_t)vsnprintf(t->bytes + t->size, sizeof t->bytes - t->size, format, list);
    va_end(list);
    assert_true(t->size < sizeof t->bytes);
}

/* A source: a register, or sometimes a number. */
static const char *source(char *text, char file)
{
    static const char *const floats[] = {"0f3F800000", "0fBF000000", "0f7F800000", "0f00000001",
                                         "0f7FC00000", "0f80000000", "0f00800000", "0f00FFFFFF",
                                         "0f7F800001", "0f807FFFFF"};
    static const uint32_t edges[] = {0, 1, 2, 31, 32, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff};
    const unsigned n = file == 'a' ? DWORDS : file == 'q' ? QWORDS : SINGLES;
    if (below(4))
        snprintf(text, 32, "%%%c%u", file, below(n));
    else if (file == 'f')
        snprintf(text, 32, "%s", floats[below(10)]);
    else
        snprintf(text, 32, "%u", below(2) ? edges[below(10)] : below(1 << 20));
    return text;
}

static void arithmetic(struct text *t)
{
    static const char *const two[] = {
        "add.s32", "add.u32", "sub.s32",    "mul.lo.s32", "and.b32", "or.b32",
        "xor.b32", "min.s32", "max.s32",    "min.u32",    "max.u32", "shl.b32",
        "shr.u32", "shr.s32", "mul.hi.u32", "mul.hi.s32", "rem.s32", "mul.lo.u32",
        "sub.u32", "div.u32", "div.s32",    "rem.u32"};
    static const char *const one[] = {"mov.u32", "not.b32", "neg.s32", "abs.s32", "popc.b32"};
    static const char *const specials[] = {"tid.x",  "tid.y",   "tid.z",   "ntid.x",   "ntid.y",
                                           "laneid", "ctaid.x", "ctaid.y", "nctaid.x", "clock"};
    static const char *const wide[] = {"add.s64", "sub.u64", "and.b64",   "or.b64",
                                       "xor.b64", "add.u64", "mul.lo.s64"};
    static const char *const wide_one[] = {"mov.u64", "not.b64", "neg.s64"};
    static const char *const single[] = {
        "add.rn.f32",       "sub.rn.f32",  "mul.rn.f32",  "div.rn.f32",      "min.f32",
        "add.ftz.f32",      "max.f32",     "min.ftz.f32", "mul.ftz.f32",     "sub.sat.f32",
        "max.NaN.f32",      "min.NaN.f32", "max.ftz.f32", "mul.ftz.sat.f32", "div.approx.f32",
        "div.full.ftz.f32", "copysign.f32"};
    static const char *const single_one[] = {"neg.f32",         "abs.f32",
                                             "sqrt.rn.f32",     "rcp.rn.f32",
                                             "neg.ftz.f32",     "abs.ftz.f32",
                                             "sqrt.rn.ftz.f32", "rcp.rn.ftz.f32",
                                             "rcp.approx.f32",  "sqrt.approx.ftz.f32"};
    static const char *const twice[] = {"add.rn.f64", "sub.rn.f64", "mul.rn.f64", "div.rn.f64"};
    char a[32], b[32], c[32];
    const unsigned d = below(DWORDS), q = below(QWORDS), f = below(SINGLES), g = below(DOUBLES);
    switch (below(17)) {
    case 0:
    case 1:
    case 2:
        add(t, "%s %%a%u, %s, %s;\n", two[below(22)], d, source(a, 'a'), source(b, 'a'));
        break;
    case 3:
        if (below(2))
            add(t, "%s %%a%u, %s;\n", one[below(5)], d, source(a, 'a'));
        else if (below(2))
            add(t, "mov.u32 %%a%u, %%%s;\n", d, specials[below(10)]);
        else if (below(2))
            add(t, "ld.param.u32 %%a%u, [n+%u];\n", d, 4 * below(2));
        else
            add(t, "ld.param.u64 %%q%u, [m+%u];\n", q, 8 * below(2));
        break;
    case 4:
        add(t, "%s %%q%u, %s, %s;\n", wide[below(7)], q, source(a, 'q'), source(b, 'q'));
        break;
    case 5:
        add(t, "%s %%q%u, %s;\n", wide_one[below(3)], q, source(a, 'q'));
        break;
    case 6:
        add(t, "%s %%q%u, %s, %s;\n", below(2) ? "shl.b64" : "shr.u64", q, source(a, 'q'),
            source(b, 'a'));
        break;
    case 7:
        add(t, "mul.wide.%s %%q%u, %s, %s;\n", below(2) ? "u32" : "s32", q, source(a, 'a'),
            source(b, 'a'));
        break;
    case 8:
        add(t, "mad.wide.%s %%q%u, %s, %s, %s;\n", below(2) ? "u32" : "s32", q, source(a, 'a'),
            source(b, 'a'), source(c, 'q'));
        break;
    case 9:
        if (below(3) == 0)
            add(t, "lop3.b32 %%a%u, %s, %s, %s, %u;\n", d, source(a, 'a'), source(b, 'a'),
                source(c, 'a'), below(256));
        else if (below(2))
            add(t, "bfe.%s %%a%u, %s, %u, %u;\n", below(2) ? "u32" : "s32", d, source(a, 'a'),
                below(40), below(40));
        else
            add(t, "mad.lo.s32 %%a%u, %s, %s, %s;\n", d, source(a, 'a'), source(b, 'a'),
                source(c, 'a'));
        break;
    case 10:
        add(t, "%s %%f%u, %s, %s;\n", single[below(17)], f, source(a, 'f'), source(b, 'f'));
        break;
    case 11:
        if (below(2)) {
            add(t, "%s %%f%u, %s;\n", single_one[below(10)], f, source(a, 'f'));
            break;
        }
        add(t, "fma.rn%s.f32 %%f%u, %s, %s, %s;\n",
            below(2)   ? ""
            : below(2) ? ".ftz"
                       : ".sat",
            f, source(a, 'f'), source(b, 'f'), source(c, 'f'));
        break;
    case 12:
        if (below(2))
            add(t, "cvt.%s %%q%u, %%a%u;\n", below(2) ? "u64.u32" : "s64.s32", q, d);
        else
            add(t, "cvt.u32.u64 %%a%u, %%q%u;\n", d, q);
        break;
    case 13:
        if (below(3) == 0)
            add(t, "mov.b32 %%f%u, %s;\n", f, source(a, 'a'));
        else if (below(2))
            add(t, "cvt.rn.f32.%s %%f%u, %%a%u;\n", below(2) ? "s32" : "u32", f, d);
        else
            add(t, "cvt.rzi.s32.f32 %%a%u, %%f%u;\n", d, f);
        break;
    case 14:
        add(t, "%s %%g%u, %%g%u, %%g%u;\n", twice[below(4)], g, below(DOUBLES), below(DOUBLES));
        break;
    case 15:
        add(t, "fma.rn.f64 %%g%u, %%g%u, %%g%u, %%g%u;\n", g, below(DOUBLES), below(DOUBLES),
            below(DOUBLES));
        break;
    default:
        add(t, "cvt.f64.f32 %%g%u, %%f%u;\n", g, f);
        break;
    }
}

static void predicate(struct text *t)
{
    static const char *const how[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const unordered[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "num",
                                            "nan", "equ", "neu", "ltu", "leu", "gtu", "geu"};
    static const char *const types[] = {"u32", "s32", "u64", "s64"};
    static const char *const logic[] = {"and", "or", "xor"};
    char a[32], b[32];
    const unsigned p = below(PREDICATES), type = below(4);
    const char file = type < 2 ? 'a' : 'q';
    switch (below(7)) {
    case 0:
        add(t, "setp.%s%s.f32 %%p%u, %s, %s;\n", unordered[below(14)], below(2) ? ".ftz" : "", p,
            source(a, 'f'), source(b, 'f'));
        break;
    case 1:
        add(t, "setp.%s.%s.%s %%p%u, %s, %s, %s%%p%u;\n", how[below(6)], logic[below(3)],
            types[type], p, source(a, file), source(b, file), below(2) ? "!" : "",
            below(PREDICATES));
        break;
    case 2:
        add(t, "selp.b32 %%a%u, %s, %s, %%p%u;\n", below(DWORDS), source(a, 'a'), source(b, 'a'),
            p);
        break;
    case 3:
        add(t, "selp.b64 %%q%u, %s, %s, %%p%u;\n", below(QWORDS), source(a, 'q'), source(b, 'q'),
            p);
        break;
    case 4:
        add(t, "setp.%s.f64 %%p%u, %%g%u, %%g%u;\n", unordered[below(14)], p, below(DOUBLES),
            below(DOUBLES));
        break;
    case 5:
        if (below(3) == 0)
            add(t, "%s.pred %%p%u, %%p%u;\n", below(2) ? "not" : "mov", p, below(PREDICATES));
        else
            add(t, "%s.pred %%p%u, %%p%u, %%p%u;\n", logic[below(3)], p, below(PREDICATES),
                below(PREDICATES));
        break;
    default:
        add(t, "setp.%s.%s %%p%u, %s, %s;\n", how[below(6)], types[type], p, source(a, file),
            source(b, file));
        break;
    }
}

/* Of 2 or 4 dwords, or 2 qwords; a load may have a sink. */
static void access_vector(struct text *t, unsigned count, bool wide, const char *guard,
                          const char *space, const char *address, int offset)
{
    const bool store = below(3) == 0, sinks = !store && below(8) == 0;
    char list[64];
    int size = 0;
    for (unsigned k = 0; k < count; k++)
        if (sinks && k == 1)
            size += snprintf(list + size, sizeof list - (size_t)size, ", _");
        else if (store && below(6) == 0)
            size += snprintf(list + size, sizeof list - (size_t)size, "%s%u", k ? ", " : "",
                             below(1 << 20));
        else
            size += snprintf(list + size, sizeof list - (size_t)size, "%s%%%c%u", k ? ", " : "",
                             wide ? 'q' : 'a', below(wide ? QWORDS : DWORDS));
    add(t, "%s%s%s.v%u.u%u ", guard, store ? "st" : "ld", space, count, wide ? 64 : 32);
    if (store)
        add(t, "[%%%s+%d], {%s};\n", address, offset, list);
    else
        add(t, "{%s}, [%%%s+%d];\n", list, address, offset);
}

/* A load or a store of a whole register behind an address that has been accessed, which sometimes
 * changes before, in some lanes or all. */
static void access_again(struct text *t, const char *space, const char *address)
{
    const bool wide = below(3) == 0;
    const unsigned size = wide ? 8 : 4, offset = below(16 / size) * size;
    if (below(3) == 0)
        arithmetic(t);
    if (below(4) == 0)
        add(t, "%sadd.u%u %%%s, %%%s, %d;\n", below(3) ? "@%p1 " : "", *address == 'x' ? 64 : 32,
            address, address, 8);
    if (below(3) == 0)
        add(t, "st%s.u%u [%%%s+%u], %%%c%u;\n", space, size * 8, address, offset, wide ? 'q' : 'a',
            below(wide ? QWORDS : DWORDS));
    else
        add(t, "ld%s.u%u %%%c%u, [%%%s+%u];\n", space, size * 8, wide ? 'q' : 'a',
            below(wide ? QWORDS : DWORDS), address, offset);
}

/*
 * An access whose addresses are in a row, one, scattered in a page, in several, or sometimes wrong:
 * of global, generic, shared (two kinds of addresses), local memory (three).
 */
static void access_memory(struct text *t)
{
    static const struct {
        const char *space, *address;
        uint32_t mask;
    } kinds[] = {{".global", "x", 0},       {"", "x", 0},         {".shared", "x", 1023},
                 {".shared", "t0", 1023},   {".local", "x", 511}, {".local", "t0", 511},
                 {"", "x", 511 /* local */}};
    const unsigned k = t->alone && below(4) ? 4 + below(3) : below(7), wide = below(3) == 0;
    const unsigned count = below(4) ? 1 : wide || below(2) ? 2 : 4, whole = wide ? 8 : 4;
    const unsigned element = count > 1 || below(4) ? whole : 1u << below(wide ? 3 : 2);
    const unsigned size = count * element, apart = size > 8 ? size : 8;
    const uint32_t mask = k > 3           ? t->local
                          : kinds[k].mask ? kinds[k].mask
                          : below(2)      ? 0xfff
                                          : 0x1fff;
    const char *guard = below(4) ? "" : below(2) ? "@%p1 " : "@!%p2 ";
    switch (k > 3 && (t->alone || below(2)) ? 3 + below(2) : below(8)) {
    case 0:
    case 1:
    case 2:
        add(t, "mov.u32 %%t0, %%tid.x;\n");
        if (below(4) == 0) /* lanes between the first and the last one change places */
            add(t, "shr.u32 %%t1, %%t0, 1;\nxor.b32 %%t1, %%t1, %%t0;\nand.b32 %%t1, %%t1, 1;\n"
                   "mul.lo.u32 %%t1, %%t1, 3;\nxor.b32 %%t0, %%t0, %%t1;\n");
        add(t, "mad.lo.u32 %%t0, %%t0, %u, %u;\n", below(2) ? size : 4,
            below(2) ? below(mask) & ~(size - 1) : 0);
        break;
    case 4: /* one, or several, as a loop's count is even or odd */
        add(t, "and.b32 %%t1, %%n%u, 1;\nneg.s32 %%t1, %%t1;\nand.b32 %%t0, %%t1, %%a%u;\n",
            below(5), below(DWORDS));
        break;
    case 3:
        add(t, "mov.u32 %%t0, %u;\n", below(64) * 8);
        break;
    default:
        add(t, "mov.u32 %%t0, %%a%u;\n", below(DWORDS));
        break;
    }
    add(t, "and.b32 %%t0, %%t0, %u;\n", mask & ~(size - 1));
    if (below(t->alone ? 32 : 8) ==
        0) /* wrong at the end, when there is code: sums that wrap, or do not */
        add(t, "@%%last %s;\n",
            (const char *const[]){"or.b32 %t0, %t0, 0xfffffff8", "or.b32 %t0, %t0, 2",
                                  "add.u32 %t0, %t0, 0x218", "add.u32 %t0, %t0, 0x408"}[below(4)]);
    const int offset = (int)apart * (below(4) ? (int)below(apart > 8 ? 2 : 3) : -1);
    if (offset < 0)
        add(t, "or.b32 %%t0, %%t0, %u;\n", apart);
    add(t, "cvt.u64.u32 %%x, %%t0;\n");
    if (!kinds[k].mask)
        add(t, "add.u64 %%x, %%x, %%buffer;\n");
    else if (!*kinds[k].space)
        add(t, "add.u64 %%x, %%x, %%stack;\n");
    static const char *const atomics[] = {"add.u32", "max.s32", "and.b32", "inc.u32", "exch.b32"};
    if (size == 4 && k < 4 && below(4) == 0)
        add(t, "%satom%s.%s %%a%u, [%%%s+%d], %%a%u;\n", guard, kinds[k].space, atomics[below(5)],
            below(DWORDS), kinds[k].address, offset, below(DWORDS));
    else if (count > 1)
        access_vector(t, count, wide, guard, kinds[k].space, kinds[k].address, offset);
    else if (below(3) == 0)
        add(t, "%sst%s.u%u [%%%s+%d], %%%c%u;\n", guard, kinds[k].space, size * 8, kinds[k].address,
            offset, wide ? 'q' : 'a', below(wide ? QWORDS : DWORDS));
    else
        add(t, "%sld%s.%c%u %%%c%u, [%%%s+%d];\n", guard, kinds[k].space, below(2) ? 'u' : 's',
            size * 8, wide ? 'q' : 'a', below(wide ? QWORDS : DWORDS), kinds[k].address, offset);
    for (unsigned more = k > 3 ? below(5) : below(8) / 7; more; more--) { /* at the same address */
        const unsigned skip = more > 1 && below(3) == 0 ? t->labels++ : 0;
        if (skip)
            add(t, "@%%p%u bra L%u;\n", below(PREDICATES), skip);
        access_again(t, kinds[k].space, kinds[k].address);
        if (skip)
            add(t, "L%u:\n", skip);
    }
}

static void call_function(struct text *t)
{
    char a[32], b[32];
    add(t,
        "{\n.param .b32 pa; .param .b64 pb; .param .b64 pr;\nst.param.b32 [pa], %s;\n"
        "st.param.b64 [pb], %s;\ncall.uni (pr), f, (pa, pb);\nld.param.b64 %%q%u, [pr];\n}\n",
        source(a, 'a'), source(b, 'q'), below(QWORDS));
}

/* What lanes or warps do together. */
static void meet(struct text *t)
{
    const unsigned d = below(DWORDS), a = below(DWORDS);
    switch (below(5)) {
    case 0:
        add(t, "barrier.sync 0;\n");
        break;
    case 1:
        add(t, "bar.warp.sync -1;\n");
        break;
    case 2:
        add(t, "shfl.sync.%s.b32 %%a%u, %%a%u, %u, %u, -1;\n", below(2) ? "bfly" : "up", d, a,
            below(32), below(2) * 31);
        break;
    case 3:
        add(t, "vote.sync.ballot.b32 %%a%u, %%p%u, -1;\n", d, below(PREDICATES));
        break;
    default:
        add(t, "activemask.b32 %%a%u;\n", d);
        break;
    }
}

/* Writes a register that nothing else writes: a new warp may have it without that it is cleared. */
static void write_once(struct text *t)
{
    char a[32], b[32], c[32];
    const unsigned n = t->once++, kind = below(8);
    switch (kind) {
    case 0:
        add(t, "mad.lo.s32 %%s%u, %s, %s, %s;\n", n, source(a, 'a'), source(b, 'a'),
            source(c, 'a'));
        break;
    case 1:
        add(t, "mov.u32 %%s%u, %%tid.x;\n", n);
        break;
    case 2:
        add(t, "mov.b64 {%%s%u, %%a%u}, %%q%u;\n", n, below(DWORDS), below(QWORDS));
        break;
    case 3: /* in parts */
        add(t, "mov.b64 %%w%u, {%%a%u, %%a%u};\n", n, below(DWORDS), below(DWORDS));
        break;
    case 4:
        add(t, "ld.param.u64 %%w%u, [m+%u];\n", n, 8 * below(2));
        break;
    case 5:
        add(t, "cvt.u64.u32 %%w%u, %%a%u;\n", n, below(DWORDS));
        break;
    default:
        add(t, "mad.wide.u32 %%w%u, %s, %s, %s;\n", n, source(a, 'a'), source(b, 'a'),
            source(c, 'q'));
        break;
    }
    if (kind < 3 && below(2))
        add(t, "xor.b32 %%a%u, %%a%u, %%s%u;\n", below(DWORDS), below(DWORDS), n);
    else if (kind > 2 && below(2))
        add(t, "xor.b64 %%q%u, %%q%u, %%w%u;\n", below(QWORDS), below(QWORDS), n);
}

static void body(struct text *t, unsigned depth, unsigned count)
{
    char a[32], b[32];
    for (unsigned i = 0; i < count; i++) {
        const unsigned label = t->labels;
        if (t->forward && t->once < ONCE && below(2)) {
            write_once(t);
            continue;
        }
        switch (t->alone && below(3) == 0
                    ? 1
                    : below(depth < 3 ? 20 - (t->forward && !t->mixes) : 17)) {
        case 0:
            add(t, "@%s%%p%u add.u32 %%a%u, %s, %s;\n", below(2) ? "!" : "", below(PREDICATES),
                below(DWORDS), source(a, 'a'), source(b, 'a'));
            break;
        case 1:
        case 2:
            access_memory(t);
            break;
        case 3:
        case 4:
        case 5:
            predicate(t);
            break;
        case 17:
        case 18: /* an if */
            t->labels++;
            if (t->forward && below(4)) /* all lanes go the same way */
                add(t, "shr.u32 %%t1, %%n4, %u;\nand.b32 %%t1, %%t1, 1;\n", below(5));
            if (t->forward && below(t->mixes ? 2 : 4))
                add(t, "setp.eq.u32 %%last, %%t1, 1;\n@%%last bra L%u;\n", label);
            else
                add(t, "@%s%%p%u bra L%u;\n", below(2) ? "!" : "", below(PREDICATES), label);
            body(t, depth + 1, 1 + below(6));
            add(t, "L%u:\n", label);
            break;
        case 19: /* a loop, of as many turns as a register says */
            t->labels++;
            add(t, "and.b32 %%n%u, %%a%u, %u;\nL%u:\n", depth, below(DWORDS), below(2) ? 7 : 1,
                label);
            body(t, depth + 1, 1 + below(8));
            add(t, "sub.s32 %%n%u, %%n%u, 1;\nsetp.ge.s32 %%p%u, %%n%u, 0;\n@%%p%u bra L%u;\n",
                depth, depth, label % PREDICATES, depth, label % PREDICATES, label);
            break;
        case 6:
            if (t->forward && !t->mixes)
                arithmetic(t);
            else if (t->forward && below(4) == 0)
                add(t, "@%%p%u ret;\n", below(PREDICATES));
            else if (!t->forward && below(2))
                call_function(t);
            else
                meet(t);
            break;
        case 7:
            add(t, "@%s%%p%u ", below(2) ? "!" : "", below(PREDICATES));
            predicate(t);
            break;
        case 8:
        case 9:
            add(t, "@%s%%p%u ", below(2) ? "!" : "", below(PREDICATES));
            arithmetic(t);
            break;
        default:
            arithmetic(t);
            break;
        }
    }
}

static void write_kernel(struct text *t, bool forward)
{
    t->size = 0;
    t->forward = forward;
    t->mixes = forward && below(2);
    t->once = 0;
    t->labels = 1;
    t->alone = below(3) == 0;
    t->local = t->alone ? 15 : (const uint32_t[]){511, 31, 63}[below(3)];
    add(t, ".version 7.0\n.target sm_50\n.address_size 64\n"
           ".func (.param .b64 r) f(.param .b32 a, .param .b64 b)\n{\n.reg .u32 %%x<4>;\n"
           ".reg .u64 %%y;\n.reg .pred %%z;\nld.param.u32 %%x0, [a];\nld.param.u64 %%y, [b];\n"
           "ld.param.u32 %%x1, [b+4];\nsetp.lt.s32 %%z, %%x0, 5;\n@%%z ret;\n"
           "mad.wide.u32 %%y, %%x0, %%x1, %%y;\nst.param.b64 [r], %%y;\nret;\n}\n"
           ".visible .entry k(.param .u64 p, .param .align 8 .b8 n[8], .param .align 8 .b8 m[16])\n"
           "{\n.reg .u32 %%a<8>, %%t<2>, %%n<5>;\n.reg .u64 %%q<6>, %%x, %%buffer, %%stack;\n");
    add(t, ".local .align 16 .b8 depot[%u];\n", t->local + 33);
    add(t, ".reg .f32 %%f<6>;\n.reg .f64 %%g<4>;\n.reg .pred %%p<4>, %%last;\n"
           "ld.param.u64 %%buffer, [p];\nmov.u64 %%stack, depot;\n"
           "cvta.local.u64 %%stack, %%stack;\nmov.u32 %%a0, %%tid.x;\nmov.u32 %%a1, %%ctaid.x;\n"
           "mad.lo.u32 %%a2, %%a0, 2654435761, %%a1;\ncvt.u64.u32 %%q0, %%a2;\n"
           "cvt.rn.f32.u32 %%f0, %%a0;\ncvt.f64.f32 %%g0, %%f0;\n");
    add(t, "mov.u64 %%x, depot;\n");
    for (unsigned i = 0; i < 24 && 4 * i < t->local + 33; i++) /* no two places are alike */
        add(t, "mad.lo.u32 %%t0, %%a2, 77, %u;\nst.local.u32 [%%x+%u], %%t0;\n", i, 4 * i);
    if (forward) {
        /* and a register that nobody writes */
        add(t, ".reg .u32 %%never, %%s<48>;\n.reg .u64 %%w<48>;\nmov.u32 %%n4, %%a1;\nmov.u32 "
               "%%t1, 0;\n"
               "add.u32 %%a3, %%never, %%a2;\n");
        body(t, 0, 8 + below(30));
        add(t, "ret;\n}\n");
        return;
    }
    add(t, "mov.u32 %%n4, %u;\nALL:\nsetp.eq.s32 %%last, %%n4, 1;\n", 4 + below(20));
    body(t, 0, 8 + below(30));
    add(t, "sub.s32 %%n4, %%n4, 1;\nsetp.gt.s32 %%p0, %%n4, 0;\n@%%p0 bra ALL;\nret;\n}\n");
}

/* ---- two devices ---- */

static struct wt_machine *device(struct sm_ptx *image, const char *options, const char *schedule,
                                 uint32_t ctas, uint32_t threads, uint32_t shared)
{
    struct sm_config config;
    struct sm_device *d;
    struct wt_error err;
    uint8_t bank[0x1000] = {0}, page[BUFFER_SIZE];
    const uint64_t bank_at = shared > SHARED ? FAR_BANK : BANK;
    size_t size, count;
    const uint8_t *code = sm_ptx_code(image, &size);
    const struct sm_ptx_kernel *kernel = sm_ptx_kernels(image, &count);
    while (!kernel->is_kernel)
        kernel++;
    sm_config_default(&config);
    assert_int_equal(wt_config_parse(&sm_config_table, &config, options, &err), WT_OK);
    assert_int_equal(wt_schedule_parse(schedule, &config.schedule, &err), WT_OK);
    assert_int_equal(sm_device_new(&config, &d, &err), WT_OK);
    for (size_t i = 0; i < sizeof page; i++)
        page[i] = (uint8_t)(i * i >> 5);
    for (size_t i = 0; i < EDGES; i++)
        wt_store_le(page + 4 * i, edge[i], 4);
    for (size_t i = 0x148; i < 0x180; i++)
        bank[i] = (uint8_t)(i * i >> 3);
    wt_store_le(bank + 0x140, BUFFER, 8);
    assert_int_equal(sm_device_map(d, CODE, size, false, &err), WT_OK);
    assert_int_equal(sm_device_map(d, BUFFER, sizeof page, true, &err), WT_OK);
    assert_int_equal(sm_device_map(d, bank_at, sizeof bank, false, &err), WT_OK);
    assert_true(sm_device_write(d, CODE, code, size) &&
                sm_device_write(d, BUFFER, page, sizeof page) &&
                sm_device_write(d, bank_at, bank, sizeof bank));
    struct sm_launch l = {.entry = kernel->entry,
                          .grid = {ctas, 1, 1},
                          .block = {threads, 1, 1},
                          .shared = shared,
                          .bank = {bank_at},
                          .bank_size = {sizeof bank},
                          .local = kernel->local,
                          .local_base = LOCAL};
    sm_ptx_launch(image, kernel, &l);
    const uint64_t local = sm_device_local_size(d, l.local);
    assert_true(!local || sm_device_map(d, LOCAL, local, true, &err) == WT_OK);
    assert_int_equal(sm_device_attach_ptx(d, image, &err), WT_OK);
    assert_int_equal(sm_device_launch(d, &l, &err), WT_OK);
    return sm_machine(d);
}

static void compare(struct wt_machine *const m[2], const enum wt_run run[2], const char *text)
{
    if (run[0] != run[1] || m[0]->time != m[1]->time || m[0]->hits != m[1]->hits ||
        m[0]->ops->hash(m[0]) != m[1]->ops->hash(m[1]) || m[0]->fault.kind != m[1]->fault.kind ||
        m[0]->fault.pc != m[1]->fault.pc || m[0]->fault.addr != m[1]->fault.addr ||
        m[0]->fault.lanes != m[1]->fault.lanes || m[0]->fault.time != m[1]->fault.time ||
        !have_same_hits(m[0], m[1]) ||
        !have_told_the_same(sm_device_translated((struct sm_device *)m[1]).issues))
        fail_msg("runs %d and %d, at %llu and %llu:\n%s", run[0], run[1],
                 (unsigned long long)m[0]->time, (unsigned long long)m[1]->time, text);
}

/* Sets the same watches on both, or none; others listen. */
static void set_watches(struct wt_machine *const m[2], size_t words)
{
    const struct wt_watch list[4] = {
        {.kind = WT_WATCH_EXECUTE, .addr = CODE + below((uint32_t)words) * 8, .size = 8},
        {.kind = WT_WATCH_WRITE, .addr = BUFFER + below(BUFFER_SIZE - 8), .size = 8},
        {.kind = WT_WATCH_ACCESS, .addr = SM_SHARED_WINDOW + below(SHARED - 8), .size = 8},
        {.kind = WT_WATCH_READ, .addr = SM_LOCAL_WINDOW + below(512), .size = 8}};
    const unsigned kinds = below(6), first = kinds > 3 ? kinds - 2 : kinds == 2;
    for (unsigned i = 0; i < 2; i++)
        assert_true(wt_set_watches(m[i], list + first, kinds == 3 ? 2 : kinds != 0));
    choose_listeners(m, BUFFER + below(BUFFER_SIZE - 64));
}

/* Nobody accesses it. */
static const struct wt_watch far = {
    .kind = WT_WATCH_ACCESS, .addr = BUFFER + BUFFER_SIZE - 8, .size = 8};

/* @p words: of code; 0: no other watch is set than one, of the second device, that sees nothing. */
static void run_both(struct wt_machine *const m[2], size_t words, const char *text)
{
    struct wt_state *saved[2] = {NULL, NULL};
    enum wt_run run[2] = {WT_RUN_BUDGET, WT_RUN_BUDGET};
    for (unsigned step = 0; step < STEPS; step++) {
        const uint64_t issues = !words     ? 1 + below(below(2) ? 40000 : 1500)
                                : below(3) ? 1 + below(500)
                                           : 1 + below(70);
        for (unsigned i = 0; i < 2; i++)
            run[i] = m[i]->ops->run(m[i], issues);
        compare(m, run, text);
        if (run[0] != WT_RUN_BUDGET && run[0] != WT_RUN_WATCH)
            break;
        if (words && below(16) == 0)
            set_watches(m, words);
        if (!words && below(2)) /* warps that begin meanwhile are not seen before, or are */
            assert_true(wt_set_watches(m[1], &far, below(2)));
        if (below(16) == 0 && !saved[0])
            for (unsigned i = 0; i < 2; i++)
                assert_non_null(saved[i] = wt_state_save(m[i]));
        else if (below(16) == 0 && saved[0])
            for (unsigned i = 0; i < 2; i++) {
                wt_state_restore(m[i], saved[i]);
                wt_state_free(saved[i]);
                saved[i] = NULL;
            }
    }
    for (unsigned i = 0; i < 2; i++)
        if (saved[i])
            wt_state_free(saved[i]);
    listen_to_nobody(m);
}

/* A random kernel, with handlers alone and with blocks. Of a short one warps begin while others
 * run: those of the second device without cleared registers, those of the first, where there are
 * watches, never. Returns whether there were such. */
static bool compare_kernel(bool is_short)
{
    static const char *const schedules[] = {"rr:64",    "rr:1",     "rr:7",
                                            "lockstep", "random:5", "rr:1000"};
    static struct text t;
    struct ptx_module parsed;
    struct wt_error err;
    struct sm_ptx *image;
    size_t size;
    write_kernel(&t, is_short);
    if (ptx_parse("random", t.bytes, t.size, &parsed, &err) != WT_OK)
        fail_msg("%s\n%s", err.text, t.bytes);
    const struct sm_ptx_module module = {"random", &parsed};
    if (sm_ptx_link(&module, 1, CODE, DATA, &image, &err) != WT_OK)
        fail_msg("%s\n%s", err.text, t.bytes);
    sm_ptx_code(image, &size);
    const char *schedule = schedules[below(6)];
    /* the last warp has 8 lanes, or one, two or three */
    const uint32_t threads = below(2) ? 72 : 65 + below(3), ctas = is_short ? 48 : 2;
    char translated[64];
    snprintf(translated, sizeof translated, "jit=%u%s",
             is_short && below(2) ? 0u
             : below(3)           ? 1u
                                  : 3u,
             below(3) ? "" : ",vectors=256");
    struct wt_machine *const m[2] = {device(image, "jit=0", schedule, ctas, threads, SHARED),
                                     device(image, translated, schedule, ctas, threads, SHARED)};
    if (is_short)
        assert_true(wt_set_watches(m[0], &far, 1));
    run_both(m, is_short ? 0 : size / 8, t.bytes);
    const bool fresh = ((struct sm_device *)m[1])->fresh;
    for (unsigned i = 0; i < 2; i++)
        m[i]->ops->free(m[i]);
    sm_ptx_free(image);
    ptx_free(&parsed);
    return fresh;
}

static void test_rows_that_are_cleared_late(void **unused)
{
    const char *longer = getenv("WAVETRAP_LONG"), *seed = getenv("WAVETRAP_SEED");
    const unsigned kernels = KERNELS / 8 * (longer ? (unsigned)atoi(longer) : 1);
    unsigned fresh = 0;
    (void)unused;
    choose_by_seed(seed ? strtoull(seed, NULL, 0) : 0);
    for (unsigned k = 0; k < kernels; k++)
        fresh += compare_kernel(true);
    assert_true(fresh > kernels / 2);
}

static void test_blocks_do_what_handlers_do(void **unused)
{
    const char *longer = getenv("WAVETRAP_LONG"), *seed = getenv("WAVETRAP_SEED");
    const unsigned kernels = KERNELS * (longer ? (unsigned)atoi(longer) : 1);
    (void)unused;
    choose_by_seed(seed ? strtoull(seed, NULL, 0) : 0);
    for (unsigned k = 0; k < kernels; k++)
        compare_kernel(false);
    assert_true(!wt_rows_supported() || told_issues > 300 * (uint64_t)kernels);
}

/* The result of one lane's operation joins those before it. */
static void keep(struct text *t, const char *operation, const char *ending, const char *operands)
{
    add(t, "%s%s.f32 %%f3, %s;\nmov.b32 %%b, %%f3;\nmad.lo.u32 %%sum, %%sum, 31, %%b;\n", operation,
        ending, operands);
}

/* A pair of edges, and a third one, in one lane of each warp, and plain numbers in the others. */
static void write_edges(struct text *t)
{
    static const char *const two[] = {"add",        "sub",      "mul",     "min",
                                      "max",        "div.rn",   "min.NaN", "max.NaN",
                                      "div.approx", "div.full", "copysign"};
    static const char *const one[] = {"abs", "neg", "sqrt.rn", "rcp.rn", "rcp.approx"};
    static const char *const how[] = {"lt", "eq", "ge", "neu", "leu"};
    static const char *const ends[] = {"", ".ftz", ".sat", ".ftz.sat"};
    t->size = 0;
    add(t,
        ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .u32 %%lane, %%warp, %%round, %%n, %%e<3>, %%b, %%sum;\n.reg .u64 %%x, %%y;\n"
        ".reg .f32 %%f<4>;\n.reg .pred %%p, %%q;\nld.param.u64 %%x, [p];\n"
        "mov.u32 %%lane, %%tid.x;\nshr.u32 %%warp, %%lane, 5;\nand.b32 %%lane, %%lane, 31;\n"
        "mov.u32 %%b, %%ctaid.x;\nmad.lo.u32 %%warp, %%b, 3, %%warp;\nmov.u32 %%round, 0;\n"
        "ALL:\nmad.lo.u32 %%n, %%round, 6, %%warp;\nmov.u32 %%e0, %%n;\nshr.u32 %%e1, %%n, 5;\n"
        "mad.lo.u32 %%e2, %%e1, 7, %%n;\nand.b32 %%b, %%n, 31;\nsetp.eq.u32 %%p, %%b, %%lane;\n");
    for (unsigned i = 0; i < 3; i++)
        add(t,
            "and.b32 %%e%u, %%e%u, %u;\nmad.wide.u32 %%y, %%e%u, 4, %%x;\n"
            "ld.global.f32 %%f%u, [%%y];\nselp.f32 %%f%u, %%f%u, 0f3F%s00000, %%p;\n",
            i, i, EDGES - 1, i, i, i, i, i ? "4" : "8");
    for (unsigned i = 0; i < 190; i++) /* the code of a block of these would be too long */
        add(t, "fma.rn.ftz.f32 %%f3, %%f0, %%f1, %%f2;\n");
    for (unsigned e = 0; e < 4; e++) {
        for (unsigned i = 0; i < (e < 2 ? 10 : 3); i++)
            keep(t, two[i], ends[e], "%f0, %f1");
        for (unsigned i = 0; i < 5 && e < 2; i++)
            keep(t, one[i], ends[e], "%f0");
        keep(t, "fma.rn", ends[e], "%f0, %f1, %f2");
        for (unsigned i = 0; i < 5 && e < 2; i++)
            add(t,
                "setp.%s%s.f32 %%q, %%f0, %%f1;\nselp.u32 %%b, 1, 0, %%q;\n"
                "mad.lo.u32 %%sum, %%sum, 31, %%b;\n",
                how[i], ends[e]);
    }
    keep(t, two[10], "", "%f0, %f1");
    add(t,
        "add.u32 %%round, %%round, 1;\nsetp.lt.u32 %%p, %%round, %u;\n@%%p bra ALL;\n"
        "st.global.u32 [%%x], %%sum;\nret;\n}\n",
        EDGES * EDGES / 6 + 1);
}

/* A kernel of long turns, most of which is blocks. `late`, if not 0: the second device has no
 * watch, so that it may clear registers late, and runs have at most so many issues. */
static void compare_text(const struct text *t, uint32_t ctas, uint32_t late)
{
    struct ptx_module parsed;
    struct wt_error err;
    struct sm_ptx *image;
    choose_by_seed(1);
    if (ptx_parse("text", t->bytes, t->size, &parsed, &err) != WT_OK)
        fail_msg("%s\n%s", err.text, t->bytes);
    const struct sm_ptx_module module = {"text", &parsed};
    if (sm_ptx_link(&module, 1, CODE, DATA, &image, &err) != WT_OK)
        fail_msg("%s\n%s", err.text, t->bytes);
    struct wt_machine *const m[2] = {device(image, "jit=0", "rr:100000", ctas, 72, SHARED),
                                     device(image, "jit=16", "rr:100000", ctas, 72, SHARED)};
    enum wt_run run[2] = {WT_RUN_BUDGET, WT_RUN_BUDGET};
    /* with a watch on memory that nobody accesses blocks run, too */
    for (unsigned i = 0; i < (late ? 1u : 2u); i++)
        assert_true(wt_set_watches(m[i], &far, 1));
    while (run[0] == WT_RUN_BUDGET) {
        const uint64_t issues = 1 + below(late ? late : 2000);
        for (unsigned i = 0; i < 2; i++)
            run[i] = m[i]->ops->run(m[i], issues);
        compare(m, run, t->bytes);
    }
    assert_int_equal(run[0], WT_RUN_ENDED);
    if (wt_rows_supported())
        assert_true(sm_device_translated((struct sm_device *)m[1]).issues > m[1]->time / 2);
    for (unsigned i = 0; i < 2; i++)
        m[i]->ops->free(m[i]);
    sm_ptx_free(image);
    ptx_free(&parsed);
}

static void test_what_counts_as_zero(void **unused)
{
    static struct text t;
    (void)unused;
    write_edges(&t);
    compare_text(&t, 2, 0);
}

/* Runs that end in functions, at any instruction, leave the state that frames cleared at once have.
 */
static void test_frames_that_are_cleared_late(void **unused)
{
    static struct text t;
    (void)unused;
    t.size = 0;
    add(&t, ".version 7.0\n.target sm_50\n.address_size 64\n"
            ".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .u32 %%x<20>;\n.reg .u64 %%y<4>;\n"
            ".reg .pred %%z, %%some;\nld.param.u32 %%x0, [a];\nsetp.lt.s32 %%some, %%x0, "
            "9;\n@%%some mov.u32 %%x17, 1;\n");
    for (unsigned i = 1; i < 16; i++)
        add(&t, "mad.lo.u32 %%x%u, %%x%u, %u, %%x%u;\n", i, i - 1, 2 * i + 1, i / 2);
    add(&t, "add.u32 %%x19, %%x19, %%x0;\nmul.wide.u32 %%y0, %%x15, %%x3;\n"
            "add.u64 %%y1, %%y0, %%y2;\nmov.u32 %%x17, %%x3;\n"
            "setp.lt.s32 %%z, %%x15, 5;\n@%%z bra LESS;\nadd.u32 %%x16, %%x16, 3;\n"
            "xor.b32 %%x15, %%x15, %%x16;\nLESS:\nadd.u32 %%x15, %%x15, %%x18;\n"
            "st.param.b32 [r], %%x15;\nret;\n}\n"
            ".visible .entry k(.param .u64 p)\n{\n.reg .u32 %%n, %%v;\n.reg .u64 %%x;\n"
            ".reg .pred %%p;\nld.param.u64 %%x, [p];\nmov.u32 %%v, %%tid.x;\n"
            "mov.u32 %%n, 300;\nALL:\n{\n.param .b32 pa; .param .b32 pr;\n"
            "st.param.b32 [pa], %%v;\ncall.uni (pr), f, (pa);\nld.param.b32 %%v, [pr];\n}\n"
            "sub.u32 %%n, %%n, 1;\nsetp.gt.s32 %%p, %%n, 0;\n@%%p bra ALL;\n"
            "st.global.u32 [%%x], %%v;\nret;\n}\n");
    compare_text(&t, 2, 100);
}

/* Warps that begin take the rows of those that have ended, which are as many as these have called
 * functions. Of a CTA that waits at a barrier one warp ends without it. */
static void test_rows_of_others(void **unused)
{
    static struct text t;
    (void)unused;
    t.size = 0;
    add(&t, ".version 7.0\n.target sm_50\n.address_size 64\n"
            ".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .u32 %%x<50>;\n.reg .pred %%z;\n"
            "ld.param.u32 %%x0, [a];\n");
    for (unsigned i = 1; i < 48; i++)
        add(&t, "mad.lo.u32 %%x%u, %%x%u, %u, %%x0;\n", i, i / 2, i);
    add(&t, "shr.u32 %%x49, %%x0, 8;\nsetp.eq.u32 %%z, %%x49, 0;\n@%%z bra DONE;\n{\n"
            ".param .b32 pa; .param .b32 pr;\nsub.u32 %%x48, %%x0, 256;\n"
            "st.param.b32 [pa], %%x48;\ncall.uni (pr), f, (pa);\nld.param.b32 %%x48, [pr];\n}\n"
            "xor.b32 %%x47, %%x47, %%x48;\nDONE:\nst.param.b32 [r], %%x47;\nret;\n}\n"
            ".visible .entry k(.param .u64 p)\n{\n.reg .u32 %%own, %%v, %%n;\n.reg .u64 %%x;\n"
            ".reg .pred %%p;\nld.param.u64 %%x, [p];\nmov.u32 %%own, %%tid.x;\n"
            "setp.ge.u32 %%p, %%own, 64;\n@%%p bra ALONE;\nbar.sync 0;\n"
            "mov.u32 %%n, %%ctaid.x;\nmul.lo.u32 %%v, %%n, 5;\nand.b32 %%v, %%v, 15;\n"
            "mad.lo.u32 %%v, %%v, 256, %%own;\n{\n.param .b32 pa; .param .b32 pr;\n"
            "st.param.b32 [pa], %%v;\ncall.uni (pr), f, (pa);\nld.param.b32 %%v, [pr];\n}\n"
            "mad.wide.u32 %%x, %%own, 4, %%x;\nst.global.u32 [%%x], %%v;\nret;\nALONE:\n"
            "mov.u32 %%n, 40;\nMORE:\nsub.u32 %%n, %%n, 1;\nsetp.gt.s32 %%p, %%n, 0;\n"
            "@%%p bra MORE;\nret;\n}\n");
    compare_text(&t, 400, 20000);
}

/* Lanes part at one instruction, to which warps come by two paths. The paths write different rows,
 * so each path leaves other rows to be cleared there. */
static void test_rows_of_two_ways(void **unused)
{
    static struct text t;
    (void)unused;
    t.size = 0;
    add(&t, ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
            ".reg .u32 %%v<24>, %%own, %%n, %%sum;\n.reg .u64 %%x;\n.reg .pred %%p;\n"
            "ld.param.u64 %%x, [p];\nmov.u32 %%own, %%tid.x;\nmov.u32 %%n, %%ctaid.x;\n"
            "mul.hi.u32 %%sum, %%n, 1431655766;\nmul.lo.u32 %%sum, %%sum, 3;\n"
            "setp.eq.u32 %%p, %%sum, %%n;\n@%%p bra OTHER;\nmov.u32 %%v0, 1;\n");
    for (unsigned i = 1; i < 12; i++)
        add(&t, "mad.lo.u32 %%v%u, %%own, %u, %%v%u;\n", i, i, i - 1);
    add(&t, "mov.u32 %%sum, %%v11;\nbra PART;\nOTHER:\nmov.u32 %%v12, 2;\n");
    for (unsigned i = 13; i < 24; i++)
        add(&t, "mad.lo.u32 %%v%u, %%own, %u, %%v%u;\n", i, i, i - 1);
    add(&t, "mov.u32 %%sum, %%v23;\nPART:\nand.b32 %%n, %%own, 1;\nsetp.eq.u32 %%p, %%n, 0;\n"
            "@%%p bra EVEN;\nmov.u32 %%n, 9;\nMORE:\nsub.u32 %%n, %%n, 1;\n"
            "setp.gt.s32 %%p, %%n, 0;\n@%%p bra MORE;\nEVEN:\n"
            "mad.wide.u32 %%x, %%own, 4, %%x;\nst.global.u32 [%%x], %%sum;\nret;\n}\n");
    compare_text(&t, 3000, 20000);
}

/* Lanes part two times, and some of them a third time, to what writes registers of 64 bits and of
 * 32 in turn; runs end anywhere, and the registers that a lane has not written are zeros then. */
static void test_registers_of_lanes_that_part(void **unused)
{
    static struct text t;
    (void)unused;
    t.size = 0;
    add(&t, ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
            ".reg .u32 %%s<40>, %%own, %%n, %%sum;\n.reg .u64 %%w<40>, %%x;\n.reg .pred %%p<4>;\n"
            "ld.param.u64 %%x, [p];\nmov.u32 %%own, %%tid.x;\nmov.u32 %%sum, %%ctaid.x;\n");
    for (unsigned i = 0; i < 4; i++)
        add(&t, "shr.u32 %%n, %%own, %u;\nand.b32 %%n, %%n, 1;\nsetp.eq.u32 %%p%u, %%n, 0;\n", i,
            i);
    for (unsigned k = 0; k < 8; k++) {
        static const char *const jumps[] = {"",           "@%p1 bra L1;\n",      "@%p3 bra L2;\n",
                                            "L2:\n",      "L1:\n@%p2 bra L3;\n", "@%p1 bra L4;\n",
                                            "L4:\nL3:\n", "@%p0 bra L5;\n"};
        add(&t, "%s", jumps[k]);
        for (unsigned i = 5 * k; i < 5 * k + 5; i++)
            add(&t,
                "mad.wide.u32 %%w%u, %%own, %u, %%x;\nmad.lo.u32 %%s%u, %%own, %u, %%sum;\n"
                "add.u32 %%sum, %%sum, %%s%u;\n",
                i, i + 7, i, i, i);
    }
    add(&t, "L5:\nmad.wide.u32 %%x, %%own, 4, %%x;\nst.global.u32 [%%x], %%sum;\nret;\n}\n");
    compare_text(&t, 1000, 1500);
}

/* Lanes load what is near each other's place, in one aligned piece of 128 bytes or in two; and
 * quotients have all bits. */
static void test_neighbours_and_quotients(void **unused)
{
    static struct text t;
    (void)unused;
    t.size = 0;
    add(&t, ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
            ".reg .u32 %%own, %%n, %%b, %%v<8>, %%sum;\n.reg .u64 %%x, %%y;\n.reg .pred %%p;\n"
            ".shared .align 16 .b8 tile[1024];\nld.param.u64 %%x, [p];\nmov.u32 %%own, %%tid.x;\n"
            "mul.wide.u32 %%y, %%own, 4;\nmov.u32 %%sum, 0;\nmov.u32 %%n, 0;\n");
    for (unsigned i = 0; i < 3; i++)
        add(&t, "mad.lo.u32 %%v0, %%own, 77, %u;\nst.shared.u32 [%%y+%u], %%v0;\n", i, 288 * i);
    add(&t, "and.b32 %%own, %%own, 31;\nbar.sync 0;\nALL:\nand.b32 %%b, %%n, 31;\n"
            "xor.b32 %%v0, %%own, %%b;\nshr.u32 %%b, %%n, 2;\nadd.u32 %%v0, %%v0, %%b;\n"
            "mul.wide.u32 %%y, %%v0, 4;\nld.shared.u32 %%v1, [%%y+128];\n"
            "add.u64 %%y, %%y, %%x;\nld.global.u32 %%v2, [%%y+64];\n"
            "mad.lo.u32 %%v3, %%n, 2654435761, %%own;\nor.b32 %%v3, %%v3, 0x80000000;\n"
            "and.b32 %%v4, %%own, 3;\nadd.u32 %%v4, %%v4, 1;\ndiv.u32 %%v5, %%v3, %%v4;\n"
            "rem.u32 %%v6, %%v3, %%v4;\ndiv.s32 %%v7, %%v3, %%v4;\n");
    for (unsigned i = 1; i < 8; i += 1 + (i == 2) * 2)
        add(&t, "mad.lo.u32 %%sum, %%sum, 31, %%v%u;\n", i);
    add(&t, "add.u32 %%n, %%n, 1;\nsetp.lt.u32 %%p, %%n, 200;\n@%%p bra ALL;\n"
            "st.global.u32 [%%x], %%sum;\nret;\n}\n");
    compare_text(&t, 2, 0);
}

/* Lanes have one divisor, which is constant or another one in each round, and numbers next to its
 * multiples, the greatest ones too. */
static void test_common_divisors(void **unused)
{
    static const char *const divisions[] = {
        "div.u32 %v0, %x, %d",  "rem.u32 %v0, %x, %d",        "div.s32 %v0, %x, %d",
        "rem.s32 %v0, %x, %d",  "div.s32 %v0, %x, %e",        "rem.s32 %v0, %x, %e",
        "div.u32 %v0, %x, 10",  "rem.u32 %v0, %x, 641",       "div.s32 %v0, %x, -7",
        "rem.s32 %v0, %x, 255", "div.u32 %v0, %x, 1",         "div.s32 %v0, %x, -1",
        "div.u32 %v0, %d, %x",  "div.u32 %v0, %x, 0xffffffff"};
    static struct text t;
    (void)unused;
    t.size = 0;
    add(&t, ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
            ".reg .u32 %%own, %%n, %%d, %%e, %%k, %%x, %%v<2>, %%sum;\n.reg .u64 %%y, %%z;\n"
            ".reg .pred %%p;\nld.param.u64 %%y, [p];\nmov.u32 %%own, %%tid.x;\n"
            "mul.wide.u32 %%z, %%own, 4;\nadd.u64 %%y, %%y, %%z;\nmov.u32 %%sum, 0;\n"
            "mov.u32 %%n, 0;\nALL:\nand.b32 %%k, %%n, 31;\nmul.lo.u32 %%d, %%n, 2654435761;\n"
            "shr.u32 %%d, %%d, %%k;\nmax.u32 %%d, %%d, 1;\nneg.s32 %%e, %%d;\n"
            "div.u32 %%k, 0xffffffff, %%d;\nand.b32 %%v1, %%own, 7;\nsub.u32 %%k, %%k, %%v1;\n"
            "shr.u32 %%v1, %%own, 3;\nmad.lo.u32 %%x, %%k, %%d, %%v1;\n"
            "sub.u32 %%x, %%x, 1;\nmax.u32 %%x, %%x, 1;\n");
    for (size_t i = 0; i < sizeof divisions / sizeof *divisions; i++)
        add(&t, "%s;\nmad.lo.u32 %%sum, %%sum, 31, %%v0;\n", divisions[i]);
    add(&t, "add.u32 %%n, %%n, 1;\nsetp.lt.u32 %%p, %%n, 400;\n@%%p bra ALL;\n"
            "st.global.u32 [%%y], %%sum;\nret;\n}\n");
    compare_text(&t, 2, 0);
}

/* Whether lanes have one address in local memory changes from one turn of a loop to the next, some
 * of which jump over the first accesses. */
static void test_addresses_that_are_one(void **unused)
{
    static struct text t;
    (void)unused;
    t.size = 0;
    add(&t, ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
            ".reg .u32 %%own, %%odd, %%n, %%b, %%v<6>, %%sum;\n.reg .u64 %%x, %%y;\n"
            ".reg .pred %%p<3>;\n.local .align 16 .b8 depot[32];\nmov.u32 %%own, %%tid.x;\n"
            "and.b32 %%odd, %%own, 1;\nmov.u32 %%sum, 0;\nmov.u64 %%x, depot;\n");
    for (unsigned i = 0; i < 8; i++)
        add(&t, "mad.lo.u32 %%b, %%own, 77, %u;\nst.local.u32 [%%x+%u], %%b;\n", i, 4 * i);
    for (unsigned k = 0; k < 2; k++) { /* several in each second turn; each fourth one may jump */
        add(&t,
            "mov.u32 %%n, 0;\nLOOP%u:\nand.b32 %%b, %%n, %%odd;\nmul.wide.u32 %%y, %%b, 8;\n"
            "mov.u64 %%x, depot;\nadd.u64 %%x, %%x, %%y;\n"
            "and.b32 %%b, %%n, 3;\nsetp.eq.u32 %%p0, %%b, 3;\n",
            k);
        if (k)
            add(&t, "@%%p0 bra PAST;\n");
        add(&t, "ld.local.u32 %%v0, [%%x];\nld.local.u32 %%v1, [%%x+4];\n");
        if (k)
            add(&t, "PAST:\n");
        add(&t, "ld.local.u32 %%v2, [%%x+8];\nst.local.u32 [%%x+12], %%sum;\n");
        for (unsigned i = 0; i < 3; i++)
            add(&t, "mad.lo.u32 %%sum, %%sum, 31, %%v%u;\n", i);
        add(&t, "add.u32 %%n, %%n, 1;\nsetp.lt.u32 %%p1, %%n, 400;\n@%%p1 bra LOOP%u;\n", k);
    }
    add(&t, "ret;\n}\n");
    compare_text(&t, 2, 0);
}

/* ---- code whose rows nobody sees ---- */

enum { OWN = 40 }; /* registers of each kind */

/* A random kernel most of whose registers are written once, in scopes: those of a kind that have
 * been written where the text stands. */
struct brief {
    struct text text;
    unsigned count[3], next[3]; /* of %s, %w, %f */
    unsigned own[3][OWN];
    bool stored;
};

/* One of them, or sometimes one that is written on another way only, or later, or never. */
static const char *some(struct brief *b, unsigned kind, char *text)
{
    const unsigned other = below(4) ? below(b->next[kind]) : OWN;
    snprintf(text, 16, "%%%c%u", "swf"[kind],
             below(24) ? b->own[kind][below(b->count[kind])] : other);
    return text;
}

/* A new register, or sometimes one that has been written. */
static unsigned written(struct brief *b, unsigned kind)
{
    if (b->next[kind] == OWN || below(24) == 0)
        return b->own[kind][below(b->count[kind])];
    return b->own[kind][b->count[kind]++] = b->next[kind]++;
}

static void brief_access(struct brief *b, bool loads)
{
    char x[16], y[16];
    struct text *t = &b->text;
    const unsigned how = below(8); /* in a row, at one place, or anywhere */
    add(t, "and.b32 %%t0, %s, %u;\n", how < (loads ? 5 : 7) ? "%s0" : some(b, 0, x),
        how == 5 ? 0 : 1023);
    add(t, "mul.wide.u32 %%x, %%t0, 4;\nadd.s64 %%x, %%x, %%buffer;\n");
    if (below(2)) /* it goes on in the next page, or not */
        add(t, "add.s64 %%x, %%x, %u;\n", 4 * below(1000));
    if (loads && below(2))
        add(t, "ld.global.u32 %%s%u, [%%x];\n", written(b, 0));
    else if (loads)
        add(t, "ld.global.f32 %%f%u, [%%x+4];\n", written(b, 2));
    else
        add(t, "st.global.%s [%%x], %s;\n", below(2) ? "u32" : "b32", some(b, below(2) * 2, y));
}

static void brief_operation(struct brief *b)
{
    static const char *const two[] = {"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32",
                                      "xor.b32", "min.u32", "max.s32",    "shl.b32", "shr.u32",
                                      "div.u32", "rem.u32", "mul.hi.u32"};
    static const char *const real[] = {"add.rn.f32", "sub.rn.f32", "mul.rn.f32", "div.rn.f32"};
    char x[16], y[16], z[16];
    struct text *t = &b->text;
    switch (below(9)) {
    case 0:
    case 1:
        some(b, 0, x), some(b, 0, y);
        add(t, "%s %%s%u, %s, %s;\n", two[below(13)], written(b, 0), x, below(2) ? y : "7");
        break;
    case 2:
        some(b, 0, x), some(b, 0, y), some(b, 1, z);
        add(t, "mad.wide.u32 %%w%u, %s, %s, %s;\n", written(b, 1), x, y, z);
        break;
    case 3:
        some(b, 1, x), some(b, 1, y);
        add(t, "%s %%w%u, %s, %s;\n", below(2) ? "add.s64" : "xor.b64", written(b, 1), x, y);
        break;
    case 4:
        some(b, below(2), x);
        if (x[1] == 's')
            add(t, "cvt.u64.u32 %%w%u, %s;\n", written(b, 1), x);
        else
            add(t, "cvt.u32.u64 %%s%u, %s;\n", written(b, 0), x);
        break;
    case 5:
        some(b, 2, x), some(b, 2, y);
        add(t, "%s %%f%u, %s, %s;\n", real[below(4)], written(b, 2), x, y);
        break;
    case 6:
        some(b, 0, x);
        add(t, "cvt.rn.f32.u32 %%f%u, %s;\n", written(b, 2), x);
        break;
    case 7:
        some(b, 0, x), some(b, 0, y);
        add(t, "setp.%s.u32 %%p%u, %s, %s;\n", below(2) ? "lt" : "ge", below(PREDICATES), x, y);
        break;
    default:
        if (below(3))
            add(t, "selp.b32 %%s%u, %s, %s, %%p%u;\n", written(b, 0), some(b, 0, x), some(b, 0, y),
                below(PREDICATES));
        else
            add(t, "%s.pred %%p%u, %%p%u, %%p%u;\n", below(2) ? "and" : "xor", below(PREDICATES),
                below(PREDICATES), below(PREDICATES));
        break;
    }
}

static void brief_body(struct brief *b, unsigned depth, unsigned count)
{
    struct text *t = &b->text;
    char x[16];
    while (count--) {
        const unsigned what = below(16), label = t->labels;
        unsigned before[3];
        memcpy(before, b->count, sizeof before);
        if (what < 2) {
            brief_access(b, true);
        } else if (what == 2 && below(4) == 0) { /* what must not be done again */
            add(t,
                "and.b32 %%t0, %%s0, 63;\nmul.wide.u32 %%x, %%t0, 4;\n"
                "add.s64 %%x, %%x, %%buffer;\nld.global.u32 %%t0, [%%x];\n"
                "add.u32 %%t0, %%t0, %s;\nst.global.u32 [%%x], %%t0;\n",
                some(b, 0, x));
        } else if (what == 3 && depth < 2) { /* most of the time all lanes go the same way */
            t->labels += 2;
            if (below(4))
                add(t, "and.b32 %%t0, %%s1, %u;\nsetp.eq.u32 %%p3, %%t0, 0;\n", 1u << below(4));
            else
                add(t, "setp.lt.u32 %%p3, %%s0, %u;\n", 1 + below(40));
            const unsigned both = written(b, 0);
            before[0] = b->count[0];
            add(t, "@%sp3 bra L%u;\n", below(2) ? "%" : "!%", label);
            brief_body(b, depth + 1, below(5));
            add(t, "add.u32 %%s%u, %s, 3;\nbra L%u;\nL%u:\n", both, some(b, 0, x), label + 1,
                label);
            memcpy(b->count, before, sizeof before);
            brief_body(b, depth + 1, below(5));
            add(t, "sub.u32 %%s%u, %s, 5;\nL%u:\n", both, some(b, 0, x), label + 1);
            memcpy(b->count, before, sizeof before);
        } else {
            brief_operation(b);
        }
    }
}

static void write_brief(struct brief *b)
{
    struct text *t = &b->text;
    memset(b->count, 0, sizeof b->count);
    memset(b->next, 0, sizeof b->next);
    t->size = 0;
    t->labels = 1;
    add(t,
        ".version 7.0\n.target sm_50\n.address_size 64\n"
        ".visible .entry k(.param .u64 p, .param .align 8 .b8 n[8], .param .align 8 .b8 m[16])\n"
        "{\n.reg .u32 %%s<%u>, %%t0;\n.reg .u64 %%w<%u>, %%x, %%buffer;\n.reg .f32 %%f<%u>;\n"
        ".reg .pred %%p<4>;\nld.param.u64 %%buffer, [p];\n",
        OWN + 1, OWN + 1, OWN + 1);
    for (unsigned kind = 0; kind < 3; kind++)
        for (unsigned i = 0; i < 3 - (kind != 0); i++)
            b->own[kind][b->count[kind]++] = b->next[kind]++;
    add(t, "mov.u32 %%s0, %%tid.x;\nmov.u32 %%s1, %%ctaid.x;\nmad.lo.u32 %%s2, %%s1, 64, %%s0;\n"
           "cvt.u64.u32 %%w0, %%s2;\nld.param.u64 %%w1, [m+8];\ncvt.rn.f32.u32 %%f0, %%s0;\n"
           "cvt.rn.f32.u32 %%f1, %%s2;\n");
    for (unsigned i = 0; i < 4; i++)
        add(t, "setp.lt.u32 %%p%u, %%s%u, %u;\n", i, below(3), below(2) ? 10000 : below(100));
    brief_body(b, 0, 2 + below(12));
    if (below(8))
        brief_access(b, false);
    add(t, "ret;\n}\n");
}

/* Kernels that warps execute in one turn, mostly. They end, and others begin, at any time. */
static void test_code_whose_rows_nobody_sees(void **unused)
{
    static const char *const schedules[] = {"rr:64", "rr:64",  "rr:64",
                                            "rr:23", "rr:100", "random:3"};
    static struct brief b;
    const char *longer = getenv("WAVETRAP_LONG"), *seed = getenv("WAVETRAP_SEED");
    const unsigned kernels = KERNELS / 4 * (longer ? (unsigned)atoi(longer) : 1);
    uint64_t unseen = 0;
    (void)unused;
    choose_by_seed(seed ? strtoull(seed, NULL, 0) : 0);
    for (unsigned k = 0; k < kernels; k++) {
        struct ptx_module parsed;
        struct wt_error err;
        struct sm_ptx *image;
        write_brief(&b);
        if (ptx_parse("brief", b.text.bytes, b.text.size, &parsed, &err) != WT_OK)
            fail_msg("%s\n%s", err.text, b.text.bytes);
        const struct sm_ptx_module module = {"brief", &parsed};
        if (sm_ptx_link(&module, 1, CODE, DATA, &image, &err) != WT_OK)
            fail_msg("%s\n%s", err.text, b.text.bytes);
        const char *schedule = schedules[below(6)];
        const uint32_t threads = below(2) ? 96 : 72;
        struct wt_machine *const m[2] = {
            device(image, "jit=0,sms=1", schedule, 200, threads, 24000),
            device(image, "jit=1,sms=1", schedule, 200, threads, 24000)};
        enum wt_run run[2] = {WT_RUN_BUDGET, WT_RUN_BUDGET};
        assert_true(wt_set_watches(m[0], &far, 1));
        while (run[0] == WT_RUN_BUDGET) {
            const uint64_t issues = 1 + below(below(2) ? 5000 : 300);
            for (unsigned i = 0; i < 2; i++)
                run[i] = m[i]->ops->run(m[i], issues);
            compare(m, run, b.text.bytes);
        }
        unseen += sm_device_translated((struct sm_device *)m[1]).unseen;
        for (unsigned i = 0; i < 2; i++)
            m[i]->ops->free(m[i]);
        sm_ptx_free(image);
        ptx_free(&parsed);
    }
    assert_true(!wt_rows_has_512() || unseen > 2000 * (uint64_t)kernels);
}

#ifdef FUZZED
void fuzz_ptx_blocks(const uint8_t *data, size_t size);

void fuzz_ptx_blocks(const uint8_t *data, size_t size)
{
    choose_by_seed(size);
    choices.input = data;
    choices.left = size;
    compare_kernel(size & 1);
}
#else
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_counts_as_zero),
                                       cmocka_unit_test(test_addresses_that_are_one),
                                       cmocka_unit_test(test_rows_that_are_cleared_late),
                                       cmocka_unit_test(test_frames_that_are_cleared_late),
                                       cmocka_unit_test(test_rows_of_others),
                                       cmocka_unit_test(test_rows_of_two_ways),
                                       cmocka_unit_test(test_registers_of_lanes_that_part),
                                       cmocka_unit_test(test_neighbours_and_quotients),
                                       cmocka_unit_test(test_common_divisors),
                                       cmocka_unit_test(test_code_whose_rows_nobody_sees),
                                       cmocka_unit_test(test_blocks_do_what_handlers_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
