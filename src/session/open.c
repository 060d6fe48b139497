/* Opens, serves and closes what a front end debugs. See debuggee.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/console/console.h"
#include "report/device.h"
#include "session/debuggee.h"
#include "session/exec_file.h"
#include "target/core_file.h"

bool wt_debuggee_runs_already(const struct wt_debuggee *d)
{
    return d->pid || d->socket;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Opens a core file, which names its program and holds its options. */
static enum wt_status open_core_file(struct wt_debuggee *d, struct wt_error *err)
{
    struct wt_emulated_options *o = &d->drive.options.device;
    enum wt_status status;
    const char *given = d->program;
    if (wt_debuggee_runs_already(d) || (given && d->arguments[0]))
        return wt_fail(err, WT_INVALID,
                       "a core file knows its program: there is no process, and no argument");
    if (o->load_count || o->gpu.family || o->argument_count || o->kernel.given || o->fill)
        return wt_fail(err, WT_INVALID,
                       "a core file knows its GPU, program and arguments: no options for them");
    if (!o->history_memory)
        o->history_memory = WT_TIMELINE_BUDGET_DEFAULT;
    if ((status = wt_core_file_open(d->core_path, &d->core_file, err)) != WT_OK)
        return status;
    d->program = wt_core_file_program(d->core_file);
    if (given && strcmp(base_of(given), base_of(d->program)) != 0)
        return wt_fail(err, WT_INVALID, "%s is a core file of %s, not of %s", d->core_path,
                       *d->program ? d->program : "no program", given);
    if ((status = wt_core_file_load(&d->device, o, d->core_file, err)) != WT_OK)
        return status;
    return wt_report_check_take_core_file(&d->drive.check, d->core_file, &d->device, err);
}

/* The program is code for a device, which is emulated here. */
static enum wt_status open_device(struct wt_debuggee *d, struct wt_error *err)
{
    d->drive.options.device.debugged = false; /* for GDB; the console knows every probe */
    enum wt_status status =
        d->core_path ? open_core_file(d, err)
                     : wt_session_open_device(&d->device, &d->drive.options, d->program, err);
    if (status)
        return status;
    if (!d->device.family->debug.probe) {
        wt_emulated_close(&d->device);
        return wt_fail(err, WT_UNSUPPORTED, "%s cannot be debugged yet",
                       d->device.family->files.runs);
    }
    d->device_console = fopencookie(d, "w", (cookie_io_functions_t){.write = d->front->program});
    d->device.console = d->device_console;
    status = d->device_console ? wt_emulated_debug(&d->device, d->front->agent, d, err)
                               : wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (!status)
        status = wt_report_profile_begin(&d->drive.profile, &d->device, err);
    if (!status)
        status = wt_report_check_begin(&d->drive.check, &d->device, err);
    if (!status && !(d->session = wt_session_new(d->device.debugger)))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    return status ? status : d->front->watch(d, wt_session_loop(d->session), err);
}

/* The program runs on a device elsewhere. It is loaded here, too, for its symbols and code. */
static enum wt_status open_attached(struct wt_debuggee *d, struct wt_error *err)
{
    struct wt_session_options *options = &d->drive.options;
    const struct wt_emulated_options *o = &options->device;
    enum wt_status status;
    if (wt_debuggee_runs_already(d) || d->core_path)
        return wt_fail(err, WT_INVALID,
                       "give one of --dm or --jtag, --pid and --core: a device elsewhere, a host "
                       "program, or a core file");
    if (o->gpu.family || o->schedule || o->fill || o->no_jit || o->load_count ||
        o->argument_count || o->kernel.given || o->base_given || o->memory)
        return wt_fail(err, WT_INVALID,
                       "the device elsewhere has its GPU, its program and arguments: there are no "
                       "options for them");
    options->device.debugged = false;
    if ((status = wt_session_open_device(&d->device, options, d->program, err)) != WT_OK)
        return status;
    const struct wt_family *family = wt_family_of_registers();
    if (d->device.family != family)
        return wt_fail(err, WT_UNSUPPORTED,
                       "%s: --dm and --jtag reach devices that run %s, and it is none", d->program,
                       family->files.runs);
    return wt_session_attached_open(&d->attached, options, d->program, false, d->front->agent, d,
                                    err);
}

static enum wt_status open_attached_session(struct wt_debuggee *d, struct wt_error *err)
{
    if (!(d->session = wt_session_new(d->attached.debugger)))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return d->front->watch(d, wt_session_loop(d->session), err);
}

