/*
 * Chooses which test functions of a unit test run: those whose name matches WAVETRAP_TEST (with *
 * and ?). `make test T=unit/watch::NAME` sets it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

__attribute__((constructor)) static void choose_tests(void)
{
    const char *pattern = getenv("WAVETRAP_TEST");
    if (pattern && *pattern)
        cmocka_set_test_filter(pattern);
}
