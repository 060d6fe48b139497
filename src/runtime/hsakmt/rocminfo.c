/*
 * For rocminfo alone: before it uses the runtime, it checks whether the kernel module is loaded
 * (`lsmod | grep amdgpu`) and opens /dev/kfd. This library, loaded before all others, answers both.
 */
/* open, by this name. */
#undef _FILE_OFFSET_BITS

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    return next(strcmp(path, "/dev/kfd") == 0 ? "/dev/null" : path, flags, mode);
}

FILE *popen(const char *command, const char *type)
{
    FILE *(*next)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "popen");
    return next(strcmp(command, "lsmod | grep amdgpu") == 0 ? "echo amdgpu" : command, type);
}
