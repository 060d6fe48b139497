/* Running a program to its end. See drive.h. */
#include "base/text.h"
#include "cli/drive.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/report.h"

/* A part of memory that goes to a file at the end. */
struct cli_dump {
    struct wt_load_file file; /* place is "PLACE:LENGTH" */
};

enum wt_status cli_set_max_issues(void *context, const char *value, struct wt_error *err)
{
    struct cli_drive *d = context;
    if (wt_parse_number(value, &d->max_issues, err))
        return err->status;
    if (!d->max_issues)
        return wt_fail(err, WT_INVALID, "0 issues are no run; 1 is the least");
    return WT_OK;
}

enum wt_status cli_set_hash(void *context, const char *value, struct wt_error *err)
{
    ((struct cli_drive *)context)->hash = true;
    return WT_OK;
}

enum wt_status cli_set_stats(void *context, const char *value, struct wt_error *err)
{
    ((struct cli_drive *)context)->stats = true;
    return WT_OK;
}

enum wt_status cli_set_dump(void *context, const char *value, struct wt_error *err)
{
    struct cli_drive *d = context;
    struct cli_dump dump;
    if (cli_split_place(value, &dump.file, err) || !strchr(dump.file.place, ':'))
        return wt_fail(err, WT_INVALID, "'%s' is not FILE@ADDRESS:LENGTH", value);
    struct cli_dump *grown = realloc(d->dump, (d->dumps + 1) * sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    d->dump = grown;
    d->dump[d->dumps++] = dump;
    return WT_OK;
}

void cli_drive_free(struct cli_drive *drive)
{
    free(drive->dump);
    cli_options_free(&drive->options);
}

/* Where a dump begins and how long it is. */
static enum wt_status dump_range(struct wt_emulated *s, const struct cli_dump *dump, uint64_t *addr,
                                 uint64_t *length, struct wt_error *err)
{
    char place[300];
    const char *colon = strrchr(dump->file.place, ':');
    size_t size = (size_t)(colon - dump->file.place);
    if (size >= sizeof place)
        return wt_fail(err, WT_INVALID, "'%.32s…' is too long for an address", dump->file.place);
    memcpy(place, dump->file.place, size);
    place[size] = 0;
    if (wt_emulated_address(s, place, addr, err))
        return err->status;
    return wt_parse_number(colon + 1, length, err);
}

static enum wt_status write_dump(struct wt_emulated *s, const struct cli_dump *dump,
                                 struct wt_error *err)
{
    uint64_t addr, length;
    if (dump_range(s, dump, &addr, &length, err))
        return err->status;
    char *path = strndup(dump->file.path, dump->file.path_length);
    if (!path)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    enum wt_status status = WT_OK;
    FILE *file = fopen(path, "wb");
    if (!file)
        status = wt_fail(err, WT_IO, "%s: cannot create: %s", path, strerror(errno));
    while (!status && length) {
        uint8_t bytes[65536];
        size_t size = length < sizeof bytes ? (size_t)length : sizeof bytes;
        if (!s->machine->ops->read_memory(s->machine, 0, addr, bytes, size))
            status =
                wt_fail(err, WT_INVALID, "%s: memory at 0x%" PRIx64 " is past the end", path, addr);
        else if (fwrite(bytes, 1, size, file) != size)
            status = wt_fail(err, WT_IO, "%s: cannot write: %s", path, strerror(errno));
        addr += size;
        length -= size;
    }
    if (file && fclose(file) && !status)
        status = wt_fail(err, WT_IO, "%s: cannot write: %s", path, strerror(errno));
    free(path);
    return status;
}

/* ---- signals: the handler can do no more than leave a note ---- */

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

double cli_seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* Runs until the program is done in one way or another; returns the exit status. */
static int run_to_end(const struct cli_command *command, struct cli_drive *d, struct wt_emulated *s)
{
    /* Issues between two looks at what the user wants: well below a second of any program. */
    enum { SLICE = 1 << 18 };
    struct wt_machine *m = s->machine;
    for (;;) {
        if (caught_signal) {
            fprintf(stderr, "wavetrap: interrupted at issue time %" PRIu64 "\n", m->time);
            cli_report_waves(stderr, s);
            return CLI_SIGNAL + caught_signal;
        }
        uint64_t issues = SLICE;
        if (d->max_issues && d->max_issues - m->time < issues)
            issues = d->max_issues - m->time;
        if (!issues) {
            fprintf(stderr, "wavetrap: the limit of %" PRIu64 " issues is reached\n",
                    d->max_issues);
            cli_report_waves(stderr, s);
            return CLI_LIMIT;
        }
        enum wt_run run = d->run ? d->run(d->context, s, issues) : m->ops->run(m, issues);
        switch (run) {
        case WT_RUN_BUDGET:
        case WT_RUN_EVENT:
        case WT_RUN_WATCH:
            break;
        case WT_RUN_ENDED:
            return cli_word_status(vx_device_exit_word(s->device));
        case WT_RUN_FAULT:
            cli_report_fault(stderr, s);
            return cli_fault_status(m->fault.kind);
        case WT_RUN_HALTED:
            fprintf(stderr, "wavetrap %s: every warp is halted and no debugger is there\n",
                    command->name);
            return CLI_FAILED;
        }
    }
}

enum wt_status cli_check_dumps(const struct cli_drive *drive, struct wt_emulated *session,
                               struct wt_error *err)
{
    uint64_t addr, length;
    for (size_t i = 0; i < drive->dumps; i++)
        if (dump_range(session, &drive->dump[i], &addr, &length, err))
            return wt_fail_in(err, "--dump");
    return WT_OK;
}

enum wt_status cli_write_dumps(const struct cli_drive *drive, struct wt_emulated *session,
                               struct wt_error *err)
{
    for (size_t i = 0; i < drive->dumps; i++)
        if (write_dump(session, &drive->dump[i], err))
            return wt_fail_in(err, "--dump");
    return WT_OK;
}

int cli_drive(const struct cli_command *command, struct cli_drive *drive,
              struct wt_emulated *session)
{
    struct wt_error err;
    struct timespec start;
    if (cli_check_dumps(drive, session, &err))
        return cli_fail(command, &err);
    clock_gettime(CLOCK_MONOTONIC, &start);
    caught_signal = 0;
    set_signals(catch_signal);
    int status = run_to_end(command, drive, session);
    set_signals(SIG_DFL);
    double seconds = cli_seconds_since(&start);
    vx_device_flush_console(session->device);
    if (session->console_broken) {
        wt_fail(&err, WT_IO, "the program's console could not be written: %s", strerror(errno));
        status = cli_fail(command, &err);
    }
    if (cli_write_dumps(drive, session, &err))
        status = cli_fail(command, &err);
    if (drive->hash)
        fprintf(stderr, "wavetrap: state hash %016" PRIx64 " after %" PRIu64 " issues\n",
                session->machine->ops->hash(session->machine), session->machine->time);
    if (drive->stats)
        cli_report_stats(session->machine, seconds);
    return status;
}
