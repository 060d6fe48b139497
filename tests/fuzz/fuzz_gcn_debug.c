/*
 * Fuzz target: the debug hardware of gfx900. The input is a list of accesses of the register bus,
 * calls of the driver's functions, runs and trips in time, on a small device whose kernel uses
 * memory, barriers and traps, with a trap handler or without. Invariants of the device are checked
 * by each run; what registers promise is checked here.
 */
#include <stdlib.h>
#include <string.h>

#include "emulator/gcn/internal.h"
#include "emulator/machine/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BASE UINT64_C(0x10000)
#define DESCRIPTOR BASE
#define PACKET (BASE + 0x1000)
#define CODE (BASE + 0x2000)
#define HANDLER (BASE + 0x3000)
#define DATA (BASE + 0x4000)
enum { GROUPS = 6, ITEMS = 128, OPERATIONS = 200 };

static const uint32_t kernel[] = {
    0xbe8200ff, 0x00014000, /* s_mov_b32 s2, DATA */
    0xbe830080,             /* s_mov_b32 s3, 0 */
    0x24020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xbe850084,             /* s_mov_b32 s5, 4 */
    0xdc508000, 0x03020001, /* loop: global_load_dword v3, v1, s[2:3] */
    0x7e084703,             /* v_rcp_f32 v4, v3 */
    0xbf8a0000,             /* s_barrier */
    0xdc708400, 0x00020301, /* global_store_dword v1, v3, s[2:3] offset:1024 */
    0xdd088800, 0x00020301, /* global_atomic_add v1, v3, s[2:3] offset:2048 */
    0x80858105,             /* s_sub_u32 s5, s5, 1 */
    0xbf078005,             /* s_cmp_lg_u32 s5, 0 */
    0xbf85fff5,             /* s_cbranch_scc1 loop */
    0xbf810000,             /* s_endpgm */
};

/* Sends an interrupt, goes over an s_trap that an input may have written, clears TRAPSTS. */
static const uint32_t handler[] = {
    0xbe88006c,             /* s_mov_b32 s8, ttmp0 */
    0xbe89006d,             /* s_mov_b32 s9, ttmp1 */
    0xbf900001,             /* s_sendmsg MSG_INTERRUPT */
    0xba007003, 0x00000000, /* s_setreg_imm32_b32 hwreg(TRAPSTS, 0, 15), 0 */
    0xbe801f6c,             /* s_rfe_b64 ttmp[0:1] */
};

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void put(struct gcn_device *d, uint64_t addr, const void *bytes, size_t size)
{
    check(gcn_device_write(d, addr, bytes, size));
}

static void dispatch(struct gcn_device *d, unsigned vmid)
{
    uint8_t packet[64] = {0};
    struct wt_error err;
    unsigned n;
    wt_store_le(packet, 2, 2);
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(packet + 4 + 2 * i, i ? 1 : ITEMS, 2);
        wt_store_le(packet + 12 + 4 * i, i ? 1 : GROUPS * ITEMS, 4);
    }
    wt_store_le(packet + 32, DESCRIPTOR, 8);
    const struct gcn_aql_dispatch asked = gcn_aql_dispatch(packet);
    const struct gcn_origin origin = {.vmid = (uint8_t)vmid, .slot = vmid & 7};
    check(gcn_device_begin(d, &asked, PACKET, 0, &origin, &n, &err) == WT_OK);
}

static struct gcn_device *new_device(uint8_t kind)
{
    static const char *const configs[] = {"cu=1", "cu=3,se=3", "cu=5,se=2,sh=2", "cu=2,debug=none"};
    struct gcn_config config;
    struct gcn_device *d;
    struct wt_error err;
    uint8_t descriptor[64] = {0};
    gcn_config_default(&config);
    check(wt_config_parse(&gcn_config_table, &config, configs[kind & 3], &err) == WT_OK);
    check(gcn_device_new(&config, &d, &err) == WT_OK);
    check(gcn_device_map(d, BASE, 0x8000, true, &err) == WT_OK);
    put(d, CODE, kernel, sizeof kernel);
    put(d, HANDLER, handler, sizeof handler);
    wt_store_le(descriptor + 16, CODE - DESCRIPTOR, 8);
    wt_store_le(descriptor + 48, 3 | 2 << 6, 4);
    wt_store_le(descriptor + 52, 1 << 7 | 1 << 13 | (kind & 8 ? 1u << 26 : 0), 4);
    put(d, DESCRIPTOR, descriptor, sizeof descriptor);
    if (kind & 4)
        gcn_device_set_trap_handler(d, HANDLER, 0);
    dispatch(d, GCN_KFD_VMID);
    dispatch(d, 9);
    return d;
}

