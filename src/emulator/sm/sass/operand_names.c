/* The names of registers and memory that instructions read and write. See operands.h. */
#include "emulator/sm/operands.h"

#include <inttypes.h>
#include <stdio.h>

#include "emulator/machine/operands.h"
#include "emulator/sm/ptx/image.h"

const struct wt_operand_file sm_operand_files[] = {
    [SM_FILE_R] = {8, false}, [SM_FILE_STATE] = {8, false}, [SM_FILE_SPECIAL] = {0, false}};

bool sm_find_operand(const char *name, struct wt_insn_operand *o)
{
    unsigned number;
    int end = 0;
    *o =
        (struct wt_insn_operand){.kind = WT_OPERAND_ROW, .file = SM_FILE_R, .bits = 32, .step = 32};
    if (!*name)
        return true;
    if (sscanf(name, "R%u%n", &number, &end) == 1 && !name[end] && number < SM_RZ) {
        o->number = number * PTX_ROW_BYTES;
        return true;
    }
    if (sscanf(name, "P%u%n", &number, &end) == 1 && !name[end] && number < 7) {
        *o = (struct wt_insn_operand){.kind = WT_OPERAND_SCALAR,
                                      .file = SM_FILE_STATE,
                                      .by_lane = true,
                                      .bits = 32,
                                      .number = 4 * number};
        return true;
    }
    return false;
}

static void memory_name(const struct wt_insn_operand *x, char *text, size_t size)
{
    static const char *const memories[] = {
        [SM_FILE_MEMORY] = "memory",
        [SM_FILE_GLOBAL] = "global memory a lane",
        [SM_FILE_GENERIC] = "global, shared or local memory a lane",
        [SM_FILE_SHARED] = "shared memory a lane",
        [SM_FILE_LOCAL] = "local memory a lane",
        [SM_FILE_BANK] = "constant memory a lane",
        [SM_FILE_IMAGE] = "a texture or surface a lane",
    };
    if (x->file == SM_FILE_CONSTANT)
        snprintf(text, size, "c[0x%x][0x%" PRIx64 "], once for the warp", x->number,
                 (uint64_t)x->value);
    else if (x->file == SM_FILE_BANK)
        snprintf(text, size, "%s, bank %u, offset %" PRId64, memories[x->file], x->number,
                 x->value);
    else
        snprintf(text, size, x->value ? "%s, offset %" PRId64 : "%s", memories[x->file], x->value);
}

static void special_name(unsigned number, char *text, size_t size)
{
    static const char *const names[] = {"the PC", "the call-return stack", "the active lanes",
                                        "the trap unit", "the base of local memory"};
    const char *name = sm_special_name(number);
    if (number >= SM_SPECIAL_PC)
        snprintf(text, size, "%s", names[number - SM_SPECIAL_PC]);
    else if (name)
        snprintf(text, size, "SR_%s", name);
    else
        snprintf(text, size, "SR%u", number);
}

void sm_operand_name(const struct wt_insn_operand *x, char *text, size_t size)
{
    static const char *const states[] = {"CC.Z", "CC.S", "CC.C", "CC.O", "the barrier's result"};
    const uint32_t row = x->number / PTX_ROW_BYTES;
    if (x->kind == WT_OPERAND_MEMORY)
        memory_name(x, text, size);
    else if (x->file == SM_FILE_SPECIAL)
        special_name(x->number, text, size);
    else if (x->file == SM_FILE_STATE && x->number < SM_STATE_ZERO)
        snprintf(text, size, "P%u", x->number / 4);
    else if (x->file == SM_FILE_STATE)
        snprintf(text, size, "%s", states[(x->number - SM_STATE_ZERO) / 4 % 5]);
    else
        snprintf(text, size, row < SM_RZ ? "R%u" : "row %u", row);
}
