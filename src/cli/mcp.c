/* `wavetrap mcp`: the debugger for programs that look for bugs, by the Model Context Protocol. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/dap.h"
#include "frontend/dap/json.h"
#include "frontend/mcp/mcp.h"
#include "session/kernel.h"
#include "target/own_files.h"

struct mcp {
    struct wt_debuggee d; /* first: the options' context */
    bool allow_write;
    bool attaches;
    struct wt_dap_client client;
    struct wt_mcp *server;
};

/* ---- the session ---- */

static void output(void *context, const char *category, const char *text)
{
    wt_mcp_output(((struct mcp *)context)->server, category, text);
}

static void idle(void *context, int fd)
{
    wt_mcp_idle(((struct mcp *)context)->server, fd);
}

static enum wt_status begin(void *context, struct wt_error *err)
{
    struct mcp *m = context;
    enum wt_status status = cli_dap_start(&m->d, &m->client, err);
    if (status)
        return status;
    m->client.output = output;
    m->client.idle = idle;
    m->client.context = m;
    struct json_object *o = json_object_new_object();
    dap_put_text(o, "adapterID", "wavetrap");
    if ((status = wt_dap_ask(&m->client, "initialize", o, NULL, err)) == WT_OK) {
        o = json_object_new_object();
        dap_put_text(o, "stopAtEnd", "device");
        dap_put_flag(o, "stopOnEntry", m->attaches);
        dap_put_text(o, "threads", "waves");
        status = wt_dap_ask(&m->client, m->attaches ? "attach" : "launch", o, NULL, err);
    }
    /* A core file stands at once; a program waits for run. */
    if (!status && m->attaches)
        status = wt_dap_ask(&m->client, "configurationDone", NULL, NULL, err);
    if (!status && m->attaches)
        status = wt_dap_client_wait(&m->client, err);
    if (status) {
        cli_dap_end(&m->client);
        m->client = (struct wt_dap_client){.fd = -1};
    }
    return status;
}

static enum wt_status ask(void *context, const char *command, struct json_object *arguments,
                          struct json_object **body, struct wt_error *err)
{
    return wt_dap_ask(&((struct mcp *)context)->client, command, arguments, body, err);
}

static enum wt_status wait_for_stop(void *context, bool forget, struct wt_error *err)
{
    struct wt_dap_client *c = &((struct mcp *)context)->client;
    if (forget) {
        c->stopped = c->ended = false;
        return WT_OK;
    }
    const enum wt_status status = wt_dap_client_wait(c, err);
    return status == WT_STATE ? WT_OK : status;
}

static void stop(void *context)
{
    struct json_object *o = json_object_new_object();
    dap_put_number(o, "requestId", 0); /* whatever is under way */
    wt_dap_client_post(&((struct mcp *)context)->client, "cancel", o, WT_IGNORED);
}

/* ---- the command ---- */

/* Nothing but the protocol may come out at standard output. */
static int serve(struct mcp *m)
{
    static const char *const places[] = {"../share/doc/wavetrap/docs", "../../../docs", NULL};
    char docs[PATH_MAX];
    struct wt_error err;
    const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    const struct wt_mcp_session session = {
        .begin = begin,
        .ask = ask,
        .wait = wait_for_stop,
        .stop = stop,
        .context = m,
        .attaches = m->attaches,
        .may_write = m->allow_write,
        .docs = wt_own_folder(places, "mcp.md", docs, sizeof docs) ? docs : NULL};
    signal(SIGPIPE, SIG_IGN);
    m->client.fd = -1;
    m->server = out < 0 || in < 0 ? NULL : wt_mcp_new(in, out, &session);
    if (!m->server) {
        wt_fail(&err, WT_IO, "standard input and output cannot be used");
        return wt_subcommand_fail(&cli_mcp, &err);
    }
    dup2(STDERR_FILENO, STDOUT_FILENO);
    wt_mcp_serve(m->server);
    cli_dap_end(&m->client);
    wt_mcp_free(m->server);
    close(in);
    close(out);
    return 0;
}

static int mcp(int argc, char **argv)
{
    struct mcp m = {.allow_write = false};
    struct wt_error err;
    int status = wt_debuggee_parse(&cli_mcp, argc, argv, &m.d, &err);
    if (status == WT_EXIT_FAILED)
        wt_subcommand_fail(&cli_mcp, &err);
    m.attaches = wt_debuggee_runs_already(&m.d) || m.d.core_path;
    if (status == WT_SUBCOMMAND_GO && !m.d.program && !m.attaches)
        status = wt_subcommand_operand_missing(&cli_mcp, cli_mcp.operands);
    if (status == WT_SUBCOMMAND_GO)
        status = serve(&m);
    wt_debuggee_free(&m.d);
    return status;
}

static const struct wt_option options[] = {
    {"allow-write", 0, NULL,
     "let tools assign to variables and write core files; without it they only\n"
     "run the program and look",
     WT_OPTION_FLAG(struct mcp, allow_write)},
    WT_KERNEL_OPTIONS,
    WT_ATTACHED_OPTIONS,
    WT_CHECK_OPTIONS(struct mcp, d.drive.check),
    WT_DEBUGGED_OPTIONS,
    {0},
};

const struct wt_subcommand cli_mcp = {
    .name = "mcp",
    .operands = "PROGRAM [ARGUMENT]…",
    .summary = "Serves a session to programs that look for bugs, by the Model Context Protocol.",
    .options = options,
    .device = true,
    .debugger = true,
    .many_gpus = true,
    .program = true,
    .notes =
        "The client is at standard input and output. The program is what 'wavetrap debug'\n"
        "takes, and no tool names another program. docs/mcp.md has configurations for hosts.\n",
    .run = mcp,
};