enum wt_status wt_debuggee_check_no_terminal(const struct wt_debuggee *d, struct wt_error *err)
{
    return d->order_count || d->trust || d->page
               ? wt_fail(err, WT_INVALID,
                         "--ex, --command, --trust and --view are for the console at a terminal")
               : WT_OK;
}

enum wt_status wt_debuggee_enter(struct wt_debuggee *d, struct wt_error *err)
{
    struct wt_program *g = wt_shell_debugged(d->console);
    char pid[24];
    snprintf(pid, sizeof pid, "%d", d->pid);
    if (wt_debuggee_runs_already(d))
        return wt_program_attach(g, d->socket ? d->socket : pid, err);
    return d->core_file ? wt_program_post_mortem(g, err) : WT_OK;
}

/* ---- services: code, registers, counts, findings ---- */

static const struct wt_family *family_of(const struct wt_debuggee *d)
{
    return d->host ? wt_session_host_family(d->host) : d->device.family;
}

static unsigned disassemble(void *context, uint64_t addr, const uint8_t *bytes, size_t length,
                            char *text, size_t size)
{
    struct wt_debuggee *d = context;
    const struct wt_family *f = d->device.family;
    if (d->host)
        return wt_session_host_instruction(d->host, addr, bytes, length, text, size);
    return f->isa.instruction_text
               ? f->isa.instruction_text(&d->device, NULL, addr, bytes, length, text, size)
               : 0;
}

static bool code_register(void *context, uint64_t pc, size_t n, struct wt_code_register *reg)
{
    struct wt_debuggee *d = context;
    const struct wt_family *f = d->device.family;
    if (d->host)
        return wt_session_host_code_register(d->host, pc, n, reg);
    return f->isa.code_register && f->isa.code_register(&d->device, pc, n, reg);
}

static size_t region(void *context, const char *text, struct wt_register_region *region)
{
    const struct wt_family *f = family_of(context);
    return f->isa.region ? f->isa.region(text, region) : 0;
}

static bool explain(void *context, FILE *out, const char *const *name, const uint64_t *value,
                    size_t count)
{
    const struct wt_debuggee *d = context;
    const struct wt_family *f = family_of(d);
    if (f->isa.explain_registers)
        f->isa.explain_registers(out, name, value, count);
    return f->isa.explain_registers != NULL;
}

static enum wt_status print_operand(void *context, FILE *out, const char *text, char letter,
                                    bool (*read)(void *reader, const char *name, uint8_t *bytes,
                                                 size_t size),
                                    void *reader, bool *is_operand, struct wt_error *err)
{
    const struct wt_debuggee *d = context;
    const struct wt_family *f = family_of(d);
    const struct wt_register_reader registers = {read, reader};
    *is_operand = false;
    return f->isa.print_operand
               ? f->isa.print_operand(out, text, letter, &registers, is_operand, err)
               : WT_OK;
}

bool wt_debuggee_is_attached(const struct wt_debuggee *d)
{
    return wt_session_attached_is_given(&d->drive.options.connect);
}

const char *wt_debuggee_quit_question(void *context)
{
    const struct wt_debuggee *d = context;
    return wt_debuggee_is_attached(d) || d->core_path ||
                   (d->host && !wt_session_host_is_own(d->host))
               ? "Quit? (y or n) "
               : "Quit and end the program? (y or n) ";
}

static enum wt_status print_profile(void *context, FILE *out, struct wt_error *err)
{
    struct wt_debuggee *d = context;
    return wt_report_profile_print(&d->drive.profile, d->host ? NULL : &d->device, out, err);
}

static int pid_of_host(void *context)
{
    return wt_session_host_pid(context);
}

void wt_debuggee_services(struct wt_debuggee *d, struct wt_shell_options *options)
{
    options->disassemble = disassemble;
    options->code_register = code_register;
    options->region = region;
    options->explain = explain;
    options->print_operand = print_operand;
    options->profile = wt_report_profile_wanted(&d->drive.profile) ? print_profile : NULL;
    options->checks = wt_report_check_offer(
        &d->drive.check, &(struct wt_report_checked){
                             d->host ? &d->drive.profile.file : &d->drive.check.file,
                             d->host ? NULL : &d->device, d->host ? pid_of_host : NULL, d->host});
    options->context = d;
}

/* ---- host programs ---- */

