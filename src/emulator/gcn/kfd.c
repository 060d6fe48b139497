/* The driver's debug-trap operations, and its trap handlers. See kfd.h. */
#include "emulator/gcn/internal.h"

#include <errno.h>
#include <string.h>

#define EXCEPTIONS 0x1ffu /* in the order of MODE[20:12] */

/* ---- queues ---- */

static struct gcn_kfd_queue *find(struct gcn_device *d, uint32_t id)
{
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++)
        if (d->kfd.queue[i].used && d->kfd.queue[i].entry.queue_id == id)
            return &d->kfd.queue[i];
    return NULL;
}

int gcn_kfd_add_queue(struct gcn_device *d, const struct kfd_queue_entry *entry)
{
    unsigned place = 0;
    assert(entry);
    while (place < KFD_DEBUG_QUEUES && d->kfd.queue[place].used)
        place++;
    if (place == KFD_DEBUG_QUEUES || find(d, entry->queue_id))
        return -ENOSPC;
    struct gcn_kfd_queue *q = &d->kfd.queue[place];
    *q = (struct gcn_kfd_queue){.used = true, .entry = *entry};
    if (!d->machine.process.memory) {
        q->entry.ctx_save_restore_address = GCN_KFD_AREA + place * GCN_KFD_AREA_STEP;
        q->entry.ctx_save_restore_area_size = gcn_kfd_area_size(d);
    }
    q->entry.exception_status = kfd_exception_bit(KFD_EC_QUEUE_NEW);
    return 0;
}

void gcn_kfd_remove_queue(struct gcn_device *d, uint32_t id)
{
    struct gcn_kfd_queue *q = find(d, id);
    if (!q)
        return;
    q->used = false;
    gcn_kfd_raise(d, 0, KFD_EC_DEVICE_QUEUE_DELETE);
}

bool gcn_kfd_suspended(const struct gcn_device *d, uint32_t id)
{
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++)
        if (d->kfd.queue[i].used && d->kfd.queue[i].entry.queue_id == id)
            return d->kfd.queue[i].suspended;
    return false;
}

bool gcn_kfd_any_suspended(const struct gcn_device *d)
{
    bool any = false;
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++)
        any |= d->kfd.queue[i].used && d->kfd.queue[i].suspended;
    return any;
}

void gcn_kfd_raise(struct gcn_device *d, uint32_t queue, enum kfd_exception code)
{
    const uint64_t bit = kfd_exception_bit(code);
    struct gcn_kfd_queue *q = bit & KFD_QUEUE_EXCEPTIONS ? find(d, queue) : NULL;
    if (q)
        q->entry.exception_status |= bit;
    else if (bit & KFD_DEVICE_EXCEPTIONS)
        d->kfd.status |= bit;
    if (d->kfd.enabled && d->kfd.exceptions & bit)
        d->machine.event = true;
}

/* ---- the trap handlers ---- */

bool gcn_kfd_handles(const struct gcn_wave *w, bool debuggers_own)
{
    const struct gcn_device *d = w->device;
    return d->kfd.enabled && !(w->status & GCN_STATUS_PRIV) &&
           (debuggers_own || !w->tba || d->machine.process.hosted);
}

void gcn_kfd_stop(struct gcn_wave *w, uint64_t pc, uint32_t ttmp1, enum kfd_exception code)
{
    assert(gcn_kfd_handles(w, true) && w->active);
    uint32_t *ttmp = &w->s[GCN_TTMP];
    const uint32_t trap = ttmp1 >> KFD_TTMP1_TRAP_SHIFT & 0xff;
    const uint32_t halted = w->status & GCN_STATUS_HALT ? KFD_TTMP6_SAVED_HALT : 0;
    ttmp[0] = (uint32_t)pc;
    ttmp[1] = (uint32_t)(pc >> 32) | ttmp1;
    ttmp[6] = (ttmp[6] & KFD_TTMP6_PACKET) | (trap & 15) << KFD_TTMP6_TRAP_SHIFT | halted |
              KFD_TTMP6_STOPPED;
    /* The PC at an s_trap is that of the instruction itself: the handler goes behind it. */
    w->pc = pc + (trap && !(ttmp1 & KFD_TTMP1_HOST_TRAP) ? 4 : 0);
    w->status |= GCN_STATUS_HALT;
    gcn_update_ready(w);
    gcn_kfd_raise(w->device, gcn_dispatch_of(w)->origin.queue, code);
}

