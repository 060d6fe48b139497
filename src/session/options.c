/* Parses command lines with getopt_long, by tables from which the help is made, too. */
#include "session/options.h"

#include "base/array.h"
#include "base/text.h"
#include "emulator/machine/fill.h"
#include "emulator/machine/schedule.h"
#include "emulator/machine/timeline.h"

#include <stdlib.h>
#include <string.h>

enum wt_status wt_session_milliseconds(const char *text, unsigned *ms, struct wt_error *err)
{
    enum wt_status status;
    uint64_t value = 0;
    if ((status = wt_parse_number(text, &value, err)) != WT_OK)
        return status;
    if (value == 0 || value > 3600000)
        return wt_fail(err, WT_INVALID, "a time limit is 1 to 3600000 milliseconds");
    *ms = (unsigned)value;
    return WT_OK;
}

/* ---- device options ---- */

/* Handles --gpu: context is the struct wt_session_options. */
static enum wt_status set_gpu(void *context, const char *value, struct wt_error *err)
{
    struct wt_session_options *o = context;
    o->gpu_help = strcmp(value, "help") == 0;
    if (o->gpu_help)
        return WT_OK;
    const char **grown =
        wt_array_grow(o->gpu, &o->gpu_capacity, o->gpu_count + 1, sizeof(const char *));
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    o->gpu = grown;
    o->gpu[o->gpu_count++] = value;
    if (!o->many_gpus || o->gpu_count == 1)
        return wt_gpu_choose(&o->device.gpu, value, err);
    struct wt_gpu other = {0};
    const enum wt_status status = wt_gpu_choose(&other, value, err);
    wt_gpu_free(&other);
    return status;
}

static enum wt_status set_schedule(void *context, const char *value, struct wt_error *err)
{
    struct wt_session_options *o = context;
    wt_schedule_free(&o->schedule);
    o->device.schedule = &o->schedule;
    o->schedule_text = value;
    return wt_schedule_parse(value, &o->schedule, err);
}

static enum wt_status set_fill(void *context, const char *value, struct wt_error *err)
{
    struct wt_session_options *o = context;
    o->device.fill = &o->fill;
    o->fill_text = value;
    return wt_fill_parse(value, &o->fill, err);
}

