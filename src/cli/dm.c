/* `wavetrap dm`: reads and writes the Debug Module's registers by name, for bringing up hardware.
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/register_session.h"
#include "debug/vortex/vxdebug.h"
#include "session/connect.h"
#include "session/options.h"

struct dm {
    struct wt_session_options options; /* first: device options */
    const char *script;
    bool list;
    struct wt_emulated device; /* unless connected */
    struct wt_bus *bus;
};

static const struct wt_option options[] = {
    {"script", 's', "FILE", "take commands from FILE, one a line ('-' is stdin)",
     WT_OPTION_TEXT(struct dm, script)},
    {"registers", 0, NULL, "list all registers and fields; PROGRAM may be left out",
     WT_OPTION_FLAG(struct dm, list)},
    {"connect", 'c', "ADDRESS",
     "a device elsewhere instead of PROGRAM in an emulated one:\n"
     "tcp:HOST:PORT, unix:PATH or remote_bitbang:HOST:PORT",
     WT_OPTION_TEXT(struct wt_session_options, connect.address)},
    {"jtag-tap", 0, "N", WT_CONNECT_TAP_HELP, WT_OPTION_SET(wt_session_set_connect_tap)},
    {"jtag-ir", 0, "BITS,...", WT_CONNECT_IR_HELP, WT_OPTION_SET(wt_session_set_connect_ir)},
    {"timeout", 0, "MS", "with --connect: how long to wait for a reply (default 5000)",
     WT_OPTION_SET(wt_session_set_connect_timeout)},
    {"hold", 0, NULL, "with --connect: do not start a program that waits for its debugger",
     WT_OPTION_FLAG(struct wt_session_options, connect.how.hold)},
    {0},
};

static enum wt_status open_device(struct dm *dm, const char *program, struct wt_error *err)
{
    enum wt_status status;
    if (dm->options.connect.address)
        return wt_session_connect_open(&dm->options.connect, &dm->bus, err);
    dm->options.device.debugged = true;
    if ((status = wt_session_open_device(&dm->device, &dm->options, program, err)) != WT_OK ||
        (status = wt_emulated_attach(&dm->device, err)) != WT_OK)
        return status;
    dm->bus = dm->device.bus;
    return WT_OK;
}

static void close_device(struct dm *dm)
{
    if (dm->options.connect.address)
        wt_bus_close(dm->bus);
    else
        wt_emulated_close(&dm->device);
}

static int run_commands(struct dm *dm, const char *program, char **commands)
{
    struct wt_error err;
    enum wt_status status = open_device(dm, program, &err);
    struct cli_registers session = {.table = &wt_vxdebug_table,
                                    .list = "wavetrap dm --registers",
                                    .bus = dm->bus,
                                    .device = dm->options.connect.address ? NULL : &dm->device};
    if (!status)
        status = cli_registers_run(&session, dm->script, commands, &err);
    const int exit_status = status ? wt_subcommand_fail(&cli_dm, &err) : 0;
    close_device(dm);
    return exit_status;
}

static int run(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "check") == 0)
        return cli_dm_check.run(argc - 1, argv + 1);
    struct dm dm = {0};
    int status = wt_subcommand_parse(&cli_dm, argc, argv, &dm, &dm.options, 0, true);
    if (status == WT_SUBCOMMAND_GO) {
        if (dm.list) {
            wt_hw_list(stdout, &wt_vxdebug_table);
            status = 0;
        } else if (optind == argc && !dm.options.connect.address) {
            status = wt_subcommand_operand_missing(&cli_dm, "PROGRAM");
        } else {
            const int first = optind + !dm.options.connect.address;
            status = run_commands(&dm, argv[optind], argv + first);
        }
    }
    wt_session_options_free(&dm.options);
    return status;
}

const struct wt_subcommand cli_dm = {
    .name = "dm",
    .operands = "PROGRAM [COMMAND]…",
    .summary =
        "Reads and writes registers of the Debug Module by name. PROGRAM is in the device;\n"
        "with --connect the device is elsewhere, and there is no PROGRAM. Without COMMAND or\n"
        "--script, commands come from stdin. 'wavetrap dm check' tests a Debug Module.",
    .options = options,
    .device = true,
    .notes =
        "Commands:\n"
        "  REGISTER                     read a register and show its fields; 0x6 names one, too\n"
        "  REGISTER.FIELD               read one field\n"
        "  REGISTER=VALUE               write a register\n"
        "  REGISTER.FIELD=VALUE         read the register, change the field, write it back\n"
        "  all                          read all registers\n"
        "  run [N]                      let the device issue N instructions (default 1)\n"
        "  wait REGISTER[.FIELD]=VALUE [N]\n"
        "                               let it run until that is so, N issues at most\n"
        "                               (default 1,000,000)\n"
        "  watch REGISTER[.FIELD],… [N]\n"
        "                               let it run for N issues (default 1,000,000) and show\n"
        "                               each change\n"
        "With --connect the device runs by itself: there is no 'run', N is milliseconds, 'wait'\n"
        "takes 10,000 and 'watch' continues until Ctrl-C. The rest of a line after '#' is a "
        "comment.\n",
    .run = run,
};