/* ---- operations ---- */

bool gcn_kfd_is_enabled(const struct gcn_device *d)
{
    return d->kfd.enabled;
}

int gcn_kfd_enable(struct gcn_device *d, uint64_t exceptions)
{
    if (d->kfd.enabled)
        return -EALREADY;
    d->kfd.enabled = true;
    d->kfd.exceptions = exceptions;
    return 0;
}

/* Waves that the debugger has stopped, or steps, go on as if it had not been there. */
static void let_go(struct gcn_wave *w)
{
    uint32_t *ttmp6 = &w->s[GCN_TTMP + 6];
    w->mode &= ~(uint32_t)GCN_MODE_DEBUG_EN;
    /* The debugger has enabled it, unless the kernel has it from its launch. */
    if (!(gcn_first_mode(gcn_dispatch_of(w)) & GCN_MODE_EXCP_WATCH))
        w->mode &= ~(uint32_t)GCN_MODE_EXCP_WATCH;
    w->step_due = false;
    if (!(*ttmp6 & KFD_TTMP6_STOPPED)) {
        if (w->pc == gcn_dispatch_of(w)->entry) /* the launch mode has held it */
            w->status &= ~(uint32_t)GCN_STATUS_HALT;
        gcn_update_ready(w);
        return;
    }
    if (!(*ttmp6 & KFD_TTMP6_SAVED_HALT))
        w->status &= ~(uint32_t)GCN_STATUS_HALT;
    *ttmp6 &= KFD_TTMP6_PACKET;
    gcn_update_ready(w);
}

static void resume_all(struct gcn_device *d)
{
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++)
        if (d->kfd.queue[i].used && d->kfd.queue[i].suspended)
            gcn_kfd_resume(d, &(uint32_t){d->kfd.queue[i].entry.queue_id}, 1);
}

/* A trap that has not been taken in, or a mistake of the program's: it is made again, and ends the
 * program as it does without a debugger. */
static void step_back(struct gcn_wave *w)
{
    const uint32_t trapped = 15u << KFD_TTMP6_TRAP_SHIFT;
    const uint32_t mistake = GCN_TRAPSTS_MEM_VIOL | GCN_TRAPSTS_ILLEGAL;
    uint32_t *ttmp = &w->s[GCN_TTMP];
    const uint64_t pc = ttmp[0] | (uint64_t)(ttmp[1] & 0xffff) << 32;
    if (!(ttmp[6] & KFD_TTMP6_STOPPED) || ttmp[1] & KFD_TTMP1_HOST_TRAP)
        return;
    if (ttmp[6] & trapped) {
        ttmp[6] &= ~trapped;
        w->pc -= 4;
    } else if (w->trapsts & mistake && w->pc == pc) {
        w->trapsts &= ~mistake;
        w->pc -= 4 * (ttmp[1] >> KFD_TTMP1_REWIND_SHIFT & 15);
    }
}

void gcn_kfd_step_back(struct gcn_device *d)
{
    resume_all(d);
    for (uint32_t i = 0; i < d->machine.waves; i++)
        if (d->wave[i].active)
            step_back(&d->wave[i]);
}

int gcn_kfd_disable(struct gcn_device *d)
{
    if (!d->kfd.enabled)
        return -EINVAL;
    resume_all(d);
    gcn_driver_debugger_gone(d, GCN_KFD_VMID);
    d->kfd.flags = 0;
    d->kfd.exceptions = 0;
    for (uint32_t i = 0; i < d->machine.waves; i++)
        if (d->wave[i].active)
            let_go(&d->wave[i]);
    gcn_driver_debugger_gone(d, GCN_KFD_VMID);
    d->kfd.enabled = false;
    return 0;
}

int gcn_kfd_set_exceptions(struct gcn_device *d, uint64_t exceptions)
{
    if (!d->kfd.enabled)
        return -EINVAL;
    d->kfd.exceptions = exceptions;
    return 0;
}

