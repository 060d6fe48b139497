/* Accesses of memory that is not there: runtime/common/guard.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <signal.h>
#include <sys/mman.h>

#include "runtime/common/guard.h"

enum { PAGE = 4096 };

/* Accesses of memory, and their outcome. */
struct task {
    volatile char *at;
    struct task *inner; /* done first, guarded */
    bool inner_done, after;
    uint64_t inner_addr;
};

static void touch(void *context)
{
    struct task *t = context;
    if (t->inner)
        t->inner_done = wt_guarded(touch, t->inner, &t->inner_addr);
    t->at[5] = 1;
    t->after = true;
}

static char *page_that_is_gone(void)
{
    char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    assert_int_equal(mprotect(page, PAGE, PROT_NONE), 0);
    return page;
}

static void test_an_access_ends_what_is_guarded(void **state)
{
    char there[PAGE], *gone = page_that_is_gone();
    uint64_t addr = 0;
    struct task good = {.at = there}, bad = {.at = gone};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(wt_guarded(touch, &good, &addr));
        assert_true(good.after);
        assert_false(wt_guarded(touch, &bad, &addr));
        assert_false(bad.after);
        assert_int_equal(addr, (uintptr_t)gone + 5);
    }
    munmap(gone, PAGE);
}

static void test_the_innermost_one_ends(void **state)
{
    char there[PAGE], *gone = page_that_is_gone();
    uint64_t addr = 0;
    struct task inner = {.at = gone}, outer = {.at = there, .inner = &inner};
    assert_true(wt_guarded(touch, &outer, &addr));
    assert_false(outer.inner_done);
    assert_true(outer.after);
    assert_int_equal(outer.inner_addr, (uintptr_t)gone + 5);
    /* The outer one is in force again. */
    outer = (struct task){.at = gone, .inner = &inner};
    assert_false(wt_guarded(touch, &outer, &addr));
    assert_int_equal(addr, (uintptr_t)gone + 5);
    munmap(gone, PAGE);
}

static sigjmp_buf own;
static volatile sig_atomic_t calls;

static void programs_handler(int number)
{
    calls++;
    siglongjmp(own, number);
}

/* Handlers that the program has before and after keep their work. */
static void test_the_programs_own_accesses_are_its_own(void **state)
{
    char *gone = page_that_is_gone();
    uint64_t addr = 0;
    struct task bad = {.at = gone};
    struct sigaction before, handler = {.sa_handler = programs_handler};
    assert_int_equal(sigaction(SIGSEGV, &handler, &before), 0);
    assert_false(wt_guarded(touch, &bad, &addr));
    assert_int_equal(calls, 0);
    if (!sigsetjmp(own, 1))
        *(volatile char *)gone = 1;
    assert_int_equal(calls, 1);
    if (!sigsetjmp(own, 1))
        raise(SIGSEGV);
    assert_int_equal(calls, 2);
    assert_false(wt_guarded(touch, &bad, &addr));
    assert_int_equal(calls, 2);
    sigaction(SIGSEGV, &before, NULL);
    assert_false(wt_guarded(touch, &bad, &addr));
    munmap(gone, PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_access_ends_what_is_guarded),
        cmocka_unit_test(test_the_innermost_one_ends),
        cmocka_unit_test(test_the_programs_own_accesses_are_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
