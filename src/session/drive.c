/* Runs a program to its end. See drive.h. */
#include "session/drive.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/report.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/schedule.h"
#include "report/device.h"
#include "target/core_file.h"
#include "target/history.h"

enum { COMPARE_FAILED = 1 };

enum wt_status wt_session_set_max_issues(void *context, const char *value, struct wt_error *err)
{
    struct wt_session_drive *d = context;
    enum wt_status status;
    if ((status = wt_parse_number(value, &d->max_issues, err)) != WT_OK)
        return status;
    if (!d->max_issues)
        return wt_fail(err, WT_INVALID, "a run of 0 issues is not a run; 1 is the least");
    return WT_OK;
}

enum wt_status wt_session_set_dump(void *context, const char *value, struct wt_error *err)
{
    return wt_report_results_add_dump(&((struct wt_session_drive *)context)->results, value, err);
}

enum wt_status wt_session_set_report(void *context, const char *value, struct wt_error *err)
{
    struct wt_session_drive *d = context;
    bool taken;
    const enum wt_status status = wt_report_set_check_report(&d->check, value, &taken, err);
    return status || taken ? status : wt_report_add(&d->report, value, err);
}

void wt_session_drive_free(struct wt_session_drive *drive)
{
    free(drive->report);
    wt_report_profile_free(&drive->profile);
    wt_report_check_free(&drive->check);
    wt_report_results_free(&drive->results);
    wt_session_options_free(&drive->options);
}

/* ---- signals: the handler can only set a flag ---- */

static volatile sig_atomic_t caught_signal;

static void catch_signal(int number)
{
    caught_signal = number;
}

