/* Running one kernel of a code object. See gcn.h. */
#include "cli/gcn.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/report.h"

enum { COMPARE_FAILED = 1 };

/* ---- options ---- */

/* "X", "X,Y" or "X,Y,Z". */
static enum wt_status sizes(const char *text, uint32_t size[3], struct wt_error *err)
{
    const char *at = text;
    for (unsigned i = 0; i < 3; i++)
        size[i] = 1;
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        const unsigned long number = strtoul(at, &end, 0);
        if (!isdigit((unsigned char)*at) || errno || number < 1 || number > UINT32_MAX)
            break;
        size[i] = (uint32_t)number;
        if (!*end)
            return WT_OK;
        if (*end != ',')
            break;
        at = end + 1;
    }
    return wt_fail(err, WT_INVALID, "'%s' is not X, X,Y or X,Y,Z with numbers from 1 on", text);
}

static struct cli_kernel *kernel_of(void *context)
{
    struct cli_kernel_options *o = context;
    o->given = true;
    return &o->kernel;
}

enum wt_status cli_kernel_set_name(void *context, const char *value, struct wt_error *err)
{
    kernel_of(context)->name = value;
    return WT_OK;
}

enum wt_status cli_kernel_set_grid(void *context, const char *value, struct wt_error *err)
{
    struct cli_kernel *k = kernel_of(context);
    k->grid_given = true;
    return sizes(value, k->grid, err);
}

enum wt_status cli_kernel_set_block(void *context, const char *value, struct wt_error *err)
{
    struct cli_kernel *k = kernel_of(context);
    k->block_given = true;
    if (sizes(value, k->block, err))
        return err->status;
    for (unsigned i = 0; i < 3; i++)
        if (k->block[i] > 1024)
            return wt_fail(err, WT_INVALID, "a work-group has at most 1024 work-items");
    return WT_OK;
}

enum wt_status cli_kernel_add_handler(void *context, const char *value, struct wt_error *err)
{
    struct cli_kernel *k = kernel_of(context);
    if (k->handlers == 2)
        return wt_fail(err, WT_INVALID, "there are two levels of trap handlers, not three");
    k->handler[k->handlers++] = value;
    return WT_OK;
}