/* A wave's mistake is not the device's: the wave is killed, or goes on behind it. */
static void mend(struct gcn_device *d, uint8_t how)
{
    const struct wt_fault f = d->machine.fault;
    if (!f.kind)
        return;
    check(f.text[0] && f.wave < d->machine.waves);
    wt_machine_clear_fault(&d->machine);
    struct gcn_wave *w = &d->wave[f.wave];
    if (!w->active)
        return;
    if (how & 1) {
        gcn_kill(w);
        return;
    }
    w->pc = CODE;
    w->status &= ~(uint32_t)GCN_STATUS_FATAL_HALT;
    gcn_update_ready(w);
}

static void run(struct gcn_device *d, unsigned issues, uint8_t how)
{
    struct wt_machine *m = gcn_machine(d);
    m->ops->run(m, issues);
    mend(d, how);
}

/* There and back: the state of a time is the same. */
static void trip(struct gcn_device *d, unsigned issues, uint8_t how)
{
    struct wt_machine *m = gcn_machine(d);
    struct wt_state *state = wt_state_save(m);
    check(state != NULL);
    const uint64_t before = m->ops->hash(m);
    m->ops->run(m, issues);
    const uint64_t after = m->ops->hash(m);
    wt_state_restore(m, state);
    check(m->ops->hash(m) == before);
    m->ops->run(m, issues);
    check(m->ops->hash(m) == after);
    wt_state_free(state);
    mend(d, how);
}

static uint32_t number(const uint8_t *data)
{
    return (uint32_t)wt_load_le(data, 4);
}

/* One operation of 6 bytes: what, how, a number. */
static void operate(struct gcn_device *d, const uint8_t *op)
{
    const uint32_t value = number(op + 2), vmid = op[1] & 1 ? 9 : GCN_KFD_VMID;
    const struct wt_hw_table *t = &gcn_register_table;
    const struct wt_hw_register *reg = &t->registers[op[1] % t->count];
    const struct gcn_wave_control control = {op[1] >> 1 & 7, op[1] >> 4 & 3, value >> 28, value};
    struct gcn_interrupt interrupt;
    uint32_t out;
    switch (op[0] % 12) {
    case 0:
    case 1:
        gcn_debug_write(d, reg->addr, value);
        break;
    case 2:
        gcn_debug_read(d, reg->addr);
        break;
    case 3: /* a register of a wave */
        gcn_debug_write(d, GCN_SQ_IND_INDEX, value);
        gcn_debug_write(d, GCN_SQ_IND_DATA, value * 2654435761u);
        gcn_debug_read(d, GCN_SQ_IND_DATA);
        break;
    case 4: { /* operations below 1 and above 5, modes 1: the driver refuses */
        const bool is = control.op >= 1 && control.op <= 5 && control.mode != 1 &&
                        d->config.debug && (control.op != 5 || control.trap_id < 8);
        check((gcn_driver_wave_control(d, vmid, &control) == 0) == is);
        break;
    }
    case 5: {
        const uint64_t addr[2] = {DATA + value % 0x1000, value}, mask[2] = {value, 0xffffff};
        const uint32_t mode[2] = {op[1] & 3, op[1] >> 2 & 3};
        const struct gcn_watch_request w = {op[1] >> 4 & 1 ? 2 : 1, mode, addr, mask};
        check((gcn_driver_address_watch(d, vmid, &w) == 0) == d->config.debug);
        break;
    }
    case 6:
        gcn_driver_launch_mode(d, vmid, value & 3);
        gcn_driver_launch_override(d, op[1] & 2, value & 0x1ff, value >> 9 & 0x1ff, &out);
        break;
    case 7:
        gcn_driver_debugger_gone(d, vmid);
        break;
    case 8:
        trip(d, value % 97, op[1]);
        break;
    case 9:
        gcn_debug_interrupt(d, op[1], &interrupt);
        gcn_wave_raise(d, value % d->machine.waves, 1u << (op[1] % 15));
        break;
    default:
        run(d, 1 + value % 301, op[1]);
    }
    check(gcn_debug_read(d, GCN_SQ_CMD) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct gcn_device *d = new_device(data[0]);
    size_t at = 1;
    for (unsigned i = 0; i < OPERATIONS && at + 6 <= size; i++, at += 6)
        operate(d, data + at);
    gcn_device_free(d);
    return 0;
}
