/*
 * Memory of both sides that nobody has written (check/init_untouched.c), with this machine's system
 * and with answers of others: one that notes no stores and whose list of pages tells them from
 * loads, or does not; one that stops answering. What is stored is never silently taken for
 * unwritten, and the other way round neither.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "check/init_state.h"

enum { PAGE = INIT_HOST_PAGE, PAGES = 5 };

/* ---- the stubs ---- */

static enum {
    THIS,        /* this machine's system, as it is */
    THIS_LIST,   /* it notes no stores */
    TELLS,       /* its pages belong to the process alone where bytes are not zero */
    LOADS_OWN,   /* … where they were accessed */
    SHARED,      /* … nowhere, since a child has them, too */
    NO_LIST,     /* it has no list either */
    FOLLOWS_NOT, /* it notes stores, and then does not any more */
} system_is;
static unsigned said;

bool __real_init_pages_follow(uint64_t first, uint64_t count);
bool __wrap_init_pages_follow(uint64_t first, uint64_t count);
bool __wrap_init_pages_follow(uint64_t first, uint64_t count)
{
    return system_is == THIS ? __real_init_pages_follow(first, count) : system_is == FOLLOWS_NOT;
}

bool __real_init_pages_stored(int *list, uint64_t first, size_t count, bool *stored);
bool __wrap_init_pages_stored(int *list, uint64_t first, size_t count, bool *stored);
bool __wrap_init_pages_stored(int *list, uint64_t first, size_t count, bool *stored)
{
    static unsigned asked;
    memset(stored, 0, count);
    return system_is == THIS ? __real_init_pages_stored(list, first, count, stored) : !asked++;
}

bool __real_init_pages_listed(int *list, uint64_t first, size_t count, uint64_t *entry);
bool __wrap_init_pages_listed(int *list, uint64_t first, size_t count, uint64_t *entry);
bool __wrap_init_pages_listed(int *list, uint64_t first, size_t count, uint64_t *entry)
{
    static const unsigned char zeros[PAGE];
    const uint64_t there = UINT64_C(1) << 63, own = UINT64_C(1) << 56;
    assert_int_not_equal(system_is, THIS);
    if (system_is == THIS_LIST)
        return __real_init_pages_listed(list, first, count, entry);
    for (size_t i = 0; i < count; i++) {
        const bool stored = memcmp((const void *)(uintptr_t)((first + i) * PAGE), zeros, PAGE);
        const bool is_own = system_is == LOADS_OWN || (system_is == TELLS && stored);
        entry[i] = there | (is_own ? own : 0);
    }
    return system_is != NO_LIST;
}

static void say(const char *format, ...)
{
    assert_non_null(strstr(format, "does not see"));
    said++;
}

/* ---- an object ---- */

static char space;
static uint32_t origin;
static unsigned char *memory;

static struct wt_object object_of(const unsigned char *at, size_t size)
{
    return (struct wt_object){.space = &space, .addr = (uintptr_t)at, .size = size};
}

static void make(const unsigned char *at, size_t size)
{
    const struct wt_object object = object_of(at, size);
    assert_true(init_untouched_made(init_memory_of(&space), &object, origin));
}

static void drop(const unsigned char *at)
{
    init_untouched_freed(&space, (uintptr_t)at);
}

/* Looks which pages count as written; bit 0: the first one. */
static unsigned look(void)
{
    unsigned written = 0;
    init_untouched_look(&space, 0, UINT64_MAX);
    for (unsigned i = 0; i < PAGES; i++)
        written |=
            (unsigned)init_is_defined(init_memory_of(&space), (uintptr_t)memory + i * PAGE, PAGE)
            << i;
    return written;
}

static void are_written(unsigned expected)
{
    assert_int_equal(look(), expected);
}

static int set_up(void **state)
{
    (void)state;
    init_untouched_say(say);
    init_new_origin(NULL);
    origin = init_new_origin(&(struct init_origin){.kind = WT_ORIGIN_OBJECT});
    memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    said = 0;
    return memory == MAP_FAILED;
}

static int tear_down(void **state)
{
    (void)state;
    drop(memory);
    return munmap(memory, PAGES * PAGE);
}

/* The first page is not accessed, the second one stored to, the third one loaded from, the system
 * stores to the fourth one, and the last one is stored to later. */
enum { WRITTEN = 1 << 1 | 1 << 3, LAST = 1 << 4, ALL = (1 << PAGES) - 1 };
static void use(void)
{
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    make(memory, PAGES * PAGE);
    memory[PAGE + 5] = 1;
    (void)*(volatile unsigned char *)&memory[2 * PAGE];
    assert_int_equal(read(file, memory + 3 * PAGE, 64), 64);
    close(file);
}

static void is_exact(void)
{
    use();
    are_written(WRITTEN);
    memory[4 * PAGE] = 1;
    are_written(WRITTEN | LAST);
    assert_int_equal(said, 0);
}

/* ---- systems ---- */

static void this_system_tells(void **state)
{
    (void)state;
    system_is = THIS;
    if (!__real_init_pages_follow((uintptr_t)memory / PAGE, 1))
        skip();
    is_exact();
}

