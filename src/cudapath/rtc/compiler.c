/* See compiler.h. */
#include "cudapath/rtc/compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/private_dir.h"

extern char **environ;

const unsigned compiler_archs[COMPILER_ARCHS] = {35, 37, 50, 52, 53, 60, 61, 62,
                                                 70, 72, 75, 80, 86, 87, 89, 90};

bool compiler_arch(const char *text, unsigned first, unsigned *arch, char *feature)
{
    char *end;
    const unsigned long number = strtoul(text, &end, 10);
    for (unsigned i = first; i < COMPILER_ARCHS; i++)
        if (compiler_archs[i] == number && (!*end || (strcmp(end, "a") == 0 && number == 90))) {
            *arch = compiler_archs[i];
            *feature = *end;
            return true;
        }
    return false;
}

void compiler_add(struct compiler_command *command, const char *format, ...)
{
    va_list arguments;
    char *word = NULL;
    va_start(arguments, format);
    if (command->count == COMPILER_WORDS || vasprintf(&word, format, arguments) < 0)
        command->failed = true;
    else
        command->word[command->count++] = word;
    va_end(arguments);
}

void compiler_add_words(struct compiler_command *command, const char *words)
{
    while (words && *words) {
        const size_t length = strcspn(words, " ");
        compiler_add(command, "%.*s", (int)length, words);
        words += length + strspn(words + length, " ");
    }
}

void compiler_free(struct compiler_command *command)
{
    for (size_t i = 0; i < command->count; i++)
        free(command->word[i]);
    *command = (struct compiler_command){.count = 0};
}

bool compiler_folder(char folder[PATH_MAX])
{
    return wt_private_temporary(folder, PATH_MAX) && mkdtemp(folder);
}

void compiler_remove(const char *folder)
{
    wt_private_remove(folder);
}

/* Whether a name stays inside of the folder that it begins in. */
static bool stays(const char *name)
{
    if (!*name || *name == '/')
        return false;
    for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
            return false;
    return true;
}

bool compiler_write(const char *folder, const char *name, const char *bytes, size_t length)
{
    char path[2 * PATH_MAX];
    errno = EINVAL;
    if (!stays(name) || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        mkdir(path, 0700); /* it may be there */
    }
    FILE *file = fopen(path, "we");
    const bool good = file && fwrite(bytes, 1, length, file) == length;
    return file && fclose(file) == 0 && good;
}

char *compiler_read(const char *folder, const char *name, size_t *length)
{
    char path[2 * PATH_MAX];
    uint8_t *bytes;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return wt_file_read(path, &bytes, length, WT_IGNORED) ? NULL : (char *)bytes;
}

/* The environment without libraries that belong to the program alone; the caller frees it. */
static char **own_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **own = malloc((count + 1) * sizeof *own);
    for (size_t i = 0; own && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
            own[kept++] = environ[i];
    if (own)
        own[kept] = NULL;
    return own;
}

/* Starts the command with its output in the file "said" of the folder; 0 or the error. */
static int start(const struct compiler_command *command, const char *folder, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    char **environment = own_environment();
    if (!environment)
        return ENOMEM;
    int error = posix_spawn_file_actions_init(&actions);
    if (!error) {
        error = posix_spawn_file_actions_addchdir_np(&actions, folder);
        error = error ? error
                      : posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                                         O_RDONLY, 0);
        error = error ? error
                      : posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "said",
                                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
        error = error ? error
                      : posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
        error = error ? error
                      : posix_spawnp(child, command->word[0], &actions, NULL, command->word,
                                     environment);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(environment);
    return error;
}

int compiler_run(const struct compiler_command *command, const char *folder, char **said)
{
    pid_t child;
    int status = 0;
    size_t length;
    const int error = command->failed ? E2BIG : start(command, folder, &child);
    if (error) {
        if (asprintf(said, "%s cannot be started: %s\n", command->count ? command->word[0] : "",
                     strerror(error)) < 0)
            *said = NULL;
        return -1;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    *said = compiler_read(folder, "said", &length);
    *said = *said ? *said : strdup("");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool compiler_cuda_path(char path[PATH_MAX])
{
    Dl_info info;
    char file[PATH_MAX];
    if (!dladdr((void *)(uintptr_t)compiler_cuda_path, &info) || !realpath(info.dli_fname, file))
        return false;
    for (int i = 0; i < 2; i++) { /* lib64/libnvrtc.so */
        char *slash = strrchr(file, '/');
        if (!slash)
            return false;
        *slash = 0;
    }
    snprintf(path, PATH_MAX, "%s", file);
    return access(strcat(file, "/nvvm/libdevice/libdevice.10.bc"), R_OK) == 0;
}
