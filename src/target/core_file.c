/* Core files. See core_file.h. */
#include "target/core_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "debug/source/symbols.h"
#include "check/memory.h"
#include "emulator/machine/config.h"
#include "emulator/machine/core_format.h"
#include "emulator/machine/machine.h"
#include "runtime/common/checked.h"
#include "target/history.h"

/* Tag and length of a section. */
#define HEADER_BYTES 12
#define MOST_MODULES 4096

struct wt_core_file {
    void *map; /* NULL: the bytes are the caller's */
    size_t map_length;
    struct wt_core_device device;
    struct wt_core_module *module;
    size_t module_count, module_capacity;
    struct wt_core_text *text;
    size_t text_count, text_capacity;
    struct wt_archive *code; /* sections PTXT */
    size_t code_count, code_capacity;
    struct wt_core_breakpoints breakpoints;
    struct wt_archive state, decisions, findings, objects; /* where their sections begin */
    bool has_device, has_state;
};

/* ---- breakpoints of the recorded run ---- */

static void copy_patch(struct wt_core_patch *to, const struct wt_patch *from)
{
    *to = (struct wt_core_patch){.addr = from->addr, .size = from->size};
    memcpy(to->bytes, from->bytes, sizeof to->bytes);
    memcpy(to->mask, from->mask, sizeof to->mask);
}

static struct wt_patch patch_of(const struct wt_core_patch *from)
{
    struct wt_patch to = {.addr = from->addr, .size = (size_t)from->size};
    static_assert(sizeof to.bytes == sizeof from->bytes, "a patch is one of the debugger's");
    memcpy(to.bytes, from->bytes, sizeof to.bytes);
    memcpy(to.mask, from->mask, sizeof to.mask);
    return to;
}

static enum wt_status note_breakpoints(struct wt_core_breakpoints *b,
                                       const struct wt_core_file_request *request,
                                       struct wt_error *err)
{
    b->list = calloc(request->planted_count + 1, sizeof *b->list);
    if (!b->list)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a core file");
    for (size_t i = 0; i < request->planted_count; i++) {
        const struct wt_planted *from = &request->planted[i];
        struct wt_core_planted *to = &b->list[b->count++];
        *to = (struct wt_core_planted){.addr = from->addr, .time = from->time};
        copy_patch(&to->trap, &from->trap);
        copy_patch(&to->original, &from->original);
    }
    return WT_OK;
}

/* ---- writing ---- */

static void write_modules(struct wt_emulated *e, struct wt_core_writer *w, struct wt_archive *a)
{
    size_t count;
    const struct wt_module *list = wt_modules_list(e->modules, &count);
    for (size_t i = 0; i < count; i++) {
        struct wt_core_module m = {.bias = list[i].bias, .device = list[i].device};
        size_t length = 0;
        if (!list[i].symbols || !(m.bytes = wt_symbols_image(list[i].symbols, &length)))
            continue;
        m.length = length;
        snprintf(m.name, sizeof m.name, "%s", list[i].name);
        wt_core_begin_section(w, "MODL");
        wt_core_module(a, &m);
        wt_core_end_section(w);
    }
}

static enum wt_status write_sections(struct wt_emulated *e,
                                     const struct wt_core_file_request *request,
                                     struct wt_core_file *f, struct wt_core_writer *w,
                                     struct wt_error *err)
{
    struct wt_archive a = {.out = w->out};
    wt_core_begin_section(w, "DEVC");
    wt_core_device(&a, &f->device);
    wt_core_end_section(w);
    if (!e->family->core_file.write_code || !e->family->core_file.write_code(e, w, &a))
        write_modules(e, w, &a);
    wt_core_begin_section(w, "PLNT");
    wt_core_breakpoints(&a, &f->breakpoints);
    wt_core_end_section(w);
    wt_core_decisions(w, &a, e->machine);
    wt_checked_write(w, &a);
    wt_checked_write_objects(w, &a, e->machine);
    wt_core_begin_section(w, "STAT");
    const struct wt_timeline_file state = {.machine = e->machine,
                                           .timeline = e->timeline,
                                           .state = wt_archive_whole_machine,
                                           .operation = e->family->core_file.operations,
                                           .issues = request->issues};
    const enum wt_status status = wt_timeline_write(&state, &a, err);
    wt_core_end_section(w);
    return status;
}

