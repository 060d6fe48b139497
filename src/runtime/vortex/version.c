/* Which functions the program means where 2.x and 3.0 have different ones of one name. */
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/vortex/internal.h"

static atomic_uint version = 2;

bool version_is_later(void)
{
    return atomic_load(&version) == 3;
}

/* ---- what the program imports ---- */

static bool is_later(const char *name)
{
    static const char *const beginnings[] = {"vx_buffer_", "vx_device_", "vx_enqueue_",
                                             "vx_event_",  "vx_kernel_", "vx_module_",
                                             "vx_queue_",  "vx_result_", "vx_max_"};
    bool is = false;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        is |= !strncmp(name, beginnings[i], strlen(beginnings[i]));
    return is;
}

/* An object of the dynamic linker. */
struct dynamic {
    const ElfW(Sym) * symbol;
    const char *names;
    const uint32_t *hash, *gnu_hash;
};

static struct dynamic read_dynamic(const struct dl_phdr_info *object)
{
    struct dynamic d = {.symbol = NULL};
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *entry = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            const void *at = (const void *)entry->d_un.d_ptr;
            if (entry->d_tag == DT_SYMTAB)
                d.symbol = at;
            else if (entry->d_tag == DT_STRTAB)
                d.names = at;
            else if (entry->d_tag == DT_HASH)
                d.hash = at;
            else if (entry->d_tag == DT_GNU_HASH)
                d.gnu_hash = at;
        }
    }
    return d;
}

/* The undefined symbols of an object come before those in its GNU hash table. */
static int look(struct dl_phdr_info *object, size_t size, void *found)
{
    const struct dynamic d = read_dynamic(object);
    /* The vDSO's addresses are not relocated. */
    if (!d.symbol || !d.names || (!d.hash && !d.gnu_hash) ||
        (uintptr_t)d.symbol < object->dlpi_addr)
        return 0;
    const uint32_t count = d.hash ? d.hash[1] : d.gnu_hash[1];
    for (uint32_t i = 0; i < count; i++)
        if (d.symbol[i].st_shndx == SHN_UNDEF && is_later(d.names + d.symbol[i].st_name))
            *(bool *)found = true;
    return *(bool *)found;
}

static bool imports_later(void)
{
    bool found = false;
    dl_iterate_phdr(look, &found);
    return found;
}

enum wt_status door_configure(struct gpu *g, struct wt_error *err)
{
    if (!g->config.profile_given && imports_later())
        vx_config_use_profile(&g->config, vx_profile_named("v3"));
    if (!g->number)
        atomic_store(&version, g->config.profile->launch_unit ? 3 : 2);
    return WT_OK;
}
