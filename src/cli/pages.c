/* See pages.h. */
#include "cli/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/token.h"
#include "frontend/view/view.h"
#include "session/interrupts.h"

enum { TOKEN_BYTES = 16 };

struct cli_pages {
    struct wt_dap *dap;
    int fd;      /* where the server of pages is */
    pid_t child; /* it */
};

enum wt_status cli_pages_listen(const char *option, const char *address,
                                struct wt_listener *listener, struct wt_error *err)
{
    const enum wt_status status = wt_listen(address, listener, err);
    if (status || (listener->fd >= 0 && !listener->local && !listener->exposed))
        return status;
    wt_listener_close(listener);
    return wt_fail(
        err, WT_INVALID,
        "--%s takes PORT or 127.0.0.1:PORT: pages are served to this machine only; 'ssh -L' "
        "leads here from another one",
        option);
}

/* ---- the session's side ---- */

static enum wt_status open_none(void *context, const struct wt_dap_start *start,
                                struct wt_program **program, struct wt_error *err)
{
    return wt_fail(err, WT_STATE, "the session has its program");
}

static enum wt_status enter_none(void *context, struct wt_error *err)
{
    return WT_OK;
}

static bool is_core(void *context)
{
    return false;
}

static void close_none(void *context, bool kill)
{
}

static enum wt_status no_command(void *context, const char *line, struct wt_error *err)
{
    return wt_fail(err, WT_UNSUPPORTED, "commands are typed in the session's console");
}

static bool is_no_command(const char *line)
{
    return false;
}

static char **complete_none(void *context, const char *line, size_t *count)
{
    *count = 0;
    return NULL;
}

static void flush(void *context)
{
    fflush(stdout);
}

static bool never_ends(void *context)
{
    return false;
}

static const struct wt_dap_owner owner = {.open = open_none,
                                          .enter = enter_none,
                                          .is_core = is_core,
                                          .has_program = true,
                                          .close = close_none,
                                          .command = no_command,
                                          .is_command = is_no_command,
                                          .complete = complete_none,
                                          .flush = flush,
                                          .ends = never_ends};

/* ---- the pages' side ---- */

/* The server of pages, which ends with the session. Ctrl-C at its terminal is not for it. */
static _Noreturn void serve_pages(struct wt_listener *listener, int fd, const char *token)
{
    static const int signals[] = {SIGTERM, 0};
    struct wt_dap_client client = {.fd = fd, .input = {.most = (size_t)1 << 30}};
    struct wt_error err;
    const int null = open("/dev/null", O_RDWR);
    for (int i = 0; null >= 0 && i < 3; i++)
        dup2(null, i);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    _exit(wt_view_serve(listener, &client, token, wt_session_signal_fd(signals), &err) != WT_OK);
}

static enum wt_status start(struct cli_pages *p, struct wt_listener *listener, const char *token,
                            const struct cli_pages_counts *counts, struct wt_error *err)
{
    int ends[2];
    struct wt_dap_owner own = owner;
    own.counts = counts->counts;
    own.context = counts->context;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return wt_fail(err, WT_IO, "a connection to the pages: %s", strerror(errno));
    fflush(NULL);
    p->fd = ends[0];
    p->child = fork();
    if (p->child == 0) {
        close(ends[0]);
        serve_pages(listener, ends[1], token);
    }
    close(ends[1]);
    if (p->child < 0)
        return wt_fail(err, WT_IO, "a process for the pages: %s", strerror(errno));
    p->dap = wt_dap_new(p->fd, p->fd, &own);
    return p->dap ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

enum wt_status cli_pages_open(const char *command, const char *address,
                              const struct cli_pages_counts *counts, struct cli_pages **pages,
                              struct wt_error *err)
{
    struct wt_listener listener;
    char token[2 * TOKEN_BYTES + 1];
    struct cli_pages *p = calloc(1, sizeof *p);
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    p->fd = p->child = -1;
    enum wt_status status = wt_token_text(token, TOKEN_BYTES)
                                ? cli_pages_listen("view", address, &listener, err)
                                : wt_fail(err, WT_IO, "a random token: %s", strerror(errno));
    if (!status) {
        status = start(p, &listener, token, counts, err);
        if (!status)
            fprintf(stderr, "wavetrap %s: the page is at http://%s/%s/\n", command,
                    listener.address, token);
        wt_listener_close(&listener);
    }
    if (status) {
        cli_pages_close(p);
        return status;
    }
    *pages = p;
    return WT_OK;
}

void cli_pages_close(struct cli_pages *p)
{
    if (!p)
        return;
    wt_dap_free(p->dap);
    if (p->fd >= 0)
        close(p->fd);
    while (p->child > 0 && waitpid(p->child, NULL, 0) < 0 && errno == EINTR)
        continue;
    free(p);
}

void cli_pages_join(struct cli_pages *p, struct wt_program *program, bool may_run)
{
    wt_dap_join(p->dap, program, may_run);
}

enum wt_status cli_pages_watch(struct cli_pages *p, struct wt_loop *loop, struct wt_error *err)
{
    return wt_dap_watch(p->dap, loop, err);
}

bool cli_pages_serve(struct cli_pages *p)
{
    return wt_dap_turn(p->dap);
}

void cli_pages_follow(struct cli_pages *p)
{
    wt_dap_follow(p->dap);
}

void cli_pages_news(struct cli_pages *p, const struct wt_news *news)
{
    wt_dap_news(p->dap, news);
}

void cli_pages_waits(struct cli_pages *p, enum wt_wait wait)
{
    wt_dap_waits(p->dap, wait);
}
