/* Sessions: opened, closed, interrupted; commands of the console. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "api/internal.h"

const char *wavetrap_version(void)
{
    return WT_VERSION;
}

const char *wavetrap_status_text(enum wavetrap_status status)
{
    static const char *const texts[] = {[WAVETRAP_OK] = "done",
                                        [WAVETRAP_INVALID] = "malformed",
                                        [WAVETRAP_IO] = "no answer from a file or device",
                                        [WAVETRAP_NO_MEMORY] = "no host memory",
                                        [WAVETRAP_UNSUPPORTED] = "not possible with this target",
                                        [WAVETRAP_STATE] = "not possible now",
                                        [WAVETRAP_TIMEOUT] = "no answer in time"};
    return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

/* ---- the front ---- */

static void put(void *context, const char *text, size_t length)
{
    struct wavetrap *w = context;
    struct api_captured *c = &w->captured;
    if (c->text) {
        for (size_t i = 0; i < length && c->length + 1 < c->size; i++)
            c->text[c->length++] = text[i];
        return;
    }
    if (w->text && length)
        w->text(w->context, text, length);
}

static ssize_t put_program(void *context, const char *text, size_t length)
{
    put(context, text, length);
    return (ssize_t)length;
}

/* Whether an end was asked for; it is asked for no longer then. */
static bool interrupted(void *context)
{
    uint64_t times;
    return read(((struct wavetrap *)context)->interrupt, &times, sizeof times) == sizeof times;
}

static void interrupt_ready(void *context, int fd, short events)
{
    struct wavetrap *w = context;
    if (interrupted(w))
        wt_shell_interrupt(w->d.console);
}

static enum wt_status watch(void *context, struct wt_loop *loop, struct wt_error *err)
{
    struct wavetrap *w = context;
    return wt_loop_watch(loop, w->interrupt, POLLIN, interrupt_ready, w)
               ? WT_OK
               : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

static void services(struct wt_debuggee *d, struct wt_shell_options *options)
{
    wt_debuggee_services(d, options);
    options->system_shell = false;
    options->interrupted = interrupted;
    options->output = put;
    options->news = api_news;
    ((struct wavetrap *)d)->checks = options->checks;
}

static const struct wt_front front = {.services = services,
                                      .watch = watch,
                                      .interrupted = interrupted,
                                      .program = put_program,
                                      .agent = put,
                                      .is_library = true};

/* ---- opening ---- */

static enum wt_status keep_words(struct wavetrap *w, const char *const *words, size_t *count,
                                 struct wt_error *err)
{
    while (words[*count])
        ++*count;
    w->word = calloc(*count + 2, sizeof(char *));
    bool good = w->word && (w->word[0] = strdup("debug"));
    for (size_t i = 0; good && i < *count; i++)
        good = (w->word[i + 1] = strdup(words[i])) != NULL;
    ++*count;
    return good ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

static enum wt_status check_program(const struct wavetrap *w, struct wt_error *err)
{
    const struct wt_debuggee *d = &w->d;
    return d->program || d->core_path || wt_debuggee_runs_already(d)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "no program, process or core file is named");
}

/* The environment of a host program says where accesses go. */
static enum wt_status prepare_observer(struct wavetrap *w, struct wt_error *err)
{
    char variable[160], line[200];
    const enum wt_status status = api_observed_open(&w->observed, variable, sizeof variable, err);
    snprintf(line, sizeof line, "set environment %s", variable);
    return status ? status : wt_shell_execute(w->d.console, line, err);
}

static enum wt_status enter(struct wavetrap *w, struct wt_error *err)
{
    return w->d.core_file || w->d.host ? wt_debuggee_enter(&w->d, err)
                                       : wt_program_begin(api_program(w), err);
}

enum wavetrap_status wavetrap_open(const char *const *words, wavetrap_text_fn *text, void *context,
                                   struct wavetrap **session, struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    size_t count = 0;
    struct wavetrap *w = calloc(1, sizeof *w);
    *session = NULL;
    if (!w)
        return api_end(wt_fail(err, WT_NO_MEMORY, "no host memory"), err, error);
    w->text = text;
    w->context = context;
    w->d.front = &front;
    w->d.batch = true;
    api_observed_init(&w->observed);
    w->interrupt = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum wt_status status =
        w->interrupt < 0 ? wt_fail(err, WT_IO, "an event of the kernel's: %s", strerror(errno))
                         : keep_words(w, words, &count, err);
    if (!status)
        status = wt_debuggee_take_words(&w->d, (int)count, w->word, err);
    if (!status)
        status = wt_debuggee_check_no_terminal(&w->d, err);
    if (!status)
        status = check_program(w, err);
    if (!status)
        status = wt_debuggee_open(&w->d, err);
    if (!status)
        status = enter(w, err);
    if (!status)
        status = w->d.host && !wt_debuggee_is_attached(&w->d) ? prepare_observer(w, err) : WT_OK;
    if (status) {
        wavetrap_close(w);
        return api_end(status, err, error);
    }
    *session = w;
    return api_end(WT_OK, err, error);
}

void wavetrap_close(struct wavetrap *w)
{
    if (!w)
        return;
    wt_debuggee_close(&w->d);
    api_observed_close(&w->observed);
    wt_debuggee_free(&w->d);
    for (size_t i = 0; w->word && w->word[i]; i++)
        free(w->word[i]);
    free(w->word);
    free(w->wave);
    free(w->reg);
    free(w->number);
    free(w->event);
    free(w->finding);
    api_free_names(&w->local);
    if (w->interrupt >= 0)
        close(w->interrupt);
    free(w);
}

void wavetrap_interrupt(struct wavetrap *w)
{
    const int was = errno; /* a signal may interrupt a caller, whose errno stays */
    const uint64_t once = 1;
    if (write(w->interrupt, &once, sizeof once) != sizeof once)
        errno = was; /* one is asked for already */
    errno = was;
}

enum wavetrap_status wavetrap_command(struct wavetrap *w, const char *line,
                                      struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    const enum wt_status status = wt_shell_execute(w->d.console, line, err);
    api_observed_drain(&w->observed);
    return api_end(status, err, error);
}