/* The program's family parses it: a number, or a buffer of a kernel. */
static enum wt_status set_arg(void *context, const char *value, struct wt_error *err)
{
    struct wt_session_options *o = context;
    const char **grown = wt_array_grow(o->device.argument, &o->argument_capacity,
                                       o->device.argument_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    o->device.argument = grown;
    o->device.argument[o->device.argument_count++] = value;
    return WT_OK;
}

static enum wt_status set_base(void *context, const char *value, struct wt_error *err)
{
    struct wt_session_options *o = context;
    o->device.base_given = true;
    return wt_parse_number(value, &o->device.base, err);
}

static enum wt_status set_load(void *context, const char *value, struct wt_error *err)
{
    enum wt_status status;
    struct wt_session_options *o = context;
    struct wt_load_file load;
    if ((status = wt_load_file_parse(value, &load, err)) != WT_OK)
        return status;
    struct wt_load_file *grown =
        wt_array_grow(o->device.load, &o->load_capacity, o->device.load_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    o->device.load = grown;
    o->device.load[o->device.load_count++] = load;
    return WT_OK;
}

static enum wt_status set_threads(void *context, const char *value, struct wt_error *err)
{
    struct wt_session_options *o = context;
    if (strcmp(value, "auto") == 0)
        o->device.threads = WT_THREADS_AUTO;
    else if (strcmp(value, "lanes") == 0)
        o->device.threads = WT_THREADS_LANES;
    else if (strcmp(value, "warps") == 0)
        o->device.threads = WT_THREADS_WAVES;
    else
        return wt_fail(err, WT_INVALID, "'%s' is not one of auto, lanes, warps", value);
    return WT_OK;
}

static enum wt_status set_no_history(void *context, const char *value, struct wt_error *err)
{
    ((struct wt_session_options *)context)->device.history_memory = 0;
    return WT_OK;
}

enum wt_status wt_session_issues(void *to, const char *text, struct wt_error *err)
{
    uint64_t *issues = to;
    enum wt_status status;
    *issues = UINT64_MAX;
    if (strcmp(text, "all") == 0)
        return WT_OK;
    if ((status = wt_parse_number(text, issues, err)) == WT_OK && !*issues)
        status = wt_fail(err, WT_INVALID, "a history of 0 issues records nothing; 1 is the least");
    return status;
}

static enum wt_status set_memory(void *context, const char *value, struct wt_error *err)
{
    return wt_parse_size(value, "", &((struct wt_session_options *)context)->device.memory, err);
}

static enum wt_status set_history_memory(void *context, const char *value, struct wt_error *err)
{
    return wt_parse_size(value, "; --no-history is for none",
                         &((struct wt_session_options *)context)->device.history_memory, err);
}

static const struct wt_option device_options[] = {
    {"gpu", 'g', "SPEC",
     "which GPU: vortex, gcn, gen9 or sm, as FAMILY:KEY=VALUE,…\n"
     "(--gpu=help lists the keys), or a model that 'info --models' lists",
     WT_OPTION_SET(set_gpu)},
    {"schedule", 0, "POLICY",
     "which warp issues next: " WT_SCHEDULES "\n(default " WT_SCHEDULE_DEFAULT
     "); FILE has a list of choices",
     WT_OPTION_SET(set_schedule)},
    {"fill", 0, "VALUE",
     "the contents of registers, local and private memory and new allocations\n"
     "before they are written: zero, a pattern of 32 bits, random:SEED",
     WT_OPTION_SET(set_fill)},
    {"no-jit", 0, NULL, "translate nothing to machine code of this host: the same results, slower",
     WT_OPTION_FLAG(struct wt_session_options, device.no_jit)},
    {"arg", 0, "VALUE",
     "an argument: of a kernel, once for each of its arguments; on Vortex\n"
     "a number, STARTUP_ARG, which programs find in mscratch",
     WT_OPTION_SET(set_arg)},
    {"base", 0, "ADDRESS", "where a raw binary goes (default: the startup address)",
     WT_OPTION_SET(set_base)},
    {"load", 0, "FILE@PLACE", "put the bytes of FILE into memory at an address or symbol",
     WT_OPTION_SET(set_load)},
    {"memory", 0, "SIZE",
     "memory that the program may touch: a number of bytes, or with K,\n"
     "M or G (default: three quarters of the host's, at most 16G)",
     WT_OPTION_SET(set_memory)},
    {"slots", 0, NULL, "begin each line of the program's console with '#slot: '",
     WT_OPTION_FLAG(struct wt_session_options, device.console_slots)},
    {0},
};

static const struct wt_option debugger_options[] = {
    {"dm-only", 0, NULL,
     "debug through the Debug Module's registers alone, as on hardware\n"
     "without a memory port",
     WT_OPTION_FLAG(struct wt_session_options, device.dm_only)},
    {"hw-only", 0, NULL,
     "debug with what a debugger of real hardware has: no memory port,\n"
     "no way back in time, no watchpoints or conditions in the emulator",
     WT_OPTION_FLAG(struct wt_session_options, device.hw_only)},
    {"gdb-threads", 0, "MODE",
     "what a debugger's thread is: lanes, warps, or auto (lanes up to\n"
     "1,024 of them; the default)",
     WT_OPTION_SET(set_threads)},
    {"history-memory", 0, "SIZE",
     "host memory for going back in time: a number of bytes, or with K,\n"
     "M or G (default: 512M)",
     WT_OPTION_SET(set_history_memory)},
    {"no-history", 0, NULL, "record nothing: no way back", WT_OPTION_SET(set_no_history)},
    {0},
};

void wt_session_options_free(struct wt_session_options *options)
{
    wt_schedule_free(&options->schedule);
    free(options->gpu);
    free(options->device.load);
    free(options->device.argument);
    wt_gpu_free(&options->device.gpu);
    *options = (struct wt_session_options){0};
}

enum wt_status wt_session_open_device(struct wt_emulated *device,
                                      const struct wt_session_options *options, const char *program,
                                      struct wt_error *err)
{
    const enum wt_status status = wt_emulated_open(device, &options->device, program, err);
    if (!status && device->notice[0])
        fprintf(stderr, "wavetrap: %s\n", device->notice);
    return status;
}

/* ---- help ---- */

static void help_option(const struct wt_option *option, FILE *out)
{
    enum { COLUMN = 26 };
    char left[64];
    int width = snprintf(left, sizeof left, "  %c%c%c --%s%s%s", option->letter ? '-' : ' ',
                         option->letter ? option->letter : ' ', option->letter ? ',' : ' ',
                         option->name, option->argument && *option->argument != '[' ? "=" : "",
                         option->argument ? option->argument : "");
    fputs(left, out);
    if (width > COLUMN - 2) {
        fputc('\n', out);
        width = 0;
    }
    const char *line = option->help;
    while (line) {
        const char *end = strchr(line, '\n');
        fprintf(out, "%*s%.*s\n", COLUMN - width, "", end ? (int)(end - line) : (int)strlen(line),
                line);
        width = 0;
        line = end ? end + 1 : NULL;
    }
}

static const struct wt_option help_row = {.name = "help", .letter = 'h', .help = "print this"};

void wt_subcommand_each_option(const struct wt_subcommand *command,
                               void (*see)(void *context, const struct wt_option *option),
                               void *context)
{
    const struct wt_option *const tables[] = {command->options,
                                              command->device ? device_options : NULL,
                                              command->debugger ? debugger_options : NULL};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct wt_option *o = tables[i]; o && o->name; o++)
            see(context, o);
    see(context, &help_row);
}

/* Prints the help of a command. */
static void help(const struct wt_subcommand *command, FILE *out)
{
    fprintf(out, "Usage: wavetrap %s [OPTION]… %s\n%s\n\nOptions:\n", command->name,
            command->operands, command->summary);
    for (const struct wt_option *o = command->options; o->name; o++)
        help_option(o, out);
    help_option(&help_row, out);
    if (command->device) {
        fputs("\nThe device and its memory:\n", out);
        for (const struct wt_option *o = device_options; o->name; o++)
            help_option(o, out);
    }
    if (command->debugger) {
        fputs("\nThe debugger:\n", out);
        for (const struct wt_option *o = debugger_options; o->name; o++)
            help_option(o, out);
    }
    if (command->notes)
        fprintf(out, "\n%s", command->notes);
}

/* ---- parsing ---- */

/* The values that getopt_long returns: a letter, or the index of a row in one of the tables. */
enum {
    MAX_OPTIONS = 64,
    VALUE_OWN = 256,
    VALUE_DEVICE = 512,
    VALUE_DEBUGGER = 768,
    VALUE_HELP = 1024
};

struct table {
    struct option row[MAX_OPTIONS];
    size_t rows;
    char letters[2 * MAX_OPTIONS + 3];
    size_t letter_count;
};

static void add_row(struct table *t, const struct wt_option *o, int value)
{
    if (t->rows + 1 >= MAX_OPTIONS)
        abort(); /* a table in this program is too long */
    t->row[t->rows++] = (struct option){.name = o->name,
                                        .has_arg = !o->argument          ? no_argument
                                                   : *o->argument == '[' ? optional_argument
                                                                         : required_argument,
                                        .val = value};
    if (o->letter) {
        t->letters[t->letter_count++] = o->letter;
        if (o->argument)
            t->letters[t->letter_count++] = ':';
    }
}

static void add_rows(struct table *t, const struct wt_option *options, int value)
{
    for (; options->name; options++)
        add_row(t, options, value++);
}

static const struct wt_option *find_letter(const struct wt_option *options, int letter)
{
    for (; options->name; options++)
        if (options->letter == letter)
            return options;
    return NULL;
}

int wt_subcommand_fail(const struct wt_subcommand *command, const struct wt_error *err)
{
    return wt_report_failed(command->name, err);
}

static int bad(const struct wt_subcommand *command, const char *text, struct wt_error *err)
{
    wt_fail(err, WT_INVALID, "%s; see 'wavetrap %s --help'", text, command->name);
    return WT_EXIT_FAILED;
}

static int operand_missing(const struct wt_subcommand *command, const char *operand,
                           struct wt_error *err)
{
    char text[128];
    snprintf(text, sizeof text, "an operand is missing (%s)", operand);
    return bad(command, text, err);
}

int wt_subcommand_operand_missing(const struct wt_subcommand *command, const char *operand)
{
    struct wt_error err;
    operand_missing(command, operand, &err);
    return wt_subcommand_fail(command, &err);
}

/* The option that getopt_long refused. */
static int bad_option(const struct wt_subcommand *command, char **argv, int answer,
                      struct wt_error *err)
{
    char text[256], letter[3] = {'-', (char)optopt, 0};
    /* For a long option optopt is 0, or the value of its row: the word itself is the best name. */
    bool is_long = optopt == 0 || optopt >= VALUE_OWN;
    snprintf(text, sizeof text, "%s '%.200s'",
             answer == ':'       ? "an argument is missing after"
             : is_long && optopt ? "there is no argument to"
                                 : "there is no option",
             is_long ? argv[optind - 1] : letter);
    return bad(command, text, err);
}

static enum wt_status take(const struct wt_option *option, void *context, const char *value,
                           struct wt_error *err)
{
    void *to = (char *)context + option->field.offset;
    switch (option->field.kind) {
    case WT_OPTION_IS_TEXT:
        *(const char **)to = value;
        return WT_OK;
    case WT_OPTION_IS_FLAG:
        *(bool *)to = true;
        return WT_OK;
    case WT_OPTION_IS_NUMBER:
        return wt_parse_number(value, to, err);
    case WT_OPTION_NOWHERE:
        break;
    }
    return option->set(to, value, err);
}

int wt_subcommand_parse_words(const struct wt_subcommand *command, int argc, char **argv, void *own,
                              struct wt_session_options *options, int operands, bool more,
                              struct wt_error *err)
{
    struct table t = {.letters = "+:", .letter_count = 2};
    /* POSIX: options end at the first operand. */
    char *letters = command->program ? t.letters : t.letters + 1;
    add_rows(&t, command->options, VALUE_OWN);
    if (command->device)
        add_rows(&t, device_options, VALUE_DEVICE);
    if (command->debugger)
        add_rows(&t, debugger_options, VALUE_DEBUGGER);
    add_row(&t, &help_row, VALUE_HELP);
    if (options) {
        *options = (struct wt_session_options){
            .device = {.history_memory = WT_TIMELINE_BUDGET_DEFAULT, .debugged = command->debugger},
            .many_gpus = command->many_gpus};
    }
    opterr = 0;
    optind = 0; /* GNU: start afresh */
    for (;;) {
        int answer = getopt_long(argc, argv, letters, t.row, NULL);
        if (answer == -1)
            break;
        if (answer == '?' || answer == ':')
            return bad_option(command, argv, answer, err);
        if (answer == VALUE_HELP || answer == 'h') {
            help(command, stdout);
            return 0;
        }
        const struct wt_option *option;
        void *context = own;
        if (answer >= VALUE_DEBUGGER) {
            option = &debugger_options[answer - VALUE_DEBUGGER];
            context = options;
        } else if (answer >= VALUE_DEVICE) {
            option = &device_options[answer - VALUE_DEVICE];
            context = options;
        } else if (answer >= VALUE_OWN) {
            option = &command->options[answer - VALUE_OWN];
        } else if (!(option = find_letter(command->options, answer))) {
            option = find_letter(device_options, answer);
            context = options;
        }
        struct wt_error own_error;
        if (take(option, context, optarg, &own_error)) {
            wt_fail(err, WT_INVALID, "--%s: %s", option->name, own_error.text);
            return WT_EXIT_FAILED;
        }
        if (options && options->gpu_help) {
            wt_gpu_help(stdout);
            return 0;
        }
    }
    int have = argc - optind;
    if (have < operands)
        return operand_missing(command, command->operands, err);
    if (have > operands && !more) {
        char text[256];
        snprintf(text, sizeof text, "'%.200s' is one operand too many", argv[optind + operands]);
        return bad(command, text, err);
    }
    return WT_SUBCOMMAND_GO;
}

int wt_subcommand_parse(const struct wt_subcommand *command, int argc, char **argv, void *own,
                        struct wt_session_options *options, int operands, bool more)
{
    struct wt_error err;
    const int status =
        wt_subcommand_parse_words(command, argc, argv, own, options, operands, more, &err);
    return status == WT_EXIT_FAILED ? wt_subcommand_fail(command, &err) : status;
}

enum wt_status wt_session_seconds(void *to, const char *value, struct wt_error *err)
{
    enum { MOST = 10000000 };
    double *seconds = to;
    char *end;
    *seconds = strtod(value, &end);
    return end != value && !*end && *seconds > 0 && *seconds <= MOST
               ? WT_OK
               : wt_fail(err, WT_INVALID, "takes seconds, above 0 and up to %d, not '%.40s'", MOST,
                         value);
}
