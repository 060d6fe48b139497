/* PTX: the readable form of an image: texts of instructions, names of registers. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "emulator/sm/sass/isa.h"
#include "emulator/sm/ptx/image.h"

const struct sm_ptx *ptx_image_at(const struct sm_device *d, uint64_t pc, uint32_t *index)
{
    for (size_t i = 0; i < d->image_count; i++)
        if (ptx_index(d->image[i], pc, index))
            return d->image[i];
    return NULL;
}

uint64_t ptx_word(const struct sm_ptx *image, uint32_t index)
{
    static const struct {
        sm_op run;
        enum ptx_word_kind kind;
    } kinds[] = {
        {ptx_op_bra, PTX_WORD_BRANCH},
        {ptx_op_brx, PTX_WORD_BRANCH},
        {ptx_op_call, PTX_WORD_CALL},
        {ptx_op_call_register, PTX_WORD_CALL},
        {ptx_op_ret, PTX_WORD_RETURN},
        {ptx_op_exit, PTX_WORD_END},
        {ptx_op_trap, PTX_WORD_TRAP},
        {ptx_op_barrier, PTX_WORD_BARRIER},
        {ptx_op_warp_barrier, PTX_WORD_BARRIER},
    };
    uint64_t kind = PTX_WORD_PLAIN;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (image->op[index].run == kinds[i].run)
            kind = kinds[i].kind;
    if (kind == PTX_WORD_END && image->op[index].guard != PTX_NO_SLOT)
        kind = PTX_WORD_BRANCH;
    return PTX_WORD | kind << PTX_WORD_KIND | index;
}

/* White space of any length and kind is one space. */
void ptx_record_text(const struct sm_ptx *image, uint32_t index, char *text, size_t size)
{
    const struct ptx_op *o = &image->op[index];
    size_t used = 0;
    bool space = false;
    assert(size);
    for (uint32_t i = 0; i < o->text.length && used + 3 < size; i++) {
        const char c = o->text.at[i];
        if (isspace((unsigned char)c)) {
            space = used > 0;
            continue;
        }
        if (space)
            text[used++] = ' ';
        space = false;
        text[used++] = c;
    }
    if (o->run == ptx_op_join && used + 1 < size)
        text[used++] = ':';
    text[used] = 0;
}

static const struct ptx_function_info *function_of(const struct sm_ptx *image, uint32_t index,
                                                   uint32_t *number)
{
    for (size_t i = 0; i < image->function_count; i++)
        if (index >= image->function[i].entry && index < image->function[i].end) {
            *number = (uint32_t)i;
            return &image->function[i];
        }
    return NULL;
}

bool ptx_register_at(const struct sm_ptx *image, uint32_t index, size_t n,
                     struct sm_ptx_register *row)
{
    uint32_t function;
    if (!function_of(image, index, &function))
        return false;
    for (size_t i = 0; i < image->reg_count; i++) {
        const struct ptx_register *r = &image->reg[i];
        const size_t count = (r->range ? r->range : 1) * (size_t)r->vector;
        if (r->function != function || !r->name.length)
            continue;
        if (n >= count) {
            n -= count;
            continue;
        }
        char number[12] = "", component[3] = "";
        if (r->range)
            snprintf(number, sizeof number, "%u", (unsigned)(n / r->vector));
        if (r->vector > 1)
            snprintf(component, sizeof component, ".%c", "xyzw"[n % r->vector]);
        snprintf(row->name, sizeof row->name, "%.*s%s%s",
                 (int)(r->name.length > 40 ? 40 : r->name.length), r->name.at, number, component);
        row->bytes = r->bytes;
        row->is_float = r->is_float;
        row->slot = r->slot + (uint32_t)n * (r->bytes ? r->bytes / 4 * PTX_ROW_BYTES : 4);
        return true;
    }
    return false;
}

bool sm_ptx_register_at(const struct sm_ptx *image, uint64_t pc, size_t n,
                        struct sm_ptx_register *reg)
{
    uint32_t index;
    pc &= ~UINT64_C(7);
    if (sm_is_control(pc)) /* the last byte of the instruction in front of it, and its word */
        pc -= 8;
    return ptx_index(image, pc, &index) && ptx_register_at(image, index, n, reg);
}

