/* The console's engine: executes lines of text as commands, as a client of the session. */
#include "frontend/console/console.h"
#include <ctype.h>
#include <dirent.h>
#include <regex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/console/internal.h"

/* ---- words ---- */

enum wt_status take_no_arguments(const char *text, const char *command, struct wt_error *err)
{
    if (*text)
        return wt_fail(err, WT_INVALID, "%s takes no arguments", command);
    return WT_OK;
}

bool ask(struct wt_shell *c, const char *question)
{
    if (!c->settings.confirm || !c->options.ask)
        return true;
    fflush(c->out);
    return c->options.ask(c->options.context, question);
}

enum wt_status take_pattern(const char *text, const char *command, int flags, regex_t *wanted,
                            struct wt_error *err)
{
    if (*text && regcomp(wanted, text, REG_EXTENDED | REG_NOSUB | flags) == 0)
        return WT_OK;
    return wt_fail(err, WT_INVALID, "%s takes a regular expression", command);
}

/* Writes text to the log, without styles. */
static void write_log(struct wt_shell *c, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (c->log.in_sequence) /* up to its letter */
            c->log.in_sequence =
                text[i] == '[' || text[i] == ';' || (text[i] >= '0' && text[i] <= '9');
        else if (text[i] == '\033')
            c->log.in_sequence = true;
        else
            fputc(text[i], c->log.file);
    }
}

static ssize_t write_out(void *context, const char *text, size_t length)
{
    struct wt_shell *c = context;
    size_t done = 0;
    if (c->log.file)
        write_log(c, text, length);
    while (done < length && !c->pager.quit) {
        const size_t part = take_page(c, text + done, length - done);
        c->options.output(c->options.context, text + done, part);
        done += part;
    }
    return (ssize_t)length;
}

static void tell_news(void *context, const struct wt_news *news)
{
    struct wt_shell *c = context;
    wt_report_news(&c->report, news);
    if (c->options.news && c->options.news(c->options.context, news))
        return;
    if (news->kind == WT_NEWS_INTERRUPTED)
        c->script.interrupted = !*news->text;
    if (news->kind == WT_NEWS_CONDITION)
        hint_logic(c, news->view, news->text);
    wt_words_news(&c->words, news);
}

static bool accept_pending(void *context, const char *why)
{
    struct wt_shell *c = context;
    size_t count;
    wt_modules_list(c->program->modules, &count);
    if (c->settings.pending == PENDING_OFF)
        return false;
    if (!count) /* of no code is anything known yet */
        return true;
    fprintf(c->out, "%s\n", why);
    return c->settings.pending == PENDING_ON ||
           ask(c, "Make breakpoint pending on code that is loaded later? (y or n) ");
}

enum wt_status may_change(void *context, struct wt_error *err)
{
    struct wt_shell *c = context;
    struct wt_debugger_time time;
    if (c->program->started && wt_debugger_time(c->program->debugger, &time, WT_IGNORED) == WT_OK &&
        time.in_past &&
        !ask(c, "Changing state here discards the recording after this point.\n"
                "Go on? (y or n) "))
        return wt_fail(err, WT_STATE, "Not changed.");
    return WT_OK;
}

static bool was_interrupted(void *context)
{
    const struct wt_shell *c = context;
    return c->pager.quit || (c->options.interrupted && c->options.interrupted(c->options.context));
}

static void show_wait(void *context, enum wt_wait wait)
{
    struct wt_shell *c = context;
    if (c->options.waits)
        c->options.waits(c->options.context, wait);
    switch (wait) {
    case WT_WAIT_BEGINS:
        fflush(c->out);
        if (!c->progress.since)
            begin_progress(c);
        break;
    case WT_WAIT_GOES_ON:
        show_progress(c);
        break;
    case WT_WAIT_ENDS:
        hide_progress(c);
        break;
    }
}

static void take_module(void *context, enum wt_module_change change, const struct wt_module *module)
{
    const struct wt_shell *c = context;
    if (c->options.module)
        c->options.module(c->options.context, change, module);
}

