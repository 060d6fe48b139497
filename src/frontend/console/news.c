/* The words for what happens to the program: stops and their reasons, ends, points. */
#include <inttypes.h>

#include "frontend/console/internal.h"

static void hit(struct wt_shell *c, const struct wt_news *n)
{
    const bool catches = n->point->kind == WT_POINT_CATCH;
    print_where(c, c->program->thread);
    fprintf(c->out, "\n%s%s %u%s%s%s%s, ", style(c, HEADLINE),
            catches               ? "Catchpoint"
            : n->point->temporary ? "Temporary breakpoint"
                                  : "Breakpoint",
            n->point->number, catches ? " (" : "", catches ? n->point->text : "",
            catches ? ")" : "", style(c, PLAIN));
}

static void put_watched(struct wt_shell *c, const struct wt_point *p, const uint8_t *bytes)
{
    const struct wt_view view = {.source = c->program->source, .thread = c->program->thread};
    const struct wt_format format = {.top = true};
    if (bytes)
        wt_value_print_bytes(c->out, &view, p->type, bytes, &format);
    else
        fputs("<unreadable>", c->out);
    fputc('\n', c->out);
}

static void watched(struct wt_shell *c, const struct wt_news *n)
{
    const struct wt_point *p = n->point;
    print_where(c, c->program->thread);
    fprintf(c->out, "\n%s%s %u: %s%s\n\n", style(c, HEADLINE), watch_name(c, p->kind), p->number,
            p->text, style(c, PLAIN));
    if (n->is_mixed) {
        fprintf(c->out,
                "Old and new value are not known: several %ss have written here before all stood "
                "still.\nValue now = ",
                c->program->topology->wave_word);
        put_watched(c, p, n->after);
        return;
    }
    if (n->before) {
        fputs("Old value = ", c->out);
        put_watched(c, p, n->before);
    }
    fputs(n->before ? "New value = " : "Value = ", c->out);
    put_watched(c, p, n->after);
}

static void faulted(struct wt_shell *c, const struct wt_news *n)
{
    print_where(c, c->program->thread);
    if (n->point)
        fprintf(c->out, "\nCatchpoint %u:", n->point->number);
    fprintf(c->out, "%s%sProgram stopped by a fault: ", n->point ? " " : "\n", style(c, HEADLINE));
    if (n->event->record.kind)
        print_fault(c, &n->event->record);
    else
        fprintf(c->out, "%s\n", n->event->text);
    fputs(style(c, PLAIN), c->out);
}

static void mistaken(struct wt_shell *c, const struct wt_news *n)
{
    print_where(c, c->program->thread);
    fprintf(c->out, "\n%sCatchpoint %u (%s): %s%s\n", style(c, HEADLINE), n->point->number,
            n->point->text, n->text, style(c, PLAIN));
    if (n->is_there)
        fprintf(c->out,
                "The instruction at 0x%" PRIx64
                " is done, without that access: there is no recording to go back in.\n",
                n->event->pc);
}

static void interrupted(struct wt_shell *c, const struct wt_news *n)
{
    c->script.interrupted = !*n->text;
    print_where(c, c->program->thread);
    if (*n->text)
        fprintf(c->out, "\nProgram stopped: %s.\n", n->text);
    else
        fputs(c->program->thread ? "\nProgram stopped.\n"
                                 : "\nProgram stopped; no kernel runs now.\n",
              c->out);
}

static void starting(struct wt_shell *c)
{
    const char *arguments = c->program->arguments ? c->program->arguments : "";
    const bool host = c->options.host;
    fprintf(c->out, "Starting program: %s%s%s\n",
            c->options.program ? c->options.program : "(none)", host && *arguments ? " " : "",
            host ? arguments : "");
    fflush(c->out);
}

/* Mistakes before that cannot be gone back to. */
static void history_begins(struct wt_shell *c)
{
    struct wt_debugger_time time;
    uint64_t number = 0;
    fputs("\nNo more reverse-execution history: the recorded run begins here.\n", c->out);
    if (c->options.checks && wt_debugger_time(c->program->debugger, &time, WT_IGNORED) == WT_OK)
        number = wt_checks_before(c->options.checks, time.start);
    if (number)
        fprintf(c->out,
                "Finding %" PRIu64 " was made before: run the program again with 'catch check' to "
                "stop at it.\n",
                number);
}

