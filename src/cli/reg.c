/* `wavetrap reg`: reads and writes the registers of a GPU's debug hardware by name. */
#include <stdlib.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/register_session.h"
#include "debug/process/link.h"
#include "session/connect.h"
#include "session/kernel.h"
#include "target/process.h"

struct reg {
    struct wt_session_drive drive; /* first: the context of the options about the device */
    const char *script;
    bool list;
    uint64_t pid;              /* pid of a host program; 0: none */
    uint64_t gpu;              /* which of its GPUs */
    struct wt_emulated device; /* unless connected */
};

/* The registers of a GPU in a host program. */
struct process_bus {
    struct wt_bus bus; /* first */
    struct wt_process_link link;
    uint32_t gpu;
};

static enum wt_status set_pid(void *context, const char *value, struct wt_error *err)
{
    enum wt_status status;
    struct reg *reg = context;
    if ((status = wt_parse_number(value, &reg->pid, err)) != WT_OK)
        return status;
    if (!reg->pid || reg->pid > INT32_MAX)
        return wt_fail(err, WT_INVALID, "'%.40s' is not a process", value);
    return WT_OK;
}

static const struct wt_option options[] = {
    {"script", 's', "FILE", "take commands from FILE ('-' is stdin)",
     WT_OPTION_TEXT(struct reg, script)},
    {"list", 0, NULL, "list all registers and fields, of one GPU with --gpu; no PROGRAM",
     WT_OPTION_FLAG(struct reg, list)},
    {"connect", 'c', "ADDRESS",
     "a device elsewhere instead of PROGRAM in an emulated one:\n"
     "tcp:HOST:PORT, unix:PATH or remote_bitbang:HOST:PORT",
     WT_OPTION_TEXT(struct wt_session_options, connect.address)},
    {"pid", 0, "N", "a running host program instead of PROGRAM: see 'wavetrap ps'",
     WT_OPTION_SET(set_pid)},
    {"device", 0, "N", "with --pid: which of the program's GPUs, from 0 (default 0)",
     WT_OPTION_NUMBER(struct reg, gpu)},
    {"timeout", 0, "MS", "with --connect: how long to wait for a reply (default 5000)",
     WT_OPTION_SET(wt_session_set_connect_timeout)},
    {"hold", 0, NULL, "with --connect: do not start a program that waits for its debugger",
     WT_OPTION_FLAG(struct wt_session_options, connect.how.hold)},
    {"dump", 0, "FILE@PLACE:LENGTH", "at the end, write LENGTH bytes of memory to FILE",
     WT_OPTION_SET(wt_session_set_dump)},
    WT_KERNEL_OPTIONS,
    {0},
};

/* ---- listing ---- */

static void list(const struct wt_gpu *only)
{
    if (only->family) {
        const struct wt_hw_table *t = wt_family_registers(only->family, only->config);
        if (t)
            wt_hw_list(stdout, t);
        return;
    }
    for (size_t i = 0; wt_families[i]; i++)
        for (const struct wt_hw_table *t = wt_families[i]->debug.registers; t; t = t->other) {
            printf("%s:\n", t->models ? t->models : wt_families[i]->name);
            wt_hw_list(stdout, t);
        }
}

/* ---- commands ---- */

static enum wt_status list_interrupts(struct cli_registers *r, struct wt_error *err)
{
    if (!r->device || !r->device->family->debug.interrupts)
        return wt_fail(err, WT_UNSUPPORTED, "interrupts are known of emulated GPUs that send some");
    r->device->family->debug.interrupts(r->device, stdout);
    return WT_OK;
}

static enum wt_status no_registers(const struct wt_family *family, struct wt_error *err)
{
    return wt_fail(err, WT_UNSUPPORTED, "%s has no debug registers here", family->name);
}

static enum wt_status process_transact(struct wt_bus *bus, struct wt_bus_op *ops, size_t count,
                                       struct wt_error *err)
{
    enum wt_status status;
    struct process_bus *own = (struct process_bus *)bus;
    for (size_t i = 0; i < count; i++) {
        struct wt_wire_register one = {
            .addr = ops[i].addr, .write = ops[i].write, .value = ops[i].value};
        if ((status = wt_process_link_ops.registers(&own->link, own->gpu, &one, 1, err)) != WT_OK)
            return status;
        ops[i].value = one.value;
    }
    bus->round_trips += count;
    return WT_OK;
}

static void process_close(struct wt_bus *bus)
{
    wt_process_link_close(&((struct process_bus *)bus)->link);
    free(bus);
}

static const struct wt_bus_ops process_ops = {
    .name = "process",
    .transact = process_transact,
    .close = process_close,
};

/* The family whose registers are meant: that of --gpu, else of the process's first GPUs. */
static enum wt_status find_family(const struct reg *reg, const struct wt_family **family,
                                  struct wt_error *err)
{
    struct wt_process_place place = {.pid = (int)reg->pid};
    enum wt_status status;
    if ((status = wt_process_wait(&place, 0, family, err)) != WT_OK)
        return status;
    if (reg->drive.options.device.gpu.family)
        *family = reg->drive.options.device.gpu.family;
    else if (!*family)
        *family = wt_family_of_host_programs(); /* which says that it cannot be reached */
    return (*family)->debug.process && (*family)->debug.registers
               ? WT_OK
               : wt_fail(err, WT_UNSUPPORTED, "--pid reads no registers of %s", (*family)->name);
}

