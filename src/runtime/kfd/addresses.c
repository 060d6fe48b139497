/* Describes addresses that a GPU may not use, for the reports of faults. */
#include "runtime/kfd/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fault.h"
#include "check/objects.h"

bool host_mapping_at(uint64_t addr, struct host_mapping *mapping)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[1200];
    bool found = false;
    while (maps && !found && fgets(line, sizeof line, maps)) {
        char access[5];
        int name = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %n", &mapping->first,
                   &mapping->end, access, &name) < 3 ||
            addr < mapping->first || addr >= mapping->end)
            continue;
        found = true;
        mapping->readable = access[0] == 'r';
        mapping->writable = access[1] == 'w';
        mapping->usable = strncmp(access, "---", 3) != 0;
        line[strcspn(line, "\n")] = 0;
        snprintf(mapping->name, sizeof mapping->name, "%s", name ? line + name : "");
    }
    if (maps)
        fclose(maps);
    return found;
}

/* Memory that the program has from elsewhere than the runtime. */
static void tell_mapping(const struct host_mapping *mapping, const struct host_gpu *gpu, char *text,
                         size_t size)
{
    const bool could = gpu->config.model->target.xnack && !gpu->host->xnack;
    const bool named = *mapping->name == '/', stack = strcmp(mapping->name, "[stack]") == 0;
    if (gpu->host->xnack)
        snprintf(text, size, "the program's own memory%s%s, which it may not write itself",
                 named ? ": " : "", named ? mapping->name : "");
    else if (named || stack)
        snprintf(text, size, "the program's own memory: %s, which GPUs may not use%s",
                 named ? mapping->name : "its stack", could ? " without HSA_XNACK=1" : "");
    else
        snprintf(text, size,
                 "the program's own memory, which it has neither allocated nor registered for "
                 "GPUs (hipMalloc, hipHostMalloc, hipHostRegister%s)",
                 could ? ", or HSA_XNACK=1" : "");
}

void host_explain_fault(struct host *host, uint32_t gpu, uint64_t addr, char *text, size_t size)
{
    struct wt_object user, before, behind;
    struct host_mapping mapping;
    *text = 0;
    /* Its GPU's lock is held, which is taken behind this one: then nothing is said. */
    if (pthread_mutex_trylock(&host->lock))
        return;
    const struct host_allocation *block, *a = host_memory_find(host, addr, &block);
    const bool known = wt_object_find(NULL, addr, &user, &before, &behind);
    const bool is_hidden = a && !(a->shown >> gpu & 1);
    /* A reservation of the runtime itself on this GPU is not reported as an allocation, nor is the
     * room from which it maps private memory. */
    const bool is_none =
        !a || a->flags.ui32.Scratch || (is_hidden && a->node == host->gpu[gpu].node);
    if (a && addr - a->gpu_addr >= a->size)
        snprintf(text, size,
                 "the program's address of registered memory, which GPUs have at 0x%" PRIx64
                 " (hipHostGetDevicePointer)",
                 a->gpu_addr + (addr - a->addr));
    else if (is_hidden && !is_none)
        snprintf(text, size,
                 "memory of node %u, which this GPU may not use (hipDeviceEnablePeerAccess)",
                 a->node);
    else if (!a && host_mapping_at(addr, &mapping) && mapping.usable)
        tell_mapping(&mapping, &host->gpu[gpu], text, size);
    else if (is_none && known && user.freed)
        snprintf(text, size,
                 "byte %" PRIu64 " of an allocation of %" PRIu64 " bytes at 0x%" PRIx64
                 ", which the program has freed",
                 addr - user.addr, user.size, user.addr);
    else if (is_none)
        wt_fault_near(addr,
                      /* Without knowledge of the program: an allocation of the runtime. */
                      before.size ? (struct wt_block){before.addr, before.size}
                      : block     ? (struct wt_block){block->gpu_addr, block->size}
                                  : (struct wt_block){0},
                      (struct wt_block){behind.addr, behind.size}, text, size);
    pthread_mutex_unlock(&host->lock);
}
