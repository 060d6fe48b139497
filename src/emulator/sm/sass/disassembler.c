/* Prints a cubin as a file of SASS. See assembler.h. */
#include "emulator/sm/sass/assembler.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/sm/sass/isa.h"

static void print_constants(const struct cubin_function *f, FILE *out)
{
    for (unsigned b = 2; b < CUBIN_BANKS; b++) {
        for (uint32_t at = 0; at + 4 <= f->bank_size[b]; at += 4) {
            if (at % 16 == 0)
                fprintf(out, "%s.const %u,0x%x ", at ? "\n" : "", b, at);
            fprintf(out, "%s0x%08" PRIx64, at % 16 ? ", " : "", wt_load_le(f->bank[b] + at, 4));
        }
        if (f->bank_size[b] >= 4)
            fputc('\n', out);
    }
}

static void print_variables(const struct cubin *c, FILE *out)
{
    for (size_t i = 0; i < c->variable_count; i++) {
        const struct cubin_variable *v = &c->variable[i];
        const uint8_t *bytes = v->is_constant ? c->bank3 : c->data;
        fprintf(out, "%s %s 0x%" PRIx64, v->is_constant ? ".constant" : ".global", v->name,
                v->size);
        uint64_t end = v->size / 4 * 4;
        while (end && !wt_load_le(bytes + v->offset + end - 4, 4))
            end -= 4;
        if (!end && !v->is_constant && v->offset < c->initialized && v->size >= 4)
            end = 4; /* it is among those that have values */
        for (uint64_t at = 0; at < end; at += 4)
            fprintf(out, "%s0x%08" PRIx64, at ? ", " : " ", wt_load_le(bytes + v->offset + at, 4));
        fputs(v->size % 4 ? " // bytes after the last dword are lost\n" : "\n", out);
    }
}

/* The relocation of an instruction; NULL: it has none. */
static const struct cubin_relocation *relocation_at(const struct cubin *c, size_t function,
                                                    uint64_t offset)
{
    for (size_t i = 0; i < c->relocation_count; i++) {
        const struct cubin_relocation *p = &c->relocation[i];
        if (p->part == CUBIN_CODE && p->function == function && p->offset == offset)
            return p;
    }
    return NULL;
}

/* "MOV32I R2, 0x0" with the name of what the address is of; false: it has no such place. */
static bool name_address(const struct cubin *c, const struct cubin_relocation *p, char *text,
                         size_t size)
{
    char *last = strrchr(text, ',');
    const char *name = p->to_function ? c->function[p->target].name : c->variable[p->target].name;
    if (!last || strncmp(last, ", 0x", 4) != 0 || p->addend ||
        (p->field != CUBIN_LOW_20 && p->field != CUBIN_HIGH_20) || strlen(name) >= SM_NAME_BYTES)
        return false;
    snprintf(last, size - (size_t)(last - text), ", 32@%s(%s)",
             p->field == CUBIN_LOW_20 ? "lo" : "hi", name);
    return true;
}

/* A word that the text does not say exactly (it has bits without a meaning) is printed as a number.
 */
static void print_instruction(uint64_t word, uint64_t pc, struct sm_control control,
                              const struct cubin *c, size_t function, FILE *out)
{
    char text[400], what[40];
    uint64_t again = 0;
    unsigned reuse = 0;
    size_t column;
    sm_disassemble(word, pc, control.reuse, text, sizeof text);
    const bool exact =
        sm_assemble(text, pc, NULL, NULL, &again, &reuse, &column, WT_IGNORED) == WT_OK &&
        again == word && reuse == control.reuse &&
        !(word >> 52 == 0xe3a && control.stall < SM_BPT_STALL);
    sm_control_text(control, what, sizeof what);
    const struct cubin_relocation *p = relocation_at(c, function, pc);
    if (p && !name_address(c, p, text, sizeof text))
        fprintf(out, "    // an address of '%s' belongs here: it is lost\n",
                p->to_function ? c->function[p->target].name : c->variable[p->target].name);
    if (exact)
        fprintf(out, "    %s /*%04" PRIx64 "*/ %s;\n", what, pc, text);
    else
        fprintf(out, "    %.*s:U%x] /*%04" PRIx64 "*/ .quad 0x%016" PRIx64 "; // %s\n",
                (int)strlen(what) - 1, what, control.reuse, pc, word, text);
}

static void print_function(const struct cubin *c, const struct cubin_function *f, FILE *out)
{
    fprintf(out, "%s %s\n", f->is_kernel ? ".kernel" : ".handler", f->name);
    for (size_t i = 0; i < f->parameter_count; i++)
        fprintf(out, ".param %u    // c[0x0][0x%x]\n", f->parameter[i].size,
                CUBIN_PARAMETERS + f->parameter[i].offset);
    if (f->registers)
        fprintf(out, ".reg %u\n", f->registers);
    if (f->shared)
        fprintf(out, ".shared 0x%x\n", f->shared);
    if (f->local)
        fprintf(out, ".local 0x%x\n", f->local);
    print_constants(f, out);
    for (uint64_t at = 0; at + SM_BUNDLE <= f->size; at += SM_BUNDLE) {
        const uint8_t *bundle = c->code + f->code + at;
        const uint64_t control = wt_load_le(bundle, 8);
        for (unsigned i = 0; i < 3; i++) {
            print_instruction(wt_load_le(bundle + 8 + 8 * i, 8), at + 8 + 8 * i,
                              sm_control_get(control, i), c, (size_t)(f - c->function), out);
        }
    }
}

void sm_disassemble_file(const struct cubin *c, FILE *out)
{
    print_variables(c, out);
    for (size_t i = 0; i < c->function_count; i++) {
        if (i || c->variable_count)
            fputc('\n', out);
        print_function(c, &c->function[i], out);
    }
}
