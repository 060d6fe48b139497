/* Device files that are not there: the hooks are preloaded, with the driver of devfs_driver.c. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "wait.h"
#include "temporary.h"

#define COUNT _IOR('c', 1, int)
#define OPENED _IO('c', 2)
#define CLOSED _IO('c', 3)

static int open_node(void)
{
    const int fd = open("/dev/counter/0", O_RDWR);
    assert_true(fd >= 0);
    return fd;
}

static int count(int fd)
{
    int n = -1;
    assert_int_equal(ioctl(fd, COUNT, &n), 0);
    return n;
}

static void test_each_opening_has_its_own_file(void **state)
{
    const int a = open_node(), b = openat(AT_FDCWD, "/dev/counter/0", O_RDWR | O_CLOEXEC);
    assert_int_equal(count(a), 1);
    assert_int_equal(count(a), 2);
    assert_int_equal(count(b), 1);
    assert_int_equal(ioctl(a, _IO('c', 9)), -1);
    assert_int_equal(errno, ENOTTY);
    close(a);
    close(b);
}

/* The driver hears of the last descriptor only. */
static void test_duplicates_are_the_same_file(void **state)
{
    const int probe = open_node(), before = ioctl(probe, CLOSED);
    const int fd = open_node(), copy = dup(fd), third = fcntl(copy, F_DUPFD_CLOEXEC, 100);
    assert_true(third >= 100);
    assert_int_equal(count(fd), 1);
    assert_int_equal(count(copy), 2);
    close(fd);
    assert_int_equal(count(third), 3);
    assert_int_equal(dup2(third, copy), copy);
    assert_int_equal(count(copy), 4);
    close(third);
    assert_int_equal(ioctl(probe, CLOSED), before);
    close(copy);
    assert_int_equal(ioctl(probe, CLOSED), before + 1);
    assert_int_equal(ioctl(copy, COUNT, &(int){0}), -1);
    /* A plain file in place of an opening ends it. */
    const int again = open_node(), plain = open("/dev/null", O_RDWR);
    assert_int_equal(dup2(plain, again), again);
    assert_int_equal(ioctl(probe, CLOSED), before + 2);
    close(again);
    close(plain);
    close(probe);
}

static void test_what_the_driver_does_not_have_is_not_there(void **state)
{
    struct stat status;
    assert_int_equal(open("/dev/counter/1", O_RDWR), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(access("/dev/counter/1", F_OK), -1);
    assert_int_equal(stat("/dev/counter/1", &status), -1);
    assert_null(opendir("/dev/counter/by-path"));
    assert_null(fopen("/dev/counter/1", "r"));
}

static void test_files_of_sysfs(void **state)
{
    char folder[TEMPORARY_PATH], path[2 * TEMPORARY_PATH], line[16] = "";
    struct stat status;
    assert_true(temporary_folder(folder));
    snprintf(path, sizeof path, "%s/limit", folder);
    FILE *file = fopen(path, "w");
    fputs("42\n", file);
    fclose(file);
    setenv("COUNTER_FILES", folder, 1);
    file = fopen("/sys/class/counter/limit", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "42\n");
    fclose(file);
    const int fd = open("/sys/class/counter/limit", O_RDONLY);
    assert_int_equal(read(fd, line, 2), 2);
    close(fd);
    assert_int_equal(stat("/sys/class/counter/limit", &status), 0);
    assert_int_equal(status.st_size, 3);
    DIR *list = opendir("/sys/class/counter");
    bool found = false;
    assert_non_null(list);
    for (const struct dirent *entry; (entry = readdir(list));)
        found |= strcmp(entry->d_name, "limit") == 0;
    assert_true(found);
    closedir(list);
    unsetenv("COUNTER_FILES");
    assert_int_equal(access("/sys/class/counter/limit", F_OK), -1);
    unlink(path);
    rmdir(folder);
}

/* Everything else is libc's. */
static void test_other_files(void **state)
{
    char text[4] = "", path[TEMPORARY_PATH];
    struct stat status;
    const int fd = temporary_file(path);
    close(fd);
    unlink(path);
    const int made = open(path, O_CREAT | O_EXCL | O_RDWR, 0640);
    assert_true(made >= 0);
    assert_int_equal(fstat(made, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(write(made, "abc", 3), 3);
    int ready = 0;
    assert_int_equal(lseek(made, 0, SEEK_SET), 0);
    assert_int_equal(ioctl(made, FIONREAD, &ready), 0);
    assert_int_equal(ready, 3);
    assert_int_equal(read(made, text, 3), 3);
    assert_string_equal(text, "abc");
    assert_int_equal(fcntl(made, F_GETFL) & O_ACCMODE, O_RDWR);
    close(made);
    unlink(path);
}

static atomic_bool over;

static void *open_and_close(void *context)
{
    (void)context;
    while (!atomic_load(&over))
        close(dup(0));
    return NULL;
}

/* A child whose parent's other threads were closing descriptors closes its own. */
static void test_children_of_programs_with_threads(void **state)
{
    pthread_t thread[2];
    (void)state;
    atomic_store(&over, false);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, open_and_close, NULL), 0);
    for (unsigned i = 0; i < 300; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(60); /* one that hangs is killed */
            close(dup(0));
            _exit(7);
        }
        const int status = wait_for_child(child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    atomic_store(&over, true);
    for (unsigned i = 0; i < 2; i++)
        join_thread(thread[i]);
}

static int duplicated; /* by the handler */
static volatile sig_atomic_t handled;

static void use_descriptors(int number)
{
    (void)number;
    const int copy = dup(duplicated), plain = dup(0);
    close(copy);
    close(plain);
    handled++;
}

/* A signal may come at any instruction of the hooks. */
static void test_handlers_use_descriptors(void **state)
{
    const struct sigaction action = {.sa_handler = use_descriptors, .sa_flags = SA_RESTART};
    struct sigaction before;
    duplicated = open_node();
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    const pid_t self = getpid(), pid = fork();
    if (pid == 0) {
        while (kill(self, SIGUSR1) == 0 && getppid() == self)
            usleep(20);
        _exit(0);
    }
    while (handled < 2000) {
        const int fd = open("/dev/counter/0", O_RDWR), copy = dup(fd);
        for (unsigned i = 0; i < 500; i++)
            ioctl(copy, OPENED);
        close(fd);
        close(copy);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    sigaction(SIGUSR1, &before, NULL);
    assert_int_equal(count(duplicated), 1);
    close(duplicated);
}

/* A child of vfork() closes its own descriptor, and duplicates it. */
static void test_a_child_of_vfork_takes_nothing_from_its_parent(void **state)
{
    const int fd = open_node(), before = ioctl(fd, CLOSED);
    const pid_t pid = vfork();
    if (pid == 0) {
        dup2(fd, 200);
        close(fd);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(count(fd), 1);
    assert_int_equal(ioctl(fd, CLOSED), before);
    assert_int_equal(ioctl(200, COUNT, &(int){0}), -1);
    assert_int_equal(errno, EBADF);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_opening_has_its_own_file),
        cmocka_unit_test(test_duplicates_are_the_same_file),
        cmocka_unit_test(test_handlers_use_descriptors),
        cmocka_unit_test(test_a_child_of_vfork_takes_nothing_from_its_parent),
        cmocka_unit_test(test_what_the_driver_does_not_have_is_not_there),
        cmocka_unit_test(test_files_of_sysfs),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_children_of_programs_with_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
