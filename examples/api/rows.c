/*
 * Stops at each hit of a breakpoint and prints an expression in all lanes of the wave:
 *
 *     rows PLACE EXPRESSION OPTION… PROGRAM
 *     rows mandelbrot.c:46 point.count -g vortex:warps=1,threads=4 mandelbrot.rv32.elf
 */
#include <stdio.h>

#include <wavetrap/wavetrap.h>

static int fail(const struct wavetrap_error *err)
{
    fprintf(stderr, "rows: %s\n", err->text);
    return 1;
}

static void print_row(const struct wavetrap_stop *stop, const struct wavetrap_number *list,
                      size_t count)
{
    printf("time %llu, wave 0x%llx:", (unsigned long long)stop->time,
           (unsigned long long)stop->wave);
    for (size_t i = 0; i < count; i++)
        if (!list[i].known)
            printf(" -");
        else if (list[i].is_float)
            printf(" %g", list[i].real);
        else
            printf(" %lld", (long long)list[i].integer);
    putchar('\n');
}

int main(int argc, char **argv)
{
    struct wavetrap *session;
    struct wavetrap_stop stop;
    struct wavetrap_error err;
    const struct wavetrap_number *list;
    char everywhere[256];
    unsigned number;
    size_t count;
    if (argc < 4) {
        fputs("rows PLACE EXPRESSION OPTION... PROGRAM\n", stderr);
        return 2;
    }
    snprintf(everywhere, sizeof everywhere, "(%s)@*", argv[2]);
    if (wavetrap_open((const char *const *)argv + 3, NULL, NULL, &session, &err))
        return fail(&err);
    int status = wavetrap_break(session, argv[1], NULL, &number, &err) ? fail(&err) : 0;
    while (!status) {
        if (wavetrap_continue(session, false, &stop, &err)) {
            status = fail(&err);
        } else if (stop.kind != WAVETRAP_BREAKPOINT) {
            puts(stop.text);
            break;
        } else if (wavetrap_evaluate(session, everywhere, &list, &count, &err)) {
            status = fail(&err);
        } else {
            print_row(&stop, list, count);
        }
    }
    wavetrap_close(session);
    return status;
}
