/* Finding textures by their handles, and reading texels. See texture_access.h. */
#include "emulator/sm/texture_access.h"

#include <string.h>

#include "emulator/sm/memory_access.h"

bool sm_texture_read(void *context, uint64_t address, unsigned size, uint8_t *bytes)
{
    struct sm_texture_lane *r = context;
    struct sm_access a;
    sm_access_begin(&a, 1u << r->lane, size, WT_WATCH_READ);
    if (sm_has_judge(r->w)) {
        uint64_t at[SM_LANES] = {0};
        at[r->lane] = address;
        sm_access_judge(r->w, r->u, SM_JUDGED_GLOBAL, &a, at);
        if (a.refused) {
            memset(bytes, 0, size);
            return true;
        }
    }
    sm_reach_global(r->w, r->lane, address, false, &a);
    if (!sm_access_good(r->w, r->u, &a, &r->next))
        return false;
    sm_load_bytes(r->w, r->u, &a, r->lane, bytes);
    return true;
}

bool sm_texture_may_store(struct sm_texture_lane *r, uint64_t address, unsigned size)
{
    uint64_t at[SM_LANES] = {0};
    at[r->lane] = address;
    return !sm_has_judge(r->w) ||
           !sm_judge(r->w, r->u, WT_WATCH_WRITE, SM_JUDGED_GLOBAL, 1u << r->lane, at, size);
}

bool sm_texture_find(struct sm_texture_lane *r, uint64_t handle, struct sm_texture_found *found)
{
    struct sm_device *d = r->w->device;
    uint8_t bytes[SM_TEXTURE_BYTES];
    if (found->known && found->handle == handle)
        return true;
    found->handle = handle;
    found->known = handle % SM_TEXTURE_BYTES == 0 && sm_mapped(d, handle, sizeof bytes, false);
    if (found->known) {
        wt_memory_read(d->machine.memory, handle, bytes, sizeof bytes);
        found->known = sm_texture_load(bytes, &found->texture);
    }
    if (!found->known)
        r->next =
            sm_error(r->w, r->u, SM_ILLEGAL_INSTR_PARAM, 1u << r->lane, handle,
                     "0x%llx is the handle of no texture or surface", (unsigned long long)handle);
    return found->known;
}

bool sm_texture_has_shape(struct sm_texture_lane *r, const struct sm_texture *t,
                          unsigned dimensions, bool layered)
{
    if (t->dimensions == dimensions && !(t->flags & SM_TEXTURE_LAYERED) == !layered)
        return true;
    r->next = sm_error(r->w, r->u, SM_ILLEGAL_INSTR_PARAM, 1u << r->lane, 0,
                       "the texture or surface has %u dimensions%s", t->dimensions,
                       t->flags & SM_TEXTURE_LAYERED ? " and layers" : "");
    return false;
}
