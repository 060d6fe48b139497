/* `wavetrap dm`: reads and writes the Debug Module's registers by name, for bringing up hardware.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/connect.h"
#include "cli/dm_place.h"
#include "cli/report.h"
#include "cli/options.h"

struct dm {
    struct cli_options options; /* first: device options */
    const char *script;
    struct cli_connect connect; /* to a device elsewhere */
    bool list;
    struct wt_emulated device; /* unless connected */
    struct wt_bus *bus;
};

static enum wt_status set_script(void *context, const char *value, struct wt_error *err)
{
    ((struct dm *)context)->script = value;
    return WT_OK;
}

static enum wt_status set_list(void *context, const char *value, struct wt_error *err)
{
    ((struct dm *)context)->list = true;
    return WT_OK;
}

static enum wt_status set_connect(void *context, const char *value, struct wt_error *err)
{
    ((struct dm *)context)->connect.address = value;
    return WT_OK;
}

static enum wt_status set_timeout(void *context, const char *value, struct wt_error *err)
{
    return cli_connect_timeout(&((struct dm *)context)->connect, value, err);
}

static enum wt_status set_hold(void *context, const char *value, struct wt_error *err)
{
    ((struct dm *)context)->connect.how.hold = true;
    return WT_OK;
}

static enum wt_status set_tap(void *context, const char *value, struct wt_error *err)
{
    return cli_connect_tap(&((struct dm *)context)->connect, value, err);
}

static enum wt_status set_ir(void *context, const char *value, struct wt_error *err)
{
    return cli_connect_ir(&((struct dm *)context)->connect, value, err);
}

static const struct cli_option options[] = {
    {"script", 's', "FILE", "take commands from FILE, one a line ('-' is stdin)", set_script},
    {"registers", 0, NULL, "list all registers and fields; PROGRAM may be left out", set_list},
    {"connect", 'c', "ADDRESS",
     "a device elsewhere instead of PROGRAM in an emulated one:\n"
     "tcp:HOST:PORT, unix:PATH or remote_bitbang:HOST:PORT",
     set_connect},
    {"jtag-tap", 0, "N", CLI_CONNECT_TAP_HELP, set_tap},
    {"jtag-ir", 0, "BITS,...", CLI_CONNECT_IR_HELP, set_ir},
    {"timeout", 0, "MS", "with --connect: how long to wait for a reply (default 5000)",
     set_timeout},
    {"hold", 0, NULL, "with --connect: do not start a program that waits for its debugger",
     set_hold},
    {0},
};

/* ---- commands ---- */

static enum wt_status read_place(struct dm *dm, const struct cli_place *place, uint32_t *value,
                                 struct wt_error *err)
{
    return wt_bus_read(dm->bus, place->addr, value, err);
}

static enum wt_status show(struct dm *dm, const struct cli_place *place, struct wt_error *err)
{
    enum wt_status status;
    uint32_t value;
    if ((status = read_place(dm, place, &value, err)) != WT_OK)
        return status;
    cli_place_print(place, value);
    return WT_OK;
}

/* A field is written as clients in the field do it: the whole register is read and written back. */
static enum wt_status assign(struct dm *dm, const struct cli_place *place, const char *text,
                             struct wt_error *err)
{
    enum wt_status status;
    uint32_t value, word;
    if ((status = cli_place_parse_value(text, place, &value, err)) != WT_OK)
        return status;
    if (!place->field)
        return wt_bus_write(dm->bus, place->addr, value, err);
    if (place->field->access == WT_DM_R)
        return wt_fail(err, WT_INVALID, "%s.%s is read-only", place->reg->name, place->field->name);
    if ((status = read_place(dm, place, &word, err)) != WT_OK)
        return status;
    word = wt_with_field(word, place->field->msb, place->field->lsb, value);
    return wt_bus_write(dm->bus, place->addr, word, err);
}

static void tell_run(struct dm *dm, enum wt_run run, uint64_t before)
{
    struct wt_machine *m = dm->device.machine;
    printf("ran %" PRIu64 " issues to time %" PRIu64, m->time - before, m->time);
    switch (run) {
    case WT_RUN_BUDGET:
        puts("");
        break;
    case WT_RUN_EVENT:
    case WT_RUN_WATCH:
        puts(": a warp halted");
        break;
    case WT_RUN_HALTED:
        puts(": every active warp is halted");
        break;
    case WT_RUN_ENDED:
        m->ops->flush_console(m);
        printf(": the program has ended, exit word %" PRIu32 "\n",
               dm->device.family->exit_word(&dm->device));
        break;
    case WT_RUN_FAULT:
        puts(": the program made a mistake");
        fflush(stdout);
        cli_report_fault(stderr, &dm->device);
        break;
    }
}

static enum wt_status run_issues(struct dm *dm, uint64_t issues, struct wt_error *err)
{
    struct wt_machine *m = dm->device.machine;
    if (dm->connect.address)
        return wt_fail(err, WT_UNSUPPORTED,
                       "a device elsewhere runs by itself: 'run' is for the "
                       "emulator");
    uint64_t before = m->time;
    tell_run(dm, m->ops->run(m, issues), before);
    return WT_OK;
}

