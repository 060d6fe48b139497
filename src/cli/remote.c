/* Runs a program behind an RSP server, and prints its console. */
#include "cli/remote.h"

#include <assert.h>
#include <string.h>

/* Prints the output of the program or of a breakpoint's commands. */
static void print(void *context, const char *text, size_t length)
{
    struct cli_remote *r = context;
    bool taken = false;
    for (size_t i = 0; i < r->server_count; i++)
        taken |= wt_rsp_server_output(r->server[i], text, length);
    if (taken)
        return;
    fwrite(text, 1, length, r->out);
    fflush(r->out);
}

static ssize_t console_write(void *context, const char *text, size_t length)
{
    print(context, text, length);
    return (ssize_t)length;
}

static enum wt_status add_server(struct cli_remote *remote, const struct wt_rsp_options *rsp,
                                 struct wt_error *err)
{
    assert(remote->server_count < CLI_SERVERS);
    enum wt_status status =
        wt_rsp_server_open(rsp, remote->session, &remote->server[remote->server_count], err);
    if (status)
        return status;
    remote->server_count++;
    return WT_OK;
}

/* ---- pages ---- */

static unsigned disassemble(void *context, uint64_t addr, const uint8_t *bytes, size_t length,
                            char *text, size_t size)
{
    struct wt_emulated *e = context;
    return e->family->isa.instruction_text
               ? e->family->isa.instruction_text(e, NULL, addr, bytes, length, text, size)
               : 0;
}

static void no_news(void *context, const struct wt_news *news)
{
}

static void stopped(void *context, const struct wt_event *event)
{
    cli_pages_follow(((struct cli_remote *)context)->pages);
}

static const struct wt_client_ops viewer = {WT_CLIENT_LOOKS, .event = stopped};

enum wt_status cli_remote_show(struct cli_remote *r, struct cli_pages *pages, struct wt_error *err)
{
    const struct wt_program_options options = {.session = r->session,
                                               .modules = r->device.modules,
                                               .attached = true,
                                               .disassemble = disassemble,
                                               .code_context = &r->device,
                                               .user = {.news = no_news}};
    r->pages = pages;
    r->program = wt_program_new(&options);
    r->viewer = r->program ? wt_session_join(r->session, &viewer, r) : NULL;
    if (!r->viewer)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    cli_pages_join(pages, r->program, false);
    return cli_pages_watch(pages, wt_session_loop(r->session), err);
}

static void close_all(struct cli_remote *remote)
{
    wt_client_leave(remote->viewer);
    wt_program_free(remote->program);
    while (remote->server_count)
        wt_rsp_server_close(remote->server[--remote->server_count]);
    wt_session_free(remote->session);
    remote->session = NULL;
    cli_pages_close(remote->pages);
    if (remote->device.debugger)
        wt_debugger_close(remote->device.debugger);
    wt_emulated_close(&remote->device);
    if (remote->console)
        fclose(remote->console);
    remote->console = NULL;
}

enum wt_status cli_remote_open(struct cli_remote *remote, const struct wt_session_options *options,
                               const char *program, const struct wt_rsp_options *rsp,
                               struct wt_report_check *check, FILE *out, struct wt_error *err)
{
    struct wt_rsp_options served = *rsp;
    *remote = (struct cli_remote){.check = check, .out = out};
    enum wt_status status = wt_report_check_complete(check, err);
    if (!status)
        status = wt_session_open_device(&remote->device, options, program, err);
    if (status)
        return status;
    remote->console = fopencookie(remote, "w", (cookie_io_functions_t){.write = console_write});
    if (!remote->console) {
        wt_emulated_close(&remote->device);
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    remote->device.console = remote->console;
    status = wt_emulated_debug(&remote->device, print, remote, err);
    if (!status && !(remote->session = wt_session_new(remote->device.debugger)))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (!status)
        status = wt_report_check_begin(check, &remote->device, err);
    served.checks = wt_report_check_offer(
        check, &(struct wt_report_checked){.file = &check->file, .e = &remote->device});
    if (!status)
        status = add_server(remote, &served, err);
    if (status) {
        wt_check_set_end(&check->set);
        close_all(remote);
    }
    return status;
}

enum wt_status cli_remote_listen(struct cli_remote *remote, const struct wt_rsp_options *rsp,
                                 struct wt_error *err)
{
    struct wt_rsp_options beside = *rsp;
    beside.stop_fd = -1; /* the first server watches it for all */
    beside.checks = remote->check->options.checks ? &remote->check->offered : NULL;
    return add_server(remote, &beside, err);
}

int cli_remote_close(const struct wt_subcommand *command, struct cli_remote *remote)
{
    while (remote->server_count) /* GDB shows nothing any more */
        wt_rsp_server_close(remote->server[--remote->server_count]);
    const int status = wt_report_check_end(command->name, remote->check, &remote->device, NULL);
    close_all(remote);
    return status;
}