static enum wt_status host_start(void *context, const char *arguments, char *const *environment,
                                 bool *ended, struct wt_error *err)
{
    struct wt_debuggee *d = context;
    enum wt_status status = wt_report_profile_begin_programs(
        &d->drive.profile, d->drive.check.options.checks != 0, err);
    if (status || (status = wt_report_check_begin_programs(&d->drive.check, err)) != WT_OK)
        return status;
    status = wt_session_host_start(d->host, arguments, environment, ended, err);
    d->session = wt_session_host_session(d->host);
    return status;
}

static enum wt_status host_attach(void *context, const char *where, struct wt_error *err)
{
    struct wt_debuggee *d = context;
    enum wt_status status = wt_session_host_attach(d->host, where, err);
    d->session = wt_session_host_session(d->host);
    return status;
}

static void host_refresh(void *context)
{
    wt_session_host_refresh(((struct wt_debuggee *)context)->host);
}

static void host_finish(void *context, bool *known, bool *again, int *code, char *text, size_t size)
{
    struct wt_debuggee *d = context;
    wt_session_host_finish(d->host, known, again, code, text, size);
    d->session = wt_session_host_session(d->host);
}

static void host_leave(void *context, bool kill)
{
    struct wt_debuggee *d = context;
    wt_session_host_leave(d->host, kill);
    d->session = wt_session_host_session(d->host);
}

static int host_pid(void *context)
{
    return wt_session_host_pid(((struct wt_debuggee *)context)->host);
}

static bool host_is_elsewhere(void *context)
{
    return wt_session_host_is_elsewhere(((struct wt_debuggee *)context)->host);
}

static bool host_is_own(void *context)
{
    return wt_session_host_is_own(((struct wt_debuggee *)context)->host);
}

static const struct wt_program_host host_ops = {.start = host_start,
                                                .attach = host_attach,
                                                .refresh = host_refresh,
                                                .finish = host_finish,
                                                .leave = host_leave,
                                                .pid = host_pid,
                                                .is_elsewhere = host_is_elsewhere,
                                                .is_own = host_is_own};

/* That which starts host programs for a program that is not `wavetrap` itself. */
static const char *command(void)
{
    const char *named = getenv("WAVETRAP");
    return named && *named ? named : "wavetrap";
}

static enum wt_status open_host(struct wt_debuggee *d, struct wt_error *err)
{
    const struct wt_emulated_options *device = &d->drive.options.device;
    const struct wt_family *family =
        device->gpu.family ? device->gpu.family : wt_family_of_host_programs();
    if (!family->debug.process)
        return wt_fail(err, WT_UNSUPPORTED, "host programs on %s cannot be debugged yet",
                       family->name);
    if (device->load_count || device->argument_count || device->kernel.given)
        return wt_fail(
            err, WT_INVALID,
            "a host program launches its kernels itself: --arg, --load and the options of a "
            "launch are not for it");
    if (wt_debuggee_runs_already(d) &&
        (device->schedule || device->memory || device->fill || device->no_jit))
        return wt_fail(
            err, WT_INVALID,
            "the program runs: its GPUs are as they are, and --memory, --schedule, --fill and "
            "--no-jit cannot change them");
    const struct wt_session_host_options options = {
        .program = d->program,
        .family = family,
        .schedule = d->drive.options.schedule_text,
        .fill = d->drive.options.fill_text,
        .no_jit = device->no_jit,
        .memory = device->memory,
        .history_memory = device->hw_only ? 0 : device->history_memory,
        .unrecorded = !device->history_memory,
        .gpu = d->drive.options.gpu,
        .gpu_count = d->drive.options.gpu_count,
        .token = d->token,
        .command = d->front->is_library ? command() : NULL,
        .signal_fd = d->signal_fd,
        .streams = {d->streams[0], d->streams[1]},
        .interrupted = d->front->interrupted,
        .watch_signals = d->front->watch,
        .output = d->front->agent,
        .context = d};
    enum wt_status status = wt_session_host_open(&options, &d->host, err);
    if (!status)
        d->session = wt_session_host_session(d->host);
    return status;
}

/* As in GDB, a name means a file of this folder before one of PATH. */
static enum wt_status look_here(struct wt_debuggee *d, struct wt_error *err)
{
    if (!d->program || strchr(d->program, '/') || access(d->program, F_OK) != 0)
        return WT_OK;
    if (asprintf(&d->here, "./%s", d->program) < 0)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return WT_OK;
}

