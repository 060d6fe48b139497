/* Loading the library of module.c. See symbols.h. */
#include "runtime/symbols/symbols.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const struct symbols *loaded;

/* It lies beside the driver's library; in a build, in a folder of its own. */
static void load(void)
{
    static const char *const places[] = {"", "../symbols/"};
    Dl_info self;
    char path[4096];
    void *module = NULL;
    if (!dladdr((void *)(uintptr_t)load, &self) || !self.dli_fname)
        return;
    const char *slash = strrchr(self.dli_fname, '/');
    const int folder = slash ? (int)(slash - self.dli_fname) + 1 : 0;
    for (unsigned i = 0; i < 2 && !module; i++)
        if (snprintf(path, sizeof path, "%.*s%slibwavetrap-symbols.so", folder, self.dli_fname,
                     places[i]) < (int)sizeof path)
            module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module)
        loaded = dlsym(module, "wavetrap_symbols");
    else
        fprintf(stderr, "wavetrap: no names and lines: %s\n", dlerror());
}

const struct symbols *symbols_of(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded;
}
