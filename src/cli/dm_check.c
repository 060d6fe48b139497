/* `wavetrap dm check`: checks whether a Debug Module conforms to the VxDebug specification. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "debug/conformance/conformance.h"
#include "debug/vortex/vortex.h"
#include "session/connect.h"
#include "session/interrupts.h"
#include "session/options.h"

enum { CHECK_FAILED = 1 }; /* exit status: a check has failed */

struct dm_check {
    struct wt_session_options options; /* first: device options */
    const char *only;                  /* "NAME,NAME": checks, or what their names begin with */
    bool list, json;
    struct wt_conformance_options run;
    int stop_fd; /* readable once a signal has asked for the end */
};

static enum wt_status set_patience(void *context, const char *value, struct wt_error *err)
{
    return wt_session_milliseconds(value, &((struct dm_check *)context)->run.patience_ms, err);
}

static enum wt_status set_at(void *context, const char *value, struct wt_error *err)
{
    enum wt_status status;
    struct dm_check *c = context;
    uint64_t addr;
    if ((status = wt_parse_number(value, &addr, err)) != WT_OK)
        return status;
    if (addr > 0xffffff00 || addr % 4)
        return wt_fail(err, WT_INVALID, "0x%" PRIx64 " is not a multiple of 4 below 4 GiB", addr);
    c->run.base = (uint32_t)addr;
    c->run.base_given = true;
    return WT_OK;
}

/* Whether the list has the check's name, or a group of checks that it belongs to. */
static bool is_wanted(void *context, const struct wt_conformance_check *check)
{
    const char *name = ((struct dm_check *)context)->only;
    while (name && *name) {
        const size_t length = strcspn(name, ",");
        if (length && strncmp(check->name, name, length) == 0 &&
            (!check->name[length] || check->name[length] == '.'))
            return true;
        name += length + (name[length] == ',');
    }
    return !((struct dm_check *)context)->only;
}

static enum wt_status set_only(void *context, const char *value, struct wt_error *err)
{
    ((struct dm_check *)context)->only = value;
    for (size_t i = 0; i < wt_conformance_check_count(); i++)
        if (is_wanted(context, wt_conformance_check(i)))
            return WT_OK;
    return wt_fail(err, WT_INVALID, "there is no check '%s'; 'wavetrap dm check --list' has them",
                   value);
}

static const struct wt_option options[] = {
    {"connect", 'c', "ADDRESS",
     "a device elsewhere instead of an emulated one: tcp:HOST:PORT,\n"
     "unix:PATH or remote_bitbang:HOST:PORT",
     WT_OPTION_TEXT(struct wt_session_options, connect.address)},
    {"jtag-tap", 0, "N", WT_CONNECT_TAP_HELP, WT_OPTION_SET(wt_session_set_connect_tap)},
    {"jtag-ir", 0, "BITS,...", WT_CONNECT_IR_HELP, WT_OPTION_SET(wt_session_set_connect_ir)},
    {"only", 'o', "NAME,…",
     "these checks alone; 'hacause' means all whose names begin with\n"
     "'hacause.'",
     WT_OPTION_SET(set_only)},
    {"list", 'l', NULL, "list all checks and what they say", WT_OPTION_FLAG(struct dm_check, list)},
    {"json", 'j', NULL, "print one JSON object a line, the summary last",
     WT_OPTION_FLAG(struct dm_check, json)},
    {"at", 0, "ADDRESS",
     "put the checks' few instructions there, not where the device\n"
     "starts; 68 bytes of memory that can be executed",
     WT_OPTION_SET(set_at)},
    {"patience", 0, "MS", "how long the device may take for a request (default 1000)",
     WT_OPTION_SET(set_patience)},
    {"timeout", 0, "MS", "with --connect: how long to wait for a reply (default 5000)",
     WT_OPTION_SET(wt_session_set_connect_timeout)},
    {0},
};

/* ---- the report ---- */

static const char *const words[] = {"pass", "FAIL", "cannot tell"};
static const char *const json_words[] = {"pass", "fail", "cannot tell"};

/* Texts are the program's own, except what a device or a system call reports: all of it is
 * sanitised. */
static void json_string(const char *name, const char *text)
{
    printf("\"%s\": \"", name);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned char)*text);
        else
            putchar(*text);
    }
    putchar('"');
}

static void json_check(const struct wt_conformance_check *check)
{
    putchar('{');
    json_string("check", check->name);
    fputs(", ", stdout);
    json_string("section", check->section);
    fputs(", ", stdout);
    json_string("register", check->reg);
    fputs(", ", stdout);
    json_string("rule", check->title);
}

static void print_result(void *context, const struct wt_conformance_result *result)
{
    const struct wt_conformance_check *check = result->check;
    if (((struct dm_check *)context)->json) {
        json_check(check);
        fputs(", ", stdout);
        json_string("verdict", json_words[result->verdict]);
        fputs(", ", stdout);
        json_string("text", result->text);
        puts("}");
    } else {
        printf("%-11s  %-26s %s [%s]: %s\n", words[result->verdict], check->name, check->reg,
               check->section, check->title);
        if (result->text[0])
            printf("             %s\n", result->text);
    }
    fflush(stdout);
}

static void print_list(bool json)
{
    for (size_t i = 0; i < wt_conformance_check_count(); i++) {
        const struct wt_conformance_check *check = wt_conformance_check(i);
        if (json) {
            json_check(check);
            puts("}");
        } else {
            printf("%-26s %s [%s]: %s\n", check->name, check->reg, check->section, check->title);
        }
    }
}

