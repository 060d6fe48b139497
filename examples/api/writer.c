/*
 * Runs to a breakpoint, or to a fault before it, and goes back to the instruction that wrote a
 * variable last:
 *
 *     writer PLACE EXPRESSION OPTION… PROGRAM
 */
#include <stdio.h>

#include <wavetrap/wavetrap.h>

static int fail(const struct wavetrap_error *err)
{
    fprintf(stderr, "writer: %s\n", err->text);
    return 1;
}

/* The value and the place, for the selected lane. */
static void print_here(struct wavetrap *session, const char *before, const char *expression,
                       const struct wavetrap_stop *stop)
{
    struct wavetrap_frame frame = {.line = 0};
    struct wavetrap_error err;
    char value[256] = "?";
    wavetrap_frame(session, 0, &frame, &err);
    wavetrap_print(session, expression, value, sizeof value, &err);
    printf("%s time %llu, %s, line %u: %s = %s\n", before, (unsigned long long)stop->time,
           *frame.function ? frame.function : "?", frame.line, expression, value);
}

int main(int argc, char **argv)
{
    struct wavetrap *session;
    struct wavetrap_stop stop;
    struct wavetrap_error err;
    unsigned number;
    if (argc < 4) {
        fputs("writer PLACE EXPRESSION OPTION... PROGRAM\n", stderr);
        return 2;
    }
    if (wavetrap_open((const char *const *)argv + 3, NULL, NULL, &session, &err))
        return fail(&err);
    int status = wavetrap_break(session, argv[1], NULL, &number, &err) ||
                         wavetrap_continue(session, false, &stop, &err)
                     ? fail(&err)
                     : 0;
    if (!status && stop.kind == WAVETRAP_ENDED) {
        puts(stop.text);
    } else if (!status) {
        print_here(session, "at", argv[2], &stop);
        status = wavetrap_watch(session, WAVETRAP_CHANGES, argv[2], NULL, &number, &err) ||
                         wavetrap_continue(session, true, &stop, &err)
                     ? fail(&err)
                     : 0;
        if (!status && stop.kind == WAVETRAP_WATCHPOINT)
            print_here(session, "before", argv[2], &stop);
        else if (!status)
            puts(stop.text);
    }
    wavetrap_close(session);
    return status;
}
