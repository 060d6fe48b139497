/* PTX: whether the frames and paths of a warp are as the executors leave them. Executors trust
 * them, and a core file may say anything. */
#include "emulator/sm/ptx/image.h"

static const struct ptx_function_info *function_of(const struct sm_ptx *image, uint32_t index)
{
    for (size_t i = 0; i < image->function_count; i++) {
        const struct ptx_function_info *f = &image->function[i];
        if (index >= f->entry && index < f->end)
            return f;
    }
    return NULL;
}

static bool is_call(const struct sm_ptx *image, uint32_t index, uint32_t call)
{
    const struct ptx_op *o = &image->op[index];
    return (o->run == ptx_op_call || o->run == ptx_op_call_register) && o->index == call &&
           call < image->call_count;
}

/* A frame that runs at pc, and its callers. */
static bool has_frame(const struct sm_warp *w, uint64_t pc, uint32_t base)
{
    uint32_t index, end = w->rows;
    const struct sm_ptx *image = ptx_image_at(w->device, pc, &index);
    for (;;) {
        const struct ptx_function_info *f = image ? function_of(image, index) : NULL;
        if (!f || base < PTX_FIRST_ROW || base > end || f->rows > end - base)
            return false;
        const uint32_t *header = ptx_header(w, base);
        if (header[PTX_ROWS] != f->rows)
            return false;
        if (base == PTX_FIRST_ROW)
            return true;
        const uint64_t back = header[PTX_RETURN_LOW] | (uint64_t)header[PTX_RETURN_HIGH] << 32;
        const uint32_t caller = header[PTX_CALLER], call = header[PTX_CALL];
        if (ptx_image_at(w->device, back, &index) != image || !index ||
            !is_call(image, index - 1, call) || image->call[call].rows != f->parameter_rows ||
            caller >= base)
            return false;
        end = base;
        base = caller;
    }
}

static bool is_wait(uint32_t wait)
{
    return wait <= PTX_WAITS_CLUSTER || wait == PTX_WAITS_SYNC || wait == PTX_GOES_ON;
}

/* The lanes of paths are apart, and live. */
static bool takes_lanes(const struct sm_warp *w, uint32_t *taken, uint32_t mask)
{
    const bool good = mask && !(mask & *taken) && !(mask & ~w->live);
    *taken |= mask;
    return good;
}

bool ptx_is_sound(struct sm_warp *w)
{
    uint32_t index, taken = 0;
    if (!w->device->grid.launch.rows) { /* machine code */
        for (uint32_t i = 0; i < w->depth; i++)
            if (w->stack[i].kind == SM_ENTRY_PATH ||
                ptx_image_at(w->device, w->stack[i].pc, &index))
                return false;
        return !w->rows && !w->base && !w->wait && !ptx_image_at(w->device, w->pc, &index);
    }
    if (w->bare)
        return w->base == PTX_FIRST_ROW && w->rows >= w->base && !w->depth && w->mask == w->live;
    const struct sm_entry *trap = w->trapped ? sm_trap_entry(w) : NULL;
    if (w->rows < PTX_FIRST_ROW || !is_wait(w->wait) || w->at_barrier || (w->trapped && !trap))
        return false;
    if (!has_frame(w, trap ? trap->pc : w->pc, w->base) ||
        !takes_lanes(w, &taken, trap ? trap->mask : w->mask) ||
        (trap && ptx_image_at(w->device, w->pc, &index)))
        return false;
    for (uint32_t i = 0; i < w->depth; i++) {
        const struct sm_entry *e = &w->stack[i];
        if (e == trap)
            continue;
        if (e->kind != SM_ENTRY_PATH) {
            if (!trap || ptx_image_at(w->device, e->pc, &index))
                return false; /* machine code has them, in the handler alone */
        } else if (!is_wait(e->wait) || !takes_lanes(w, &taken, e->mask) ||
                   !has_frame(w, e->pc, e->base)) {
            return false;
        }
    }
    return ptx_rows_in_use(w) == w->rows;
}

bool ptx_launch_fits(const struct sm_device *d, const struct sm_launch *l)
{
    uint32_t index;
    const struct sm_ptx *image = ptx_image_at(d, l->entry, &index);
    const struct ptx_function_info *f = image ? function_of(image, index) : NULL;
    return f ? l->rows == f->rows && index == f->entry : !l->rows;
}

void ptx_count_waiting(const struct sm_warp *w, uint64_t waiting[SM_BARRIERS])
{
    if (w->wait >= PTX_WAITS_BARRIER && w->wait < PTX_WAITS_BARRIER + SM_BARRIERS)
        waiting[w->wait - PTX_WAITS_BARRIER] += w->result >> 16;
    for (uint32_t i = 0; i < w->depth; i++) {
        const struct sm_entry *e = &w->stack[i];
        if (e->kind == SM_ENTRY_PATH && e->wait >= PTX_WAITS_BARRIER &&
            e->wait < PTX_WAITS_BARRIER + SM_BARRIERS)
            waiting[e->wait - PTX_WAITS_BARRIER] += e->result >> 16;
    }
}
