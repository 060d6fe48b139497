/* `wavetrap view`: the grid of lanes, in a browser or in a file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/token.h"
#include "cli/cli.h"
#include "cli/dap.h"
#include "cli/pages.h"
#include "frontend/view/view.h"
#include "session/kernel.h"

enum { TOKEN_BYTES = 16 };

struct view {
    struct wt_debuggee d; /* first: the context of what says what is debugged */
    const char *listen, *export;
    bool stop_on_entry;
    uint64_t frames;
    uint64_t finding;                   /* the page is about it; 0: about the run */
    const char *who_wrote, *where_from; /* the page is about how this came to be; NULL: it is not */
    const char **expression;
    size_t expression_count, expression_capacity;
    struct json_object *images; /* NULL: none */
};

/* "EXPRESSION:WIDTHxHEIGHT:TYPE"; a row without a height is a plot. */
static enum wt_status add_image(void *context, const char *value, struct wt_error *err)
{
    struct view *v = context;
    unsigned width, height = 1;
    int end = 0;
    const char *type = strrchr(value, ':');
    const char *size = type ? memrchr(value, ':', (size_t)(type - value)) : NULL;
    if (!size || size == value ||
        ((sscanf(size, ":%ux%u:%n", &width, &height, &end) != 2 || size + end != type + 1) &&
         (height = 1, sscanf(size, ":%u:%n", &width, &end) != 1 || size + end != type + 1)))
        return wt_fail(err, WT_INVALID,
                       "--image takes EXPRESSION:WIDTHxHEIGHT:TYPE, as in picture:64x24:u8, not %s",
                       value);
    struct json_object *o = json_object_new_object();
    json_object_object_add(o, "expression", json_object_new_string_len(value, (int)(size - value)));
    json_object_object_add(o, "width", json_object_new_int64(width));
    json_object_object_add(o, "height", json_object_new_int64(height));
    json_object_object_add(o, "type", json_object_new_string(type + 1));
    if (!v->images)
        v->images = json_object_new_array();
    json_object_array_add(v->images, o);
    return WT_OK;
}

