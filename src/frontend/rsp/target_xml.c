/* Descriptions of the device for clients: registers (GDB manual, appendix G) and memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/rsp/session.h"

/*
 * The feature that a register set belongs to: the name that stock GDB knows, or a name of ours.
 */
static void put_feature_name(FILE *out, const struct wt_topology *t, const char *set)
{
    const char *feature = wt_gdb_architecture(t->arch)->feature;
    const bool standard = !strcmp(set, "cpu") || !strcmp(set, "fpu") || !strcmp(set, "csr");
    if (feature && standard)
        fprintf(out, "%s.%s", feature, set);
    else if (!strcmp(set, WT_ADDED_SET))
        fputs("org.wavetrap.place", out);
    else if (!strcmp(set, t->family))
        fprintf(out, "org.wavetrap.%s.csr", t->family);
    else
        fprintf(out, "org.wavetrap.%s.%s", t->family, set);
}

/* Of registers wider than GDB's scalars: a vector of 32-bit elements, "v64i32" (GDB manual, G.2).
 */
static void put_vector_type(FILE *out, const struct wt_topology *t, size_t first, const char *set)
{
    for (size_t i = first; i < t->register_count; i++) {
        const struct wt_register *r = &t->registers[i];
        bool seen = r->bits <= 64 || r->bits % 32 || strcmp(r->set, set) != 0;
        for (size_t k = first; k < i && !seen; k++)
            seen = t->registers[k].bits == r->bits && strcmp(t->registers[k].set, set) == 0;
        if (!seen)
            fprintf(out, "<vector id=\"v%ui32\" type=\"uint32\" count=\"%u\"/>\n", r->bits / 32,
                    r->bits / 32);
    }
}

static const char *type_name(const struct wt_register *r, char *vector, size_t size)
{
    if (r->bits > 64 && r->bits % 32 == 0) {
        snprintf(vector, size, "v%ui32", r->bits / 32);
        return vector;
    }
    switch (r->type) {
    case WT_REG_CODE_PTR:
        return "code_ptr";
    case WT_REG_DATA_PTR:
        return "data_ptr";
    case WT_REG_FLOAT:
        return r->bits == 64 ? "ieee_double" : "ieee_single";
    case WT_REG_FLOAT_UNION:
        /* GDB itself shows an f register of this size as a union of both. */
        return "ieee_double";
    case WT_REG_UINT:
        return r->bits == 64 ? "uint64" : "uint32";
    default:
        return "int";
    }
}

/* Attributes of a register that LLDB needs in addition to the name. */
static void put_lldb_hints(FILE *out, const struct wt_topology *t, const struct wt_register *r)
{
    static const char *const generic[] = {
        [WT_ROLE_PC] = "pc", [WT_ROLE_SP] = "sp", [WT_ROLE_FP] = "fp", [WT_ROLE_RA] = "ra"};
    const bool general = strcmp(r->set, t->registers[t->pc_index].set) == 0;
    if (general && r->alt_name)
        fprintf(out, " altname=\"%s\"", r->alt_name);
    if (r->role == WT_ROLE_ARGUMENT)
        fprintf(out, " generic=\"arg%u\"", r->argument);
    else if (r->role < sizeof generic / sizeof *generic && generic[r->role])
        fprintf(out, " generic=\"%s\"", generic[r->role]);
    /* It knows neither their numbers in DWARF nor the names of GDB's types of floating point. */
    if (r->dwarf >= 0)
        fprintf(out, " dwarf_regnum=\"%d\" ehframe_regnum=\"%d\"", r->dwarf, r->dwarf);
    if (r->bits <= 64 && (r->type == WT_REG_FLOAT || r->type == WT_REG_FLOAT_UNION))
        fputs(" encoding=\"ieee754\" format=\"float\"", out);
}

/* For LLDB, which has no unions of registers: the single-precision number in the lower half of one
 * that holds either. It is read as part of that one, under a number that nothing else has. */
static void put_lldb_singles(FILE *out, const struct wt_topology *t, const char *set)
{
    unsigned number = 0;
    for (size_t i = 0; i < t->register_count; i++)
        number = t->registers[i].number > number ? t->registers[i].number : number;
    for (size_t i = 0; i < t->register_count; i++) {
        const struct wt_register *r = &t->registers[i];
        number++;
        if (r->type == WT_REG_FLOAT_UNION && r->bits == 64 && strcmp(r->set, set) == 0)
            fprintf(
                out,
                "<reg name=\"%s_single\" bitsize=\"32\" regnum=\"%u\" type=\"ieee_single\" "
                "encoding=\"ieee754\" format=\"float\" group=\"float\" value_regnums=\"%u\"/>\n",
                r->name, number, r->number);
    }
}

char *wt_rsp_target_xml(const struct wt_topology *t, bool lldb, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out)
        return NULL;
    fprintf(out,
            "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target>\n"
            "<architecture>%s</architecture>\n<osabi>none</osabi>\n",
            t->arch);
    /* One feature for each set, in the order in which the sets first appear. */
    for (size_t i = 0; i < t->register_count; i++) {
        const char *set = t->registers[i].set;
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = strcmp(t->registers[k].set, set) == 0;
        if (seen)
            continue;
        fputs("<feature name=\"", out);
        put_feature_name(out, t, set);
        fputs("\">\n", out);
        put_vector_type(out, t, i, set);
        for (size_t k = i; k < t->register_count; k++) {
            const struct wt_register *r = &t->registers[k];
            if (strcmp(r->set, set) != 0)
                continue;
            char vector[16];
            fprintf(out, "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\" type=\"%s\"", r->name,
                    r->bits, r->number, type_name(r, vector, sizeof vector));
            if (!strcmp(set, "cpu"))
                fputs(" group=\"general\"", out);
            else if (!strcmp(set, "fpu"))
                fputs(" group=\"float\"", out);
            else if (!strcmp(set,
                             WT_ADDED_SET)) /* a group of its own: not among the general ones */
                fputs(" save-restore=\"no\" group=\"place\"", out);
            else /* GDB does not put them back after a function that it called */
                fputs(" save-restore=\"no\"", out);
            if (lldb)
                put_lldb_hints(out, t, r);
            fputs("/>\n", out);
        }
        if (lldb)
            put_lldb_singles(out, t, set);
        fputs("</feature>\n", out);
    }
    fputs("</target>\n", out);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

char *wt_rsp_memory_map(const struct wt_topology *t, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out)
        return NULL;
    fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory "
          "Map V1.0//EN\" \"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n",
          out);
    /* The size of a whole 64-bit space does not fit a 64-bit number: two halves. */
    if (t->address_bits == 64)
        fputs("<memory type=\"ram\" start=\"0x0\" length=\"0x8000000000000000\"/>\n"
              "<memory type=\"ram\" start=\"0x8000000000000000\" "
              "length=\"0x8000000000000000\"/>\n",
              out);
    else
        fputs("<memory type=\"ram\" start=\"0x0\" length=\"0x100000000\"/>\n", out);
    fputs("</memory-map>\n", out);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}