static void print_summary(const struct dm_check *c, const struct wt_conformance_summary *s)
{
    const struct wt_conformance_device *d = &s->device;
    const unsigned checks = s->passed + s->failed + s->cannot_tell;
    if (c->json) {
        printf(
            "{\"checks\": %u, \"pass\": %u, \"fail\": %u, \"cannot tell\": %u, \"complete\": %s, "
            "\"platform\": %" PRIu32 ", \"clusters\": %u, \"cores\": %u, \"warps\": %u, "
            "\"threads\": %u, \"xlen\": %u}\n",
            checks, s->passed, s->failed, s->cannot_tell, s->stopped ? "false" : "true",
            d->platform, d->clusters, d->cores, d->warps, d->threads, d->xlen);
        return;
    }
    printf("\n%u cluster%s of %u core%s, %u warp%s of %u thread%s", d->clusters,
           wt_plural(d->clusters), d->cores, wt_plural(d->cores), d->warps, wt_plural(d->warps),
           d->threads, wt_plural(d->threads));
    if (d->xlen)
        printf(", RV%u", d->xlen);
    putchar('\n');
    printf("%u check%s: %u pass, %u fail, %u cannot tell%s\n", checks, wt_plural(checks), s->passed,
           s->failed, s->cannot_tell, s->stopped ? "; ended early by a signal" : "");
}

static bool asked_to_stop(void *context)
{
    struct pollfd fd = {.fd = ((struct dm_check *)context)->stop_fd, .events = POLLIN};
    return poll(&fd, 1, 0) > 0;
}

/* ---- the device ---- */

static int check_target(struct dm_check *c, const struct wt_target *target)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, 0};
    struct wt_conformance_summary summary;
    struct wt_error err;
    c->stop_fd = wt_session_signal_fd(signals);
    c->run.result = print_result;
    c->run.wanted = is_wanted;
    c->run.stop = asked_to_stop;
    c->run.context = c;
    enum wt_status status = wt_conformance_run(target, &c->run, &summary, &err);
    print_summary(c, &summary);
    if (c->stop_fd >= 0)
        close(c->stop_fd);
    if (status)
        return wt_subcommand_fail(&cli_dm_check, &err);
    if (summary.stopped)
        return WT_EXIT_FAILED;
    return summary.failed ? CHECK_FAILED : 0;
}

static int check_elsewhere(struct dm_check *c)
{
    static const struct wt_target_services none;
    struct wt_error err;
    struct wt_vortex_link link = {.bus = NULL};
    const struct wt_target target = {.link = &link, .services = &none};
    if (wt_session_connect_open(&c->options.connect, &link.bus, &err))
        return wt_subcommand_fail(&cli_dm_check, &err);
    int status = check_target(c, &target);
    wt_bus_close(link.bus);
    return status;
}

static int check_emulator(struct dm_check *c, const char *program)
{
    struct wt_emulated device;
    struct wt_error err;
    c->options.device.debugged = c->run.emulated = true;
    if (wt_session_open_device(&device, &c->options, program, &err))
        return wt_subcommand_fail(&cli_dm_check, &err);
    device.console = NULL; /* the checks run no program to its end */
    int status = wt_emulated_attach(&device, &err) ? wt_subcommand_fail(&cli_dm_check, &err)
                                                   : check_target(c, &device.target);
    wt_emulated_close(&device);
    return status;
}

static int run(int argc, char **argv)
{
    struct dm_check c = {0};
    struct wt_error err;
    int status = wt_subcommand_parse(&cli_dm_check, argc, argv, &c, &c.options, 0, true);
    if (status == WT_SUBCOMMAND_GO) {
        status = WT_EXIT_FAILED;
        if (argc - optind > (c.options.connect.address || c.list ? 0 : 1))
            fprintf(stderr,
                    "wavetrap dm check: '%s' is one operand too many; see 'wavetrap dm "
                    "check --help'\n",
                    argv[argc - 1]);
        else if (c.list) {
            print_list(c.json);
            status = 0;
        } else {
            status =
                c.options.connect.address ? check_elsewhere(&c) : check_emulator(&c, argv[optind]);
        }
        if (fflush(stdout) || ferror(stdout)) {
            wt_fail(&err, WT_IO, "cannot write to stdout: %s", strerror(errno));
            status = wt_subcommand_fail(&cli_dm_check, &err);
        }
    }
    wt_session_options_free(&c.options);
    return status;
}

const struct wt_subcommand cli_dm_check = {
    .name = "dm check",
    .operands = "[PROGRAM]",
    .summary = "Tests a Debug Module against the VxDebug specification, rule by rule: that of an\n"
               "emulated device (with PROGRAM in it, or nothing), or with --connect any other.",
    .options = options,
    .device = true,
    .notes =
        "Each rule is reported as 'pass', 'FAIL' (the expected and the actual value) or 'cannot\n"
        "tell' (why). A rule that needs something to run is tried with a few instructions that "
        "are\n"
        "written by injected stores; memory is put back at the end, and the device is reset\n"
        "and runs from its beginning. General and scratch registers are not put back.\n"
        "The exit status is 0 if nothing failed, 1 if something did, 125 if wavetrap could not\n"
        "test.\n",
    .run = run,
};