static enum wt_status add_expression(void *context, const char *value, struct wt_error *err)
{
    struct view *v = context;
    const char **grown = wt_array_grow(v->expression, &v->expression_capacity,
                                       v->expression_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    v->expression = grown;
    grown[v->expression_count++] = value;
    return WT_OK;
}

/* ---- the session ---- */

static void print_output(void *context, const char *category, const char *text)
{
    FILE *out = strcmp(category, "stdout") == 0 ? stdout : stderr;
    if (strcmp(category, "telemetry") == 0)
        return;
    fputs(text, out);
    fflush(out);
}

/* A page about a finding is of a run that was seen before. */
static void print_important(void *context, const char *category, const char *text)
{
    if (strcmp(category, "important") == 0)
        fputs(text, stderr);
}

static bool attaches_to(const struct view *v)
{
    return wt_debuggee_runs_already(&v->d) || v->d.core_path || wt_debuggee_is_attached(&v->d);
}

static enum wt_status begin(struct view *v, struct wt_dap_client *client, struct wt_error *err)
{
    const bool attaches = attaches_to(v);
    struct json_object *o = json_object_new_object();
    json_object_object_add(o, "stopAtEnd", json_object_new_boolean(true));
    json_object_object_add(o, "stopOnEntry", json_object_new_boolean(v->stop_on_entry || attaches));
    json_object_object_add(o, "threads", json_object_new_string("waves"));
    enum wt_status status = cli_dap_start(&v->d, client, err);
    client->output = v->finding ? print_important : print_output;
    if (status)
        json_object_put(o);
    else
        status = wt_dap_client_begin(client, attaches ? "attach" : "launch", o, err);
    return status;
}

/* ---- a file ---- */

static enum wt_status write_file(const struct view *v, struct json_object *recording,
                                 struct wt_error *err)
{
    const bool to_stdout = strcmp(v->export, "-") == 0;
    FILE *out = to_stdout ? stdout : fopen(v->export, "w");
    if (!out)
        return wt_fail(err, WT_IO, "%s: %s", v->export, strerror(errno));
    const bool packed = wt_view_write_page(out, recording);
    const bool bad = fflush(out) != 0 || ferror(out);
    if (!to_stdout && fclose(out) != 0)
        return wt_fail(err, WT_IO, "%s: %s", v->export, strerror(errno));
    return !packed ? wt_fail(err, WT_NO_MEMORY, "no host memory for the page")
           : bad   ? wt_fail(err, WT_IO, "%s: it cannot be written", v->export)
                   : WT_OK;
}

/* An image whose place is not known is a mistake of whoever asked for it. */
static enum wt_status check_images(struct json_object *recording, struct wt_error *err)
{
    struct json_object *list, *text, *why;
    const bool any = json_object_object_get_ex(recording, "images", &list);
    for (size_t i = 0; any && i < json_object_array_length(list); i++) {
        struct json_object *o = json_object_array_get_idx(list, i);
        if (json_object_object_get_ex(o, "why", &why) &&
            json_object_object_get_ex(o, "expression", &text))
            return wt_fail(err, WT_INVALID, "--image=%s: %s", json_object_get_string(text),
                           json_object_get_string(why));
    }
    return WT_OK;
}

/* Whether the session's checks have found the mistake that the page is about; if not, *thread is
 * the thread that has stopped. */
static bool is_found(const struct view *v, struct wt_dap_client *client, int64_t *thread)
{
    struct json_object *grid = NULL, *findings, *number;
    const bool found = wt_dap_ask(client, "wavetrap/grid", NULL, &grid, WT_IGNORED) == WT_OK &&
                       json_object_object_get_ex(grid, "findings", &findings) &&
                       json_object_array_length(findings) >= v->finding;
    *thread =
        json_object_object_get_ex(grid, "threadId", &number) ? json_object_get_int64(number) : 0;
    json_object_put(grid);
    return found;
}

/* Waits for the end of the run that is shown: of a host program, of its first launch, or of that in
 * which the finding is. */
static enum wt_status wait_for_run(const struct view *v, struct wt_dap_client *client,
                                   struct wt_error *err)
{
    enum wt_status status;
    int64_t thread;
    while ((status = wt_dap_client_wait(client, err)) == WT_OK && v->finding &&
           !is_found(v, client, &thread)) {
        struct json_object *o = json_object_new_object();
        json_object_object_add(o, "threadId", json_object_new_int64(thread));
        client->stopped = false;
        if ((status = wt_dap_ask(client, "continue", o, NULL, err)) != WT_OK)
            break;
    }
    return status && v->finding && client->ended
               ? wt_fail(err, WT_STATE,
                         "finding %" PRIu64
                         " is not there at the end of a launch: there are fewer, it is "
                         "one of the program's end, or another run makes other findings",
                         v->finding)
               : status;
}

/* Asks for the trail that the page is about. */
static void put_trail(const struct view *v, struct json_object *o)
{
    const char *expression = v->who_wrote ? v->who_wrote : v->where_from;
    if (!expression)
        return;
    struct json_object *trail = json_object_new_object();
    json_object_object_add(trail, "expression", json_object_new_string(expression));
    json_object_object_add(trail, "stores", json_object_new_boolean(v->who_wrote != NULL));
    json_object_object_add(o, "trail", trail);
}

static enum wt_status export_page(struct view *v, struct wt_error *err)
{
    struct wt_dap_client client = {.fd = -1};
    struct json_object *o, *list, *recording = NULL;
    const struct wt_emulated_options *device = &v->d.drive.options.device;
    if (!v->d.core_path && (!device->history_memory || device->hw_only))
        return wt_fail(err, WT_INVALID,
                       "--export shows a run that is recorded: there is none with --no-history "
                       "and --hw-only");
    if (v->finding && !v->d.drive.check.options.checks)
        return wt_fail(err, WT_INVALID,
                       "--finding is the number of a finding: it needs --check=LIST");
    enum wt_status status = begin(v, &client, err);
    if (!status)
        status = wait_for_run(v, &client, err);
    if (!status) {
        o = json_object_new_object();
        if (v->finding)
            json_object_object_add(o, "finding", json_object_new_int64((int64_t)v->finding));
        put_trail(v, o);
        list = json_object_new_array();
        for (size_t i = 0; i < v->expression_count; i++)
            json_object_array_add(list, json_object_new_string(v->expression[i]));
        json_object_object_add(o, "expressions", list);
        if (v->images)
            json_object_object_add(o, "images", json_object_get(v->images));
        json_object_object_add(o, "frames", json_object_new_int64((int64_t)v->frames));
        status = wt_dap_ask(&client, "wavetrap/recording", o, &recording, err);
    }
    if (!status)
        status = check_images(recording, err);
    if (!status && attaches_to(v)) /* the page opens at the stop */
        json_object_object_add(recording, "stop", json_object_new_boolean(true));
    if (!status)
        status = write_file(v, recording, err);
    json_object_put(recording);
    cli_dap_end(&client);
    return status;
}

/* ---- pages ---- */

static enum wt_status serve(struct view *v, struct wt_error *err)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, 0};
    struct wt_dap_client client = {.fd = -1};
    struct wt_listener listener;
    char token[2 * TOKEN_BYTES + 1];
    if (!wt_token_text(token, TOKEN_BYTES))
        return wt_fail(err, WT_IO, "a random token: %s", strerror(errno));
    enum wt_status status =
        cli_pages_listen("listen", v->listen ? v->listen : WT_LISTEN_ANYWHERE, &listener, err);
    if (status)
        return status;
    signal(SIGPIPE, SIG_IGN);
    const int signal_fd = wt_session_signal_fd(signals);
    if ((status = begin(v, &client, err)) == WT_OK) {
        fprintf(stderr, "wavetrap view: the page is at http://%s/%s/\n", listener.address, token);
        status = wt_view_serve(&listener, &client, token, signal_fd, err);
    }
    wt_listener_close(&listener);
    cli_dap_end(&client);
    close(signal_fd);
    return status;
}

