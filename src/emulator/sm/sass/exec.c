/* The common part of the ALU executors: operands, guards, results. */
#include "emulator/sm/sass/alu.h"
#include "emulator/sm/watch.h"

#include <string.h>

bool sm_constant(struct sm_warp *w, const struct sm_uop *u, unsigned bank, uint32_t offset,
                 bool wide, uint64_t *value)
{
    const struct sm_launch *l = &w->device->grid.launch;
    if (bank >= SM_BANKS || !l->bank[bank] || offset % 4 || offset + 4 > l->bank_size[bank])
        return false;
    const unsigned size = wide && offset + 8 <= l->bank_size[bank] ? 8 : 4;
    const uint64_t addr = l->bank[bank] + offset;
    const uint8_t *host = sm_readable(w->device, addr);
    uint8_t bytes[8];
    if (!host || (addr & WT_PAGE_MASK) + size > WT_PAGE_SIZE) {
        wt_memory_read(w->device->machine.memory, addr, bytes, size);
        host = bytes;
    }
    *value = wt_load_le(host, size);
    if (__builtin_expect(w->device->machine.watch != NULL, false) && u && sm_lanes_of(w, u))
        sm_watch_parameter(w, u, sm_lanes_of(w, u), addr, size, host);
    return true;
}

static void fill(uint32_t *row, uint32_t value)
{
    for (unsigned i = 0; i < SM_LANES; i++)
        row[i] = value;
}

/* Two rows of a constant operand. */
static bool constant_rows(struct sm_exec *x, uint32_t *rows)
{
    uint64_t value;
    if (!sm_constant(x->w, x->u, x->u->bank, x->u->offset, x->u->mods & SM_WIDE, &value))
        return false;
    fill(rows, (uint32_t)value);
    fill(rows + SM_LANES, (uint32_t)(value >> 32));
    return true;
}

static void blend(uint32_t *to, const uint32_t *from, uint32_t exec)
{
    if (exec == 0xffffffffu) {
        memcpy(to, from, SM_LANES * sizeof *to);
        return;
    }
    for (; exec; exec &= exec - 1)
        to[__builtin_ctz(exec)] = from[__builtin_ctz(exec)];
}

void sm_set_cc(const struct sm_exec *x, uint32_t z, uint32_t s, uint32_t c, uint32_t o)
{
    if (!(x->u->mods & SM_CC))
        return;
    sm_merge(x, &x->w->z, z);
    sm_merge(x, &x->w->s, s);
    sm_merge(x, &x->w->carry, c);
    sm_merge(x, &x->w->o, o);
}

void sm_set_logic_cc(const struct sm_exec *x)
{
    if (!(x->u->mods & SM_CC))
        return;
    uint32_t z = 0, s = 0;
    FOR_LANES (i) {
        z |= (uint32_t)!x->d[0][i] << i;
        s |= x->d[0][i] >> 31 << i;
    }
    sm_set_cc(x, z, s, 0, 0);
}

unsigned sm_set_predicates(struct sm_exec *x, uint32_t mask)
{
    const uint32_t p = sm_source_predicate(x, 39, 42);
    const unsigned how = SM_FIELD(x->u->word, bool45);
    sm_set_predicate(x, 3, sm_combine(how, mask, p));
    sm_set_predicate(x, 0, sm_combine(how, ~mask, p));
    return 0;
}

unsigned sm_set_row(struct sm_exec *x, uint32_t mask)
{
    const uint32_t set =
        sm_combine(SM_FIELD(x->u->word, bool45), mask, sm_source_predicate(x, 39, 42));
    const uint32_t yes = x->u->mods & SM_FLOAT ? 0x3f800000 : UINT32_MAX;
    FOR_LANES (i)
        x->d[0][i] = set >> i & 1 ? yes : 0;
    sm_set_logic_cc(x);
    return 1;
}

const struct sm_uop *sm_run_alu(struct sm_warp *w, const struct sm_uop *u)
{
    struct sm_exec x;
    x.w = w;
    x.u = u;
    x.exec = sm_lanes_of(w, u);
    x.error = 0;
    if (!x.exec)
        return sm_next(u);
    x.a = w->r[u->a];
    x.b = w->r[u->b];
    x.c = w->r[u->c];
    bool good = true;
    if (u->form == SM_FORM_C) {
        good = constant_rows(&x, x.b_row);
        x.b = x.b_row;
    } else if (u->form == SM_FORM_I) {
        fill(x.b_row, (uint32_t)u->immediate);
        fill(x.b_row + SM_LANES, (uint32_t)(u->immediate >> 32));
        x.b = x.b_row;
    } else if (u->form == SM_FORM_RC) {
        good = constant_rows(&x, x.c_row);
        x.c = x.c_row;
    }
    if (!good)
        return sm_error(w, u, SM_INVALID_CONST_ADDR, x.exec, u->offset,
                        "there is no constant at c[0x%x][0x%x]", u->bank, u->offset);
    const unsigned rows = u->alu(&x);
    if (x.error)
        return sm_error(w, u, x.error, x.exec, 0, "a register pair begins with an odd register");
    if (rows && u->d != SM_RZ) {
        blend(w->r[u->d], x.d[0], x.exec);
        if (rows > 1 && u->d + 1 < SM_RZ)
            blend(w->r[u->d + 1], x.d[1], x.exec);
    }
    return sm_next(u);
}
