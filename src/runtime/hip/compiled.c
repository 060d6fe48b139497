/*
 * Results of AMD's compiler in the process of a HIP program are kept in the cache of code: HIP
 * compiles its own kernels, those that copy and fill, at each start of a program (a half of the
 * time until main() has a device). An action of the compiler
 * (amd_comgr.h: amd_comgr_do_action) is kept if its results depend on nothing but what it is given:
 * no source text includes a file, no option names one.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/common/code_cache.h"
#include "runtime/hip/compiled.h"

/* Declarations of amd_comgr.h, version 2. A handle is a structure with a number. */
typedef struct comgr_handle {
    uint64_t number;
} handle;
enum {
    SOURCE = 1,
    INCLUDE = 2,
    DIAGNOSTIC = 4,
    LOG = 5,
    MOST_KINDS = 32
}; /* amd_comgr_data_kind_t */
enum { SUCCESS = 0, VERSION = 2 };

static struct {
    int (*act)(int action, handle info, handle input, handle result);
    void (*version)(size_t *major, size_t *minor);
    int (*count)(handle set, int kind, size_t *count);
    int (*item)(handle set, int kind, size_t index, handle *data);
    int (*bytes)(handle data, size_t *size, char *bytes);
    int (*name)(handle data, size_t *size, char *name);
    int (*create)(int kind, handle *data);
    int (*set_bytes)(handle data, size_t size, const char *bytes);
    int (*set_name)(handle data, const char *name);
    int (*add)(handle set, handle data);
    int (*release)(handle data);
    int (*isa)(handle info, size_t *size, char *name);
    int (*language)(handle info, int *language);
    int (*logging)(handle info, bool *logging);
    int (*options)(handle info, size_t *count);
    int (*option)(handle info, size_t index, size_t *size, char *option);
} comgr;

static const struct {
    void *pointer;
    const char *name;
} functions[] = {
    {&comgr.version, "amd_comgr_get_version"},
    {&comgr.count, "amd_comgr_action_data_count"},
    {&comgr.item, "amd_comgr_action_data_get_data"},
    {&comgr.bytes, "amd_comgr_get_data"},
    {&comgr.name, "amd_comgr_get_data_name"},
    {&comgr.create, "amd_comgr_create_data"},
    {&comgr.set_bytes, "amd_comgr_set_data"},
    {&comgr.set_name, "amd_comgr_set_data_name"},
    {&comgr.add, "amd_comgr_data_set_add"},
    {&comgr.release, "amd_comgr_release_data"},
    {&comgr.isa, "amd_comgr_action_info_get_isa_name"},
    {&comgr.language, "amd_comgr_action_info_get_language"},
    {&comgr.logging, "amd_comgr_action_info_get_logging"},
    {&comgr.options, "amd_comgr_action_info_get_option_list_count"},
    {&comgr.option, "amd_comgr_action_info_get_option_list_item"},
};

/* Actions with which the compiler or the linker does its work (enum amd_comgr_action_kind_t). */
static bool is_kept(int action)
{
    enum { COMPILE = 2, LINK = 4, EXECUTABLE = 9, WITH_LIBRARIES = 15 };
    return action == COMPILE || (action >= LINK && action <= EXECUTABLE) ||
           action == WITH_LIBRARIES;
}

/* A text whose meaning other files or the time have a part in, also where a line goes on after a
 * backslash. */
static bool reaches_out(const char *text, size_t size)
{
    static const char *const words[] = {"include", "import",   "embed",
                                        "module",  "__DATE__", "__TIME"};
    char *joined = malloc(size + 1);
    size_t length = 0;
    bool found = !joined;
    for (size_t i = 0; joined && i < size; i++) {
        const size_t end = i + 1 + (i + 1 < size && text[i + 1] == '\r');
        if (text[i] == '\\' && end < size && text[end] == '\n')
            i = end;
        else
            joined[length++] = text[i];
    }
    for (size_t i = 0; !found && i < sizeof words / sizeof *words; i++)
        found = memmem(joined, length, words[i], strlen(words[i])) != NULL;
    free(joined);
    return found;
}

/* Debug information names the folder that a program runs in. (The working directory of an action is
 * not asked for: it reads a null pointer where none was set.) */
static bool names_a_file(const char *option)
{
    return strchr(option, '/') || strncmp(option, "-g", 2) == 0 || option[0] == '@' ||
           strncmp(option, "-I", 2) == 0 || strncmp(option, "-i", 2) == 0 ||
           strncmp(option, "-F", 2) == 0 || strncmp(option, "-fmodule", 8) == 0 ||
           strncmp(option, "-fprofile", 9) == 0;
}

