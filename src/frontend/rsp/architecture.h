/* Facts about stock GDB's support of an architecture. */
#ifndef WT_FRONTEND_RSP_ARCHITECTURE_H
#define WT_FRONTEND_RSP_ARCHITECTURE_H

#include <stdbool.h>
#include <stdint.h>

struct wt_gdb_architecture {
    /** GDB's own features are called this, a dot and the name of a register set, for the sets
     * "cpu", "fpu" and "csr". NULL: GDB has none. */
    const char *feature;
    /** GDB expects that a watchpoint stops before the access
     * (gdbarch_have_nonsteppable_watchpoint).
     */
    bool watch_stops_before;
    /** The instruction that GDB writes below the stack pointer for a call of a function
     *  (gdbarch_push_dummy_code); 0: it writes none. */
    uint32_t call_pad;
    unsigned stack_alignment; /**< bytes; of the address of `call_pad` */
};

/** The facts of an architecture, by GDB's name of it. Never NULL: all 0 for an unknown one. */
const struct wt_gdb_architecture *wt_gdb_architecture(const char *arch);

#endif