static void zeros_are_stores(void **state)
{
    (void)state;
    system_is = THIS;
    if (!__real_init_pages_follow((uintptr_t)memory / PAGE, 1))
        skip();
    make(memory, PAGES * PAGE);
    (void)*(volatile unsigned char *)memory;
    *(volatile unsigned char *)memory = 0;
    are_written(1);
    /* The check of races protects pages, and opens them again. */
    assert_int_equal(mprotect(memory, PAGES * PAGE, PROT_NONE), 0);
    are_written(1);
    assert_int_equal(mprotect(memory, PAGES * PAGE, PROT_READ | PROT_WRITE), 0);
    *(volatile unsigned char *)&memory[PAGE] = 0;
    are_written(3);
    /* What had the memory before has left it unwritten. */
    drop(memory);
    make(memory, PAGES * PAGE);
    are_written(0);
    assert_int_equal(said, 0);
}

static void each_second_page_is_stored_to(void **state)
{
    enum { MANY = 2 * INIT_HOST_PAGES };
    unsigned char *many =
        mmap(NULL, (size_t)MANY * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    system_is = THIS;
    assert_ptr_not_equal(many, MAP_FAILED);
    if (!__real_init_pages_follow((uintptr_t)many / PAGE, MANY))
        skip();
    make(many, (size_t)MANY * PAGE);
    for (unsigned i = 0; i < MANY; i += 2)
        many[(size_t)i * PAGE] = 1;
    init_untouched_look(&space, 0, UINT64_MAX);
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(
            init_is_defined(init_memory_of(&space), (uintptr_t)many + (uint64_t)i * PAGE, PAGE),
            i % 2 == 0);
    assert_int_equal(said, 0);
    drop(many);
    munmap(many, (size_t)MANY * PAGE);
}

/* What lies there then is not followed. */
static void memory_is_mapped_anew(void **state)
{
    (void)state;
    system_is = THIS;
    if (!__real_init_pages_follow((uintptr_t)memory / PAGE, 1))
        skip();
    use();
    are_written(WRITTEN);
    assert_ptr_equal(
        mmap(memory, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
        memory);
    are_written(ALL);
    assert_int_not_equal(said, 0);
}

/* The objects begin and end within pages: a new one forgets no store to its neighbours. */
static void objects_share_pages(void **state)
{
    (void)state;
    system_is = THIS;
    if (!__real_init_pages_follow((uintptr_t)memory / PAGE, 1))
        skip();
    struct init_space *s = init_memory_of(&space);
    make(memory, PAGE + 100);
    make(memory + 2 * PAGE + 100, PAGE);
    memory[PAGE] = memory[3 * PAGE] = 1;
    make(memory + PAGE + 100, PAGE);
    init_untouched_look(&space, 0, UINT64_MAX);
    assert_false(init_is_defined(s, (uintptr_t)memory, 1));
    assert_true(init_is_defined(s, (uintptr_t)memory + PAGE, PAGE));
    assert_false(init_is_defined(s, (uintptr_t)memory + 2 * PAGE, 1));
    assert_true(init_is_defined(s, (uintptr_t)memory + 3 * PAGE, 100));
    assert_int_equal(said, 0);
    drop(memory + PAGE + 100);
    drop(memory + 2 * PAGE + 100);
    init_define(s, (uintptr_t)memory, PAGES * PAGE);
}

/* While a child lives that has the pages, too, and stores to its own. It has no memory of its
 * parent's GPUs. */
static void a_child_lives(void)
{
    int ends[2];
    char said_there;
    assert_int_equal(pipe(ends), 0);
    use();
    const pid_t child = fork();
    if (!child) {
        said = 0; /* where the system's list is not believed at all, its parent has said so */
        memory[0] = 1;
        look();
        said_there = (char)said;
        _exit(write(ends[1], &said_there, 1) == 1 ? pause() : 1);
    }
    assert_int_equal(read(ends[0], &said_there, 1), 1);
    memory[4 * PAGE] = 1;
    const unsigned written = look();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(said_there, 0);
    assert_int_equal(written, said ? ALL : WRITTEN | LAST);
    close(ends[0]);
    close(ends[1]);
}

static void stores_are_seen_beside_a_child(void **state)
{
    (void)state;
    system_is = THIS;
    if (!__real_init_pages_follow((uintptr_t)memory / PAGE, 1))
        skip();
    a_child_lives();
    assert_int_equal(said, 0);
}

static void a_list_is_not_believed_beside_a_child(void **state)
{
    (void)state;
    system_is = THIS_LIST;
    a_child_lives();
    assert_int_not_equal(said, 0);
}

static void a_list_that_tells_is_believed(void **state)
{
    (void)state;
    system_is = TELLS;
    is_exact();
}

static void a_system_that_does_not_tell_is_named(void **state)
{
    (void)state;
    for (system_is = LOADS_OWN; system_is <= FOLLOWS_NOT; system_is++) {
        use();
        are_written(ALL);
        assert_int_not_equal(said, 0);
        said = 0;
    }
}

/* The list of this machine, whatever its kernel is: the truth is told, or that it is not known. */
static void this_list_is_right_or_not_believed(void **state)
{
    (void)state;
    system_is = THIS_LIST;
    use();
    are_written(said ? ALL : WRITTEN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {TEST(this_system_tells),
                                       TEST(zeros_are_stores),
                                       TEST(each_second_page_is_stored_to),
                                       TEST(memory_is_mapped_anew),
                                       TEST(objects_share_pages),
                                       TEST(stores_are_seen_beside_a_child),
                                       TEST(a_list_is_not_believed_beside_a_child),
                                       TEST(a_list_that_tells_is_believed),
                                       TEST(a_system_that_does_not_tell_is_named),
                                       TEST(this_list_is_right_or_not_believed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
