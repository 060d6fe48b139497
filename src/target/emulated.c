/* A device with a program in it, and its console. See emulated.h. */
#include "base/called_place.h"
#include "check/memory.h"
#include "target/history.h"
#include "target/launch.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "debug/source/described.h"
#include "emulator/machine/config.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/trail.h"
#include "object/elf_header.h"
#include "object/image.h"

/* One line of the program's console. */
static void console_line(void *context, unsigned slot, const char *line, size_t length)
{
    struct wt_emulated *e = context;
    if (!e->console)
        return;
    errno = 0;
    if (e->options->console_slots)
        fprintf(e->console, "#%u: ", slot);
    fwrite(line, 1, length, e->console);
    fputc('\n', e->console);
    if ((fflush(e->console) || ferror(e->console)) && !e->console_broken)
        e->console_broken = errno ? errno : EIO;
}

/* Reads the file that a --load names. */
static enum wt_status read_file(const struct wt_load_file *load, struct wt_loaded *loaded,
                                struct wt_error *err)
{
    char *path = strndup(load->path, load->path_length);
    if (!path)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    const enum wt_status status = wt_file_read(path, &loaded->bytes, &loaded->length, err);
    free(path);
    return status;
}

enum wt_status wt_emulated_load(struct wt_emulated *e, struct wt_error *err)
{
    enum wt_status status;
    if ((status = e->family->run.load(e, err)) != WT_OK)
        return status;
    for (size_t i = 0; i < e->options->load_count; i++) {
        const struct wt_loaded *l = &e->loaded[i];
        if (!e->machine->ops->write_memory(e->machine, 0, 0, l->addr, l->bytes, l->length))
            return wt_fail(err, WT_INVALID,
                           "--load %s: %zu bytes at 0x%" PRIx64 " do not fit the address space",
                           e->options->load[i].path, l->length, l->addr);
    }
    e->fault_reported = false;
    return WT_OK;
}

static enum wt_status read_loads(struct wt_emulated *e, struct wt_error *err)
{
    const struct wt_emulated_options *o = e->options;
    e->loaded = calloc(o->load_count ? o->load_count : 1, sizeof *e->loaded);
    if (!e->loaded)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < o->load_count; i++)
        if (wt_emulated_address(e, o->load[i].place, &e->loaded[i].addr, err) != WT_OK ||
            read_file(&o->load[i], &e->loaded[i], err) != WT_OK)
            return wt_fail_in(err, "--load");
    return WT_OK;
}

/* The family that runs the program: the chosen one, which must be able to run it. */
static enum wt_status choose_family(struct wt_emulated *e, struct wt_error *err)
{
    const struct wt_family *chosen = e->options->gpu.family;
    struct wt_elf_header header;
    int fd = -1;
    if (e->program && wt_image_open(e->program, &fd, err) != WT_OK)
        return err->status;
    if (e->program)
        close(fd);
    const bool is_elf = e->program && wt_elf_header_read(e->program, &header);
    const struct wt_family *of_file = is_elf ? wt_family_of_machine(header.machine) : NULL;
    if (e->program && !of_file)
        of_file = wt_family_of_file(e->program);
    if (e->program && !of_file)
        of_file = wt_family_of_contained(e->program);
    if (is_elf && !of_file)
        return wt_image_wrong_machine(e->program, header.machine, err);
    /* A file that is no ELF file, usually code without a format, runs on the first family. */
    if (!of_file && chosen && chosen->files.takes_code && e->program)
        of_file = chosen;
    if (!of_file)
        of_file = wt_families[0];
    if (chosen && chosen != of_file && !e->program)
        return wt_fail(err, WT_UNSUPPORTED, "--gpu=%s runs %s; there is no program",
                       wt_gpu_name(&e->options->gpu), chosen->files.runs);
    if (chosen && chosen != of_file)
        return wt_fail(err, WT_UNSUPPORTED, "--gpu=%s runs %s, and %s is another kind of file%s",
                       wt_gpu_name(&e->options->gpu), chosen->files.runs, e->program,
                       is_elf ? "" : ". Compile source code first");
    if (e->options->debugged && !of_file->debug.gdb && of_file->debug.probe)
        return wt_fail(
            err, WT_UNSUPPORTED,
            "%s: GDB's protocol does not reach GPUs that run %s; 'wavetrap debug %s' debugs it",
            e->program, of_file->files.runs, e->program);
    if (e->options->debugged && !of_file->debug.gdb)
        return wt_fail(err, WT_UNSUPPORTED,
                       "%s: there is no debugger for %s yet; 'wavetrap run' and 'wavetrap trace' "
                       "take %s",
                       e->program, of_file->name, of_file->files.runs);
    e->family = of_file;
    return WT_OK;
}

