/* Which registers and constants can be operands of decoded instructions. Sections are those of the
 * "Vega" instruction set manual. */
#include "emulator/gcn/decode.h"

const char gcn_no_such[] = "there is no such instruction";
const char gcn_bad_operand[] = "it has an operand that does not exist";
static const char odd_operand[] = "an SGPR pair or group begins at a register that is not aligned";
const char gcn_cut_off[] = "it is cut off";
static const char odd_vgpr[] =
    "a group of vector registers begins at an odd one, which this GPU does not have";

/* Whether a scalar operand number below 128 can hold so many registers; they must be aligned. */
bool gcn_sgprs_ok(const struct gcn_model *model, unsigned n, unsigned count, const char **why)
{
    const bool gfx10 = gcn_is_gfx10(model);
    if (gfx10 && n == GCN_NULL && count <= 2)
        return true;
    if (n > 127 || n == GCN_NULL || n + count > 128 ||
        (count > 1 && n + count > 124 && n != GCN_EXEC) ||
        (count > 2 && n < GCN_TTMP && n + count > (gfx10 ? 106 : 102))) {
        *why = gcn_bad_operand;
        return false;
    }
    const unsigned align = count > 2 ? 4 : count;
    *why = odd_operand;
    return n % align == 0;
}

unsigned gcn_registers_of(char type)
{
    switch (type) {
    case 'U':
    case 'F':
    case 'm':
    case 'w':
    case 'b':
    case 'B':
    case 'W':
        return 2;
    case 'Q':
    case 'y':
    case 'X':
        return 4;
    case 'T':
        return 8;
    case 'Y':
        return 16;
    case 'Z':
        return 32;
    default:
        return 1;
    }
}

/* Whether a group of vector registers may begin here. That hardware refuses odd ones of a unified
 * file is what LLVM's assembler does; it is not published. */
bool gcn_vgprs_ok(const struct gcn_model *model, unsigned first, unsigned count, const char **why)
{
    const unsigned n = first % GCN_AGPR;
    *why = n + count > GCN_AGPR ? gcn_bad_operand : odd_vgpr;
    return n + count <= GCN_AGPR && (count < 2 || n % 2 == 0 || !model->unified);
}

/* Whether operand n can be a source of this type. */
bool gcn_source_ok(const struct gcn_model *model, unsigned n, char type, bool literal,
                   const char **why)
{
    const unsigned count = gcn_registers_of(type);
    if (n >= GCN_VGPR)
        return gcn_vgprs_ok(model, n - GCN_VGPR, count, why);
    *why = gcn_bad_operand;
    if (type == 'Q') /* four vector registers, never scalar ones */
        return false;
    if (n < GCN_INLINE)
        return gcn_sgprs_ok(model, n, count, why);
    if ((n > 208 && n < GCN_SHARED_BASE) || n == 249 || n == 250)
        return false;
    if (n == GCN_LITERAL)
        return literal;
    return n != GCN_LDS_DIRECT || (count == 1 && model->lds_direct);
}
