/* Memory of GPUs as blocks (check/objects.h), where it is checked. */
#include "check/objects.h"
#include "runtime/common/checked.h"
#include "runtime/kfd/host.h"

void host_block_made(uint64_t addr, uint64_t size)
{
    if (wt_check_wants(WT_CHECK_MEMORY))
        wt_block_made(NULL, addr, size);
}

void host_block_gone(uint64_t addr)
{
    if (wt_check_wants(WT_CHECK_MEMORY))
        wt_block_gone(NULL, addr);
}