enum wt_status wt_emulated_make(struct wt_emulated *e, const void *config, struct wt_error *err)
{
    const struct wt_family_run *run = &e->family->run;
    const struct wt_config *table = e->family->config.table;
    struct wt_device_config *gpu = malloc(table->size);
    enum wt_status status = WT_OK;
    assert(e->program || e->core_file || !run->read);
    e->own = calloc(1, run->own_bytes);
    if (!gpu || !e->own)
        status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (!status && e->program && run->read)
        status = run->read(e, err);
    if (!status) {
        if (config)
            memcpy(gpu, config, table->size);
        else
            table->set_default(gpu);
        gpu->schedule = e->options->schedule ? *e->options->schedule : gpu->schedule;
        gpu->fill = e->options->fill ? *e->options->fill : gpu->fill;
        if (e->options->no_jit)
            status = wt_config_parse(table, gpu, WT_NO_JIT, err);
        if (!status && gpu->processes > 1 && !e->core_file)
            status = wt_fail(err, WT_INVALID,
                             "processes=%u: 'wavetrap exec' deals out launches of host programs; "
                             "here one process executes all",
                             gpu->processes);
        if (!status)
            status = run->open(e, gpu, err);
    }
    free(gpu);
    return status;
}

/* A program that touches all its pages is stopped before the host runs out of memory and kills
 * wavetrap. */
static uint64_t memory_default(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
    const uint64_t host = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
    return host / 4 * 3 < WT_MEMORY_DEFAULT_MOST ? host / 4 * 3 : WT_MEMORY_DEFAULT_MOST;
}

void wt_emulated_begin(struct wt_emulated *e, const struct wt_emulated_options *options,
                       const char *program)
{
    *e = (struct wt_emulated){.options = options, .program = program, .console = stdout};
}

void wt_emulated_limit_memory(struct wt_emulated *e)
{
    const uint64_t most = e->options->memory;
    wt_memory_set_limit(e->machine->memory, most ? most : memory_default());
}

/* A user who gives a host program and says nothing of its kernels may want to run the program. */
static enum wt_status point_to_exec(const struct wt_emulated *e, enum wt_status status,
                                    struct wt_error *err)
{
    const struct wt_kernel_options *k = &e->options->kernel;
    struct wt_elf_header header;
    if (status != WT_INVALID || (k->grid_given && k->name) || !e->program ||
        !wt_elf_header_read(e->program, &header) || !wt_elf_machine_is_host(header.machine))
        return status;
    char said[sizeof err->text];
    snprintf(said, sizeof said, "%s", err->text);
    return wt_fail(err, status, "%s. The program itself runs by 'wavetrap exec'", said);
}

enum wt_status wt_load_file_parse(const char *text, struct wt_load_file *load, struct wt_error *err)
{
    const char *at = strrchr(text, '@');
    if (!at || at == text || !at[1])
        return wt_fail(err, WT_INVALID, "'%s' is not FILE@ADDRESS", text);
    *load =
        (struct wt_load_file){.path = text, .path_length = (size_t)(at - text), .place = at + 1};
    return WT_OK;
}

