/* Facts about stock GDB's support of an architecture. See architecture.h. */
#include "frontend/rsp/architecture.h"

#include <string.h>

const struct wt_gdb_architecture *wt_gdb_architecture(const char *arch)
{
    static const struct wt_gdb_architecture riscv = {.feature = "org.gnu.gdb.riscv",
                                                     .watch_stops_before = true,
                                                     .call_pad = 0x00000013, /* nop */
                                                     .stack_alignment = 16};
    static const struct wt_gdb_architecture unknown;
    return strncmp(arch, "riscv:", 6) ? &unknown : &riscv;
}
