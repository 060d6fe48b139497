/*
 * Formatted accesses to buffers: MTBUF, whose instruction tells the format, and BUFFER_*_FORMAT,
 * where the resource does, and also which component goes where (manual, section 8.1.5). The format
 * is two numbers, on gfx10 one.
 */
#include "emulator/gcn/memory/format.h"
#include "emulator/gcn/memory/vmem.h"
#include "emulator/gcn/watch.h"

#define OP(name) const struct gcn_uop *gcn_op_##name(struct gcn_wave *w, const struct gcn_uop *u)

/* DST_SEL: 0 and 1 are constants, 4 to 7 the components. */
enum { SELECT_0, SELECT_1, SELECT_X = 4 };

struct typed {
    const struct gcn_format *format;
    unsigned nfmt;
    uint8_t select[4];
    unsigned components; /* components of the instruction */
    bool d16;
    unsigned registers;
    uint64_t row; /* from an element of a swizzled buffer to the next one of its record */
};

/* The format of the access: the instruction's, else the resource's. False: refused. */
static bool formats_of(struct gcn_wave *w, const struct gcn_uop *u, struct typed *t,
                       const struct gcn_uop **next)
{
    const uint32_t word = w->s[u->base + 3];
    const bool by_resource = u->row->encoding == GCN_MUBUF;
    /* ADD_TID takes the format's bits for the stride. */
    if (by_resource && word >> 23 & 1) {
        *next = gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                          "%s: a resource with ADD_TID has no format", u->row->name);
        return false;
    }
    const unsigned dfmt = by_resource ? word >> 15 & 15 : u->dfmt;
    t->nfmt = by_resource ? word >> 12 & 7 : u->nfmt;
    if (!gcn_format_valid(dfmt, t->nfmt)) {
        *next = gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                          "%s: there is no format with DATA_FORMAT %u and NUM_FORMAT %u",
                          u->row->name, dfmt, t->nfmt);
        return false;
    }
    t->format = gcn_format_of(dfmt);
    return true;
}

/* Likewise of gfx10. */
static bool formats_of_gfx10(struct gcn_wave *w, const struct gcn_uop *u, struct typed *t,
                             const struct gcn_uop **next)
{
    const unsigned format =
        u->row->encoding == GCN_MUBUF ? w->s[u->base + 3] >> 12 & 0x7f : u->dfmt;
    unsigned dfmt;
    if (!gcn_format_of_gfx10(format, &dfmt, &t->nfmt)) {
        *next = gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                          "%s: there is no format of buffers with FORMAT %u", u->row->name, format);
        return false;
    }
    t->format = gcn_format_of(dfmt);
    return true;
}

/* Decodes the access. False: refused. */
static bool typed_of(struct gcn_wave *w, const struct gcn_uop *u, struct typed *t,
                     const struct gcn_uop **next)
{
    const uint32_t word = w->s[u->base + 3];
    *t = (struct typed){
        .select = {SELECT_X, SELECT_X + 1, SELECT_X + 2, SELECT_X + 3},
        .components = u->size,
        .d16 = u->row->operands[1] == 'd',
        .row = (uint64_t)32 << (word >> 21 & 3),
    };
    t->registers = t->d16 ? (t->components + 1) / 2 : t->components;
    if (!(gcn_is_gfx10(gcn_model_of(w->device)) ? formats_of_gfx10 : formats_of)(w, u, t, next))
        return false;
    for (unsigned i = 0; i < 4 && u->row->encoding == GCN_MUBUF; i++)
        t->select[i] = word >> (3 * i) & 7;
    const unsigned last = u->dst + t->registers + u->tfe;
    const bool there = gcn_has_row(w, last - 1);
    if (!there)
        *next = gcn_no_row(w, u, last - 1);
    return there;
}

/* Where a piece of an element lies: dword by dword, or whole. */
static unsigned piece(const struct typed *t, const struct gcn_targets *at, unsigned lane,
                      unsigned done, uint64_t *addr)
{
    const unsigned left = t->format->bytes - done;
    if (!(at->private >> lane & 1)) {
        *addr = at->addr[lane] + done;
        return left;
    }
    *addr = at->addr[lane] + done / 4 * t->row;
    return left < 4 ? left : 4;
}

/* Whether each lane's element may be accessed; else there is a fault, *next: a part is not mapped
 * or, in a swizzled buffer, not aligned. */
static bool checked(struct gcn_wave *w, const struct gcn_uop *u, const struct typed *t,
                    const struct gcn_targets *at, bool store, const struct gcn_uop **next)
{
    for (uint64_t left = at->lanes & ~at->zero; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        if ((at->private >> lane & 1) && at->addr[lane] % 4) {
            *next = gcn_fault(w, u, WT_FAULT_ACCESS, (uint64_t)1 << lane, at->addr[lane],
                              "%s: a swizzled access that is not aligned to its elements",
                              u->row->name);
            return false;
        }
        for (unsigned done = 0; done < t->format->bytes;) {
            uint64_t addr;
            const unsigned size = piece(t, at, lane, done, &addr);
            if (!gcn_mapped(w->device, addr, size, store)) {
                *next = gcn_fault(w, u, WT_FAULT_ACCESS, (uint64_t)1 << lane, addr,
                                  "%s: " WT_UNMAPPED, u->row->name,
                                  wt_access_word(store ? WT_ACCESS_STORE : WT_ACCESS_LOAD), size,
                                  (unsigned long long)addr,
                                  wt_access_for(store ? WT_ACCESS_STORE : WT_ACCESS_LOAD));
                return false;
            }
            done += size;
        }
    }
    return true;
}