static enum wt_status write_file(struct wt_emulated *e, const struct wt_core_file_request *request,
                                 struct wt_core_file *f, struct wt_error *err)
{
    struct wt_core_writer w;
    enum wt_status status = wt_core_begin(&w, request->path, err);
    if (status)
        return status;
    if ((status = write_sections(e, request, f, &w, err)) == WT_OK)
        return wt_core_finish(&w, err);
    wt_core_give_up(&w);
    return status;
}

enum wt_status wt_core_file_write(struct wt_emulated *e, const struct wt_core_file_request *request,
                                  struct wt_error *err)
{
    enum wt_status status;
    for (uint32_t i = 0; i < e->machine->waves; i++)
        wt_emulated_fault(e, i); /* with what is at its address, for the file */
    if (e->timeline && (status = wt_timeline_look(e->timeline, false, err)) != WT_OK)
        return status;
    struct wt_core_file *f = calloc(1, sizeof *f);
    char *whole = e->program ? realpath(e->program, NULL) : NULL;
    if (!f) {
        free(whole);
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a core file");
    }
    snprintf(f->device.family, sizeof f->device.family, "%s", e->family->name);
    snprintf(f->device.program, sizeof f->device.program, "%s",
             whole        ? whole
             : e->program ? e->program
                          : "");
    snprintf(f->device.reason, sizeof f->device.reason, "%s", request->text);
    wt_config_print(e->family->config.table, e->machine->config, f->device.config,
                    sizeof f->device.config);
    f->device.wave = request->wave;
    f->device.lane = request->lane;
    free(whole);
    if ((status = note_breakpoints(&f->breakpoints, request, err)) == WT_OK)
        status = write_file(e, request, f, err);
    wt_core_file_free(f);
    return status;
}

/* ---- reading ---- */

static enum wt_status take_section(struct wt_core_file *f, const char *name, const char *tag,
                                   struct wt_archive *a, struct wt_error *err)
{
    if (memcmp(tag, "DEVC", 4) == 0) {
        wt_core_device(a, &f->device);
        f->has_device = true;
    } else if (memcmp(tag, "MODL", 4) == 0) {
        struct wt_core_module *grown =
            f->module_count < MOST_MODULES
                ? wt_array_grow(f->module, &f->module_capacity, f->module_count + 1, sizeof *grown)
                : NULL;
        if (!grown)
            return wt_fail(err, WT_NO_MEMORY, "%s: no host memory for its modules", name);
        f->module = grown;
        grown[f->module_count] = (struct wt_core_module){0};
        wt_core_module(a, &grown[f->module_count++]);
    } else if (memcmp(tag, "TEXT", 4) == 0) {
        struct wt_core_text *grown =
            f->text_count < MOST_MODULES
                ? wt_array_grow(f->text, &f->text_capacity, f->text_count + 1, sizeof *grown)
                : NULL;
        if (!grown)
            return wt_fail(err, WT_NO_MEMORY, "%s: no host memory for its sources", name);
        f->text = grown;
        grown[f->text_count] = (struct wt_core_text){.length = 0};
        wt_core_text(a, &grown[f->text_count++]);
    } else if (memcmp(tag, "PTXT", 4) == 0) {
        struct wt_archive *grown =
            f->code_count < MOST_MODULES
                ? wt_array_grow(f->code, &f->code_capacity, f->code_count + 1, sizeof *grown)
                : NULL;
        if (!grown)
            return wt_fail(err, WT_NO_MEMORY, "%s: no host memory for its programs", name);
        f->code = grown;
        grown[f->code_count++] = *a;
    } else if (memcmp(tag, "PLNT", 4) == 0) {
        wt_core_breakpoints(a, &f->breakpoints);
    } else if (memcmp(tag, "JUDG", 4) == 0) {
        f->decisions = *a;
    } else if (memcmp(tag, "FIND", 4) == 0) {
        f->findings = *a;
    } else if (memcmp(tag, "OBJS", 4) == 0) {
        f->objects = *a;
    } else if (memcmp(tag, "STAT", 4) == 0) {
        f->state = *a;
        f->has_state = true;
    } /* others: sections of a later writer, which this reader does not need */
    return a->failed ? wt_fail(err, WT_INVALID, "%s is damaged: %s", name, a->why) : WT_OK;
}