int gcn_kfd_set_launch_mode(struct gcn_device *d, uint32_t mode)
{
    return d->kfd.enabled ? gcn_driver_launch_mode(d, GCN_KFD_VMID, mode) : -EINVAL;
}

int gcn_kfd_set_flags(struct gcn_device *d, uint32_t *flags)
{
    const uint32_t before = d->kfd.flags;
    assert(flags);
    if (!d->kfd.enabled || *flags & ~1u)
        return -EINVAL;
    d->kfd.flags = *flags;
    *flags = before;
    return 0;
}

/* KFD_DEBUG_SET_NODE_ADDRESS_WATCH: arg[0] the address, arg[1] the mode (0 read, 1 write and
 * atomic, 2 atomic, 3 all), arg[2] the address bits that count; arg[3] becomes the watch's number.
 * -ENOMEM: all are in use. */
static int kfd_set_watch(struct gcn_device *d, uint64_t addr, uint32_t mode, uint32_t mask,
                         uint32_t *id)
{
    return d->kfd.enabled ? gcn_driver_set_watch(d, GCN_KFD_VMID, addr, mask, mode, id) : -EINVAL;
}

/* KFD_DEBUG_CLEAR_NODE_ADDRESS_WATCH: arg[0] the watch's number. -EINVAL: it is not set. */
static int kfd_clear_watch(struct gcn_device *d, uint32_t id)
{
    return d->kfd.enabled ? gcn_driver_clear_watch(d, GCN_KFD_VMID, id) : -EINVAL;
}

/* KFD_DEBUG_SET_WAVE_LAUNCH_OVERRIDE: which exceptions new waves enable, in the order of
 * MODE[20:12]. arg[0] is 0 (beside their own) or 1 (instead of them), arg[1] the mask, of which the
 * bits in arg[2] are used. arg[1] becomes the mask from before, arg[2] the exceptions that can be
 * overridden. */
static int kfd_launch_override(struct gcn_device *d, uint32_t mode, uint32_t *enable,
                               uint32_t *support)
{
    uint32_t before;
    assert(enable && support);
    if (!d->kfd.enabled || mode > 1)
        return -EINVAL;
    const int result = gcn_driver_launch_override(d, mode, *enable, *support, &before);
    *support = EXCEPTIONS;
    *enable = before;
    return result;
}

/* The dispatches of a queue are suspended with it. */
static void mark(struct gcn_device *d, struct gcn_kfd_queue *q, bool suspended)
{
    q->suspended = suspended;
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        if (d->dispatch[i].active && d->dispatch[i].origin.queue == q->entry.queue_id)
            d->dispatch[i].suspended = suspended;
    for (uint32_t i = 0; i < d->machine.waves; i++)
        if (d->wave[i].active && gcn_dispatch_of(&d->wave[i])->origin.queue == q->entry.queue_id)
            gcn_update_ready(&d->wave[i]);
}

/* Returns how many of the queues were changed, and marks the others. */
static int change(struct gcn_device *d, uint32_t *queue, uint32_t count, bool suspend,
                  uint64_t clear)
{
    int done = 0;
    assert((queue || !count) && !d->machine.in_turn);
    for (uint32_t i = 0; i < count; i++) {
        struct gcn_kfd_queue *q = find(d, queue[i]);
        if (!q) {
            queue[i] |= KFD_QUEUE_INVALID;
            continue;
        }
        if (suspend && !q->suspended && !gcn_kfd_save(d, q)) {
            queue[i] |= KFD_QUEUE_ERROR;
            continue;
        }
        if (!suspend && q->suspended)
            gcn_kfd_load(d, q);
        q->entry.exception_status &= ~clear;
        mark(d, q, suspend);
        done++;
    }
    return done;
}

int gcn_kfd_suspend(struct gcn_device *d, uint32_t *queue, uint32_t count, uint64_t clear)
{
    return d->kfd.enabled ? change(d, queue, count, true, clear) : -EINVAL;
}

int gcn_kfd_resume(struct gcn_device *d, uint32_t *queue, uint32_t count)
{
    if (!d->kfd.enabled)
        return -EINVAL;
    const int done = change(d, queue, count, false, 0);
    gcn_dispatch_pump(d);
    return done;
}