/* A GPU of a host program. */
static enum wt_status connect_process(struct reg *reg, struct cli_registers *session,
                                      struct wt_error *err)
{
    const struct wt_process_place place = {.pid = (int)reg->pid};
    enum wt_status status;
    const struct wt_family *family;
    if ((status = find_family(reg, &family, err)) != WT_OK)
        return status;
    struct process_bus *bus = calloc(1, sizeof *bus);
    if (!bus)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    bus->bus.ops = &process_ops;
    session->bus = &bus->bus; /* closed in any case */
    if ((status = wt_process_link_open(&bus->link, &place, family->debug.process->socket,
                                       family->debug.process->wire, err)) != WT_OK)
        return status;
    if (reg->gpu >= bus->link.hello.devices)
        return wt_fail(err, WT_INVALID, "--device=%llu: process %d has %u GPUs, from 0",
                       (unsigned long long)reg->gpu, (int)reg->pid,
                       (unsigned)bus->link.hello.devices);
    bus->gpu = (uint32_t)reg->gpu;
    session->table = family->debug.registers;
    return family->debug.process->registers
               ? family->debug.process->registers(&bus->link, bus->gpu, &session->table, err)
               : WT_OK;
}

/* A device elsewhere is a Vortex unless --gpu says another one. */
static enum wt_status connect_device(struct reg *reg, struct cli_registers *session,
                                     struct wt_error *err)
{
    const struct wt_gpu *gpu = &reg->drive.options.device.gpu;
    const struct wt_family *family = gpu->family ? gpu->family : wt_family_of_registers();
    session->table = wt_family_registers(family, gpu->config);
    if (!session->table)
        return no_registers(family, err);
    return wt_session_connect_open(&reg->drive.options.connect, &session->bus, err);
}

static enum wt_status open_device(struct reg *reg, struct cli_registers *session,
                                  const char *program, struct wt_error *err)
{
    enum wt_status status;
    if ((status = wt_session_open_device(&reg->device, &reg->drive.options, program, err)) != WT_OK)
        return status;
    session->device = &reg->device;
    session->table = wt_emulated_register_table(&reg->device);
    if (!session->table)
        return no_registers(reg->device.family, err);
    if ((status = wt_emulated_connect(&reg->device, err)) != WT_OK)
        return status;
    session->bus = reg->device.bus;
    return wt_report_results_begin(&reg->drive.results, &reg->device, err);
}

/* Flushes the program's console output from memory, and writes memory for --dump. */
static enum wt_status report(struct reg *reg, struct wt_error *err)
{
    enum wt_status status;
    struct wt_emulated *e = &reg->device;
    e->notice[0] = 0;
    if (e->family->run.print && e->console &&
        (status = e->family->run.print(e, e->console, err)) != WT_OK)
        return status;
    if (e->notice[0])
        fprintf(stderr, "wavetrap: %s\n", e->notice);
    return wt_report_results_report(&reg->drive.results, e, 0, err);
}

static int run_commands(struct reg *reg, const char *program, char **commands)
{
    struct wt_error err;
    struct cli_registers session = {.list = "wavetrap reg --list",
                                    .stream = true,
                                    .command = "interrupts",
                                    .obey = list_interrupts};
    enum wt_status status = program    ? open_device(reg, &session, program, &err)
                            : reg->pid ? connect_process(reg, &session, &err)
                                       : connect_device(reg, &session, &err);
    if (!status)
        status = cli_registers_run(&session, reg->script, commands, &err);
    if (!status && program)
        status = report(reg, &err);
    const int exit_status = status ? wt_subcommand_fail(&cli_reg, &err) : 0;
    if (program)
        wt_emulated_close(&reg->device);
    else
        wt_bus_close(session.bus);
    return exit_status;
}

static int run(int argc, char **argv)
{
    struct reg reg = {0};
    int status = wt_subcommand_parse(&cli_reg, argc, argv, &reg, &reg.drive.options, 0, true);
    if (status == WT_SUBCOMMAND_GO) {
        if (reg.list) {
            list(&reg.drive.options.device.gpu);
            status = 0;
        } else if (reg.drive.options.connect.address || reg.pid) {
            status = run_commands(&reg, NULL, argv + optind);
        } else if (optind == argc) {
            status = wt_subcommand_operand_missing(&cli_reg, "PROGRAM");
        } else {
            status = run_commands(&reg, argv[optind], argv + optind + 1);
        }
    }
    wt_session_drive_free(&reg.drive);
    return status;
}

const struct wt_subcommand cli_reg = {
    .name = "reg",
    .operands = "PROGRAM [COMMAND]…",
    .summary =
        "Reads and writes registers of a GPU's debug hardware by name. PROGRAM is in the device;\n"
        "with --connect or --pid the device is elsewhere, and there is no PROGRAM. Without "
        "COMMAND\n"
        "or --script, commands come from stdin.",
    .options = options,
    .device = true,
    .notes =
        "Commands, one after the other:\n"
        "  REGISTER                     read a register and show its fields; 0x237b names one, "
        "too\n"
        "  REGISTER.FIELD               read one field\n"
        "  REGISTER=VALUE               write a register\n"
        "  REGISTER.FIELD=VALUE         read the register, change the field, write it back; "
        "fields\n"
        "                               of one register that follow one another are written at "
        "once\n"
        "  all                          read all registers\n"
        "  interrupts                   what the debug hardware has sent to the host (gcn)\n"
        "  run [N]                      let the device issue N instructions (default 1)\n"
        "  wait REGISTER[.FIELD]=VALUE [N]\n"
        "                               let it run until that is so, N issues at most\n"
        "                               (default 1,000,000)\n"
        "  watch REGISTER[.FIELD],… [N]\n"
        "                               let it run for N issues (default 1,000,000) and show\n"
        "                               each change\n"
        "With --connect or --pid the device runs by itself: there is no 'run', N is milliseconds, "
        "'wait'\n"
        "takes 10,000 and 'watch' continues until Ctrl-C. The rest of a line after '#' is a "
        "comment.\n",
    .run = run,
};