/* ---- execution ---- */

/* Prints notices of the debugger that belong to no answer: that a part of the past is lost, for
 * instance. */
static void print_notices(struct wt_shell *c)
{
    char notice[224];
    while (c->program->debugger &&
           wt_debugger_take_notice(c->program->debugger, notice, sizeof notice))
        fputs(notice, c->out);
}

/* $bpnum and $_exitcode, as they are now. */
static void set_variables(struct wt_shell *c)
{
    const struct wt_program *g = c->program;
    if (g->last_number != c->variables.numbered)
        set_variable(c, "bpnum", "%u", g->last_number);
    if (g->ended && !c->variables.ended)
        set_variable(c, "_exitcode", "%d", (int)g->exit_word);
    c->variables.numbered = g->last_number;
    c->variables.ended = g->ended;
}

void set_variable(struct wt_shell *c, const char *name, const char *format, ...)
{
    const struct wt_view view = wt_program_view(c->program);
    struct wt_values value;
    char text[100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (wt_source_evaluate(&view, text, &value, WT_IGNORED) != WT_OK)
        return;
    wt_source_set_variable(c->program->source, name, &value, WT_IGNORED);
    wt_values_free(&value);
}

/* Whether a command asks what the program did, which may have ended. (goto and check run it again
 * by themselves, to their time.) */
static bool asks_past(const struct wt_command *command)
{
    static wt_command_fn *const list[] = {do_reverse_continue, do_reverse_step,  do_reverse_next,
                                          do_reverse_stepi,    do_reverse_nexti, do_reverse_finish,
                                          do_who_wrote,        do_who_read,      do_where_from};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (command->run == list[i])
            return true;
    return false;
}

/* A host program that has ended is run again for such a command, if the user wants that. */
static enum wt_status come_back(struct wt_shell *c, const struct wt_command *command,
                                struct wt_error *err)
{
    struct wt_program *g = c->program;
    if (!asks_past(command) || !c->options.host || !g->ended || g->started)
        return WT_OK;
    if (!ask(c,
             "The program has ended.\n"
             "Run it again from the beginning, and stop at the end of its last launch? (y or n) "))
        return wt_fail(err, WT_STATE, "Program not restarted.");
    const enum wt_status status = wt_program_repeat_to_last(g, err);
    if (!status)
        wt_words_where(&c->words, g->thread);
    return status;
}

static enum wt_status run_command(struct wt_shell *c, const struct wt_command *command,
                                  const char *arguments, struct wt_error *err)
{
    wt_program_update(c->program);
    set_variables(c);
    enum wt_status status = come_back(c, command, err);
    if (!status)
        status = command->run(c, arguments, err);
    end_progress(c);
    if (c->progress.given_up)
        status = wt_fail(err, WT_STATE,
                         "Interrupted: the debug information of the program has not been read.");
    c->progress.given_up = false;
    print_notices(c);
    return status;
}

/* Executes commands of breakpoints that were hit. Commands that continue may form an endless chain:
 * those of the next hit are executed in turn, without recursion. */
static enum wt_status run_queued(struct wt_shell *c, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    size_t at;
    fflush(c->out);
    if (c->script.executes_commands)
        return WT_OK;
    c->script.executes_commands = true;
    while (c->program->queued.count && !status) {
        struct wt_script now = c->program->queued;
        c->program->queued = (struct wt_script){0};
        status = wt_language_lines(c->owner.language, now.line, now.count, &at, err);
        wt_script_free(&now);
    }
    c->script.executes_commands = false;
    return status;
}

/* The commands of the next hit come instead of what is left of a script, as in GDB. */
static bool ends_script(struct wt_shell *c)
{
    return c->script.quit || c->pager.quit || c->program->queued.count;
}

static enum wt_status holds(struct wt_shell *c, const char *expression, bool *holds,
                            struct wt_error *err)
{
    const struct wt_view view = wt_program_view(c->program);
    struct wt_values values;
    enum wt_status status = wt_source_evaluate(&view, expression, &values, err);
    if (status)
        return status;
    status = wt_values_check(&values, err);
    *holds = false;
    for (size_t i = 0; !status && i < values.size; i++)
        *holds |= values.bytes[i] != 0;
    wt_values_free(&values);
    return status;
}

static bool read_line(struct wt_shell *c, char **line)
{
    return c->options.read_line(c->options.context, line);
}

static bool can_read(struct wt_shell *c)
{
    return c->options.read_line != NULL;
}

static bool is_interrupted(struct wt_shell *c)
{
    return was_interrupted(c);
}

static struct wt_language *new_language(struct wt_shell *c)
{
    const struct wt_language_options options = {.commands = wt_shell_commands,
                                                .shell = c,
                                                .out = &c->out,
                                                .holds = holds,
                                                .run = run_command,
                                                .after = run_queued,
                                                .ends = ends_script,
                                                .interrupted = is_interrupted,
                                                .read_line = read_line,
                                                .can_read = can_read,
                                                .no_shell = !c->options.system_shell};
    return wt_language_new(&options);
}

/* ---- the shell ---- */

struct wt_shell *wt_shell_new(const struct wt_shell_options *options)
{
    struct wt_shell *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->options = *options;
    c->report.files = options->report;
    c->settings.confirm = c->settings.status_line = true;
    c->how.styled = options->colour;
    c->report_files = options->report;
    c->settings.list_size = 10;
    c->settings.pagination = true;
    c->settings.height = c->settings.width = WT_SETTING_OF_TERMINAL;
    c->script.quit_status = -1;
    watch_loading(c);
    const struct wt_program_options of_program = {.session = options->session,
                                                  .modules = options->modules,
                                                  .program = options->program,
                                                  .host = options->host,
                                                  .host_context = options->context,
                                                  .arguments = options->arguments,
                                                  .attached = options->attached,
                                                  .steps_to_watch = options->steps_to_watch,
                                                  .loading = &c->progress.loading,
                                                  .code_register = options->code_register,
                                                  .region = options->region,
                                                  .disassemble = options->disassemble,
                                                  .code_context = options->context,
                                                  .checks = options->checks,
                                                  .user = {.news = tell_news,
                                                           .accept_pending = accept_pending,
                                                           .may_change = may_change,
                                                           .interrupted = was_interrupted,
                                                           .waits = show_wait,
                                                           .module = take_module,
                                                           .context = c}};
    c->out = fopencookie(c, "w", (cookie_io_functions_t){.write = write_out});
    c->owner.language = new_language(c);
    if (c->out && c->owner.language)
        c->program = wt_program_new(&of_program);
    if (!c->program) {
        wt_shell_free(c);
        return NULL;
    }
    return c;
}

void wt_shell_free(struct wt_shell *c)
{
    if (!c)
        return;
    wt_program_free(c->program);
    wt_language_free(c->owner.language);
    free_displays(c);
    free(c->displays.list);
    free(c->settings.prompt);
    if (c->out)
        fclose(c->out);
    if (c->log.file)
        fclose(c->log.file);
    free(c);
}

enum wt_status wt_shell_use(struct wt_shell *c, struct wt_session *session,
                            struct wt_modules *modules, struct wt_error *err)
{
    return wt_program_use(c->program, session, modules, err);
}

bool wt_shell_interrupt(struct wt_shell *c)
{
    return wt_program_interrupt(c->program);
}

struct wt_program *wt_shell_debugged(struct wt_shell *c)
{
    return c->program;
}

const char *wt_shell_prompt(const struct wt_shell *c)
{
    return c->settings.prompt ? c->settings.prompt : "(wavetrap) ";
}

bool wt_shell_waits(const struct wt_shell *c)
{
    return c->program->waiting;
}

void wt_shell_abandon(struct wt_shell *c)
{
    c->script.quit = true;
    wt_program_abandon(c->program);
}

bool wt_shell_has_quit(const struct wt_shell *c, int *status)
{
    *status = c->script.quit_status;
    return c->script.quit;
}

void wt_shell_program(struct wt_shell *c, struct wt_shell_end *end)
{
    *end = (struct wt_shell_end){.exited = c->program->ended && !c->program->fault_ended,
                                 .word = c->program->exit_word,
                                 .is_running = c->program->started,
                                 .faulted = c->program->fault_ended,
                                 .fault = c->program->fault};
}

void wt_shell_print(struct wt_shell *c, const char *text, size_t length)
{
    fwrite(text, 1, length, c->out);
    fflush(c->out);
}

enum wt_status wt_shell_execute(struct wt_shell *c, const char *line, struct wt_error *err)
{
    const unsigned depth = wt_language_depth(c->owner.language);
    c->program->interrupt = c->program->interrupt && depth;
    if (!c->script.executing++)
        begin_pages(c);
    enum wt_status status = wt_language_execute(c->owner.language, line, err);
    if (!status && !depth)
        status = run_queued(c, err);
    fflush(c->out);
    c->script.executing--;
    return status;
}

enum wt_status wt_shell_source(struct wt_shell *c, const char *path, struct wt_error *err)
{
    const enum wt_status status = wt_language_source(c->owner.language, path, err);
    fflush(c->out);
    return status;
}

/* ---- help ---- */

static void help_one(struct wt_shell *c, const struct wt_command *command, const char *prefix)
{
    fprintf(c->out, "%s%s", prefix, command->name);
    if (command->aliases)
        fprintf(c->out, ", %s", command->aliases);
    fprintf(c->out, "\n%s\n", command->summary);
    if (command->help)
        fprintf(c->out, "%s\n", command->help);
}

static void help_list(struct wt_shell *c, const struct wt_command *table, const char *prefix,
                      const char *group)
{
    for (const struct wt_command *x = table; x->name; x++)
        if (!group || strcmp(x->group, group) == 0)
            fprintf(c->out, "  %s%-*s %s\n", prefix, 20 - (int)strlen(prefix), x->name, x->summary);
}

static void put_defined(void *context, const char *word)
{
    fprintf(((struct wt_shell *)context)->out, "  %s\n", word);
}

static bool matches(const regex_t *wanted, const struct wt_command *x, const char *prefix)
{
    char name[60];
    snprintf(name, sizeof name, "%s%s", prefix, x->name);
    return regexec(wanted, name, 0, NULL, 0) == 0 || regexec(wanted, x->summary, 0, NULL, 0) == 0 ||
           (x->help && regexec(wanted, x->help, 0, NULL, 0) == 0);
}

enum wt_status do_apropos(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_command *const tables[] = {wt_shell_commands, wt_shell_infos};
    regex_t wanted;
    const enum wt_status status = take_pattern(text, "apropos", REG_ICASE, &wanted, err);
    if (status)
        return status;
    for (unsigned i = 0; i < 2; i++)
        for (const struct wt_command *x = tables[i]; x->name; x++)
            if (matches(&wanted, x, i ? "info " : ""))
                fprintf(c->out, "%s%s -- %s\n", i ? "info " : "", x->name, x->summary);
    regfree(&wanted);
    return WT_OK;
}

/* The lines that may be meant, as GDB's `complete` prints them. */
enum wt_status do_complete(struct wt_shell *c, const char *text, struct wt_error *err)
{
    size_t count;
    const size_t length = strlen(text);
    char **list = wt_shell_complete(c, text, &count);
    for (size_t i = 0; i < count; i++) {
        size_t typed = strlen(list[i]) < length ? strlen(list[i]) : length;
        while (typed && strncmp(text + length - typed, list[i], typed) != 0)
            typed--;
        fprintf(c->out, "%.*s%s\n", (int)(length - typed), text, list[i]);
        free(list[i]);
    }
    free(list);
    return WT_OK;
}

enum wt_status do_help(struct wt_shell *c, const char *text, struct wt_error *err)
{
    bool ambiguous;
    const char *document;
    if (!*text || strcmp(text, "all") == 0) {
        const char *last = "";
        for (const struct wt_command *x = wt_shell_commands; x->name; x++) {
            bool first = true;
            for (const struct wt_command *y = wt_shell_commands; y != x; y++)
                first &= strcmp(y->group, x->group) != 0;
            if (!first)
                continue;
            fprintf(c->out, "%s%s:\n", *last ? "\n" : "", x->group);
            help_list(c, wt_shell_commands, "", x->group);
            last = x->group;
        }
        if (*text)
            fputs("\ninfo:\n", c->out);
        if (*text)
            help_list(c, wt_shell_infos, "info ", NULL);
        fputs("\n\"help COMMAND\" says more about one, \"help info\" lists what info shows.\n"
              "Names may be abbreviated as long as they are unambiguous.\n",
              c->out);
        return WT_OK;
    }
    size_t length = wt_word_length(text);
    if (wt_language_defined(c->owner.language, text, length, &document)) {
        fputs(document, c->out);
        return WT_OK;
    }
    if (strcmp(text, "user-defined") == 0) {
        wt_language_each(c->owner.language, put_defined, c);
        return WT_OK;
    }
    const struct wt_command *command =
        wt_language_find(wt_shell_commands, text, length, &ambiguous);
    if (!command)
        return wt_language_not_found(wt_shell_commands, "", text, length, ambiguous, err);
    const char *rest = wt_skip_blanks(text + length);
    if (command->run == do_info && *rest) {
        length = wt_word_length(rest);
        command = wt_language_find(wt_shell_infos, rest, length, &ambiguous);
        if (!command)
            return wt_language_not_found(wt_shell_infos, "info ", rest, length, ambiguous, err);
        help_one(c, command, "info ");
        return WT_OK;
    }
    help_one(c, command, "");
    if (command->run == do_info)
        help_list(c, wt_shell_infos, "info ", NULL);
    return WT_OK;
}

enum wt_status do_info(struct wt_shell *c, const char *text, struct wt_error *err)
{
    bool ambiguous;
    if (!*text)
        return wt_fail(err, WT_INVALID,
                       "\"info\" must be followed by what to show; see \"help "
                       "info\"");
    const size_t length = wt_word_length(text);
    const struct wt_command *info = wt_language_find(wt_shell_infos, text, length, &ambiguous);
    if (!info)
        return wt_language_not_found(wt_shell_infos, "info ", text, length, ambiguous, err);
    return info->run(c, wt_skip_blanks(text + length), err);
}

/* ---- commands of the console itself ---- */

enum wt_status do_quit(struct wt_shell *c, const char *text, struct wt_error *err)
{
    if (*text) {
        const struct wt_view view = wt_program_view(c->program);
        struct wt_values values;
        enum wt_status status = wt_source_evaluate(&view, text, &values, err);
        if (status)
            return status;
        c->script.quit_status = values.size ? values.bytes[0] : 0;
        wt_values_free(&values);
    }
    /* Leaving ends neither a program that ran before nor one of a core file. */
    if (c->program->started && !c->options.attached && !c->program->post_mortem &&
        (!c->options.host || c->options.host->is_own(c->options.context)) &&
        !ask(c, "Quit and end the program? (y or n) "))
        return wt_fail(err, WT_STATE, "Not confirmed.");
    c->script.quit = true;
    return WT_OK;
}

bool wt_shell_is_command(const char *line)
{
    const char *text = wt_skip_blanks(line);
    bool ambiguous;
    const size_t length = wt_language_word(text);
    return length && (wt_language_find(wt_shell_commands, text, length, &ambiguous) || ambiguous);
}

const char *wt_shell_repeats(struct wt_shell *c, const char *line)
{
    const char *text = wt_skip_blanks(line);
    bool ambiguous;
    const size_t length = wt_language_word(text);
    const struct wt_command *command =
        length ? wt_language_find(wt_shell_commands, text, length, &ambiguous) : NULL;
    if (!command || !command->repeats)
        return NULL;
    /* `list` and `x` continue where they ended. */
    return command->run == do_list || command->run == do_x ? command->name : line;
}

/* ---- completion ---- */

static void offer(void *names, const char *word)
{
    wt_names_offer(names, word);
}

static void offer_table(struct wt_names *o, const struct wt_command *table)
{
    for (; table->name; table++)
        wt_names_offer(o, table->name);
}

static void offer_commands(const struct wt_shell *c, struct wt_names *o)
{
    offer_table(o, wt_shell_commands);
    wt_language_each(c->owner.language, offer, o);
}

/* Files whose names begin with the word, folders with a slash behind them. */
static void offer_paths(struct wt_names *o)
{
    const char *slash = strrchr(o->word, '/');
    const size_t folder_length = slash ? (size_t)(slash + 1 - o->word) : 0;
    char *folder = folder_length ? strndup(o->word, folder_length) : strdup("./");
    DIR *list = folder ? opendir(folder) : NULL;
    for (const struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
        char *path = NULL;
        struct stat about;
        const bool hidden = entry->d_name[0] == '.' && o->word[folder_length] != '.';
        if (hidden || strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            asprintf(&path, "%.*s%s/", (int)folder_length, o->word, entry->d_name) < 0)
            continue;
        if (stat(path, &about) != 0) /* no folder */
            path[strlen(path) - 1] = 0;
        wt_names_offer(o, path);
        free(path);
    }
    if (list)
        closedir(list);
    free(folder);
}

/* The begin of a file name that is an argument of a command; NULL: there is none. */
static const char *path_in(const char *arguments, char kind, bool logs)
{
    const char *const before[] = {kind == 's' ? "breakpoints " : "", "logging file "};
    const char *prefix = kind == 'f' || kind == 's' ? before[0] : logs ? before[1] : NULL;
    const size_t length = prefix ? strlen(prefix) : 0;
    return prefix && strncmp(arguments, prefix, length) == 0 ? wt_skip_blanks(arguments + length)
                                                             : NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **wt_shell_complete(struct wt_shell *c, const char *line, size_t *count)
{
    struct wt_names o = {.count = 0};
    const char *text = wt_skip_blanks(line);
    size_t length = wt_language_word(text);
    bool ambiguous;
    *count = 0;
    if (!text[length]) {
        o.word = text;
        o.length = length;
        offer_commands(c, &o);
    } else {
        const struct wt_command *command =
            length ? wt_language_find(wt_shell_commands, text, length, &ambiguous) : NULL;
        const char *end = text + strlen(text);
        const char *word = end;
        while (word > text &&
               (isalnum((unsigned char)word[-1]) || strchr("_:-.$", word[-1]) != NULL))
            word--;
        const bool dollar = *word == '$';
        o.word = word;
        o.length = (size_t)(end - word);
        const char kind = command ? command->completes : 0;
        const char *arguments = o.begin = wt_skip_blanks(text + length);
        const char *path = path_in(arguments, kind, command && command->run == do_set);
        if (path) {
            o.word = path;
            o.length = (size_t)(end - path);
            offer_paths(&o);
        } else if (kind == 's') {
            wt_names_offer(&o, "breakpoints");
        } else if (kind == 'i' && word == arguments) {
            offer_table(&o, wt_shell_infos);
        } else if (kind == 'c' && word == arguments) {
            offer_commands(c, &o);
        } else if (kind == 'x') {
            o.word = arguments;
            o.length = (size_t)(end - arguments);
            wt_program_offer(c->program, WT_NAMES_CAUGHT, &o);
        } else if (dollar) {
            wt_program_offer(c->program, WT_NAMES_REGISTERS, &o);
        } else if (kind == 'e' || kind == 'E') {
            wt_program_offer(c->program, WT_NAMES_EXPRESSION, &o);
        } else if (kind == 'l') {
            wt_program_offer(c->program, WT_NAMES_PLACE, &o);
        }
    }
    if (o.near)
        qsort(o.list, o.near, sizeof(char *), by_text);
    if (o.count > o.near)
        qsort(o.list + o.near, o.count - o.near, sizeof(char *), by_text);
    *count = o.count;
    return o.list;
}
