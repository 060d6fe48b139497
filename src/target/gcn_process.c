/* Host programs on AMD's GPUs, and the code objects that their runtime lists. See gcn_process.h. */
#include "target/gcn_process.h"

#include <ctype.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "object/kfd_wire.h"
#include "target/gcn.h"
#include "target/gcn_arguments.h"

#define MOST_OBJECTS 4096
#define MOST_BYTES ((uint64_t)256 << 20)

/* A program may unload code and load other code from the same memory to the same address. */
struct gcn_process_code {
    wt_module_id id;
    uint64_t hash; /* hash of the code object's bytes */
};

struct gcn_process_own {
    struct wt_process_link link;   /* first */
    struct gcn_process_code *code; /* code of modules that were read from its memory */
    size_t code_count, code_capacity;
};

static struct gcn_process_own *own(const struct wt_process *p)
{
    return p->own;
}

static enum wt_status read_link(struct wt_process *p, uint64_t addr, void *out, size_t size,
                                struct wt_error *err)
{
    return wt_link_read(p->target.link, 0, 0, addr, out, size, err);
}

/* Reads a string of the process, page by page: the readable memory may end behind it. */
static enum wt_status read_string(struct wt_process *p, uint64_t addr, char *text, size_t size,
                                  struct wt_error *err)
{
    enum { PAGE = 4096, MOST = 256 };
    for (size_t done = 0, part; done + 1 < size; done += part) {
        const size_t page = PAGE - (addr + done) % PAGE, room = size - 1 - done;
        part = room < MOST ? room : MOST;
        part = part < page ? part : page;
        const enum wt_status status = read_link(p, addr + done, text + done, part, err);
        if (status != WT_OK || memchr(text + done, 0, part))
            return status;
    }
    text[size - 1] = 0;
    return WT_OK;
}

/* "%20" and its like, in place. */
static void decode_uri(char *text)
{
    char *to = text;
    unsigned code;
    for (; *text && *text != '#'; text++)
        if (*text == '%' && isxdigit((unsigned char)text[1]) && isxdigit((unsigned char)text[2]) &&
            sscanf(text + 1, "%2x", &code) == 1) {
            *to++ = (char)code;
            text += 2;
        } else {
            *to++ = *text;
        }
    *to = 0;
}

static uint64_t parameter(const char *uri, const char *name)
{
    const char *at = strstr(uri, name);
    return at ? strtoull(at + strlen(name), NULL, 0) : 0;
}

static bool read_file_part(const char *path, uint64_t offset, uint64_t size, uint8_t *bytes)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t done = 0;
    while (fd >= 0 && done < size) {
        const ssize_t got = pread(fd, bytes + done, size - done, (off_t)(offset + done));
        if (got <= 0)
            break;
        done += (uint64_t)got;
    }
    if (fd >= 0)
        close(fd);
    return done == size;
}

static bool is_elf(const uint8_t *bytes, uint64_t size)
{
    return size >= 4 && memcmp(bytes, "\177ELF", 4) == 0;
}

/*
 * The part of a file as the process has it in memory. The runtime reports code in memory to which a
 * file is mapped as a part of the file, even if the program has written to that memory.
 */
static bool read_mapped_part(struct wt_process *p, const char *path, uint64_t offset, uint64_t size,
                             uint8_t *bytes)
{
    const struct wt_wire_request request = {
        .verb = KFD_WIRE_MAPPED, .addr = offset, .follows = (uint32_t)strlen(path) + 1};
    struct wt_wire_answer answer;
    return wt_process_link_ask(p->wire, &request, path, &answer, NULL, 0, WT_IGNORED) == WT_OK &&
           answer.result >= 0 && answer.value[0] &&
           read_link(p, answer.value[0], bytes, size, WT_IGNORED) == WT_OK && is_elf(bytes, size);
}

/* The bytes of a file from an offset to its end; 0: there are none. */
static uint64_t rest_of_file(const char *path, uint64_t offset)
{
    struct stat file;
    return path && stat(path, &file) == 0 && (uint64_t)file.st_size > offset
               ? (uint64_t)file.st_size - offset
               : 0;
}

/* The code object that a URI of the runtime names: "memory://PID#offset=A&size=N",
 * "file://PATH#offset=O&size=N", where no offset is 0 and no size is the rest of the file; NULL if
 * it cannot be read. *in_memory: its contents may change. (LLVM, "User Guide for AMDGPU Backend",
 * "Loaded Code Object Path URI".) */