/* News of stops. */
static bool tell_stop(struct wt_shell *c, const struct wt_news *n)
{
    switch (n->kind) {
    case WT_NEWS_HIT:
        hit(c, n);
        return true;
    case WT_NEWS_UNDECIDED:
        fprintf(c->out, "\nError in testing condition for breakpoint %u:\n%s\n", n->point->number,
                n->text);
        return true;
    case WT_NEWS_WATCH:
        watched(c, n);
        return true;
    case WT_NEWS_ACCESS:
        fprintf(c->out, "\n%s\n", n->text);
        return true;
    case WT_NEWS_SCOPE_LEFT:
        if (n->is_first)
            print_where(c, c->program->thread);
        fprintf(c->out,
                "\nWatchpoint %u deleted because the program has left the block in\n"
                "which its expression is valid.\n",
                n->point->number);
        return true;
    case WT_NEWS_FAULT:
        faulted(c, n);
        return true;
    case WT_NEWS_MODULES:
        print_where(c, c->program->thread);
        fprintf(c->out, "\nCatchpoint %u (%s): the program has loaded or unloaded code.\n",
                n->point->number, n->point->text);
        return true;
    case WT_NEWS_MISTAKE:
        mistaken(c, n);
        return true;
    case WT_NEWS_INTERRUPTED:
        interrupted(c, n);
        return true;
    case WT_NEWS_TRAP:
        print_where(c, c->program->thread);
        fputs("\nProgram stopped at a breakpoint instruction of its own.\n", c->out);
        return true;
    case WT_NEWS_HISTORY_BEGIN:
        history_begins(c);
        return true;
    case WT_NEWS_HISTORY_END:
        print_where(c, c->program->thread);
        fputs("\nThe present has been reached again: what comes is new.\n", c->out);
        remind_of_fault(c);
        return true;
    case WT_NEWS_STEP_OVER:
        print_where(c, c->program->thread);
        fprintf(c->out, "\nThe step is over: %s.\n", n->text);
        return true;
    default:
        return false;
    }
}

/* News of the program's begin and end, and of what is done. */
static bool tell_run(struct wt_shell *c, const struct wt_news *n)
{
    switch (n->kind) {
    case WT_NEWS_EXITED:
        if (n->code)
            fprintf(c->out, "[Program exited with code %02" PRIo32 "]\n", (uint32_t)n->code);
        else
            fputs("[Program exited normally]\n", c->out);
        return true;
    case WT_NEWS_SIGNALLED:
        fprintf(c->out, "\nProgram terminated with signal %s.\n", n->text);
        return true;
    case WT_NEWS_PROCESS:
        fprintf(c->out, "[Process %d has %s]\n", (int)n->code,
                n->is_there ? "closed its GPU" : "ended");
        return true;
    case WT_NEWS_FAULT_ENDED:
        fprintf(c->out, "\nProgram terminated by a fault: %s\n", n->text);
        return true;
    case WT_NEWS_STARTING:
        starting(c);
        return true;
    case WT_NEWS_ATTACHING:
        fprintf(c->out, "Attaching to process %" PRId64 "\n", n->code);
        return true;
    case WT_NEWS_NO_LINES:
        fprintf(c->out,
                "Single stepping until exit from function %s,\nwhich has no line number "
                "information.\n",
                n->text);
        return true;
    case WT_NEWS_FINISHING:
        fputs(n->is_back ? "Run back to call of " : "Run till exit from ", c->out);
        print_frame(c, n->frame, true, n->frame->level > 0);
        return true;
    case WT_NEWS_LOGGED:
        fputs(n->text, c->out);
        return true;
    case WT_NEWS_LOG_FAILED:
        fprintf(c->out, "Dprintf %u: %s\n", n->point->number, n->text);
        return true;
    default:
        return false;
    }
}

/* News of points. */
static void tell_point(struct wt_shell *c, const struct wt_news *n)
{
    switch (n->kind) {
    case WT_NEWS_WATCH_LOST:
        fprintf(c->out, "Watchpoint %u deleted: the memory of that run is gone.\n",
                n->point->number);
        break;
    case WT_NEWS_PENDING:
        if (n->program) {
            const bool is_other = strcmp(n->program, n->text) != 0;
            const char *slash = strrchr(n->program, '/');
            fprintf(c->out,
                    "Breakpoint %u (%s) is pending still: %s%s%s%s has no code at this line or "
                    "behind it.\n",
                    n->point->number, n->point->text, slash ? slash + 1 : n->program,
                    is_other ? ", which has the text of " : "", is_other ? n->text : "",
                    is_other ? "," : "");
            break;
        }
        fprintf(c->out, "Breakpoint %u (%s) is pending still: %s %s.\n", n->point->number,
                n->point->text, n->text,
                n->is_there ? "is not the text of any program that was compiled so far"
                            : "is no name of a program that was compiled so far, nor a file here");
        break;
    case WT_NEWS_CONDITION:
        hint_logic(c, n->view, n->text);
        break;
    case WT_NEWS_CONDITION_LOST:
        fprintf(c->out, "The condition of breakpoint %u cannot be evaluated: %s\n",
                n->point->number, n->text);
        break;
    case WT_NEWS_CONDITION_OTHER:
        fprintf(c->out,
                "The condition '%s' cannot be tested here: the function that it is of has not "
                "called this one.\n",
                n->text);
        break;
    case WT_NEWS_ERROR:
        fprintf(c->out, "%s\n", n->text);
        break;
    default:
        break;
    }
}

void tell_news(void *context, const struct wt_news *news)
{
    struct wt_shell *c = context;
    wt_report_news(&c->report, news);
    if (c->options.news && c->options.news(c->options.context, news))
        return;
    if (!tell_stop(c, news) && !tell_run(c, news))
        tell_point(c, news);
}