static enum wt_status parse(struct wt_core_file *f, const char *name, const uint8_t *bytes,
                            size_t length, bool sealed, struct wt_error *err)
{
    enum wt_status status;
    uint32_t version;
    if (length < WT_CORE_MAGIC_BYTES + sizeof version ||
        memcmp(bytes, WT_CORE_MAGIC, WT_CORE_MAGIC_BYTES))
        return wt_fail(err, WT_INVALID, "%s is not a core file of wavetrap", name);
    memcpy(&version, bytes + WT_CORE_MAGIC_BYTES, sizeof version);
    if (version < WT_CORE_OLDEST || version > WT_CORE_VERSION)
        return wt_fail(err, WT_INVALID,
                       "%s is a core file of version %u; this wavetrap reads versions %u to %u",
                       name, version, WT_CORE_OLDEST, WT_CORE_VERSION);
    if (sealed) {
        uint64_t hash;
        const size_t seal_bytes = 4 + WT_CORE_SEAL_BYTES;
        if (length < WT_CORE_MAGIC_BYTES + sizeof version + seal_bytes ||
            memcmp(bytes + length - seal_bytes, "SEAL", 4))
            return wt_fail(err, WT_INVALID, "%s is not complete: its end is missing", name);
        memcpy(&hash, bytes + length - WT_CORE_SEAL_BYTES, sizeof hash);
        length -= seal_bytes;
        if (hash != wt_core_hash(bytes, length))
            return wt_fail(err, WT_INVALID, "%s is damaged: its bytes are not those written", name);
    }
    size_t at = WT_CORE_MAGIC_BYTES + sizeof version;
    while (at < length) {
        uint64_t size;
        if (length - at < HEADER_BYTES)
            return wt_fail(err, WT_INVALID, "%s is damaged: a section has no end", name);
        const char *tag = (const char *)bytes + at;
        memcpy(&size, bytes + at + 4, sizeof size);
        at += HEADER_BYTES;
        if (size > length - at)
            return wt_fail(err, WT_INVALID, "%s is damaged: a section has no end", name);
        struct wt_archive a = {.in = bytes + at, .left = (size_t)size, .version = version};
        if ((status = take_section(f, name, tag, &a, err)) != WT_OK)
            return status;
        at += (size_t)size;
    }
    if (!f->has_device || !f->has_state)
        return wt_fail(err, WT_INVALID, "%s is damaged: it has no state of a device", name);
    return WT_OK;
}

/* Hashes the texts of a program, whose addresses and names may be others elsewhere. */
static void identify_program(struct wt_archive a, struct wt_core_code *code)
{
    struct wt_core_program p;
    struct wt_core_text text;
    wt_core_program(&a, &p);
    *code = (struct wt_core_code){.any = true, .base = p.code};
    for (uint32_t i = 0; i < p.count && !a.failed; i++) {
        wt_core_program_text(&a, &text);
        if (!a.failed)
            code->id = code->id * 31 + wt_core_hash(text.text, (size_t)text.length);
    }
}