/* ---- commands that take time: issues of the emulator, or milliseconds ---- */

struct span {
    uint64_t limit, begin;
    bool over;       /* nothing can issue any more */
    enum wt_run run; /* then: why */
};

static uint64_t now(const struct dm *dm)
{
    if (!dm->connect.address)
        return dm->device.machine->time;
    return (uint64_t)wt_clock_ms();
}

static const char *unit(const struct dm *dm)
{
    return dm->connect.address ? "ms" : "issues";
}

/* Lets a little of it pass; false when the limit is reached, or nothing can change any more. */
static bool pass(struct dm *dm, struct span *span)
{
    if (span->over || now(dm) - span->begin >= span->limit)
        return false;
    if (dm->connect.address) {
        const struct timespec nap = {.tv_nsec = 1000000};
        nanosleep(&nap, NULL);
        return true;
    }
    struct wt_machine *m = dm->device.machine;
    span->run = m->ops->run(m, 1);
    span->over = span->run != WT_RUN_BUDGET && span->run != WT_RUN_EVENT;
    return true; /* whoever waits looks once more */
}

/* "wait PLACE=VALUE [N]" */
static enum wt_status wait_for(struct dm *dm, char *condition, uint64_t limit, struct wt_error *err)
{
    enum wt_status status;
    char *equal = strchr(condition, '=');
    struct cli_place place;
    struct span span = {.limit = limit, .begin = now(dm)};
    uint32_t wanted, word;
    if (!equal)
        return wt_fail(err, WT_INVALID, "'wait' wants REGISTER=VALUE or REGISTER.FIELD=VALUE");
    if ((status = cli_place_parse(condition, (size_t)(equal - condition), &place, err)) != WT_OK ||
        (status = cli_place_parse_value(equal + 1, &place, &wanted, err)) != WT_OK)
        return status;
    do {
        if ((status = read_place(dm, &place, &word, err)) != WT_OK)
            return status;
        if (cli_place_value(&place, word) == wanted) {
            printf("%s after %" PRIu64 " %s", condition, now(dm) - span.begin, unit(dm));
            if (!dm->connect.address)
                printf(", time %" PRIu64, now(dm));
            putchar('\n');
            return WT_OK;
        }
    } while (pass(dm, &span));
    if (span.over) {
        tell_run(dm, span.run, span.begin);
        return wt_fail(err, WT_STATE, "%s will not come: nothing can issue any more", condition);
    }
    return wt_fail(err, WT_TIMEOUT, "%s did not come within %" PRIu64 " %s", condition,
                   now(dm) - span.begin, unit(dm));
}

enum { MAX_WATCHED = 16 };

/* "watch PLACE[,PLACE]… [N]": shows them, and each change. */
static enum wt_status watch(struct dm *dm, char *names, uint64_t limit, struct wt_error *err)
{
    enum wt_status status;
    struct cli_place place[MAX_WATCHED];
    uint32_t last[MAX_WATCHED];
    struct wt_bus_op op[MAX_WATCHED];
    struct span span = {.limit = limit, .begin = now(dm)};
    size_t count = 0;
    char *save = NULL;
    for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
        if (count == MAX_WATCHED)
            return wt_fail(err, WT_INVALID, "'watch' takes %d places at most", MAX_WATCHED);
        if ((status = cli_place_parse(name, strlen(name), &place[count++], err)) != WT_OK)
            return status;
    }
    bool first = true;
    do {
        for (size_t i = 0; i < count; i++)
            op[i] = (struct wt_bus_op){.addr = place[i].addr};
        if ((status = wt_bus_transact(dm->bus, op, count, err)) != WT_OK)
            return status;
        for (size_t i = 0; i < count; i++) {
            const uint32_t value = cli_place_value(&place[i], op[i].value);
            if (!first && value == last[i])
                continue;
            last[i] = value;
            printf("%" PRIu64 " %s: ", now(dm) - span.begin, unit(dm));
            cli_place_print(&place[i], op[i].value);
        }
        first = false;
        fflush(stdout);
    } while (pass(dm, &span));
    if (span.over)
        tell_run(dm, span.run, span.begin);
    return WT_OK;
}

static enum wt_status number_or(const char *word, uint64_t fallback, uint64_t *value,
                                struct wt_error *err)
{
    *value = fallback;
    return word ? wt_parse_number(word, value, err) : WT_OK;
}