/* The value of an element for the register of component `i`. */
static uint32_t selected(const struct typed *t, const uint8_t *element, unsigned i)
{
    const unsigned select = t->select[i];
    if (select < SELECT_X)
        return select == SELECT_1 ? gcn_format_one(t->nfmt, t->d16) : 0;
    const unsigned component = select - SELECT_X;
    /* Components that the format lacks are 0, but the fourth is 1. */
    if (component >= t->format->components)
        return component == 3 ? gcn_format_one(t->nfmt, t->d16) : 0;
    return gcn_format_load(gcn_format_extract(element, t->format, component),
                           t->format->bits[component], t->nfmt, t->d16);
}

/* Likewise of what lies outside of the buffer (section 8.1.5): 0, but for the constant 1. */
static uint32_t outside(const struct typed *t, unsigned i)
{
    return t->select[i] == SELECT_1 ? gcn_format_one(t->nfmt, t->d16) : 0;
}

static void to_register(struct gcn_wave *w, const struct gcn_uop *u, const struct typed *t,
                        unsigned lane, unsigned i, uint32_t value)
{
    if (!t->d16) {
        w->v[u->dst + i][lane] = value;
        return;
    }
    /* Halves of registers that get no component keep their value. */
    uint32_t *r = &w->v[u->dst + i / 2][lane];
    const bool high = u->half == 'h' || i % 2;
    *r = high ? (*r & 0xffff) | value << 16 : (*r & 0xffff0000) | (value & 0xffff);
}

static uint32_t from_register(const struct gcn_wave *w, const struct gcn_uop *u,
                              const struct typed *t, unsigned lane, unsigned i)
{
    if (!t->d16)
        return w->v[u->src[1] + i][lane];
    const bool high = u->half == 'h' || i % 2;
    return w->v[u->src[1] + i / 2][lane] >> (high ? 16 : 0) & 0xffff;
}

/* Where a typed access goes. False: it accesses nothing, or a fault; *next is what the handler
 * returns. */
static bool targets_of(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                       struct typed *t, struct gcn_targets *at, const struct gcn_uop **next)
{
    *at = (struct gcn_targets){0};
    *next = gcn_next(u);
    if (w->mode & GCN_MODE_VSKIP || !typed_of(w, u, t, next) ||
        !gcn_buffer_resolve(w, u, t->format->bytes, at, next))
        return false;
    at->zero |= at->split;
    gcn_judge(w, u, at, kind, t->format->bytes);
    return checked(w, u, t, at, kind == WT_WATCH_WRITE, next);
}

OP(buffer_load_format)
{
    struct gcn_targets at;
    struct typed t;
    const struct gcn_uop *next;
    if (!targets_of(w, u, WT_WATCH_READ, &t, &at, &next))
        return next;
    for (uint64_t left = at.lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const bool zero = at.zero >> lane & 1;
        uint8_t element[16] = {0};
        for (unsigned got = 0; got < t.format->bytes && !zero;) {
            uint64_t addr;
            const unsigned size = piece(&t, &at, lane, got, &addr);
            gcn_read(w->device, addr, element + got, size);
            if (w->device->machine.watch)
                gcn_watch_access(w, u, WT_WATCH_READ, lane, addr, size, element + got,
                                 element + got);
            got += size;
        }
        for (unsigned i = 0; i < t.components; i++)
            to_register(w, u, &t, lane, i, zero ? outside(&t, i) : selected(&t, element, i));
        if (u->tfe)
            w->v[u->dst + t.registers][lane] = 0;
    }
    gcn_count_vmem(w, false);
    return gcn_next(u);
}

/* Components of the format that no register is for are stored as 0. */
OP(buffer_store_format)
{
    struct gcn_targets at;
    struct typed t;
    const struct gcn_uop *next;
    if (!targets_of(w, u, WT_WATCH_WRITE, &t, &at, &next))
        return next;
    for (uint64_t left = at.lanes & ~at.zero; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint8_t element[16] = {0};
        uint8_t given = 0;
        for (unsigned i = 0; i < t.components; i++) {
            const unsigned component = t.select[i] - (unsigned)SELECT_X;
            if (component >= t.format->components || (given >> component & 1))
                continue;
            given |= (uint8_t)(1u << component);
            gcn_format_insert(element, t.format, component,
                              gcn_format_store(from_register(w, u, &t, lane, i),
                                               t.format->bits[component], t.nfmt, t.d16));
        }
        for (unsigned put = 0; put < t.format->bytes;) {
            uint64_t addr;
            const unsigned size = piece(&t, &at, lane, put, &addr);
            if (w->device->machine.watch) {
                uint8_t before[16] = {0};
                gcn_read(w->device, addr, before, size);
                gcn_watch_access(w, u, WT_WATCH_WRITE, lane, addr, size, before, element + put);
            }
            if (!gcn_write(w->device, addr, element + put, size))
                return gcn_no_memory(w, u, (uint64_t)1 << lane, addr);
            put += size;
        }
    }
    gcn_count_vmem(w, true);
    return gcn_next(u);
}
