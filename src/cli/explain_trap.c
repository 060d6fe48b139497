/* `wavetrap explain-trap`: explains the trap registers of a GPU in words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hw_registers.h"
#include "base/text.h"
#include "cli/cli.h"
#include "emulator/gcn/debug.h"
#include "emulator/machine/machine.h"
#include "report/device.h"
#include "session/kernel.h"
#include "target/gcn.h"

enum { SLICE = 1 << 16 };

struct explain_trap {
    struct wt_session_drive drive; /* first: the context of the options about the device */
    uint64_t at;                   /* issue time of --at */
    bool at_given;
};

static enum wt_status set_at(void *context, const char *value, struct wt_error *err)
{
    struct explain_trap *x = context;
    x->at_given = true;
    return wt_parse_number(value, &x->at, err);
}

/* ---- values ---- */

static bool is_name(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(name, text, length) == 0;
}

/* A register of a table: by its name, or by what stands behind the name of its unit ("HWW_WARP_ESR"
 * of "NV_PTPC_PRI_SM_HWW_WARP_ESR"). NULL: there is none. */
static const struct wt_hw_register *find_in(const struct wt_hw_table *t, const char *text,
                                            size_t length)
{
    for (size_t k = 0; k < t->count; k++) {
        const char *name = t->registers[k].name;
        const size_t whole = strlen(name);
        if (is_name(text, length, name) || (whole > length && name[whole - length - 1] == '_' &&
                                            is_name(text, length, name + whole - length)))
            return &t->registers[k];
    }
    return NULL;
}

/* Likewise of the chosen GPU's table or, where none is chosen, of any GPU's. */
static const struct wt_hw_register *find_register(const struct wt_gpu *only, const char *text,
                                                  size_t length)
{
    const struct wt_hw_register *found = NULL;
    if (only->family) {
        const struct wt_hw_table *t = wt_family_registers(only->family, only->config);
        return t ? find_in(t, text, length) : NULL;
    }
    for (size_t i = 0; wt_families[i]; i++)
        for (const struct wt_hw_table *t = wt_families[i]->debug.registers; t && !found;
             t = t->other)
            found = find_in(t, text, length);
    return found;
}

static int trap_register(const char *text, size_t length)
{
    for (int i = 0; i < GCN_TRAP_REGISTERS; i++)
        if (is_name(text, length, gcn_trap_register_names[i]))
            return i;
    return -1;
}

/* "TRAPSTS=0x20004": those of an AMD GPU's trap are collected, since they explain each other. */
static enum wt_status take_value(const struct wt_gpu *only, const char *text,
                                 struct gcn_trap_registers *r, struct wt_error *err)
{
    const char *equal = strchr(text, '=');
    uint64_t value;
    if (!equal)
        return wt_fail(err, WT_INVALID, "'%.200s' is not a REGISTER=VALUE", text);
    const size_t length = (size_t)(equal - text);
    const bool another = only->family && only->family != &wt_family_gcn;
    const int number = another ? -1 : trap_register(text, length);
    const struct wt_hw_register *reg = number < 0 ? find_register(only, text, length) : NULL;
    if (number < 0 && !reg)
        return wt_fail(
            err, WT_INVALID,
            "%.200s: the registers are TTMP0, TTMP1, TRAPSTS, MODE, STATUS, HW_ID, HW_ID1 "
            "and HW_ID2 of an AMD GPU, and those that 'wavetrap reg --list' lists (HWW_WARP_ESR, "
            "HWW_GLOBAL_ESR; cr0.0 to cr0.3, sr0.0)",
            text);
    enum wt_status status = wt_parse_number(equal + 1, &value, err);
    if (!status && value > UINT32_MAX)
        status = wt_fail(err, WT_INVALID, "%s: %s has 32 bits", text,
                         reg ? reg->name : gcn_trap_register_names[number]);
    if (status)
        return status;
    if (reg) {
        wt_hw_explain(stdout, reg, (uint32_t)value);
        return WT_OK;
    }
    r->value[number] = (uint32_t)value;
    r->given |= 1u << number;
    return WT_OK;
}

static enum wt_status explain_values(const struct wt_gpu *only, char **operands,
                                     struct wt_error *err)
{
    enum wt_status status;
    struct gcn_trap_registers r = {.gfx10 = only->family == &wt_family_gcn &&
                                            wt_family_registers(only->family, only->config) ==
                                                &gcn_register_table_gfx10};
    for (; *operands; operands++)
        if ((status = take_value(only, *operands, &r, err)) != WT_OK)
            return status;
    if (r.given & 1u << GCN_TRAP_TTMP0 && !(r.given & 1u << GCN_TRAP_TTMP1))
        return wt_fail(err, WT_INVALID, "TTMP0 is the lower part of the PC: TTMP1 has the rest");
    gcn_explain_trap(stdout, &r);
    return WT_OK;
}

/* ---- a program ---- */