/* A text of the compiler's, whose size counts its 0, or bytes; NULL: there is none. */
#define GET(FUNCTION, SIZE, ...)                                                                   \
    ({                                                                                             \
        char *got = NULL;                                                                          \
        *(SIZE) = 0;                                                                               \
        if (comgr.FUNCTION(__VA_ARGS__, SIZE, NULL) == SUCCESS &&                                  \
            (got = calloc(1, *(SIZE) + 1)) && comgr.FUNCTION(__VA_ARGS__, SIZE, got) != SUCCESS) { \
            free(got);                                                                             \
            got = NULL;                                                                            \
        }                                                                                          \
        got;                                                                                       \
    })

static bool add(XXH3_state_t *key, const void *bytes, size_t size)
{
    const uint64_t length = size;
    return XXH3_128bits_update(key, &length, sizeof length) == XXH_OK &&
           XXH3_128bits_update(key, bytes, size) == XXH_OK;
}

static bool add_info(XXH3_state_t *key, handle info)
{
    struct {
        size_t major, minor, options;
        uint64_t build;
        int language;
        uint32_t logging;
    } plain = {.build = code_cache_build((const void *)comgr.act, 0)};
    bool logging = false;
    size_t size;
    comgr.version(&plain.major, &plain.minor);
    if (comgr.language(info, &plain.language) != SUCCESS ||
        comgr.logging(info, &logging) != SUCCESS || comgr.options(info, &plain.options) != SUCCESS)
        return false;
    plain.logging = logging;
    char *isa = GET(isa, &size, info);
    bool good = isa && add(key, &plain, sizeof plain) && add(key, isa, size);
    free(isa);
    for (size_t i = 0; good && i < plain.options; i++) {
        char *option = GET(option, &size, info, i);
        good = option && !names_a_file(option) && add(key, option, size);
        free(option);
    }
    return good;
}

/* Calls a function for each object of a set, while it returns true. */
static bool each(handle set, bool (*function)(void *context, int kind, handle data), void *context)
{
    for (int kind = 1; kind < MOST_KINDS; kind++) {
        size_t count = 0;
        if (comgr.count(set, kind, &count) != SUCCESS)
            continue; /* there is no such kind */
        for (size_t i = 0; i < count; i++) {
            handle data;
            if (comgr.item(set, kind, i, &data) != SUCCESS)
                return false;
            const bool more = function(context, kind, data);
            comgr.release(data);
            if (!more)
                return false;
        }
    }
    return true;
}

/* Hashes of what actions that were not kept have made, the last ones: its bytes differ in each
 * process (names of temporary files), so that what is made of it would never be found. */
static struct {
    pthread_mutex_t lock;
    uint64_t hashes[32];
    unsigned made;
} passing = {.lock = PTHREAD_MUTEX_INITIALIZER};
enum { PASSING = sizeof passing.hashes / sizeof *passing.hashes };

static bool add_passing(void *context, int kind, handle data)
{
    size_t size;
    char *bytes = GET(bytes, &size, data);
    if (bytes && kind != LOG && kind != DIAGNOSTIC) {
        pthread_mutex_lock(&passing.lock);
        passing.hashes[passing.made++ % PASSING] = XXH3_64bits(bytes, size);
        pthread_mutex_unlock(&passing.lock);
    }
    free(bytes);
    return true;
}

static bool is_passing(const char *bytes, size_t size)
{
    bool found = false;
    pthread_mutex_lock(&passing.lock);
    const uint64_t hash = passing.made ? XXH3_64bits(bytes, size) : 0; /* mostly there are none */
    for (unsigned i = 0; i < PASSING && i < passing.made; i++)
        found |= passing.hashes[i] == hash;
    pthread_mutex_unlock(&passing.lock);
    return found;
}

static bool add_data(void *context, int kind, handle data)
{
    if (kind == LOG || kind == DIAGNOSTIC)
        return true; /* another action said it */
    size_t length, size;
    char *name = GET(name, &length, data), *bytes = GET(bytes, &size, data);
    const bool good = name && bytes &&
                      !((kind == SOURCE || kind == INCLUDE) && reaches_out(bytes, size)) &&
                      !is_passing(bytes, size) && add(context, &kind, sizeof kind) &&
                      add(context, name, length) && add(context, bytes, size);
    free(name);
    free(bytes);
    return good;
}