enum wt_status wt_emulated_open(struct wt_emulated *e, const struct wt_emulated_options *options,
                                const char *program, struct wt_error *err)
{
    enum wt_status status;
    wt_emulated_begin(e, options, program);
    if ((status = choose_family(e, err)) != WT_OK)
        return status;
    e->modules = wt_modules_new();
    status = e->modules ? point_to_exec(e, wt_emulated_make(e, options->gpu.config, err), err)
                        : wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (!status)
        status = read_loads(e, err);
    if (!status) {
        wt_emulated_limit_memory(e);
        e->machine->console = console_line;
        e->machine->console_context = e;
        status = wt_emulated_load(e, err);
    }
    if (status)
        wt_emulated_close(e);
    return status;
}

void wt_emulated_close(struct wt_emulated *e)
{
    wt_bus_close(e->bus);
    wt_emulated_history_stop(e);
    wt_check_memory_end(e->repeated);
    if (e->launch)
        wt_launch_free(e->launch);
    if (e->own)
        e->family->run.close(e);
    free(e->own);
    wt_modules_free(e->modules);
    for (size_t i = 0; e->loaded && i < e->options->load_count; i++)
        free(e->loaded[i].bytes);
    free(e->loaded);
    free(e->answer);
    free(e->watch);
    free(e->condition);
    free(e->hit);
    *e = (struct wt_emulated){0};
}

enum wt_status wt_emulated_address(struct wt_emulated *e, const char *text, uint64_t *addr,
                                   struct wt_error *err)
{
    if (text[0] >= '0' && text[0] <= '9')
        return wt_parse_number(text, addr, err);
    const char *plus = strchr(text, '+');
    size_t length = plus ? (size_t)(plus - text) : strlen(text);
    uint64_t offset = 0;
    enum wt_status status;
    if (plus && (status = wt_parse_number(plus + 1, &offset, err)) != WT_OK)
        return status;
    char name[256];
    if (length >= sizeof name)
        return wt_fail(err, WT_INVALID, "'%.32s…' is too long for a symbol", text);
    memcpy(name, text, length);
    name[length] = 0;
    if (!wt_modules_address(e->modules, 0, name, addr))
        return wt_fail(err, WT_INVALID, "'%s' is neither a number nor a symbol of %s", name,
                       e->program ? e->program : "a program");
    *addr += offset;
    return WT_OK;
}

const struct wt_hw_table *wt_emulated_register_table(const struct wt_emulated *e)
{
    return wt_family_registers(e->family, e->machine->config);
}

const char *wt_emulated_model(const struct wt_emulated *e)
{
    return e->family->model ? e->family->model(e->machine->config) : e->family->name;
}

void wt_emulated_describe(const struct wt_emulated *e, uint64_t pc, char *text, size_t size)
{
    wt_described_in_file(e->modules, &(struct wt_called_place){.pc = pc}, text, size);
}

void wt_emulated_describe_wave(const struct wt_emulated *e, uint32_t wave, wt_lanes lanes,
                               uint64_t pc, char *text, size_t size)
{
    uint64_t back[WT_TRAIL];
    const struct wt_called_place place = wt_trail_place(e->machine, wave, lanes, pc, back);
    wt_described_in_file(e->modules, &place, text, size);
}

bool wt_emulated_takes(const struct wt_emulated_options *options, const char *program)
{
    static const char *const names[] = {".bin", ".hex", ".ihex", ".vxbin"};
    struct wt_elf_header header;
    if (wt_elf_header_read(program, &header))
        return wt_family_of_machine(header.machine) || wt_family_of_file(program);
    if (wt_family_of_file(program))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(program), suffix = strlen(names[i]);
        if (length > suffix && strcmp(program + length - suffix, names[i]) == 0)
            return true;
    }
    return options->base_given;
}

bool wt_emulated_instruction(struct wt_emulated *e, uint64_t pc, char *text, size_t size)
{
    const struct wt_family_isa *isa = &e->family->isa;
    uint8_t bytes[16];
    return isa->reported &&
           e->machine->ops->read_memory(e->machine, 0, 0, pc, bytes, isa->reported) &&
           isa->instruction_text(e, NULL, pc, bytes, isa->reported, text, size);
}