static enum wt_status one_command(struct dm *dm, char *line, struct wt_error *err)
{
    enum wt_status status;
    char *word[4], *save = NULL;
    size_t words = 0;
    line[strcspn(line, "#\n\r")] = 0;
    for (char *w = strtok_r(line, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
        if (words == 3)
            return wt_fail(err, WT_INVALID, "'%s' is one word too many", w);
        word[words++] = w;
    }
    word[words] = NULL;
    if (!words)
        return WT_OK;
    uint64_t number;
    if (strcmp(word[0], "run") == 0 && words <= 2)
        return number_or(word[1], 1, &number, err) ? err->status : run_issues(dm, number, err);
    if (strcmp(word[0], "wait") == 0 && words >= 2)
        return number_or(word[2], dm->connect.address ? 10000 : 1000000, &number, err)
                   ? err->status
                   : wait_for(dm, word[1], number, err);
    if (strcmp(word[0], "watch") == 0 && words >= 2)
        return number_or(word[2], dm->connect.address ? UINT64_MAX : 1000000, &number, err)
                   ? err->status
                   : watch(dm, word[1], number, err);
    if (words > 1)
        return wt_fail(err, WT_INVALID,
                       "'%s %s' is none of REGISTER[.FIELD], REGISTER[.FIELD]=VALUE, all, run [N], "
                       "wait REGISTER[.FIELD]=VALUE [N], watch REGISTER[.FIELD],… [N]",
                       word[0], word[1]);
    struct cli_place place;
    if (strcmp(word[0], "all") == 0) {
        for (size_t i = 0; i < wt_vxdebug_register_count; i++) {
            place = (struct cli_place){.addr = wt_vxdebug_registers[i].addr,
                                       .reg = &wt_vxdebug_registers[i]};
            if ((status = show(dm, &place, err)) != WT_OK)
                return status;
        }
        return WT_OK;
    }
    char *equal = strchr(word[0], '=');
    size_t length = equal ? (size_t)(equal - word[0]) : strlen(word[0]);
    if ((status = cli_place_parse(word[0], length, &place, err)) != WT_OK)
        return status;
    return equal ? assign(dm, &place, equal + 1, err) : show(dm, &place, err);
}

static enum wt_status run_script(struct dm *dm, struct wt_error *err)
{
    bool is_stdin = strcmp(dm->script, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(dm->script, "r");
    if (!file)
        return wt_fail(err, WT_IO, "%s: cannot open: %s", dm->script, strerror(errno));
    char *line = NULL;
    size_t room = 0, number = 0;
    enum wt_status status = WT_OK;
    while (!status && getline(&line, &room, file) >= 0) {
        number++;
        if (one_command(dm, line, err))
            status = wt_fail_in(err, "%s: line %zu", is_stdin ? "stdin" : dm->script, number);
        fflush(stdout);
    }
    if (!status && ferror(file))
        status = wt_fail(err, WT_IO, "%s: cannot read: %s", dm->script, strerror(errno));
    free(line);
    if (!is_stdin)
        fclose(file);
    return status;
}

static enum wt_status open_device(struct dm *dm, const char *program, struct wt_error *err)
{
    enum wt_status status;
    if (dm->connect.address)
        return cli_connect_open(&dm->connect, &dm->bus, err);
    dm->options.device.debugged = true;
    if ((status = cli_open(&dm->device, &dm->options, program, err)) != WT_OK ||
        (status = wt_emulated_attach(&dm->device, err)) != WT_OK)
        return status;
    dm->bus = dm->device.bus;
    return WT_OK;
}

static void close_device(struct dm *dm)
{
    if (dm->connect.address)
        wt_bus_close(dm->bus);
    else
        wt_emulated_close(&dm->device);
}

static int run_commands(struct dm *dm, const char *program, char **commands)
{
    struct wt_error err;
    enum wt_status status = open_device(dm, program, &err);
    if (!status && !*commands && !dm->script)
        dm->script = "-";
    if (!status && dm->script)
        status = run_script(dm, &err);
    for (; !status && *commands; commands++) {
        char *line = strdup(*commands);
        if (!line)
            status = wt_fail(&err, WT_NO_MEMORY, "no host memory");
        else if (one_command(dm, line, &err))
            status = wt_fail_in(&err, "'%s'", *commands);
        free(line);
    }
    int exit_status = status ? cli_fail(&cli_dm, &err) : 0;
    if (fflush(stdout) || ferror(stdout)) {
        wt_fail(&err, WT_IO, "cannot write to stdout: %s", strerror(errno));
        exit_status = cli_fail(&cli_dm, &err);
    }
    close_device(dm);
    return exit_status;
}

static int run(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "check") == 0)
        return cli_dm_check.run(argc - 1, argv + 1);
    struct dm dm = {0};
    int status = CLI_FAILED;
    switch (cli_parse(&cli_dm, argc, argv, &dm, &dm.options, 0, true)) {
    case CLI_DONE:
        status = 0;
        break;
    case CLI_BAD:
        break;
    default:
        if (dm.list) {
            cli_place_list();
            status = 0;
        } else if (optind == argc && !dm.connect.address) {
            fputs("wavetrap dm: an operand is missing (PROGRAM); see 'wavetrap dm --help'\n",
                  stderr);
        } else {
            const int first = optind + !dm.connect.address;
            status = run_commands(&dm, argv[optind], argv + first);
        }
    }
    cli_options_free(&dm.options);
    return status;
}

const struct cli_command cli_dm = {
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
        "takes 10,000 and 'watch' goes on until Ctrl-C. What follows '#' is a comment.\n",
    .run = run,
};