bool sm_ptx_parameter_at(const struct sm_ptx *image, uint64_t pc, size_t n,
                         struct sm_ptx_part *part)
{
    const struct sm_ptx_kernel *k = NULL;
    uint32_t index, dword = 0;
    pc &= ~UINT64_C(7);
    if (!ptx_index(image, sm_is_control(pc) ? pc - 8 : pc, &index))
        return false;
    for (size_t i = 0; i < image->kernel_count && !k; i++)
        if (pc >= image->kernel[i].entry && pc < image->kernel[i].end)
            k = &image->kernel[i];
    for (unsigned i = 0; k && i < k->parameter_count; i++) {
        const struct sm_ptx_parameter *p = &k->parameter[i];
        const uint32_t dwords = (p->size + 3) / 4, parts = k->is_kernel ? 1 : dwords;
        if (n >= parts) {
            n -= parts;
            dword += dwords;
            continue;
        }
        *part = (struct sm_ptx_part){.name = p->name,
                                     .number = i,
                                     .is_kernels = k->is_kernel,
                                     .offset = p->offset,
                                     .size = p->size,
                                     .dword = (uint32_t)n};
        part->slot = (PTX_PARAMETER_ROW + k->result_rows + dword + part->dword) * PTX_ROW_BYTES;
        return true;
    }
    return false;
}

bool sm_ptx_result_at(const struct sm_ptx *image, uint64_t pc, size_t n,
                      struct sm_ptx_register *reg)
{
    uint32_t index, here, before;
    if (!ptx_index(image, pc, &index) || !index || !function_of(image, index, &here) ||
        !function_of(image, index - 1, &before) || here != before)
        return false;
    const struct ptx_op *o = &image->op[index - 1];
    if (o->run != ptx_op_call && o->run != ptx_op_call_register)
        return false;
    const struct ptx_call *c = &image->call[o->index];
    if (n >= c->result_count || c->result[n] == PTX_NO_SLOT)
        return false;
    *reg = (struct sm_ptx_register){.slot = c->result[n], .bytes = 4};
    snprintf(reg->name, sizeof reg->name, "%%retval%u", (unsigned)n);
    return true;
}

bool sm_ptx_instruction_text(const struct sm_ptx *image, uint64_t pc, uint64_t word, char *text,
                             size_t size)
{
    uint32_t index;
    if (!ptx_index(image, pc, &index) || word != ptx_word(image, index))
        return false;
    ptx_record_text(image, index, text, size);
    return true;
}

void sm_device_instruction_text(struct sm_device *d, uint64_t pc, uint64_t word, char *text,
                                size_t size)
{
    uint32_t index;
    const struct sm_ptx *image = ptx_image_at(d, pc, &index);
    if (image && word == ptx_word(image, index))
        ptx_record_text(image, index, text, size);
    else
        sm_disassemble(word, pc, 0, text, size);
}

bool sm_device_instruction(struct sm_device *d, uint64_t pc, char *text, size_t size)
{
    uint8_t bytes[8];
    /* In a host process, memory that is not mapped cannot be read. */
    if (!sm_mapped(d, pc, sizeof bytes, false) || !sm_device_read(d, pc, bytes, sizeof bytes))
        return false;
    sm_device_instruction_text(d, pc, wt_load_le(bytes, 8), text, size);
    return true;
}

/* PTX says of an instruction that it approximates: "ex2.approx.f32 %f1, %f2". */
static void note_near(struct wt_near *near, const struct ptx_op *o)
{
    char opcode[WT_NEAR_NAME];
    snprintf(opcode, sizeof opcode, "%.*s", (int)o->text.length, o->text.at);
    opcode[strcspn(opcode, " \t")] = 0;
    if (strstr(opcode, ".approx") || strstr(opcode, ".full"))
        wt_near_add(near, opcode, strlen(opcode));
}

bool ptx_decode(struct sm_device *d, uint64_t pc, struct sm_uop *slot)
{
    for (size_t i = 0; (slot->word & PTX_WORD_MASK) == PTX_WORD && i < d->image_count; i++) {
        const struct sm_ptx *image = d->image[i];
        uint32_t index;
        if (!ptx_index(image, pc, &index) || index != (uint32_t)slot->word)
            continue;
        slot->ptx = &image->op[index];
        slot->run = slot->ptx->run;
        note_near(&d->near, slot->ptx);
        return true;
    }
    return false;
}
