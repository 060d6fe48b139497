/*
 * Fuzz target: the server of the Debug Adapter Protocol, on a small C++ program of four threads
 * that ends by itself (PROGRAM, also a seed of the target dwarf). After the first byte 'j' each
 * line of the input is a message, in a good frame, which is sent when the one before is answered;
 * after any other it is the stream itself. Each message gets one answer, whatever it is, and the
 * answers are in good frames.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frontend/console/console.h"
#include "frontend/dap/dap.h"
#include "target/emulated.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_BYTES 8192 /* less than a pipe holds */
#define MOST_LINES 60

/* The session behind the server, and the client before it. */
struct world {
    int in;                 /* the client's end of the server's input; -1: closed */
    int out;                /* a file of the server's output */
    const char *next, *end; /* messages that it has not sent yet, one a line */
    int sent, answered;
    off_t read; /* bytes of `out` that were looked at */
    struct wt_dap *dap;
    struct wt_emulated device;
    FILE *console;
    struct wt_session *session;
    struct wt_shell *shell;
};

static void put(void *context, const char *text, size_t length)
{
    wt_dap_output(((struct world *)context)->dap, WT_DAP_CONSOLE, text, length);
}

static ssize_t put_program(void *context, const char *text, size_t length)
{
    wt_dap_output(((struct world *)context)->dap, WT_DAP_STDOUT, text, length);
    return (ssize_t)length;
}

static bool news(void *context, const struct wt_news *n)
{
    return wt_dap_news(((struct world *)context)->dap, n);
}

static void waits(void *context, enum wt_wait wait)
{
    wt_dap_waits(((struct world *)context)->dap, wait);
}

static enum wt_status open_session(void *context, const struct wt_dap_start *start,
                                   struct wt_program **program, struct wt_error *err)
{
    static struct wt_emulated_options options = {.history_memory = (uint64_t)16 << 20,
                                                 .memory = (uint64_t)16 << 20};
    struct world *w = context;
    if (!options.gpu.family && wt_gpu_choose(&options.gpu, "vortex:warps=2,threads=4", err))
        abort();
    if (wt_emulated_open(&w->device, &options, PROGRAM, err) != WT_OK)
        abort();
    w->console = fopencookie(w, "w", (cookie_io_functions_t){.write = put_program});
    w->device.console = w->console;
    if (!w->console || wt_emulated_debug(&w->device, put, w, err) != WT_OK)
        abort();
    w->session = wt_session_new(w->device.debugger);
    const struct wt_shell_options shell = {.session = w->session,
                                           .modules = w->device.modules,
                                           .program = "program",
                                           .output = put,
                                           .news = news,
                                           .waits = waits,
                                           .context = w};
    w->shell = w->session ? wt_shell_new(&shell) : NULL;
    if (!w->shell || wt_dap_watch(w->dap, wt_session_loop(w->session), err) != WT_OK)
        abort();
    *program = wt_shell_debugged(w->shell);
    return WT_OK;
}

static void close_session(void *context, bool kill)
{
    struct world *w = context;
    (void)kill;
    if (!w->shell)
        return;
    wt_shell_free(w->shell);
    wt_session_free(w->session);
    wt_debugger_close(w->device.debugger);
    wt_emulated_close(&w->device);
    fclose(w->console);
    w->shell = NULL;
}

static enum wt_status enter(void *context, struct wt_error *err)
{
    (void)context, (void)err;
    return WT_OK;
}

static bool never(void *context)
{
    (void)context;
    return false;
}

/* Other commands write files, or take long: they are the target `script`. */
static enum wt_status command(void *context, const char *line, struct wt_error *err)
{
    if (strncmp(line, "info ", 5) != 0 && strncmp(line, "next", 4) != 0)
        return wt_fail(err, WT_UNSUPPORTED, "left out");
    return wt_shell_execute(((struct world *)context)->shell, line, err);
}

static char **complete(void *context, const char *line, size_t *count)
{
    return wt_shell_complete(((struct world *)context)->shell, line, count);
}

static void flush(void *context)
{
    struct world *w = context;
    if (w->shell)
        wt_shell_print(w->shell, "", 0);
}

/* Takes the answers that have come, in messages in good frames and nothing else. */
static void take_answers(struct world *w)
{
    const off_t size = lseek(w->out, 0, SEEK_CUR) - w->read;
    char *text = calloc(1, (size_t)size + 1);
    if (!text || pread(w->out, text, (size_t)size, w->read) != size)
        abort();
    for (char *at = text; *at;) {
        unsigned long length;
        int header = 0;
        if (sscanf(at, "Content-Length: %lu\r\n\r\n%n", &length, &header) != 1 || !header ||
            length > strlen(at + header))
            abort();
        at += header;
        const char kept = at[length];
        at[length] = 0;
        w->answered += strstr(at, "\"type\":\"response\"") != NULL;
        at[length] = kept;
        at += length;
    }
    w->read += size;
    free(text);
}

static void close_input(struct world *w)
{
    if (w->in >= 0)
        close(w->in);
    w->in = -1;
}

/* Called before the server waits: the client sends its next message when the last one is answered.
 */
static bool send_next(void *context)
{
    struct world *w = context;
    if (!w->next)
        return false;
    take_answers(w);
    if (w->answered > w->sent)
        abort(); /* a message has two answers */
    if (w->answered < w->sent)
        return false;
    if (w->next >= w->end || w->sent == MOST_LINES) {
        close_input(w);
        return false;
    }
    const char *newline = memchr(w->next, '\n', (size_t)(w->end - w->next));
    const size_t length = (size_t)((newline ? newline : w->end) - w->next);
    if (dprintf(w->in, "Content-Length: %zu\r\n\r\n", length) < 0 ||
        write(w->in, w->next, length) != (ssize_t)length)
        abort();
    w->next += length + 1;
    w->sent++;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    size = size < MOST_BYTES ? size : MOST_BYTES;
    int in[2];
    if (pipe(in) != 0)
        abort();
    struct world w = {.in = in[1], .out = memfd_create("answers", MFD_CLOEXEC)};
    const struct wt_dap_owner owner = {.open = open_session,
                                       .enter = enter,
                                       .is_core = never,
                                       .close = close_session,
                                       .command = command,
                                       .is_command = wt_shell_is_command,
                                       .complete = complete,
                                       .flush = flush,
                                       .ends = send_next,
                                       .context = &w};
    struct wt_error err;
    if (size && *text == 'j') {
        w.next = text + 1;
        w.end = text + size;
    } else {
        if (size && write(w.in, text + 1, size - 1) != (ssize_t)size - 1)
            abort();
        close_input(&w);
    }
    w.dap = w.out < 0 ? NULL : wt_dap_new(in[0], w.out, &owner);
    if (!w.dap)
        abort();
    wt_dap_serve(w.dap, &err);
    wt_dap_free(w.dap);
    take_answers(&w);
    close_input(&w);
    close(in[0]);
    close(w.out);
    return 0;
}