static int view(int argc, char **argv)
{
    struct view v = {.frames = 200};
    struct wt_error err;
    int status = wt_debuggee_parse(&cli_view, argc, argv, &v.d, &err);
    if (status == WT_EXIT_FAILED)
        wt_subcommand_fail(&cli_view, &err);
    if (status == WT_SUBCOMMAND_GO && (v.finding || v.where_from || v.who_wrote) && !v.export) {
        wt_fail(&err, WT_INVALID, "--%s is for a page: give --export=FILE, too",
                v.finding      ? "finding"
                : v.where_from ? "where-from"
                               : "who-wrote");
        status = wt_subcommand_fail(&cli_view, &err);
    }
    if (status == WT_SUBCOMMAND_GO && !!v.finding + !!v.where_from + !!v.who_wrote > 1) {
        wt_fail(&err, WT_INVALID,
                "a page is about one thing: --finding, --where-from or --who-wrote");
        status = wt_subcommand_fail(&cli_view, &err);
    }
    if (status == WT_SUBCOMMAND_GO && !v.d.program && !wt_debuggee_runs_already(&v.d) &&
        !v.d.core_path)
        status = wt_subcommand_operand_missing(&cli_view, cli_view.operands);
    if (status == WT_SUBCOMMAND_GO)
        status = (v.export ? export_page(&v, &err) : serve(&v, &err))
                     ? wt_subcommand_fail(&cli_view, &err)
                     : 0;
    free(v.expression);
    json_object_put(v.images);
    wt_debuggee_free(&v.d);
    return status;
}

static const struct wt_option options[] = {
    {"export", 0, "FILE",
     "write a page of the recorded run to FILE, which needs no server: the\n"
     "program runs to its end or a fault, a host program to its first\n"
     "dispatch's end",
     WT_OPTION_TEXT(struct view, export)},
    {"finding", 0, "N",
     "--export a page about finding N of --check: of the launch that it is in,\n"
     "with both accesses of a race; the program's output is not printed",
     WT_OPTION_NUMBER(struct view, finding)},
    {"where-from", 0, "E",
     "--export a page about how E came to have its value at the end of the\n"
     "run: arrows from lane to lane and from line to line",
     WT_OPTION_TEXT(struct view, where_from)},
    {"who-wrote", 0, "E", "the same of the stores to E", WT_OPTION_TEXT(struct view, who_wrote)},
    {"expression", 'e', "E", "a value that each cell can show; may be given several times",
     WT_OPTION_SET(add_expression)},
    {"frames", 0, "N", "how many times of the run a page of --export has (default 200)",
     WT_OPTION_NUMBER(struct view, frames)},
    {"image", 0, "E:WxH:TYPE",
     "show memory at E as a picture over time, as in picture:64x24:u8, or\n"
     "with E:N:TYPE as a plot; TYPE is u8, i32, u32 or f32; with --export",
     WT_OPTION_SET(add_image)},
    {"listen", 'l', "ADDRESS",
     "where pages connect: PORT or 127.0.0.1:PORT (default: any free port)",
     WT_OPTION_TEXT(struct view, listen)},
    {"profile", 0, NULL, "count instructions by source line: the source is a heat map of them",
     WT_OPTION_FLAG(struct view, d.drive.profile.table)},
    {"stop-on-entry", 0, NULL,
     "begin at the first line of main or of the first kernel, not before\nthe end",
     WT_OPTION_FLAG(struct view, stop_on_entry)},
    WT_CHECK_OPTIONS(struct view, d.drive.check),
    WT_KERNEL_OPTIONS,
    WT_ATTACHED_OPTIONS,
    WT_DEBUGGED_OPTIONS,
    {0},
};

const struct wt_subcommand cli_view = {
    .name = "view",
    .operands = "PROGRAM [ARGUMENT]…",
    .summary = "Shows the lanes of a run as a grid, in a browser or as a page in a file.",
    .options = options,
    .device = true,
    .debugger = true,
    .many_gpus = true,
    .program = true,
    .notes = "It takes the programs of 'wavetrap debug'. The page's address, with its token, is\n"
             "printed; Ctrl-C ends the server and its session. docs/view.md explains the page.\n",
    .run = view,
};
