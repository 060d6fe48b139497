/*
 * What the programs of this folder share: a table of cases, and their checksums.
 *
 *     PROGRAM bad NAME...    runs these cases with their mistakes
 *     PROGRAM good           runs all corrected twins and all idioms
 *
 * Each prints "NAME: CHECKSUM". `bad` comes from the command line, so that no compiler sees the
 * mistakes that depend on it.
 */
#ifndef CASES_H
#define CASES_H
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct one_case {
    const char *name;
    void (*run)(int bad);
};

static const char *case_name;

/* FNV-1a. */
static void result(const void *bytes, size_t size)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 16777619u;
    printf("%s: %08x\n", case_name, (unsigned)sum);
    fflush(stdout);
}

/* Defines run_cases(), which runs the cases of the table that argv names. A Vortex program has no
 * argv: vx_argument() is the number of the case that runs with its mistake, from 1; 0: all run,
 * without. */
/* clang-format off */
#define CASE(name) {#name, name}
/* clang-format on */
#define CASES(...)                                                                                 \
    static const struct one_case all_cases[] = {__VA_ARGS__};                                      \
    enum { CASE_COUNT = sizeof all_cases / sizeof all_cases[0] };                                  \
    RUN_CASES

static void run_one(const struct one_case *one, int bad)
{
    case_name = one->name;
    one->run(bad);
}
#ifdef __riscv
#define RUN_CASES                                                                                  \
    static void run_cases(int argc, char **argv)                                                   \
    {                                                                                              \
        const size_t number = (uintptr_t)vx_argument();                                            \
        (void)argc, (void)argv;                                                                    \
        for (size_t c = 0; c < CASE_COUNT; c++)                                                    \
            if (number == 0 || number == c + 1)                                                    \
                run_one(&all_cases[c], number != 0);                                               \
    }
#else
#define RUN_CASES                                                                                  \
    static void run_cases(int argc, char **argv)                                                   \
    {                                                                                              \
        run_named(all_cases, CASE_COUNT, argc, argv);                                              \
    }

/* A line of stderr says which case comes. */
static void run_named(const struct one_case *cases, size_t count, int argc, char **argv)
{
    const int bad = argc > 1 && strcmp(argv[1], "bad") == 0;
    for (size_t c = 0; c < count; c++) {
        int wanted = argc == 2;
        for (int i = 2; i < argc; i++)
            wanted |= strcmp(argv[i], cases[c].name) == 0;
        if (wanted) {
            fprintf(stderr, "case %s\n", cases[c].name);
            run_one(&cases[c], bad);
        }
    }
}
#endif
#endif