static uint8_t *code_object(struct wt_process *p, const char *uri, uint64_t *size, bool *in_memory)
{
    const char *part = strchr(uri, '#');
    char *path = strncmp(uri, "file://", 7) == 0 ? strdup(uri + 7) : NULL;
    if (path)
        decode_uri(path);
    const uint64_t offset = part ? parameter(part, "offset=") : 0;
    *size = part ? parameter(part, "size=") : 0;
    if (!*size && !p->wire->connection.elsewhere)
        *size = rest_of_file(path, offset);
    uint8_t *bytes = *size && *size <= MOST_BYTES ? malloc(*size) : NULL;
    bool good = false;
    *in_memory = true;
    if (bytes && strncmp(uri, "memory://", 9) == 0) {
        good = read_link(p, offset, bytes, *size, WT_IGNORED) == WT_OK;
    } else if (bytes && path) {
        good = !p->wire->connection.elsewhere && read_file_part(path, offset, *size, bytes);
        *in_memory = !good || !is_elf(bytes, *size);
        if (*in_memory)
            good = read_mapped_part(p, path, offset, *size, bytes);
    }
    free(path);
    if (good)
        return bytes;
    free(bytes);
    return NULL;
}

static const struct wt_module *module_at(const struct wt_process *p, const char *uri, uint64_t bias)
{
    size_t count;
    const struct wt_module *list = wt_modules_list(p->modules, &count);
    for (size_t i = 0; i < count; i++)
        if (list[i].bias == bias && strcmp(list[i].name, uri) == 0)
            return &list[i];
    return NULL;
}

