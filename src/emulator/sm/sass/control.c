/* Control words: their fields, their text to fields, and fields that are safe. See isa.h. */
#include "emulator/sm/sass/isa.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct sm_control sm_control_get(uint64_t word, unsigned slot)
{
    assert(slot < 3);
    const unsigned bits = (unsigned)sm_bits(word, 21 * slot, 21);
    return (struct sm_control){.stall = bits & 15,
                               .yield = bits >> 4 & 1,
                               .write_barrier = bits >> 5 & 7,
                               .read_barrier = bits >> 8 & 7,
                               .wait = bits >> 11 & 63,
                               .reuse = bits >> 17 & 15};
}

uint64_t sm_control_set(uint64_t word, unsigned slot, struct sm_control c)
{
    assert(slot < 3);
    const uint64_t bits = c.stall | (uint64_t)c.yield << 4 | (uint64_t)c.write_barrier << 5 |
                          (uint64_t)c.read_barrier << 8 | (uint64_t)c.wait << 11 |
                          (uint64_t)c.reuse << 17;
    return (word & ~(UINT64_C(0x1fffff) << 21 * slot)) | bits << 21 * slot;
}

bool sm_is_slow(enum sm_insn insn)
{
    static const uint8_t others[] = {
        SM_MEMBAR, SM_S2R, SM_B2R_RESULT, SM_SHFL, SM_MUFU, SM_RRO,  SM_I2I,   SM_I2F,  SM_F2I,
        SM_F2F,    SM_FLO, SM_POPC,       SM_DADD, SM_DMUL, SM_DFMA, SM_DMNMX, SM_DSET, SM_DSETP};
    return strpbrk(sm_rows[insn].state, "GSLCET") || memchr(others, (int)insn, sizeof others);
}

struct sm_control sm_control_safe(uint64_t word, enum sm_insn insn)
{
    struct sm_control c = SM_CONTROL_NONE;
    c.stall = 15;
    c.yield = true;
    c.wait = 1;
    if (sm_is_slow(insn)) {
        c.stall = 2;
        c.read_barrier = c.write_barrier = 0;
    } else if (word >> 52 == 0xe3a) {
        c.stall = SM_BPT_STALL;
    }
    return c;
}

bool sm_control_parse(const char **at, struct sm_control *c)
{
    const char *s = *at;
    *c = SM_CONTROL_NONE;
    if (s[0] != '[' || s[1] != 'B')
        return false;
    s += 2;
    for (unsigned i = 0; i < 6; i++, s++) {
        if (*s != '-' && *s != (char)('0' + i))
            return false;
        c->wait |= *s == '-' ? 0 : (uint8_t)(1u << i);
    }
    for (unsigned i = 0; i < 2; i++, s += 3) {
        if (s[0] != ':' || s[1] != (i ? 'W' : 'R') ||
            !(s[2] == '-' || (s[2] >= '0' && s[2] <= '5')))
            return false;
        if (s[2] != '-')
            *(i ? &c->write_barrier : &c->read_barrier) = (uint8_t)(s[2] - '0');
    }
    if (s[0] != ':' || (s[1] != 'Y' && s[1] != '-') || s[2] != ':' || s[3] != 'S' ||
        !isdigit((unsigned char)s[4]) || !isdigit((unsigned char)s[5]))
        return false;
    c->yield = s[1] == '-';
    c->stall = (uint8_t)((s[4] - '0') * 10 + s[5] - '0');
    s += 6;
    if (s[0] == ':' && s[1] == 'U' && isxdigit((unsigned char)s[2])) { /* operands for reuse */
        c->reuse = (uint8_t)strtoul((const char[]){s[2], 0}, NULL, 16);
        s += 3;
    }
    *at = s + 1;
    return *s == ']' && c->stall < 16;
}
