/* The results of a program, kept in the file of its first argument, so that those of two devices
 * can be compared: a line "NAME: VALUE VALUE…" for each. */
#ifndef TESTS_HOST_OPENCL_LIBRARIES_RESULTS_H
#define TESTS_HOST_OPENCL_LIBRARIES_RESULTS_H

#include <stdio.h>
#include <stdlib.h>

static FILE *results;

static void open_results(int argc, char **argv)
{
    results = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (argc > 1 && !results) {
        perror(argv[1]);
        exit(2);
    }
}

static void begin_result(const char *name)
{
    if (results)
        fprintf(results, "%s:", name);
}

static void keep(double value)
{
    if (results)
        fprintf(results, " %.17g", value);
}

static void end_result(void)
{
    if (results)
        fputc('\n', results);
}

#endif