static enum wt_status add_file(struct cli_buffer_file **list, size_t *count, const char *value,
                               struct wt_error *err)
{
    const char *colon = strchr(value, ':');
    char *end;
    errno = 0;
    const unsigned long number = strtoul(value, &end, 10);
    if (!colon || end != colon || errno || !isdigit((unsigned char)*value) || !colon[1])
        return wt_fail(err, WT_INVALID, "'%s' is not NUMBER:FILE", value);
    struct cli_buffer_file *grown = realloc(*list, (*count + 1) * sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    *list = grown;
    grown[(*count)++] = (struct cli_buffer_file){number, colon + 1};
    return WT_OK;
}

enum wt_status cli_kernel_add_dump(void *context, const char *value, struct wt_error *err)
{
    struct cli_kernel *k = kernel_of(context);
    return add_file(&k->dump, &k->dumps, value, err);
}

enum wt_status cli_kernel_add_compare(void *context, const char *value, struct wt_error *err)
{
    struct cli_kernel *k = kernel_of(context);
    return add_file(&k->compare, &k->compares, value, err);
}

enum wt_status cli_kernel_add_writer(void *context, const char *value, struct wt_error *err)
{
    struct cli_kernel *k = kernel_of(context);
    struct cli_writer *grown = realloc(k->writer, (k->writers + 1) * sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    k->writer = grown;
    return cli_writer_parse(value, &grown[k->writers++], err);
}

void cli_kernel_free(struct cli_kernel *kernel)
{
    free(kernel->writer);
    free(kernel->dump);
    free(kernel->compare);
    *kernel = (struct cli_kernel){0};
}

bool cli_is_code_object(const char *path)
{
    struct stat info;
    uint8_t head[20];
    if (stat(path, &info) || !S_ISREG(info.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    const bool read = file && fread(head, 1, sizeof head, file) == sizeof head;
    if (file)
        fclose(file);
    return read && memcmp(head, "\177ELF", 4) == 0 && head[18] == 224 && head[19] == 0;
}

/* ---- setting up ---- */

static enum wt_status choose_kernel(struct cli_kernel_run *r, const char *path,
                                    struct wt_error *err)
{
    char names[300] = "";
    for (size_t i = 0, used = 0; i < r->object.kernels && used < sizeof names; i++)
        used +=
            (size_t)snprintf(names + used, sizeof names - used, " %s", r->object.kernel[i].name);
    if (r->kernel->name)
        r->launch.kernel = gcn_object_kernel(&r->object, r->kernel->name);
    else if (r->object.kernels == 1)
        r->launch.kernel = &r->object.kernel[0];
    if (r->launch.kernel)
        return WT_OK;
    if (r->kernel->name)
        return wt_fail(err, WT_INVALID, "%s: there is no kernel '%.64s'; there are:%s", path,
                       r->kernel->name, names);
    return wt_fail(err, WT_INVALID, "%s: say by --kernel which one to run:%s", path, names);
}

static enum wt_status set_shape(struct cli_kernel_run *r, struct wt_error *err)
{
    const struct cli_kernel *k = r->kernel;
    for (unsigned i = 0; i < 3; i++) {
        r->launch.block[i] = k->block_given ? k->block[i] : i ? 1 : 64;
        r->launch.grid[i] = k->grid_given ? k->grid[i] : r->launch.block[i];
        if (r->launch.block[i] > r->launch.grid[i])
            r->launch.block[i] = r->launch.grid[i];
    }
    return k->grid_given ? WT_OK
                         : wt_fail(err, WT_INVALID, "say by --grid how many work-items there are");
}

static enum wt_status read_values(struct cli_kernel_run *r, const struct cli_options *o,
                                  struct wt_error *err)
{
    const struct gcn_kernel *k = r->launch.kernel;
    if (o->arguments != k->explicit_arguments) {
        char list[300] = "";
        for (size_t i = 0, used = 0; i < k->explicit_arguments && used < sizeof list; i++)
            used += (size_t)snprintf(list + used, sizeof list - used, "\n  %zu: %s%s%s", i,
                                     k->argument[i].name, *k->argument[i].name ? ", " : "",
                                     k->argument[i].kind == GCN_ARG_BUFFER  ? "a buffer"
                                     : k->argument[i].kind == GCN_ARG_LOCAL ? "local memory"
                                                                            : "a value");
        return wt_fail(err, WT_INVALID, "kernel %.64s takes %zu arguments; %zu --arg are given%s",
                       k->name, k->explicit_arguments, o->arguments, list);
    }
    r->launch.value = calloc(o->arguments + 1, sizeof *r->launch.value);
    if (!r->launch.value)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < o->arguments; i++) {
        r->launch.values++;
        if (gcn_value_parse(&k->argument[i], o->argument[i], &r->launch.value[i], err))
            return wt_fail_in(err, "argument %zu%s%.64s", i, *k->argument[i].name ? ", " : "",
                              k->argument[i].name);
    }
    return WT_OK;
}

static enum wt_status check_files(const struct cli_kernel_run *r, struct wt_error *err)
{
    for (size_t i = 0; i < r->kernel->dumps + r->kernel->compares; i++) {
        const struct cli_buffer_file *f =
            i < r->kernel->dumps ? &r->kernel->dump[i] : &r->kernel->compare[i - r->kernel->dumps];
        if (f->argument >= r->launch.values ||
            r->launch.kernel->argument[f->argument].kind != GCN_ARG_BUFFER)
            return wt_fail(err, WT_INVALID, "argument %zu is not a buffer", f->argument);
    }
    return WT_OK;
}

static enum wt_status read_handlers(struct cli_kernel_run *r, struct wt_error *err)
{
    for (size_t i = 0; i < r->kernel->handlers; i++) {
        struct gcn_value *h = &r->launch.handler[i];
        if (wt_file_read(r->kernel->handler[i], &h->bytes, &h->length, err))
            return err->status;
        if (h->length >= 4 && memcmp(h->bytes, "\177ELF", 4) == 0)
            return wt_fail(
                err, WT_INVALID,
                "%s is an ELF file; a trap handler is its code alone: llvm-objcopy-19 -O "
                "binary -j .text",
                r->kernel->handler[i]);
        if (!h->length || h->length % 4 || h->length > 1 << 20)
            return wt_fail(err, WT_INVALID,
                           "%s has %zu bytes; a trap handler is of whole dwords, and not more than "
                           "a MiB",
                           r->kernel->handler[i], h->length);
    }
    return WT_OK;
}

static enum wt_status check_writers(const struct cli_kernel_run *r, struct wt_error *err)
{
    for (size_t i = 0; i < r->kernel->writers; i++) {
        const struct cli_writer *w = &r->kernel->writer[i];
        if (w->argument >= r->launch.values ||
            r->launch.kernel->argument[w->argument].kind != GCN_ARG_BUFFER)
            return wt_fail(err, WT_INVALID, "--who-wrote: argument %zu is not a buffer",
                           w->argument);
        const uint64_t length = r->launch.value[w->argument].length;
        if (w->offset >= length || w->length > length - w->offset)
            return wt_fail(err, WT_INVALID, "--who-wrote: argument %zu has %" PRIu64 " bytes",
                           w->argument, length);
    }
    return WT_OK;
}

enum wt_status cli_kernel_open(struct cli_kernel_run *r, const struct cli_kernel *kernel,
                               const struct cli_options *o, const char *path, struct wt_error *err)
{
    *r = (struct cli_kernel_run){.kernel = kernel};
    uint8_t *bytes;
    size_t length;
    if (o->device.load_count || o->device.base_given)
        return wt_fail(err, WT_UNSUPPORTED, "--load and --base are not for code objects");
    if (wt_file_read(path, &bytes, &length, err))
        return err->status;
    const enum wt_status status = gcn_object_parse(path, bytes, length, &r->object, err);
    free(bytes);
    if (status || choose_kernel(r, path, err) || set_shape(r, err) || read_values(r, o, err) ||
        check_files(r, err) || check_writers(r, err) || read_handlers(r, err) ||
        gcn_device_new(&o->gcn, &r->device, err) ||
        gcn_launch(r->device, &r->object, &r->launch, err) || cli_writers_watch(r, err))
        return err->status;
    struct wt_error quiet;
    uint64_t at;
    if (wt_symbols_open(path, &r->symbols, &quiet))
        r->symbols = NULL;
    /* The device libraries have a printf without arguments: where it was linked too early, it has
     * taken the place of the compiler's own. */
    if (r->symbols && !r->object.formats && wt_symbols_address(r->symbols, "__printf_alloc", &at))
        fprintf(stderr,
                "wavetrap: %s calls printf, but has none of its texts: compile it with clang-19, "
                "-O1 or more and -Xclang -mlink-builtin-bitcode-postopt\n",
                path);
    return WT_OK;
}

void cli_kernel_close(struct cli_kernel_run *r)
{
    for (size_t i = 0; i < r->launch.values; i++)
        free(r->launch.value[i].bytes);
    free(r->launch.value);
    for (unsigned i = 0; i < 2; i++)
        free(r->launch.handler[i].bytes);
    if (r->symbols)
        wt_symbols_close(r->symbols);
    gcn_device_free(r->device);
    gcn_object_free(&r->object);
}

/* ---- running ---- */

void cli_kernel_describe(const struct cli_kernel_run *r, uint64_t pc, char *text, size_t size)
{
    if (pc - GCN_LAUNCH_CODE < r->object.size)
        wt_symbols_describe(r->symbols, pc - GCN_LAUNCH_CODE, text, size);
    else
        snprintf(text, size, "0x%" PRIx64, pc);
}

static void report_waves(const struct cli_kernel_run *r)
{
    struct wt_machine *m = gcn_machine(r->device);
    for (uint32_t i = 0; i < m->waves; i++) {
        struct wt_wave_view view;
        char place[128], where[512];
        m->ops->view(m, i, &view);
        if (!view.active)
            continue;
        m->ops->place(m, i, place, sizeof place);
        cli_kernel_describe(r, view.waiting ? view.wait_pc : view.pc, where, sizeof where);
        fprintf(stderr, "  %s: %s%s%s\n", place, where, view.waiting ? ": " : "",
                view.waiting ? view.wait : "");
    }
}

void cli_kernel_instruction(const struct cli_kernel_run *r, uint64_t pc)
{
    uint8_t bytes[8];
    char text[256];
    struct gcn_disassembler *d = gcn_disassembler_new();
    if (d && gcn_device_read(r->device, pc, bytes, sizeof bytes)) {
        gcn_disassemble(d, bytes, sizeof bytes, pc, text, sizeof text);
        fprintf(stderr, "  %s\n", text);
    }
    gcn_disassembler_free(d);
}

int cli_kernel_fault(const struct cli_kernel_run *r)
{
    struct wt_machine *m = gcn_machine(r->device);
    const struct wt_fault *f = &m->fault;
    if (f->kind == WT_FAULT_DEADLOCK) {
        fprintf(stderr, "wavetrap: %s (issue time %" PRIu64 ")\n", f->text, f->time);
        report_waves(r);
        return cli_fault_status(f->kind);
    }
    char place[128], lanes[256], where[512];
    m->ops->place(m, f->wave, place, sizeof place);
    wt_lanes_text(f->lanes, lanes, sizeof lanes);
    cli_kernel_describe(r, f->pc, where, sizeof where);
    fprintf(stderr, "wavetrap: %s\n  %s, lanes %s, issue time %" PRIu64 "\n  at %s\n", f->text,
            place, lanes, f->time, where);
    cli_kernel_instruction(r, f->pc);
    if (f->addr - GCN_LAUNCH_HOSTCALL < GCN_LAUNCH_HOSTCALL_SIZE)
        fprintf(stderr,
                "  The kernel asks a host runtime for something (printf of HIP, assert, malloc): "
                "such programs run under 'wavetrap exec'.\n");
    return cli_fault_status(f->kind);
}

static volatile sig_atomic_t caught;

static void catch (int number)
{
    caught = number;
}

static void set_signals(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static int run_until(const struct cli_command *command, const struct cli_drive *drive,
                     struct cli_kernel_run *r)
{
    enum { SLICE = 1 << 16 }; /* well below a second of any program */
    struct wt_machine *m = gcn_machine(r->device);
    for (;;) {
        uint64_t issues = SLICE;
        if (caught) {
            fprintf(stderr, "wavetrap: interrupted at issue time %" PRIu64 "\n", m->time);
            report_waves(r);
            return CLI_SIGNAL + caught;
        }
        if (drive->max_issues && drive->max_issues - m->time < issues)
            issues = drive->max_issues - m->time;
        if (!issues) {
            fprintf(stderr, "wavetrap: the limit of %" PRIu64 " issues is reached\n",
                    drive->max_issues);
            report_waves(r);
            return CLI_LIMIT;
        }
        switch (r->kernel->run ? r->kernel->run(r->kernel->context, r, issues)
                               : m->ops->run(m, issues)) {
        case WT_RUN_WATCH:
            cli_writers_note(r);
            break;
        case WT_RUN_ENDED:
            return 0;
        case WT_RUN_FAULT:
            return cli_kernel_fault(r);
        case WT_RUN_HALTED:
            fprintf(stderr, "wavetrap %s: every wave is halted and no debugger is there\n",
                    command->name);
            return CLI_FAILED;
        default:
            break;
        }
    }
}

static int run_to_end(const struct cli_command *command, const struct cli_drive *drive,
                      struct cli_kernel_run *r)
{
    caught = 0;
    set_signals(catch);
    const int status = run_until(command, drive, r);
    set_signals(SIG_DFL);
    return status;
}

/* ---- results ---- */

static enum wt_status contents(const struct cli_kernel_run *r, size_t argument, uint8_t **bytes,
                               size_t *length, struct wt_error *err)
{
    const struct gcn_value *v = &r->launch.value[argument];
    *length = v->length;
    *bytes = malloc(v->length ? v->length : 1);
    if (!*bytes)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    gcn_device_read(r->device, v->addr, *bytes, v->length);
    return WT_OK;
}

static enum wt_status write_buffer(const struct cli_kernel_run *r, const struct cli_buffer_file *f,
                                   struct wt_error *err)
{
    uint8_t *bytes;
    size_t length;
    if (contents(r, f->argument, &bytes, &length, err))
        return err->status;
    FILE *file = fopen(f->path, "wb");
    const bool wrong = !file || fwrite(bytes, 1, length, file) != length;
    free(bytes);
    if ((file && fclose(file)) || wrong)
        return wt_fail(err, WT_IO, "%s: cannot write: %s", f->path, strerror(errno));
    return WT_OK;
}

/* Compares a buffer with what the file holds. If they are not the same a line says where; *wrong is
 * one more byte to ask about, if it is the contents. */
static enum wt_status compare_buffer(const struct cli_kernel_run *r,
                                     const struct cli_buffer_file *f, bool *same,
                                     struct cli_writer *wrong, size_t *wrongs, struct wt_error *err)
{
    uint8_t *bytes, *expected;
    size_t length, size, at = 0;
    if (wt_file_read(f->path, &expected, &size, err))
        return err->status;
    if (contents(r, f->argument, &bytes, &length, err)) {
        free(expected);
        return err->status;
    }
    while (at < length && at < size && bytes[at] == expected[at])
        at++;
    if (at < length && at < size) {
        fprintf(stderr, "wavetrap: argument %zu is not as %s: byte %zu is 0x%02x, not 0x%02x\n",
                f->argument, f->path, at, bytes[at], expected[at]);
        wrong[(*wrongs)++] =
            (struct cli_writer){.argument = f->argument, .offset = at, .length = 1};
    } else if (length != size)
        fprintf(stderr, "wavetrap: argument %zu has %zu bytes, %s has %zu\n", f->argument, length,
                f->path, size);
    *same &= at == length && length == size;
    free(bytes);
    free(expected);
    return WT_OK;
}

/* What the kernel's printf has left, in the order in which its waves came to it. */
static int print(const struct cli_command *command, const struct cli_kernel_run *r, int status)
{
    struct wt_error err;
    bool lost;
    if (gcn_launch_print(r->device, &r->object, &r->launch, stdout, &lost, &err))
        return cli_fail(command, &err);
    if (fflush(stdout)) {
        wt_fail(&err, WT_IO, "stdout: cannot write: %s", strerror(errno));
        return cli_fail(command, &err);
    }
    if (lost)
        fprintf(
            stderr,
            "wavetrap: not all that the kernel prints is there: its buffer of %u MiB is full, or "
            "a wave has not come to the end of its printf\n",
            (unsigned)(GCN_LAUNCH_PRINTF_SIZE >> 20));
    return status;
}

/*
 * The same run again, from its beginning, for who wrote what is wrong: only now it is known which
 * place to watch.
 */
static int ask_again(const struct cli_command *command, const struct cli_drive *drive,
                     struct cli_kernel_run *r, const struct wt_state *begin,
                     struct cli_writer *wrong, size_t wrongs)
{
    struct wt_machine *m = gcn_machine(r->device);
    const struct cli_kernel *kernel = r->kernel;
    struct cli_kernel again = {.writer = wrong, .writers = wrongs};
    struct wt_error err;
    r->kernel = &again;
    const bool ready = m->ops->restore(m, begin) && !cli_writers_watch(r, &err);
    /* It ends as it did before, if nobody interrupts it. */
    const int status = ready ? run_to_end(command, drive, r) : 0;
    for (size_t i = 0; ready && i < wrongs && !status; i++)
        cli_writer_report(r, &wrong[i]);
    r->kernel = kernel;
    return status ? status : COMPARE_FAILED;
}

static int compare(const struct cli_command *command, const struct cli_drive *drive,
                   struct cli_kernel_run *r, const struct wt_state *begin)
{
    struct cli_writer *wrong = calloc(r->kernel->compares + 1, sizeof *wrong);
    struct wt_error err;
    size_t wrongs = 0;
    bool same = true;
    int status = 0;
    if (!wrong) {
        wt_fail(&err, WT_NO_MEMORY, "no host memory");
        return cli_fail(command, &err);
    }
    for (size_t i = 0; i < r->kernel->compares && !status; i++)
        if (compare_buffer(r, &r->kernel->compare[i], &same, wrong, &wrongs, &err))
            status = cli_fail(command, &err);
    if (!status && !same)
        status = COMPARE_FAILED;
    if (status == COMPARE_FAILED && wrongs && begin)
        status = ask_again(command, drive, r, begin, wrong, wrongs);
    free(wrong);
    return status;
}

static int results(const struct cli_command *command, const struct cli_drive *drive,
                   struct cli_kernel_run *r, struct wt_emulated *places,
                   const struct wt_state *begin, int status, double seconds)
{
    struct wt_machine *m = gcn_machine(r->device);
    struct wt_error err;
    status = print(command, r, status);
    for (size_t i = 0; i < r->kernel->dumps; i++)
        if (write_buffer(r, &r->kernel->dump[i], &err))
            status = cli_fail(command, &err);
    if (cli_write_dumps(drive, places, &err))
        status = cli_fail(command, &err);
    for (size_t i = 0; i < r->kernel->writers; i++)
        cli_writer_report(r, &r->kernel->writer[i]);
    if (drive->hash)
        fprintf(stderr, "wavetrap: state hash %016" PRIx64 " after %" PRIu64 " issues\n",
                m->ops->hash(m), m->time);
    if (drive->stats)
        cli_report_stats(m, seconds);
    return status ? status : compare(command, drive, r, begin);
}

int cli_run_kernel(const struct cli_command *command, struct cli_drive *drive,
                   const struct cli_kernel *kernel, const char *path)
{
    struct cli_kernel_run r;
    struct wt_error err;
    struct timespec start;
    int status;
    if (cli_kernel_open(&r, kernel, &drive->options, path, &err) ||
        (kernel->opened && kernel->opened(kernel->context, &r, &err))) {
        status = cli_fail(command, &err);
        cli_kernel_close(&r);
        return status;
    }
    /* All that --dump needs of a session. */
    struct wt_emulated places = {.program = path,
                                 .symbols = r.symbols,
                                 .moved = GCN_LAUNCH_CODE,
                                 .machine = gcn_machine(r.device)};
    if (cli_check_dumps(drive, &places, &err)) {
        status = cli_fail(command, &err);
    } else {
        struct wt_machine *m = gcn_machine(r.device);
        struct wt_state *begin = kernel->compares ? m->ops->save(m) : NULL;
        clock_gettime(CLOCK_MONOTONIC, &start);
        status = run_to_end(command, drive, &r);
        status = results(command, drive, &r, &places, begin, status, cli_seconds_since(&start));
        m->ops->free_state(begin);
    }
    cli_kernel_close(&r);
    return status;
}
