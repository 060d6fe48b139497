/* The words for what happens to the program: stops and their reasons, ends, points. See words.h. */
#include <inttypes.h>
#include <string.h>

#include "debug/core/touches.h"
#include "frontend/common/words.h"

static void hit(const struct wt_words *w, const struct wt_news *n)
{
    const bool catches = n->point->kind == WT_POINT_CATCH;
    wt_words_where(w, w->program->thread);
    fprintf(w->out, "\n%s%s %u%s%s%s%s, ", wt_style(w, WT_STYLE_HEADLINE),
            catches               ? "Catchpoint"
            : n->point->temporary ? "Temporary breakpoint"
                                  : "Breakpoint",
            n->point->number, catches ? " (" : "", catches ? n->point->text : "",
            catches ? ")" : "", wt_style(w, WT_STYLE_PLAIN));
}

void wt_print_watched(FILE *out, struct wt_program *program, const struct wt_point *p,
                      const uint8_t *bytes)
{
    const struct wt_view view = {.source = program->source, .thread = program->thread};
    const struct wt_format format = {.top = true};
    if (bytes)
        wt_values_print_bytes(out, &view, &p->value, bytes, &format);
    else
        fputs("<unreadable>", out);
}

static void put_watched(const struct wt_words *w, const struct wt_point *p, const uint8_t *bytes)
{
    wt_print_watched(w->out, w->program, p, bytes);
    fputc('\n', w->out);
}

static void watched(const struct wt_words *w, const struct wt_news *n)
{
    const struct wt_point *p = n->point;
    wt_words_where(w, w->program->thread);
    fprintf(w->out, "\n%s%s %u: %s%s\n\n", wt_style(w, WT_STYLE_HEADLINE),
            wt_words_watch(w, p->kind), p->number, p->text, wt_style(w, WT_STYLE_PLAIN));
    if (n->is_mixed) {
        fprintf(w->out,
                "Old and new value are not known: several %ss have written here before all were "
                "stopped.\nValue now = ",
                w->program->topology->wave_word);
        put_watched(w, p, n->after);
        return;
    }
    if (n->before) {
        fputs("Old value = ", w->out);
        put_watched(w, p, n->before);
    }
    fputs(n->before ? "New value = " : "Value = ", w->out);
    put_watched(w, p, n->after);
}

static void faulted(const struct wt_words *w, const struct wt_news *n)
{
    wt_words_where(w, w->program->thread);
    if (n->point)
        fprintf(w->out, "\nCatchpoint %u:", n->point->number);
    fprintf(w->out, "%s%sProgram stopped by a fault: ", n->point ? " " : "\n",
            wt_style(w, WT_STYLE_HEADLINE));
    if (n->event->record.kind)
        wt_words_fault(w, &n->event->record);
    else
        fprintf(w->out, "%s\n", n->event->text);
    fputs(wt_style(w, WT_STYLE_PLAIN), w->out);
}

static void mistaken(const struct wt_words *w, const struct wt_news *n)
{
    wt_words_where(w, w->program->thread);
    fprintf(w->out, "\n%sCatchpoint %u (%s): %s%s\n", wt_style(w, WT_STYLE_HEADLINE),
            n->point->number, n->point->text, n->text, wt_style(w, WT_STYLE_PLAIN));
    if (n->is_there)
        fprintf(w->out,
                "The instruction at 0x%" PRIx64
                " is done, without that access: there is no recording to go back in.\n",
                n->event->pc);
}

static void interrupted(const struct wt_words *w, const struct wt_news *n)
{
    wt_words_where(w, w->program->thread);
    if (*n->text)
        fprintf(w->out, "\nProgram stopped: %s.\n", n->text);
    else
        fputs(w->program->thread ? "\nProgram stopped.\n"
                                 : "\nProgram stopped; no kernel runs now.\n",
              w->out);
    if (!w->program->thread)
        wt_debugger_host_queues(w->program->debugger, false, w->out);
}

static void starting(const struct wt_words *w)
{
    const char *arguments = w->program->arguments ? w->program->arguments : "";
    const bool host = w->program->options.host;
    fprintf(w->out, "Starting program: %s%s%s\n",
            w->program->options.program ? w->program->options.program : "(none)",
            host && *arguments ? " " : "", host ? arguments : "");
    fflush(w->out);
}

/* Mistakes before that cannot be gone back to. */
static void history_begins(const struct wt_words *w)
{
    struct wt_debugger_time time;
    uint64_t number = 0;
    fputs("\nNo more reverse-execution history: the recorded run begins here.\n", w->out);
    if (w->program->options.checks &&
        wt_debugger_time(w->program->debugger, &time, WT_IGNORED) == WT_OK)
        number = wt_checks_before(w->program->options.checks, time.start);
    if (number)
        fprintf(w->out,
                "Finding %" PRIu64 " was made before: run the program again with 'catch check' to "
                "stop at it.\n",
                number);
}