static enum wt_status print_wave(struct wt_emulated *e, uint32_t wave, struct wt_error *err)
{
    struct gcn_device *device = wt_gcn_device(e);
    struct gcn_trap_registers r;
    char place[WT_WAVE_NAME];
    if (!gcn_wave_trap_registers(device, wave, &r))
        return wt_fail(err, WT_STATE, "the wave has ended");
    wt_machine_name_wave(e->machine, wave, place, sizeof place);
    printf("%s, issue time %" PRIu64 "\n", place, e->machine->time);
    gcn_explain_trap(stdout, &r);
    if (r.given & 1u << GCN_TRAP_TTMP1 && r.value[GCN_TRAP_STATUS] & 1 << 5) {
        const uint64_t pc = r.value[GCN_TRAP_TTMP0] | (uint64_t)(r.value[GCN_TRAP_TTMP1] & 0xffff)
                                                          << 32;
        const uint64_t at = pc - 4 * (r.value[GCN_TRAP_TTMP1] >> 25 & 15);
        char text[512];
        wt_emulated_describe(e, at, text, sizeof text);
        printf("%s %s\n", at == pc ? "PC:" : "raised at", text);
        wt_report_device_instruction(stdout, e, at);
    }
    const struct wt_fault *exception = gcn_wave_exception(device, wave);
    if (exception)
        printf("%s\n", exception->text);
    return WT_OK;
}

/* The first wave that is in its trap handler; else the first wave. */
static bool find_wave(struct wt_emulated *e, uint32_t *wave)
{
    struct gcn_trap_registers r;
    *wave = UINT32_MAX;
    for (uint32_t i = 0; i < e->machine->waves; i++) {
        if (!gcn_wave_trap_registers(wt_gcn_device(e), i, &r))
            continue;
        if (r.value[GCN_TRAP_STATUS] & 1 << 5) {
            *wave = i;
            return true;
        }
        if (*wave == UINT32_MAX)
            *wave = i;
    }
    return *wave != UINT32_MAX;
}

static uint64_t handler_of(struct gcn_device *device)
{
    const uint32_t at = gcn_handler_registers(device);
    return (uint64_t)gcn_debug_read(device, at) << 8 |
           (uint64_t)(gcn_debug_read(device, at + 1) & 0xff) << 40;
}

/* Runs until the time of --at, or until a wave is in its trap handler. */
static enum wt_status explain_program(const struct explain_trap *x, struct wt_emulated *e,
                                      struct wt_error *err)
{
    struct wt_machine *m = e->machine;
    enum wt_run why = WT_RUN_BUDGET;
    uint32_t wave = 0;
    if (x->at_given) {
        why = x->at ? m->ops->run(m, x->at) : WT_RUN_BUDGET;
    } else {
        struct wt_watch watch = {
            .kind = WT_WATCH_EXECUTE, .addr = handler_of(wt_gcn_device(e)), .size = 1};
        if (watch.addr && !wt_set_watches(m, &watch, 1))
            return wt_fail(err, WT_NO_MEMORY, "no host memory");
        while (why == WT_RUN_BUDGET || why == WT_RUN_EVENT)
            why = m->ops->run(m, SLICE);
    }
    if (why == WT_RUN_FAULT) {
        wt_report_device_fault(stderr, e, NULL);
        return print_wave(e, m->fault.wave, err);
    }
    if (why == WT_RUN_ENDED)
        return wt_fail(err, WT_STATE, "the kernel has ended at issue time %" PRIu64 "%s", m->time,
                       x->at_given ? "" : ", and no wave reached a trap handler");
    if (why == WT_RUN_WATCH)
        wave = m->hit[0].wave;
    else if (!find_wave(e, &wave))
        return wt_fail(err, WT_STATE, "there is no wave at issue time %" PRIu64, m->time);
    return print_wave(e, wave, err);
}

static int on_device(const struct explain_trap *x, const char *program)
{
    struct wt_emulated device;
    struct wt_error err;
    enum wt_status status;
    if (wt_session_open_device(&device, &x->drive.options, program, &err) != WT_OK)
        return wt_subcommand_fail(&cli_explain_trap, &err);
    device.console = stderr; /* the explanation is this command's output */
    if (device.family == &wt_family_gcn)
        status = explain_program(x, &device, &err);
    else
        status = wt_fail(&err, WT_UNSUPPORTED, "%s has no trap registers", device.family->name);
    wt_emulated_close(&device);
    return status ? wt_subcommand_fail(&cli_explain_trap, &err) : 0;
}

static int run(int argc, char **argv)
{
    struct explain_trap x = {.at_given = false};
    struct wt_error err;
    int status = wt_subcommand_parse(&cli_explain_trap, argc, argv, &x, &x.drive.options, 1, true);
    if (status == WT_SUBCOMMAND_GO) {
        if (!strchr(argv[optind], '=') && !argv[optind + 1])
            status = on_device(&x, argv[optind]);
        else
            status = explain_values(&x.drive.options.device.gpu, argv + optind, &err)
                         ? wt_subcommand_fail(&cli_explain_trap, &err)
                         : 0;
    }
    wt_session_drive_free(&x.drive);
    return status;
}

static const struct wt_option options[] = {
    {"at", 0, "TIME", "at this issue time (default: when a wave enters its trap handler)",
     WT_OPTION_SET(set_at)},
    WT_KERNEL_OPTIONS,
    {0},
};

const struct wt_subcommand cli_explain_trap = {
    .name = "explain-trap",
    .operands = "PROGRAM | REGISTER=VALUE…",
    .summary =
        "Explains in words what the registers of a trap say. They are TTMP0 and TTMP1 at the\n"
        "entry of a trap handler of an AMD GPU, TRAPSTS, MODE, STATUS and HW_ID; HWW_WARP_ESR and\n"
        "HWW_GLOBAL_ESR of an SM; cr0.0 to cr0.3 and sr0.0 of Gen9; others that 'wavetrap reg\n"
        "--list' lists. Or they are those of PROGRAM's first trap.",
    .options = options,
    .device = true,
    .notes = "PROGRAM is a code object; its kernel runs as by 'wavetrap run'.\n",
    .run = run,
};