/* FNV-1a. */
static uint64_t hash_of(const uint8_t *bytes, uint64_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint64_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static struct gcn_process_code *find_code(const struct wt_process *p, wt_module_id id)
{
    const struct gcn_process_own *o = own(p);
    for (size_t i = 0; i < o->code_count; i++)
        if (o->code[i].id == id)
            return &o->code[i];
    return NULL;
}

static bool remove_module(struct wt_process *p, wt_module_id id)
{
    struct gcn_process_code *code = find_code(p, id);
    if (code)
        *code = own(p)->code[--own(p)->code_count];
    return wt_modules_remove(p->modules, id);
}

static void add_module(struct wt_process *p, const char *uri, uint64_t bias)
{
    uint64_t size;
    bool in_memory;
    struct gcn_process_own *o = own(p);
    const struct wt_module *there = module_at(p, uri, bias);
    if (there && !find_code(p, there->id))
        return; /* of a file */
    struct gcn_process_code *more =
        wt_array_grow(o->code, &o->code_capacity, o->code_count + 1, sizeof *more);
    uint8_t *bytes = more ? code_object(p, uri, &size, &in_memory) : NULL;
    if (more)
        o->code = more;
    const uint64_t hash = bytes && in_memory ? hash_of(bytes, size) : 0;
    if (!bytes || (there && find_code(p, there->id)->hash == hash)) {
        free(bytes);
        return;
    }
    wt_module_id id;
    if (there)
        remove_module(p, there->id);
    if (wt_modules_add_bytes(p->modules, uri, bytes, size, bias, 0, &id, WT_IGNORED) == WT_OK &&
        in_memory)
        o->code[o->code_count++] = (struct gcn_process_code){id, hash};
    free(bytes);
}

/* Modules that the runtime no longer lists are gone. */
static void drop_modules(struct wt_process *p, const wt_module_id *still, size_t still_count)
{
    size_t count;
    bool dropped = true;
    while (dropped) {
        const struct wt_module *list = wt_modules_list(p->modules, &count);
        dropped = false;
        for (size_t i = 0; i < count && !dropped; i++) {
            bool there = false;
            for (size_t k = 0; k < still_count; k++)
                there |= still[k] == list[i].id;
            if (!there)
                dropped = remove_module(p, list[i].id);
        }
    }
}

/* A code object of the runtime's list. */
struct listed {
    uint64_t bias;
    char uri[4200];
};

/* Reads the list as it is; *consistent: the runtime did not change it meanwhile. The caller frees
 * *list. */
static enum wt_status read_list(struct wt_process *p, struct listed **list, size_t *count,
                                bool *consistent, struct wt_error *err)
{
    struct r_debug debug = {.r_map = NULL};
    size_t capacity = 0;
    uint64_t at = 0, before, after;
    enum wt_status status;
    *list = NULL;
    *count = 0;
    if ((status = wt_process_link_hello(p->wire, &before, err)) != WT_OK ||
        ((at = p->wire->hello.place[0]) &&
         (status = read_link(p, at, &debug, sizeof debug, err)) != WT_OK))
        return status;
    at = (uint64_t)(uintptr_t)debug.r_map;
    bool good = !at || before; /* memory of a list that is being changed may be gone */
    while (good && at && *count < MOST_OBJECTS) {
        struct link_map map;
        struct listed *more = wt_array_grow(*list, &capacity, *count + 1, sizeof **list);
        if (!more)
            return wt_fail(err, WT_NO_MEMORY, "out of memory for a list of code objects");
        *list = more;
        struct listed *one = &more[*count];
        good = read_link(p, at, &map, sizeof map, WT_IGNORED) == WT_OK &&
               read_string(p, (uint64_t)(uintptr_t)map.l_name, one->uri, sizeof one->uri,
                           WT_IGNORED) == WT_OK;
        if (!good)
            break;
        one->bias = map.l_addr;
        at = (uint64_t)(uintptr_t)map.l_next;
        ++*count;
    }
    status = wt_process_link_hello(p->wire, &after, err);
    *consistent = good && before == after;
    return status;
}

/* A list that the program keeps changing is read again at the next news of it: until then no kernel
 * begins, because the state of the list is not the one that is known. */
static enum wt_status refresh(struct wt_process *p, struct wt_error *err)
{
    enum { TRIES = 8 };
    struct listed *list = NULL;
    size_t count = 0;
    bool consistent = false;
    enum wt_status status = WT_OK;
    for (unsigned i = 0; i < TRIES && !consistent && !status; i++) {
        free(list);
        status = read_list(p, &list, &count, &consistent, err);
    }
    wt_module_id *still = calloc(count + 1, sizeof *still);
    size_t still_count = 0;
    if (!still && !status)
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for a list of code objects");
    for (size_t i = 0; i < count && consistent && !status; i++) {
        add_module(p, list[i].uri, list[i].bias);
        const struct wt_module *module = module_at(p, list[i].uri, list[i].bias);
        if (module)
            still[still_count++] = module->id;
    }
    if (!status && consistent)
        drop_modules(p, still, still_count);
    free(still);
    free(list);
    return status;
}

/* ---- operations ---- */

static bool code_register(struct wt_process *p, uint64_t pc, size_t n, struct wt_code_register *reg)
{
    return wt_gcn_code_argument(p->modules, pc, n, reg);
}

static void end(struct wt_process *p)
{
    free(own(p)->code);
}

static enum wt_status registers(struct wt_process_link *link, uint32_t gpu,
                                const struct wt_hw_table **table, struct wt_error *err)
{
    struct kfd_device_entry device[KFD_DEBUG_DEVICES];
    struct wt_wire_answer answer;
    const enum wt_status status = wt_process_link_ask(
        link, &(struct wt_wire_request){.verb = KFD_WIRE_DEVICES, .wave = WT_NO_HANDLE}, NULL,
        &answer, device, sizeof device, err);
    if (status != WT_OK)
        return status;
    if (gpu >= answer.size / sizeof *device)
        return wt_fail(err, WT_INVALID, "the program has no GPU %u", (unsigned)gpu);
    *table = wt_gcn_registers(device[gpu].gfx_target_version);
    return *table ? WT_OK
                  : wt_fail(err, WT_UNSUPPORTED, "there is no model of target version %u",
                            (unsigned)device[gpu].gfx_target_version);
}

const struct wt_process_ops wt_gcn_process_ops = {.socket = KFD_WIRE_SOCKET,
                                                  .wire = KFD_WIRE_FAMILY,
                                                  .own_bytes = sizeof(struct gcn_process_own),
                                                  .lanes = 64,
                                                  .show_file = wt_gcn_show_file,
                                                  .answer_none = wt_gcn_answer_none,
                                                  .refresh = refresh,
                                                  .code_register = code_register,
                                                  .registers = registers,
                                                  .end = end};