static void set_signals(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* Runs until the program is done in one way or another; returns the exit status. */
static int run_to_end(const struct wt_subcommand *command, struct wt_session_drive *d,
                      struct wt_emulated *e)
{
    /* Issues between two checks for signals: well below a second of any program. */
    enum { SLICE = 1 << 18 };
    struct wt_machine *m = e->machine;
    const uint64_t begun = wt_clock_ns();
    for (;;) {
        if (caught_signal) {
            fprintf(stderr, "wavetrap: interrupted at issue time %" PRIu64 "\n", m->time);
            wt_report_device_waves(stderr, e);
            return WT_EXIT_SIGNAL + caught_signal;
        }
        if (d->timeout > 0 && (double)(wt_clock_ns() - begun) >= d->timeout * 1e9) {
            fprintf(stderr,
                    "wavetrap %s: the program has not ended after %g s (--timeout): issue time "
                    "%" PRIu64 "\n",
                    command->name, d->timeout, m->time);
            wt_report_device_waves(stderr, e);
            return WT_EXIT_LIMIT;
        }
        if (e->console_broken)
            return WT_EXIT_FAILED; /* finish_console says why */
        uint64_t issues = SLICE;
        if (d->max_issues && d->max_issues - m->time < issues)
            issues = d->max_issues - m->time;
        if (!issues) {
            fprintf(stderr, "wavetrap: the limit of %" PRIu64 " issues is reached\n",
                    d->max_issues);
            wt_report_device_waves(stderr, e);
            return WT_EXIT_LIMIT;
        }
        switch (d->run ? d->run(d->context, e, issues) : wt_emulated_run(e, issues)) {
        case WT_RUN_BUDGET:
        case WT_RUN_EVENT:
        case WT_RUN_WATCH:
            break;
        case WT_RUN_ENDED:
            return wt_report_word_status(wt_emulated_exit_word(e));
        case WT_RUN_FAULT:
            wt_report_device_fault(stderr, e, d->report);
            return wt_report_fault_status(m->fault.kind);
        case WT_RUN_HALTED:
            fprintf(stderr,
                    "wavetrap %s: every %s is halted, and no debugger is there to let it go; "
                    "'wavetrap debug' is one\n",
                    command->name, e->family->words.wave);
            wt_report_device_waves(stderr, e);
            return WT_EXIT_FAILED;
        }
    }
}

/* Passes on the output that the program has printed and the device still holds. */
static enum wt_status finish_console(struct wt_emulated *e, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    e->notice[0] = 0;
    wt_emulated_input(e, &(struct wt_input){.kind = WT_INPUT_FLUSH_CONSOLE});
    if (e->family->run.print && e->console)
        status = e->family->run.print(e, e->console, err);
    if (!status && e->console_broken)
        status = wt_fail(err, WT_IO, "the program's console could not be written: %s",
                         strerror(e->console_broken));
    if (!status && e->console && fflush(e->console) != 0)
        status = wt_fail(err, WT_IO, "%s: cannot write: %s",
                         e->console == stderr ? "stderr" : "stdout", strerror(errno));
    if (e->notice[0])
        fprintf(stderr, "wavetrap: %s\n", e->notice);
    return status;
}

/* Writes the state in which the device has stopped. */
static enum wt_status write_core_file(const struct wt_session_drive *drive, struct wt_emulated *e,
                                      struct wt_error *err)
{
    const struct wt_fault *f = &e->machine->fault;
    const struct wt_core_file_request request = {.path = drive->core_on_fault,
                                                 .issues = drive->core_history,
                                                 .wave = f->wave,
                                                 .lane = f->lanes ? wt_lanes_lowest(f->lanes) : 0,
                                                 .text = ""};
    const enum wt_status status = wt_core_file_write(e, &request, err);
    if (status)
        return wt_fail_in(err, "--core-on-fault");
    fprintf(stderr, "  The state is in %s: 'wavetrap debug --core %s' opens it.\n", request.path,
            request.path);
    return WT_OK;
}

/* Ends the log of choices, and writes it. Says which choice of a list could not be followed. */
static enum wt_status finish_schedule(const struct wt_session_drive *drive, struct wt_emulated *e,
                                      struct wt_choices *log, struct wt_error *err)
{
    struct wt_turns *turns = &e->machine->turns;
    struct wt_whole_file file;
    turns->log = NULL;
    wt_report_device_missed(stderr, e->machine);
    if (!drive->choices)
        return WT_OK;
    if (turns->log_failed)
        return wt_fail(err, WT_NO_MEMORY, "--write-schedule: no host memory");
    enum wt_status status = wt_whole_file_begin(&file, drive->choices, err);
    if (status)
        return wt_fail_in(err, "--write-schedule"), status;
    FILE *out = fdopen(dup(file.fd), "w");
    if (out)
        wt_choices_print(log, out);
    const bool failed = !out || ferror(out);
    if ((out && fclose(out)) || failed) {
        status = wt_fail(err, WT_IO, "%s: cannot write: %s", drive->choices, strerror(errno));
        wt_whole_file_give_up(&file);
        return status;
    }
    return wt_whole_file_finish(&file, err);
}

int wt_session_drive(const struct wt_subcommand *command, struct wt_session_drive *drive,
                     struct wt_emulated *e)
{
    struct wt_error err;
    bool same = true;
    int counted = 0;
    if (wt_report_check_complete(&drive->check, &err) != WT_OK ||
        wt_report_profile_begin(&drive->profile, e, &err) != WT_OK ||
        wt_report_check_begin(&drive->check, e, &err) != WT_OK ||
        wt_report_results_begin(&drive->results, e, &err) != WT_OK ||
        (drive->core_history && !e->timeline && wt_emulated_history_start(e, &err) != WT_OK))
        return wt_subcommand_fail(command, &err);
    const uint64_t start = wt_clock_ns();
    struct wt_choices log = {0};
    e->machine->turns.log = drive->choices ? &log : NULL;
    caught_signal = 0;
    set_signals(catch_signal);
    int status = run_to_end(command, drive, e);
    set_signals(SIG_DFL);
    const double seconds = (double)(wt_clock_ns() - start) / 1e9;
    if (finish_schedule(drive, e, &log, &err) != WT_OK)
        wt_subcommand_fail(command, &err), status = WT_EXIT_FAILED;
    wt_choices_free(&log);
    if (drive->core_on_fault && e->machine->fault.kind && write_core_file(drive, e, &err) != WT_OK)
        wt_subcommand_fail(command, &err);
    if (finish_console(e, &err) != WT_OK)
        status = wt_subcommand_fail(command, &err);
    else
        counted = wt_report_profile_report(command->name, &drive->profile, e, drive->report);
    if (counted == WT_EXIT_FAILED)
        status = WT_EXIT_FAILED;
    if (drive->profile.counts)
        wt_profile_end(drive->profile.counts);
    if (wt_report_results_report(&drive->results, e, seconds, &err) != WT_OK)
        status = wt_subcommand_fail(command, &err);
    if (!status && wt_report_results_compare(&drive->results, e, &same, &err) != WT_OK)
        status = wt_subcommand_fail(command, &err);
    const int checked = wt_report_check_end(command->name, &drive->check, e, drive->report);
    status = status ? status : checked ? checked : counted ? counted : same ? 0 : COMPARE_FAILED;
    struct wt_report_object o;
    wt_report_begin(&o, drive->report, "exit");
    wt_report_text(&o, "command", command->name);
    wt_report_number(&o, "status", (uint64_t)status);
    wt_report_number(&o, "time", e->machine->time);
    wt_report_end(&o);
    return status;
}
