/*
 * forks [-p] WHAT TIMES: forks in one thread beside the first use of a driver in another, and the
 * end of that use, so many times, each in a process of its own. WHAT: a device file, or a library
 * and one or two functions of it, which are called with zeros. The children of these forks use
 * descriptors, and, without -p, the driver themselves. Prints how many processes ended, and how
 * many otherwise than with status 0.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *what, *function, *last;
static void *library;
static int parent_only;
static pthread_barrier_t begins;

static void use(void)
{
    if (*what == '/') {
        const int fd = open(what, O_RDWR | O_CLOEXEC);
        if (fd >= 0)
            close(fd);
        return;
    }
    int (*call)(unsigned, void *, void *);
    *(void **)&call = dlsym(library, function);
    call(0, NULL, NULL);
    if (last) {
        *(void **)&call = dlsym(library, last);
        call(0, NULL, NULL);
    }
}

static void *first_use(void *context)
{
    (void)context;
    pthread_barrier_wait(&begins);
    use();
    return NULL;
}

static void child(unsigned i)
{
    const int fd = open("/dev/null", O_RDONLY), copy = dup(fd);
    close(copy);
    close(fd);
    if (i % 4 == 3 && !parent_only)
        use();
    _exit(0);
}

static void one(unsigned number)
{
    pthread_t thread;
    alarm(100);
    pthread_barrier_init(&begins, NULL, 2);
    pthread_create(&thread, NULL, first_use, NULL);
    pthread_barrier_wait(&begins);
    usleep(number % 50 * 40);
    for (unsigned i = 0; i < 8; i++) {
        int status;
        const pid_t pid = fork();
        if (pid == 0) {
            alarm(90);
            child(i);
        }
        if (waitpid(pid, &status, 0) != pid || status)
            _exit(2);
    }
    pthread_join(thread, NULL);
    exit(0);
}

int main(int argc, char **argv)
{
    const unsigned times = (unsigned)atoi(argv[argc - 1]);
    unsigned wrong = 0;
    parent_only = strcmp(argv[1], "-p") == 0;
    argv += parent_only, argc -= parent_only;
    what = argv[1];
    function = argc > 3 ? argv[2] : NULL;
    last = argc > 4 ? argv[3] : NULL;
    if (function && !(library = dlopen(what, RTLD_NOW))) {
        printf("%s\n", dlerror());
        return 1;
    }
    for (unsigned i = 0; i < times; i++) {
        int status;
        const pid_t pid = fork();
        if (pid == 0)
            one(i);
        waitpid(pid, &status, 0);
        wrong += status != 0;
    }
    printf("%u processes, %u wrong\n", times, wrong);
    return 0;
}
