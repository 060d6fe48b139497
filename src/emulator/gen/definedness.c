/* Definedness: values of registers, and those that a walker leaves without one. */
#include "emulator/gen/internal.h"

#include "emulator/gen/operands.h"

bool gen_read_cell(struct wt_machine *m, uint32_t wave, unsigned file, uint64_t cell,
                   uint32_t *value)
{
    enum { BYTES = 4 };
    const struct gen_registers *g = ((const struct gen_device *)m)->thread[wave].g;
    const struct {
        const uint8_t *bytes;
        size_t size;
    } files[] = {[GEN_FILE_R] = {g ? g->r : NULL, sizeof g->r},
                 [GEN_FILE_ACC] = {g ? g->acc[0] : NULL, sizeof g->acc},
                 [GEN_FILE_A] = {g ? g->a0 : NULL, sizeof g->a0},
                 [GEN_FILE_F] = {g ? (const uint8_t *)g->f : NULL, sizeof g->f}};
    *value = 0;
    if (!g || file >= sizeof files / sizeof *files || cell >= files[file].size / BYTES)
        return false;
    *value = (uint32_t)wt_load_le(files[file].bytes + cell * BYTES, BYTES);
    return true;
}

#define ADDRESSES ((UINT64_C(1) << WT_MEMORY_ADDRESS_BITS) - 1)

/* Skylake PRM volume 7, "GPGPU Thread Payload": r0, the thread's own block and that of the group
 * have values; of the other registers, the accumulators, a0 and the flags nothing is said. Scratch
 * memory (volume 7, "Scratch Space") and what the compiler has for the arrays of work-items are
 * what other threads have left there. */
size_t gen_unwritten(struct wt_machine *m, uint32_t wave, struct wt_unwritten *list)
{
    const struct gen_thread *t = &((const struct gen_device *)m)->thread[wave];
    if (!t->group)
        return 0;
    const struct gen_walk *w = &gen_walk_of(t)->walk;
    const uint32_t first = GEN_GRF_BYTES + w->thread_bytes + w->cross_bytes;
    list[0] = (struct wt_unwritten){
        .file = GEN_FILE_R, .first = first, .count = GEN_REGISTER_FILE - first};
    list[1] = (struct wt_unwritten){.file = GEN_FILE_ACC, .first = 0, .count = sizeof t->g->acc};
    list[2] = (struct wt_unwritten){.file = GEN_FILE_A, .first = 0, .count = sizeof t->g->a0};
    list[3] = (struct wt_unwritten){.file = GEN_FILE_F, .first = 0, .count = sizeof t->g->f};
    size_t count = 4;
    if (w->has_scratch) {
        const uint32_t bytes = UINT32_C(1024) << w->scratch_code;
        list[count++] =
            (struct wt_unwritten){.file = WT_UNWRITTEN_GLOBAL,
                                  .first = w->general + w->scratch + (uint64_t)bytes * t->id,
                                  .count = bytes};
    }
    const uint32_t base = GEN_GRF_BYTES + w->thread_bytes + w->private_at;
    if (w->private_bytes && base + 8 <= first)
        list[count++] = (struct wt_unwritten){.file = WT_UNWRITTEN_GLOBAL,
                                              .first = (wt_load_le(t->g->r + base, 8) & ADDRESSES) +
                                                       (uint64_t)w->private_bytes * t->id,
                                              .count = w->private_bytes};
    return count;
}