enum wt_status wt_core_section_read(const struct wt_family *family, const uint8_t *bytes,
                                    size_t length, struct wt_modules *modules,
                                    struct wt_core_code *code, struct wt_error *err)
{
    enum wt_status status = WT_INVALID;
    struct wt_core_module m = {.length = 0};
    struct wt_core_text t = {.length = 0};
    *code = (struct wt_core_code){.any = false};
    struct wt_archive a = {.in = bytes + HEADER_BYTES, .version = WT_CORE_VERSION};
    a.left = length > HEADER_BYTES ? length - HEADER_BYTES : 0;
    if (a.left && memcmp(bytes, "MODL", 4) == 0) {
        wt_core_module(&a, &m);
        *code = (struct wt_core_code){true, m.bias, wt_core_hash(m.bytes, (size_t)m.length)};
        if (!a.failed)
            status = wt_modules_add_bytes(modules, m.name, m.bytes, (size_t)m.length, m.bias, 0,
                                          NULL, err);
    } else if (a.left && memcmp(bytes, "TEXT", 4) == 0) {
        wt_core_text(&a, &t);
        if (!a.failed)
            status =
                wt_modules_add_text(modules, t.name, (const char *)t.text, (size_t)t.length, err);
    } else if (a.left && memcmp(bytes, "PTXT", 4) == 0 && family->core_file.name_code) {
        identify_program(a, code);
        return family->core_file.name_code(&a, modules, err);
    } else {
        wt_archive_fail(&a, "it is not a section of code");
    }
    return a.failed ? wt_fail(err, WT_INVALID, "%s", a.why) : status;
}

void wt_core_section_text(const struct wt_family *family, void **kept, const uint8_t *bytes,
                          size_t length, uint64_t pc, uint64_t word, char *text, size_t size)
{
    struct wt_archive a = {.in = bytes + HEADER_BYTES, .version = WT_CORE_VERSION};
    if (!family->core_file.code_text || length <= HEADER_BYTES || memcmp(bytes, "PTXT", 4) != 0)
        return;
    a.left = length - HEADER_BYTES;
    family->core_file.code_text(kept, &a, pc, word, text, size);
}

enum wt_status wt_core_file_parse(const char *name, const uint8_t *bytes, size_t length,
                                  bool sealed, struct wt_core_file **file, struct wt_error *err)
{
    struct wt_core_file *f = calloc(1, sizeof *f);
    if (!f)
        return wt_fail(err, WT_NO_MEMORY, "%s: no host memory", name);
    const enum wt_status status = parse(f, name, bytes, length, sealed, err);
    if (status)
        wt_core_file_free(f);
    else
        *file = f;
    return status;
}

enum wt_status wt_core_file_open(const char *path, struct wt_core_file **file, struct wt_error *err)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info)) {
        const int why = errno;
        if (fd >= 0)
            close(fd);
        return wt_fail(err, WT_IO, "%s: cannot open: %s", path, strerror(why));
    }
    if (!S_ISREG(info.st_mode) || info.st_size == 0) {
        close(fd);
        return wt_fail(err, WT_INVALID, "%s is not a core file of wavetrap", path);
    }
    const size_t length = (size_t)info.st_size;
    void *map = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
    const int why = errno;
    close(fd);
    if (map == MAP_FAILED)
        return wt_fail(err, WT_IO, "%s: cannot read: %s", path, strerror(why));
    const enum wt_status status = wt_core_file_parse(path, map, length, true, file, err);
    if (status) {
        munmap(map, length);
        return status;
    }
    (*file)->map = map;
    (*file)->map_length = length;
    return WT_OK;
}

void wt_core_file_free(struct wt_core_file *f)
{
    if (!f)
        return;
    if (f->map)
        munmap(f->map, f->map_length);
    free(f->module);
    free(f->text);
    free(f->code);
    free(f->breakpoints.list);
    free(f);
}

const char *wt_core_file_program(const struct wt_core_file *f)
{
    return f->device.program;
}

const char *wt_core_file_reason(const struct wt_core_file *f)
{
    return f->device.reason;
}

bool wt_core_file_findings(const struct wt_core_file *f, struct wt_archive *findings)
{
    *findings = f->findings;
    return findings->in;
}

bool wt_core_file_objects(const struct wt_core_file *f, struct wt_archive *objects)
{
    *objects = f->objects;
    return objects->in;
}

/* ---- a device in its state ---- */

static const struct wt_family *family_of(const struct wt_core_file *f)
{
    for (size_t i = 0; wt_families[i]; i++)
        if (strcmp(wt_families[i]->name, f->device.family) == 0)
            return wt_families[i];
    return NULL;
}

