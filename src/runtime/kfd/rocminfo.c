/*
 * Support for rocminfo beyond the driver's own files: rocminfo looks for the kernel module with
 * lsmod. Preloaded for that program alone.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

FILE *popen(const char *command, const char *type)
{
    FILE *(*next)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "popen");
    return next(strcmp(command, "lsmod | grep amdgpu") == 0 ? "echo amdgpu" : command, type);
}