static bool none(void *context, int kind, handle data)
{
    return false;
}

/* The file of this action; false: it is not kept. */
static bool find(char path[PATH_MAX], int action, handle info, handle input, handle result)
{
    XXH3_state_t *key = XXH3_createState();
    const bool good = key && XXH3_128bits_reset(key) == XXH_OK &&
                      add(key, &action, sizeof action) && add_info(key, info) &&
                      each(result, none, NULL) && each(input, add_data, key) &&
                      code_cache_path(path, XXH3_128bits_digest(key));
    XXH3_freeState(key);
    return good;
}

/* An entry: a hash of all after it; for each object a head, its name and its bytes. */
struct kept_object {
    uint64_t kind, length, size;
};

struct kept_objects {
    char *bytes;
    size_t length;
};

static bool append(void *context, int kind, handle data)
{
    struct kept_objects *e = context;
    struct kept_object head = {.kind = (uint64_t)kind};
    size_t length, size;
    char *name = GET(name, &length, data), *bytes = GET(bytes, &size, data), *more = NULL;
    if (name && bytes && (more = realloc(e->bytes, e->length + sizeof head + length + size))) {
        head.length = length;
        head.size = size;
        e->bytes = more;
        memcpy(more + e->length, &head, sizeof head);
        memcpy(more + e->length + sizeof head, name, length);
        memcpy(more + e->length + sizeof head + length, bytes, size);
        e->length += sizeof head + length + size;
    }
    free(name);
    free(bytes);
    return more != NULL;
}

static void keep(const char *path, handle result)
{
    uint64_t hash = 0;
    struct kept_objects e = {.bytes = malloc(sizeof hash), .length = sizeof hash};
    if (e.bytes && each(result, append, &e) && e.length > sizeof hash) {
        hash = XXH3_64bits(e.bytes + sizeof hash, e.length - sizeof hash);
        memcpy(e.bytes, &hash, sizeof hash);
        code_cache_write(path, (const uint8_t *)e.bytes, e.length);
    }
    free(e.bytes);
}

/* No object can be made without a byte: an empty log is the empty text. */
static bool give(handle result, int kind, const char *name, const char *bytes, size_t size)
{
    handle data;
    if (comgr.create(kind, &data) != SUCCESS)
        return false;
    const bool good = comgr.set_name(data, name) == SUCCESS &&
                      comgr.set_bytes(data, size ? size : 1, size ? bytes : "") == SUCCESS &&
                      comgr.add(result, data) == SUCCESS;
    comgr.release(data); /* the set holds it */
    return good;
}

static bool recall(const char *path, handle result)
{
    size_t length;
    uint64_t hash;
    const uint8_t *bytes = code_cache_map(path, &length);
    if (!bytes)
        return false;
    bool good = length > sizeof hash;
    if (good) {
        memcpy(&hash, bytes, sizeof hash);
        good = XXH3_64bits(bytes + sizeof hash, length - sizeof hash) == hash;
    }
    code_cache_used(path, good);
    struct kept_object head;
    for (size_t at = sizeof hash; good && at < length; at += head.length + head.size) {
        memcpy(&head, bytes + at, sizeof head);
        at += sizeof head;
        good = give(result, (int)head.kind, (const char *)bytes + at,
                    (const char *)bytes + at + head.length, head.size);
    }
    munmap((void *)bytes, length);
    return good;
}

static int act(int action, handle info, handle input, handle result)
{
    char path[PATH_MAX];
    const bool logs = getenv("AMD_COMGR_SAVE_TEMPS") || getenv("AMD_COMGR_EMIT_VERBOSE_LOGS") ||
                      getenv("AMD_COMGR_REDIRECT_LOGS");
    if (logs || !is_kept(action))
        return comgr.act(action, info, input, result);
    const bool kept = find(path, action, info, input, result);
    if (kept && recall(path, result))
        return SUCCESS;
    const int status = comgr.act(action, info, input, result);
    if (status == SUCCESS && kept)
        keep(path, result);
    else if (status == SUCCESS)
        each(result, add_passing, NULL);
    return status;
}

void *wavetrap_comgr_action(void *library, void *action)
{
    size_t major = 0, minor;
    if (comgr.act)
        return (void *)comgr.act == action ? (void *)act : action;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function)
            return action;
        memcpy(functions[i].pointer, &function, sizeof function);
    }
    comgr.version(&major, &minor);
    if (major != VERSION)
        return action;
    memcpy(&comgr.act, &action, sizeof action);
    return (void *)act;
}