static enum wt_status open_device(struct wt_emulated *e, const struct wt_core_file *f,
                                  struct wt_error *err)
{
    enum wt_status status;
    const struct wt_config *table = e->family->config.table;
    void *config = malloc(table->size);
    if (!config)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    table->set_default(config);
    if ((status = wt_config_parse(table, config, f->device.config, err)) == WT_OK)
        status = wt_emulated_make(e, config, err);
    free(config);
    return status;
}

static enum wt_status take_modules(struct wt_emulated *e, const struct wt_core_file *f,
                                   struct wt_error *err)
{
    enum wt_status status;
    for (size_t i = 0; i < f->text_count; i++) {
        const struct wt_core_text *t = &f->text[i];
        if ((status = wt_modules_add_text(e->modules, t->name, (const char *)t->text,
                                          (size_t)t->length, err)) != WT_OK)
            return status;
    }
    for (size_t i = 0; i < f->module_count; i++) {
        const struct wt_core_module *m = &f->module[i];
        if ((status = wt_modules_add_bytes(e->modules, m->name, m->bytes, (size_t)m->length,
                                           m->bias, m->device, NULL, err)) != WT_OK)
            return status;
        e->is_elf = true;
    }
    for (size_t i = 0; i < f->code_count && e->family->core_file.take_code; i++) {
        struct wt_archive a = f->code[i];
        if ((status = e->family->core_file.take_code(e, &a, err)) != WT_OK)
            return wt_fail_in(err, "the core file is damaged");
        e->is_elf = true;
    }
    return WT_OK;
}

static enum wt_status take_state(struct wt_emulated *e, const struct wt_core_file *f,
                                 struct wt_error *err)
{
    struct wt_archive a = f->state;
    struct wt_timeline_file state = {.machine = e->machine,
                                     .budget = e->options->history_memory,
                                     .state = wt_archive_whole_machine,
                                     .operation = e->family->core_file.operations};
    const enum wt_status status = wt_timeline_read(&state, &a, err);
    if (status)
        return wt_fail_in(err, "the core file is damaged");
    e->timeline = state.timeline;
    a = f->decisions;
    if (a.in && !(e->repeated = wt_check_memory_repeat(e->machine, &a)))
        return a.failed ? wt_fail(err, WT_INVALID, "the core file is damaged: %s", a.why)
                        : wt_fail(err, WT_NO_MEMORY, "no host memory");
    return WT_OK;
}

enum wt_status wt_core_file_load(struct wt_emulated *e, const struct wt_emulated_options *options,
                                 const struct wt_core_file *f, struct wt_error *err)
{
    enum wt_status status;
    assert(options->history_memory && !options->load_count);
    const struct wt_family *family = family_of(f);
    if (!family)
        return wt_fail(err, WT_UNSUPPORTED, "core files of '%s' cannot be read", f->device.family);
    wt_emulated_begin(e, options, NULL);
    e->family = family;
    e->core_file = f;
    e->modules = wt_modules_new();
    status = e->modules ? open_device(e, f, err) : wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (!status)
        wt_emulated_limit_memory(e);
    if (status || (status = take_modules(e, f, err)) != WT_OK ||
        (status = take_state(e, f, err)) != WT_OK)
        wt_emulated_close(e);
    return status;
}

enum wt_status wt_core_file_debug(struct wt_emulated *e, struct wt_error *err)
{
    const struct wt_core_file *f = e->core_file;
    struct wt_planted *planted = calloc(f->breakpoints.count + 1, sizeof *planted);
    if (!planted)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for breakpoints of the recorded run");
    for (size_t i = 0; i < f->breakpoints.count; i++) {
        const struct wt_core_planted *from = &f->breakpoints.list[i];
        planted[i] = (struct wt_planted){.addr = from->addr,
                                         .time = from->time,
                                         .trap = patch_of(&from->trap),
                                         .original = patch_of(&from->original)};
    }
    const enum wt_status status = wt_debugger_take_core_file(
        e->debugger, planted, f->breakpoints.count, f->device.wave, f->device.lane, err);
    free(planted);
    return status;
}
