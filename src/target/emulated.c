/* A device with a program in it, and its console. See emulated.h. */
#include "target/history.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "emulator/vortex/profile.h"

/* One line of the program's console. */
static void console_line(void *context, unsigned slot, const char *line, size_t length)
{
    struct wt_emulated *e = context;
    if (!e->console)
        return;
    if (e->options->console_slots)
        fprintf(e->console, "#%u: ", slot);
    fwrite(line, 1, length, e->console);
    fputc('\n', e->console);
    if (fflush(e->console) || ferror(e->console))
        e->console_broken = true;
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
    if (e->program && vx_device_load(e->device, &e->image, err))
        return wt_fail_in(err, "%s", e->program);
    for (size_t i = 0; i < e->options->load_count; i++) {
        const struct wt_loaded *l = &e->loaded[i];
        if (!e->machine->ops->write_memory(e->machine, 0, l->addr, l->bytes, l->length))
            return wt_fail(err, WT_INVALID,
                           "--load %s: %zu bytes at 0x%" PRIx64 " do not fit the address space",
                           e->options->load[i].path, l->length, l->addr);
    }
    e->fault_reported = false;
    return WT_OK;
}

static enum wt_status open_program(struct wt_emulated *e, struct wt_error *err)
{
    const struct wt_emulated_options *o = e->options;
    uint64_t base = o->base_given             ? o->base
                    : o->config.startup_given ? o->config.startup
                                              : o->config.profile->startup_addr;
    if (wt_image_load(e->program, base, &e->image, err))
        return err->status;
    if (e->image.format == WT_IMAGE_ELF && e->image.elf_machine != EM_RISCV)
        return wt_fail(err, WT_INVALID,
                       "%s: it is a program for %s (ELF machine %u); Vortex runs RISC-V (243)",
                       e->program, wt_image_machine_name(e->image.elf_machine),
                       e->image.elf_machine);
    /* A program runs without its symbols, too (they cannot be read from a pipe, for one). */
    if (e->image.format == WT_IMAGE_ELF && wt_symbols_open(e->program, &e->symbols, err)) {
        e->symbols = NULL;
        fprintf(stderr, "wavetrap: no symbols: %s\n", err->text);
    }
    return WT_OK;
}

static enum wt_status open_files(struct wt_emulated *e, struct wt_error *err)
{
    const struct wt_emulated_options *o = e->options;
    if (e->program && open_program(e, err))
        return err->status;
    e->loaded = calloc(o->load_count ? o->load_count : 1, sizeof *e->loaded);
    if (!e->loaded)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < o->load_count; i++) {
        struct wt_loaded *l = &e->loaded[i];
        if (wt_emulated_address(e, o->load[i].place, &l->addr, err) ||
            read_file(&o->load[i], l, err))
            return wt_fail_in(err, "--load");
    }
    return WT_OK;
}

enum wt_status wt_emulated_open(struct wt_emulated *e, const struct wt_emulated_options *options,
                                const char *program, struct wt_error *err)
{
    *e = (struct wt_emulated){.options = options, .program = program, .console = stdout};
    enum wt_status status = open_files(e, err);
    if (!status) {
        struct vx_config config = options->config;
        if (!config.xlen)
            config.xlen = e->image.bits;
        status = vx_device_new(&config, &e->device, err);
    }
    if (!status) {
        e->machine = vx_machine(e->device);
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
    if (e->device)
        vx_device_free(e->device);
    if (e->symbols)
        wt_symbols_close(e->symbols);
    for (size_t i = 0; e->loaded && i < e->options->load_count; i++)
        free(e->loaded[i].bytes);
    free(e->loaded);
    free(e->watch);
    free(e->hit);
    wt_image_free(&e->image);
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
    if (plus && wt_parse_number(plus + 1, &offset, err))
        return err->status;
    char name[256];
    if (length >= sizeof name)
        return wt_fail(err, WT_INVALID, "'%.32s…' is too long for a symbol", text);
    memcpy(name, text, length);
    name[length] = 0;
    if (!e->symbols || !wt_symbols_address(e->symbols, name, addr))
        return wt_fail(err, WT_INVALID, "'%s' is neither a number nor a symbol of %s", name,
                       e->program ? e->program : "a program");
    *addr += e->moved + offset;
    return WT_OK;
}
