/*
 * Fuzz target: the server of the Debug Adapter Protocol, on a small C++ program of four threads
 * that ends by itself (PROGRAM, also a seed of the target dwarf). After the first byte 'j' each
 * line of the input is a message, in a good frame; after any other it is the stream itself. Each
 * message gets one answer, whatever it is, and the answers are in good frames.
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

#define MOST_BYTES 8192 /* less than a pipe holds, with frames around lines */
#define MOST_LINES 60

/* The session behind the server. */
struct world {
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

/* Writes the input to the pipe; returns how many messages it has, -1: that is not known. */
static int feed(int fd, const char *text, size_t size)
{
    int count = 0;
    if (!size || *text != 'j')
        return write(fd, text + (size > 0), size - (size > 0)) < 0 ? abort(), 0 : -1;
    for (const char *at = text + 1, *end = text + size; at < end && count < MOST_LINES; count++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t length = newline ? (size_t)(newline - at) : (size_t)(end - at);
        if (dprintf(fd, "Content-Length: %zu\r\n\r\n", length) < 0 ||
            write(fd, at, length) != (ssize_t)length)
            abort();
        at += length + 1;
    }
    return count;
}

/* The answers in the server's output, which is messages in frames and nothing else. */
static int answers(int fd, bool *disconnected)
{
    const off_t size = lseek(fd, 0, SEEK_CUR);
    char *text = calloc(1, (size_t)size + 1);
    int count = 0;
    if (!text || pread(fd, text, (size_t)size, 0) != size)
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
        count += strstr(at, "\"type\":\"response\"") != NULL;
        *disconnected |= strstr(at, "\"command\":\"disconnect\"") != NULL;
        at[length] = kept;
        at += length;
    }
    free(text);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world w = {0};
    const struct wt_dap_owner owner = {.open = open_session,
                                       .enter = enter,
                                       .is_core = never,
                                       .close = close_session,
                                       .command = command,
                                       .is_command = wt_shell_is_command,
                                       .complete = complete,
                                       .flush = flush,
                                       .ends = never,
                                       .context = &w};
    struct wt_error err;
    int in[2];
    const int out = memfd_create("answers", MFD_CLOEXEC);
    bool disconnected = false;
    if (out < 0 || pipe(in) != 0)
        abort();
    const int wanted = feed(in[1], (const char *)data, size < MOST_BYTES ? size : MOST_BYTES);
    close(in[1]);
    w.dap = wt_dap_new(in[0], out, &owner);
    if (!w.dap)
        abort();
    wt_dap_serve(w.dap, &err);
    wt_dap_free(w.dap);
    const int given = answers(out, &disconnected);
    /* The stream's end may come before a request that waits is served. */
    if (wanted >= 0 && given > wanted)
        abort();
    close(in[0]);
    close(out);
    return 0;
}
