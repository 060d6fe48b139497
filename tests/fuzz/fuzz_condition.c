/*
 * Fuzz target: the code of breakpoints that a debugger sends to the process of a program. Bytes are
 * refused, or end for each lane.
 */
#include "../unit/condition_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct wt_machine *machine;
    if (!machine)
        machine = condition_machine();
    condition_any(machine, data, size);
    return 0;
}