/* ---- what has happened ---- */

static bool tells(const struct gcn_device *d, uint64_t status)
{
    return d->kfd.enabled && status & d->kfd.exceptions;
}

bool gcn_kfd_has_event(const struct gcn_device *d)
{
    bool any = tells(d, d->kfd.status);
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++)
        any |= d->kfd.queue[i].used && tells(d, d->kfd.queue[i].entry.exception_status);
    return any;
}

static int take(uint64_t *status, uint64_t *exceptions)
{
    const uint64_t had = *status;
    *status &= ~*exceptions;
    *exceptions = had;
    return 0;
}

int gcn_kfd_query_event(struct gcn_device *d, uint64_t *exceptions, uint32_t *queue_id)
{
    assert(exceptions && queue_id);
    if (!d->kfd.enabled)
        return -EINVAL;
    *queue_id = 0;
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++) {
        struct gcn_kfd_queue *q = &d->kfd.queue[i];
        if (!q->used || !tells(d, q->entry.exception_status))
            continue;
        *queue_id = q->entry.queue_id;
        return take(&q->entry.exception_status, exceptions);
    }
    return tells(d, d->kfd.status) ? take(&d->kfd.status, exceptions) : -EAGAIN;
}

int gcn_kfd_queue_snapshot(struct gcn_device *d, uint64_t clear, struct kfd_queue_entry *list,
                           uint32_t room)
{
    int count = 0;
    assert(list || !room);
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++) {
        struct gcn_kfd_queue *q = &d->kfd.queue[i];
        if (!q->used)
            continue;
        if ((uint32_t)count < room) {
            list[count] = q->entry;
            q->entry.exception_status &= ~clear;
        }
        count++;
    }
    return count;
}

int gcn_kfd_device_snapshot(struct gcn_device *d, uint64_t clear, struct kfd_device_entry *entry)
{
    assert(entry);
    *entry = (struct kfd_device_entry){
        .exception_status = d->kfd.status,
        .lds_base = GCN_SHARED_APERTURE,
        .lds_limit = GCN_SHARED_APERTURE + GCN_APERTURE_SIZE - 1,
        .scratch_base = GCN_PRIVATE_APERTURE,
        .scratch_limit = GCN_PRIVATE_APERTURE + GCN_APERTURE_SIZE - 1,
        .gpuvm_limit = GCN_SHARED_APERTURE - 1,
        .vendor_id = 0x1002,
        .device_id = gcn_model_of(d)->device_id,
        .gfx_target_version = gcn_model_of(d)->version,
        .simd_count = d->config.cu * gcn_model_of(d)->simds,
        .max_waves_per_simd = gcn_model_of(d)->waves_per_simd,
        .array_count = d->config.se * d->config.sh,
        .simd_arrays_per_engine = d->config.sh,
        .num_xcc = 1,
    };
    d->kfd.status &= ~clear;
    return 0;
}

void gcn_kfd_call(struct gcn_device *d, struct kfd_debug_call *call)
{
    uint32_t value = (uint32_t)call->arg[0], enable, support;
    assert(call->queue_count <= KFD_DEBUG_QUEUES);
    switch ((enum kfd_debug_op)call->op) {
    case KFD_DEBUG_ENABLE:
        call->result = gcn_kfd_enable(d, call->arg[0]);
        break;
    case KFD_DEBUG_DISABLE:
        call->result = gcn_kfd_disable(d);
        break;
    case KFD_DEBUG_SET_EXCEPTIONS_ENABLED:
        call->result = gcn_kfd_set_exceptions(d, call->arg[0]);
        break;
    case KFD_DEBUG_SET_WAVE_LAUNCH_MODE:
        call->result = gcn_kfd_set_launch_mode(d, value);
        break;
    case KFD_DEBUG_SUSPEND_QUEUES:
        call->result = gcn_kfd_suspend(d, call->queue, call->queue_count, call->arg[0]);
        break;
    case KFD_DEBUG_RESUME_QUEUES:
        call->result = gcn_kfd_resume(d, call->queue, call->queue_count);
        break;
    case KFD_DEBUG_SET_FLAGS:
        call->result = gcn_kfd_set_flags(d, &value);
        call->arg[0] = value;
        break;
    case KFD_DEBUG_QUERY_EVENT:
        call->result = gcn_kfd_query_event(d, &call->arg[0], &value);
        call->arg[1] = value;
        break;
    case KFD_DEBUG_SET_NODE_ADDRESS_WATCH:
        call->result =
            kfd_set_watch(d, call->arg[0], (uint32_t)call->arg[1], (uint32_t)call->arg[2], &value);
        call->arg[3] = value;
        break;
    case KFD_DEBUG_CLEAR_NODE_ADDRESS_WATCH:
        call->result = kfd_clear_watch(d, value);
        break;
    case KFD_DEBUG_SET_WAVE_LAUNCH_OVERRIDE:
        enable = (uint32_t)call->arg[1], support = (uint32_t)call->arg[2];
        call->result = kfd_launch_override(d, value, &enable, &support);
        call->arg[1] = enable, call->arg[2] = support;
        break;
    default:
        call->result = -ENOSYS;
        break;
    }
    d->kfd_answer = *call;
}