static bool is_host_program(struct wt_debuggee *d)
{
    char path[4096];
    if (d->core_path || wt_debuggee_is_attached(d))
        return false;
    if (wt_debuggee_runs_already(d))
        return true;
    if (wt_emulated_takes(&d->drive.options.device, d->program) ||
        !exec_file_find(d->here ? d->here : d->program, path, sizeof path))
        return false;
    d->program = d->here ? d->here : d->program;
    return true;
}

/* The process is about to end in another thread: a program that was started here ends, too. */
static void end_now(void *context)
{
    struct wt_debuggee *d = context;
    if (d->host)
        wt_session_host_abandon(d->host);
    if (d->front->ends)
        d->front->ends(d);
}

enum wt_status wt_debuggee_open(struct wt_debuggee *d, struct wt_error *err)
{
    const struct wt_session_interrupts_options interrupts = {.question = wt_debuggee_quit_question,
                                                             .asks =
                                                                 !d->batch && isatty(STDIN_FILENO),
                                                             .end = end_now,
                                                             .context = d};
    enum wt_status status = wt_session_attached_check(&d->drive.options.connect, err);
    const bool counts = wt_report_profile_wanted(&d->drive.profile);
    if (!status)
        status = wt_report_check_complete(&d->drive.check, err);
    if (!status && (counts || d->drive.check.options.checks) &&
        (wt_debuggee_runs_already(d) || wt_debuggee_is_attached(d) || d->core_path))
        status = wt_fail(err, WT_INVALID,
                         "%s from a program's beginning: it is for programs that this debugger "
                         "starts, not for core files and what runs elsewhere",
                         counts ? "--profile counts" : "--check looks");
    if (status || (status = look_here(d, err)) != WT_OK)
        return status;
    const bool is_host = is_host_program(d);
    if (!is_host && d->program && access(d->program, F_OK) != 0)
        return wt_fail(err, WT_IO, "%s: %s", d->program, strerror(errno));
    if (!is_host && !d->core_path && d->arguments[0])
        return wt_fail(err, WT_INVALID, "%s is code for the device, which takes no arguments: %s",
                       d->program, d->arguments[0]);
    if (!is_host && d->drive.options.gpu_count > 1)
        return wt_fail(err, WT_INVALID, "%s is code for the device: it has one --gpu", d->program);
    /* Until the device elsewhere has answered, Ctrl-C ends the command. */
    if (wt_debuggee_is_attached(d) && (status = open_attached(d, err)) != WT_OK)
        return status;
    d->signal_fd = -1;
    if (!d->front->is_library) {
        if ((status = wt_session_interrupts_open(&interrupts, &d->signals, err)) != WT_OK)
            return status;
        d->signal_fd = wt_session_interrupts_fd(d->signals);
    }
    status = is_host                      ? open_host(d, err)
             : wt_debuggee_is_attached(d) ? open_attached_session(d, err)
                                          : open_device(d, err);
    if (status)
        return status;
    char *line = is_host ? wt_session_host_line(d->arguments) : NULL;
    struct wt_shell_options options = {
        .session = d->session,
        .modules = is_host ? wt_session_host_modules(d->host) : d->device.modules,
        .program = d->program,
        .host = is_host ? &host_ops : NULL,
        .arguments = line,
        .attached = wt_debuggee_is_attached(d),
        .report = d->drive.report,
        .steps_to_watch =
            wt_debuggee_is_attached(d) && !d->attached.target.services->set_watchpoints};
    d->front->services(d, &options);
    d->console = wt_shell_new(&options);
    free(line);
    if (!d->console)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the console");
    if (is_host)
        wt_session_host_serve(d->host, d->console);
    return WT_OK;
}

void wt_debuggee_close(struct wt_debuggee *d)
{
    wt_shell_free(d->console);
    d->console = NULL;
    if (!d->host)
        wt_session_free(d->session);
    wt_session_host_close(d->host);
    wt_session_attached_close(&d->attached);
    if (d->device.debugger)
        wt_debugger_close(d->device.debugger);
    if (d->device.family) {
        wt_report_device_missed(stderr, d->device.machine);
        wt_emulated_close(&d->device);
    }
    wt_session_interrupts_close(d->signals);
    d->signals = NULL;
    if (d->device_console)
        fclose(d->device_console);
    free(d->here);
    d->here = NULL;
    wt_core_file_free(d->core_file);
    d->core_file = NULL;
}
