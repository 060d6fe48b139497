/* `wavetrap info -g gen9 --registers`: the registers of a thread. */
#include "target/gen.h"

#include <string.h>

#include "emulator/gen/gen.h"

/* ---- the forms of Intel's GDB ---- */

static void list_table(FILE *out, const struct gen_register_row *row, size_t count)
{
    fprintf(out, "%-8s %6s %5s %12s %-12s %s\n", "name", "number", "bits", "save_restore", "type",
            "group");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%-8s %6u %5u %12u %-12s %s\n", row[i].name, row[i].number, row[i].bits, 1,
                row[i].type, row[i].group ? row[i].group : "-");
}

static void list_c(FILE *out, const struct gen_register_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "tdesc_create_reg (feature, \"%s\", %u, 1, NULL, %u, \"%s\");\n", row[i].name,
                row[i].number, row[i].bits, row[i].type);
}

static void list_xml(FILE *out, const struct gen_register_row *row, size_t count)
{
    fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE feature SYSTEM \"gdb-target.dtd\">\n"
          "<feature name=\"org.gnu.gdb.intelgt.gen9\">\n",
          out);
    fputs("  <vector id=\"vec256\" type=\"uint32\" count=\"8\"/>\n"
          "  <vector id=\"state_reg\" type=\"uint32\" count=\"4\"/>\n"
          "  <vector id=\"control_reg\" type=\"uint32\" count=\"4\"/>\n",
          out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  <reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\" type=\"%s\"/>\n", row[i].name,
                row[i].bits, row[i].number, row[i].type);
    fputs("</feature>\n", out);
}

enum wt_status gen_list_registers(FILE *out, const char *form, struct wt_error *err)
{
    size_t count;
    const struct gen_register_row *row = gen_register_list(&count);
    if (!form)
        list_table(out, row, count);
    else if (strcmp(form, "xml") == 0)
        list_xml(out, row, count);
    else if (strcmp(form, "c") == 0)
        list_c(out, row, count);
    else
        return wt_fail(err, WT_INVALID, "'%s' is not a form of the register list: xml or c", form);
    return WT_OK;
}