const struct kfd_debug_call *gcn_kfd_answer(const struct gcn_device *d)
{
    return &d->kfd_answer;
}

/* ---- operations as inputs of a recording ---- */

uint32_t gcn_kfd_do_call(struct wt_machine *m, const void *bytes, size_t size)
{
    struct kfd_debug_call call = {0};
    if (size > sizeof call || size < offsetof(struct kfd_debug_call, queue))
        return 0; /* of a core file */
    memcpy(&call, bytes, size);
    if (call.queue_count > KFD_DEBUG_QUEUES)
        return 0;
    gcn_kfd_call((struct gcn_device *)m, &call);
    return (uint32_t)call.result;
}

uint32_t gcn_kfd_write_area(struct wt_machine *m, const void *bytes, size_t size)
{
    struct gcn_device *d = (struct gcn_device *)m;
    struct gcn_kfd_area_write where;
    if (size < sizeof where)
        return 0; /* of a core file */
    memcpy(&where, bytes, sizeof where);
    const struct gcn_kfd_queue *q = &d->kfd.queue[where.queue % KFD_DEBUG_QUEUES];
    uint8_t *area = where.queue < KFD_DEBUG_QUEUES && q->used ? gcn_kfd_area(d, q) : NULL;
    const uint32_t room = gcn_kfd_area_size(d);
    size -= sizeof where;
    if (!area || where.offset > room || size > room - where.offset)
        return 0;
    memcpy(area + where.offset, (const uint8_t *)bytes + sizeof where, size);
    return 1;
}

uint32_t gcn_kfd_hold_wave(struct wt_machine *m, const void *bytes, size_t size)
{
    struct gcn_device *d = (struct gcn_device *)m;
    uint32_t wave;
    if (size != sizeof wave)
        return 0; /* of a core file */
    memcpy(&wave, bytes, sizeof wave);
    struct gcn_wave *w = wave < m->waves ? &d->wave[wave] : NULL;
    if (!w || !w->active || w->s[GCN_TTMP + 6] & KFD_TTMP6_STOPPED || !gcn_kfd_handles(w, true))
        return 0;
    gcn_kfd_stop(w, w->pc, 0, KFD_EC_QUEUE_WAVE_TRAP);
    return 1;
}

gcn_kfd_operation *const gcn_kfd_operations[] = {gcn_kfd_do_call, gcn_kfd_write_area,
                                                 gcn_kfd_hold_wave, NULL};

bool gcn_kfd_find_area(const struct gcn_device *d, uint64_t addr, struct gcn_kfd_area_write *where)
{
    for (uint32_t i = 0; i < KFD_DEBUG_QUEUES; i++) {
        const struct gcn_kfd_queue *q = &d->kfd.queue[i];
        const uint64_t offset = addr - q->entry.ctx_save_restore_address;
        if (!q->used || !gcn_kfd_area(d, q) || offset >= gcn_kfd_area_size(d))
            continue;
        *where = (struct gcn_kfd_area_write){i, (uint32_t)offset};
        return true;
    }
    return false;
}