/* News of stops. */
static bool tell_stop(const struct wt_words *w, const struct wt_news *n)
{
    switch (n->kind) {
    case WT_NEWS_HIT:
        hit(w, n);
        return true;
    case WT_NEWS_UNDECIDED:
        fprintf(w->out, "\nError in testing condition for breakpoint %u:\n%s\n", n->point->number,
                n->text);
        return true;
    case WT_NEWS_WATCH:
        watched(w, n);
        return true;
    case WT_NEWS_ACCESS:
        fprintf(w->out, "\n%s\n", n->text);
        return true;
    case WT_NEWS_SCOPE_LEFT:
        if (n->is_first)
            wt_words_where(w, w->program->thread);
        fprintf(w->out,
                "\nWatchpoint %u deleted because the program has left the block in\n"
                "which its expression is valid.\n",
                n->point->number);
        return true;
    case WT_NEWS_FAULT:
        faulted(w, n);
        return true;
    case WT_NEWS_MODULES:
        wt_words_where(w, w->program->thread);
        fprintf(w->out, "\nCatchpoint %u (%s): the program has loaded or unloaded code.\n",
                n->point->number, n->point->text);
        return true;
    case WT_NEWS_MISTAKE:
        mistaken(w, n);
        return true;
    case WT_NEWS_INTERRUPTED:
        interrupted(w, n);
        return true;
    case WT_NEWS_TRAP:
        wt_words_where(w, w->program->thread);
        fputs("\nProgram stopped at a breakpoint instruction of its own.\n", w->out);
        return true;
    case WT_NEWS_HISTORY_BEGIN:
        history_begins(w);
        return true;
    case WT_NEWS_HISTORY_END:
        wt_words_where(w, w->program->thread);
        fputs("\nThe present has been reached again: the run continues from here.\n", w->out);
        wt_words_standing(w, "The program is stopped at a fault: ");
        return true;
    case WT_NEWS_STEP_OVER:
        wt_words_where(w, w->program->thread);
        fprintf(w->out, "\nThe step is over: %s.\n", n->text);
        return true;
    default:
        return false;
    }
}

/* News of the program's begin and end, and of what is done. */
static bool tell_run(const struct wt_words *w, const struct wt_news *n)
{
    switch (n->kind) {
    case WT_NEWS_EXITED:
        if (n->code)
            fprintf(w->out, "[Program exited with code %02" PRIo32 "]\n", (uint32_t)n->code);
        else
            fputs("[Program exited normally]\n", w->out);
        return true;
    case WT_NEWS_SIGNALLED:
        fprintf(w->out, "\nProgram terminated with signal %s.\n", n->text);
        return true;
    case WT_NEWS_PROCESS:
        fprintf(w->out, "[Process %d has %s]\n", (int)n->code,
                n->is_there ? "closed its GPU" : "ended");
        return true;
    case WT_NEWS_AGAIN:
        fprintf(w->out, "[Process %d has closed its GPU and opened one again]\n", (int)n->code);
        return true;
    case WT_NEWS_FAULT_ENDED:
        fprintf(w->out, "\nProgram terminated by a fault: %s\n", n->text);
        return true;
    case WT_NEWS_STARTING:
        starting(w);
        return true;
    case WT_NEWS_ATTACHING:
        fprintf(w->out, "Attaching to process %" PRId64 "\n", n->code);
        return true;
    case WT_NEWS_NO_LINES:
        fprintf(w->out,
                "Single stepping until exit from function %s,\nwhich has no line number "
                "information.\n",
                n->text);
        return true;
    case WT_NEWS_ALL_RUN:
        fprintf(w->out, "[The %s %s: all %ss run.]\n", w->program->topology->wave_word, n->text,
                w->program->topology->wave_word);
        return true;
    case WT_NEWS_PASSED:
        fprintf(w->out, "[Breakpoint %u was hit by other %ss meanwhile, %" PRId64 " time%s.]\n",
                n->point->number, w->program->topology->wave_word, n->code,
                n->code == 1 ? "" : "s");
        return true;
    case WT_NEWS_FINISHING:
        fputs(n->is_back ? "Run back to call of " : "Run till exit from ", w->out);
        wt_words_frame(w, n->frame, true, n->frame->level > 0);
        return true;
    case WT_NEWS_LOGGED:
        fputs(n->text, w->out);
        return true;
    case WT_NEWS_LOG_FAILED:
        fprintf(w->out, "Dprintf %u: %s\n", n->point->number, n->text);
        return true;
    case WT_NEWS_DOUBTFUL:
        fputs("This code is optimised: what Intel's compiler says of where variables are is wrong "
              "now and then.\n",
              w->out);
        return true;
    default:
        return false;
    }
}

/* News of points. */
static void tell_point(const struct wt_words *w, const struct wt_news *n)
{
    switch (n->kind) {
    case WT_NEWS_WATCH_LOST:
        fprintf(w->out, "Watchpoint %u deleted: the memory of that run is gone.\n",
                n->point->number);
        break;
    case WT_NEWS_PENDING:
        if (n->program) {
            const bool is_other = strcmp(n->program, n->text) != 0;
            const char *slash = strrchr(n->program, '/');
            fprintf(w->out,
                    "Breakpoint %u (%s) is pending still: %s%s%s%s has no code at this line or "
                    "after it.\n",
                    n->point->number, n->point->text, slash ? slash + 1 : n->program,
                    is_other ? ", which has the text of " : "", is_other ? n->text : "",
                    is_other ? "," : "");
            break;
        }
        fprintf(w->out, "Breakpoint %u (%s) is pending still: %s %s.\n", n->point->number,
                n->point->text, n->text,
                n->is_there
                    ? "is not the text of any program that was compiled so far"
                    : "is neither the name of a program that was compiled so far nor a file here");
        break;
    case WT_NEWS_CONDITION_LOST:
        fprintf(w->out, "The condition of breakpoint %u cannot be evaluated: %s\n",
                n->point->number, n->text);
        break;
    case WT_NEWS_CONDITION_OTHER:
        fprintf(w->out,
                "The condition '%s' cannot be tested here: the function that it is of has not "
                "called this one.\n",
                n->text);
        break;
    case WT_NEWS_ERROR:
        fprintf(w->out, "%s\n", n->text);
        break;
    default:
        break;
    }
}

void wt_words_news(const struct wt_words *w, const struct wt_news *news)
{
    if (!tell_stop(w, news) && !tell_run(w, news))
        tell_point(w, news);
}
