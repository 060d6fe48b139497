/* Code objects in other files. See contained.h. */
#include "object/contained.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "object/code_object.h"

enum {
    HEADER = 64, /* header of an ELF file of 64 bits */
    OSABI_AMDGPU_HSA = 64,
    E_MACHINE = 18,
    E_SECTIONS = 40,
    E_FLAGS = 48,
    E_SECTION_SIZE = 58,
    E_SECTION_COUNT = 60,
    ABI_VERSION = 8,
    MACH = 0xff,   /* EF_AMDGPU_MACH */
    XNACK = 0x300, /* EF_AMDGPU_FEATURE_XNACK_V4 */
    XNACK_OFF = 0x200,
    XNACK_ON = 0x300,
    XNACK_V3 = 0x100, /* EF_AMDGPU_FEATURE_XNACK_V3 */
    SRAMECC = 0xc00,  /* EF_AMDGPU_FEATURE_SRAMECC_V4 */
    SRAMECC_OFF = 0x800,
    SRAMECC_ON = 0xc00,
    SRAMECC_V3 = 0x200, /* EF_AMDGPU_FEATURE_SRAMECC_V3 */
    ABI_OF_GENERIC = 4, /* version 6 */
};

static void describe(const uint8_t *start, const struct gcn_target *target,
                     struct gcn_contained *found)
{
    const uint32_t flags = (uint32_t)wt_load_le(start + E_FLAGS, 4);
    const bool old = start[ABI_VERSION] < 2; /* version 3 and older */
    const bool on = old ? flags & XNACK_V3 : (flags & XNACK) == XNACK_ON;
    const bool ecc = old ? flags & SRAMECC_V3 : (flags & SRAMECC) == SRAMECC_ON;
    const char *xnack = on ? ":xnack+" : !old && (flags & XNACK) == XNACK_OFF ? ":xnack-" : "";
    const char *sram = ecc                                        ? ":sramecc+"
                       : !old && (flags & SRAMECC) == SRAMECC_OFF ? ":sramecc-"
                                                                  : "";
    const char *name = gcn_machine_name(flags & MACH);
    char features[24];
    snprintf(features, sizeof features, "%s%s", sram, xnack);
    if (name)
        snprintf(found->target, sizeof found->target, "%s%s", name, features);
    else
        snprintf(found->target, sizeof found->target, "AMD machine 0x%02x%s", flags & MACH,
                 features);
    found->usable = ((flags & MACH) == target->machine ||
                     (target->generic && start[ABI_VERSION] >= ABI_OF_GENERIC &&
                      (flags & MACH) == target->generic)) &&
                    gcn_target_takes(target, features, strlen(features));
}

/* The bytes of the code object that begins here, up to the end of its section headers, which
 * linkers put last; 0: there is none. */
static size_t size_at(const uint8_t *start, size_t room)
{
    if (room < HEADER || start[4] != 2 || start[5] != 1 || start[7] != OSABI_AMDGPU_HSA ||
        wt_load_le(start + E_MACHINE, 2) != GCN_ELF_MACHINE)
        return 0;
    const uint64_t sections = wt_load_le(start + E_SECTIONS, 8);
    const uint64_t size =
        wt_load_le(start + E_SECTION_SIZE, 2) * wt_load_le(start + E_SECTION_COUNT, 2);
    if (sections > room || size > room - sections || sections + size < HEADER)
        return 0;
    return (size_t)(sections + size);
}

bool gcn_contained_next(const uint8_t *bytes, size_t length, const struct gcn_target *target,
                        size_t *at, struct gcn_contained *found)
{
    while (*at < length) {
        const uint8_t *start = memmem(bytes + *at, length - *at, "\177ELF", 4);
        if (!start)
            break;
        const size_t offset = (size_t)(start - bytes), size = size_at(start, length - offset);
        *at = offset + (size ? size : 4);
        if (!size)
            continue;
        assert(size >= HEADER && size <= length - offset);
        *found = (struct gcn_contained){.bytes = start, .size = size};
        describe(start, target, found);
        return true;
    }
    *at = length;
    return false;
}

bool gcn_contained_list(const uint8_t *bytes, size_t length, const struct gcn_target *target,
                        char *held, size_t size)
{
    struct gcn_contained found;
    size_t used = 0;
    *held = 0;
    for (size_t at = 0; gcn_contained_next(bytes, length, target, &at, &found);) {
        if (found.usable)
            return false;
        if (!strstr(held, found.target) && used < size)
            used +=
                (size_t)snprintf(held + used, size - used, "%s%s", used ? ", " : "", found.target);
    }
    return *held;
}
