/*
 * Fuzz target: the server of the Model Context Protocol. The input is what a client sends; the
 * session behind the server answers each question in a few fixed ways. Whatever comes, each line
 * that goes out is a message of JSON-RPC, and requests with an id, a method and good parameters get
 * one answer each.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frontend/dap/json.h"
#include "frontend/mcp/mcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_BYTES 8192 /* less than a pipe holds */

static unsigned turn; /* so that answers differ */

static enum wt_status begin(void *context, struct wt_error *err)
{
    (void)context;
    return turn++ % 7 == 6 ? wt_fail(err, WT_IO, "no program") : WT_OK;
}

static enum wt_status ask(void *context, const char *command, struct json_object *arguments,
                          struct json_object **body, struct wt_error *err)
{
    static const char *const answers[] = {
        "{\"result\":\"time 5: at a.c:12, in b at c.h:7: x\\n  "
        "1\\tint\\n\",\"indexedVariables\":4,\"variablesReference\":3,\"type\":\"int\"}",
        "{\"state\":\"stopped\",\"text\":\"t\\n\",\"function\":\"f\",\"file\":\"a.c\",\"line\":3,"
        "\"source\":\"s\",\"name\":\"w\",\"lane\":1,\"reason\":\"exception\",\"findings\":2}",
        "{\"state\":\"ended\",\"exitCode\":-1,\"sources\":[{\"path\":\"/x/"
        "a.c\"},{\"name\":\"none\"}],\"content\":\"one\\ntwo\\n\"}",
        "{\"variables\":[{\"name\":\"0\",\"value\":\"1\"},{}],\"sources\":[]}",
        "{\"result\":\":1 ::: x.y:99999999999999999999 a.b:\",\"state\":7}",
        "{}",
    };
    (void)context, (void)command;
    const unsigned which = turn++ % (sizeof answers / sizeof answers[0] + 1);
    json_object_put(arguments);
    if (which == sizeof answers / sizeof answers[0])
        return wt_fail(err, WT_INVALID, "refused");
    if (body)
        *body = json_tokener_parse(answers[which]);
    return WT_OK;
}

static enum wt_status wait_for_stop(void *context, bool forget, struct wt_error *err)
{
    (void)context, (void)forget, (void)err;
    return WT_OK;
}

static void stop(void *context)
{
    (void)context;
}

/* Each line is a message. */
static void check_lines(int fd)
{
    const off_t size = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1);
    if (!text || pread(fd, text, (size_t)size, 0) != size)
        abort();
    for (char *at = text, *end; *at; at = end + 1) {
        if (!(end = strchr(at, '\n')))
            abort();
        *end = 0;
        struct json_object *message = json_tokener_parse(at);
        const char *version = dap_text(message, "jsonrpc");
        if (!version || strcmp(version, "2.0") != 0 ||
            !dap_object(message, "result") == !dap_object(message, "error"))
            abort();
        json_object_put(message);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int ends[2];
    const int out = memfd_create("out", MFD_CLOEXEC);
    const struct wt_mcp_session session = {.begin = begin,
                                           .ask = ask,
                                           .wait = wait_for_stop,
                                           .stop = stop,
                                           .may_write = size % 2,
                                           .docs = "/nowhere"};
    turn = size ? data[0] : 0;
    if (size > MOST_BYTES || out < 0 || pipe(ends) != 0)
        return 0;
    if (write(ends[1], data, size) != (ssize_t)size)
        abort();
    close(ends[1]);
    struct wt_mcp *m = wt_mcp_new(ends[0], out, &session);
    if (!m)
        abort();
    wt_mcp_output(m, "stdout", "text\xff");
    wt_mcp_serve(m);
    check_lines(out);
    wt_mcp_free(m);
    close(ends[0]);
    close(out);
    return 0;
}
