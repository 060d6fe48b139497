/* Vortex as a family of targets. See vortex.h. */
#include "target/vortex.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "check/names.h"
#include "check/objects.h"
#include "debug/vortex/vortex.h"
#include "debug/vortex/vxdebug.h"
#include "debug/source/frame_memory.h"
#include "debug/source/modules.h"
#include "debug/source/symbols.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/origin.h"
#include "emulator/vortex/host.h"
#include "emulator/vortex/launch.h"
#include "emulator/vortex/profile.h"
#include "emulator/vortex/vortex.h"
#include "emulator/translate/rows.h"
#include "object/image.h"
#include "object/vortex_wire.h"
#include "target/emulated.h"
#include "target/vortex_process.h"

struct vortex {
    struct vx_config config;
    struct wt_image image;
    struct vx_device *device;
    struct wt_vortex_link link;
};

struct vx_device *wt_vortex_device(const struct wt_emulated *e)
{
    return ((struct vortex *)e->own)->device;
}

/* ---- the program ---- */

/* If --arg is repeated the last one counts; all of them must be numbers. */
static enum wt_status read_arguments(const struct wt_emulated *e, struct vortex *v,
                                     struct wt_error *err)
{
    for (size_t i = 0; i < e->options->argument_count; i++)
        if (wt_parse_number(e->options->argument[i], &v->config.argument, err) != WT_OK)
            return wt_fail_in(err, "--arg");
    return WT_OK;
}

static enum wt_status read_program(struct wt_emulated *e, struct vortex *v, struct wt_error *err)
{
    const struct wt_emulated_options *o = e->options;
    enum wt_status status;
    const uint64_t base = o->base_given             ? o->base
                          : v->config.startup_given ? v->config.startup
                                                    : v->config.profile->startup_addr;
    if ((status = wt_image_load(e->program, base, &v->image, err)) != WT_OK)
        return status;
    e->is_elf = v->image.format == WT_IMAGE_ELF;
    if ((status = wt_image_check_base(&v->image, e->program, o->base_given, err)) != WT_OK)
        return status;
    if (e->is_elf && v->image.elf_machine != EM_RISCV)
        return wt_image_wrong_machine(e->program, v->image.elf_machine, err);
    /* A program without symbols runs, too (they cannot be read from a pipe, for one). */
    struct wt_error why = {0};
    if (e->is_elf && wt_modules_add_file(e->modules, e->program, 0, 0, NULL, &why) != WT_OK)
        snprintf(e->notice, sizeof e->notice, "no symbols: %.480s", why.text);
    return WT_OK;
}

/* ---- kernels of Vortex 3.0 ---- */

/* The symbols of Vortex 3.0's linker and vxbin.py: one for each kernel, and
 * "main" is the name of kernel_main. */
#define KERNEL_SYMBOL "__vx_kentry_"
#define CTA_ENTRY "__vx_cta_entry"

/* The kernels that a program names, one by one. */
struct kernels {
    const char *wanted; /* NULL: any */
    unsigned count;     /* how many there are in all */
    bool found;
    uint64_t addr; /* addr of the wanted one, or the last */
    char names[200];
};

static void add_kernel(struct kernels *k, const char *name, uint64_t addr)
{
    const size_t length = strlen(k->names);
    snprintf(k->names + length, sizeof k->names - length, "%s%s", k->count++ ? ", " : "", name);
    if (k->wanted && strcmp(k->wanted, name) != 0)
        return;
    k->found = true;
    k->addr = addr;
}

static bool add_kernel_symbol(void *context, const char *name, uint64_t addr, uint64_t size,
                              bool code)
{
    const size_t prefix = sizeof KERNEL_SYMBOL - 1;
    if (strncmp(name, KERNEL_SYMBOL, prefix) == 0)
        add_kernel(context, strcmp(name + prefix, "kernel_main") ? name + prefix : "main", addr);
    return true;
}

static struct wt_symbols *symbols_of(const struct wt_emulated *e)
{
    size_t count;
    const struct wt_module *modules = wt_modules_list(e->modules, &count);
    return count ? modules->symbols : NULL;
}

static struct kernels kernels_of(const struct wt_emulated *e, const struct vortex *v,
                                 const char *wanted)
{
    struct kernels k = {.wanted = wanted};
    for (size_t i = 0; i < v->image.kernels; i++)
        add_kernel(&k, v->image.kernel[i].name, v->image.kernel[i].addr);
    if (symbols_of(e))
        wt_symbols_each(symbols_of(e), add_kernel_symbol, &k);
    return k;
}

/* A program that was built for Vortex 3.0 chooses that profile, unless --gpu names one. */
static void choose_profile(const struct wt_emulated *e, struct vortex *v)
{
    uint64_t addr;
    const bool later = v->image.has_kernels || kernels_of(e, v, NULL).count ||
                       (symbols_of(e) && wt_symbols_address(symbols_of(e), CTA_ENTRY, &addr));
    if (!v->config.profile_given && later)
        vx_config_use_profile(&v->config, vx_profile_named("v3"));
}

static enum wt_status choose_kernel(const struct wt_emulated *e, struct vortex *v,
                                    struct wt_error *err)
{
    const struct wt_kernel_options *o = &e->options->kernel;
    const struct kernels k = kernels_of(e, v, o->name);
    if (v->config.launch.entry && !o->name)
        return WT_OK;
    if (o->name && !k.found)
        return wt_fail(err, WT_INVALID, "--kernel: %s has no kernel '%s'%s%s", e->program, o->name,
                       k.count ? "; it has " : "", k.names);
    if (!o->name && k.count > 1)
        return wt_fail(
            err, WT_INVALID,
            "%s has %u kernels: --kernel=NAME or -g vortex:kernel=ADDRESS chooses one (%s)",
            e->program, k.count, k.names);
    if (k.found)
        v->config.launch.entry = k.addr;
    return WT_OK;
}

/* The options of kernels that are for AMD code objects. */
static bool has_other_options(const struct wt_kernel_options *o)
{
    return o->grid_given || o->block_given || o->shared || o->handler_count;
}

static enum wt_status open_device(struct wt_emulated *e, const void *config, struct wt_error *err)
{
    struct vortex *v = e->own;
    enum wt_status status;
    v->config = *(const struct vx_config *)config;
    if ((status = read_arguments(e, v, err)) != WT_OK)
        return status;
    if (e->program && (status = read_program(e, v, err)) != WT_OK)
        return status;
    if (e->program)
        choose_profile(e, v);
    const struct vx_launch *l = &v->config.launch;
    if (!v->config.profile->launch_unit &&
        (l->entry || l->local_size || l->grid[0] || l->block[0] || l->cluster[0]))
        return wt_fail(err, WT_INVALID,
                       "kernel, grid, block, cluster and lmem are for profile v3, and nothing says "
                       "that the program is for it: --gpu=vortex:profile=v3");
    const bool launches = e->program && v->config.profile->launch_unit;
    if (launches && has_other_options(&e->options->kernel))
        return wt_fail(err, WT_INVALID,
                       "a Vortex has its grid and block in --gpu: "
                       "--gpu=vortex:profile=v3,grid=4x2,block=32");
    if (e->options->kernel.given && !(launches && e->options->kernel.name))
        return wt_fail(
            err, WT_INVALID,
            "%s is not an AMD code object: --kernel, --grid, --block, --trap-handler, "
            "--dump-arg, --compare-arg, --who-wrote=N:OFFSET and --who-read=N:OFFSET are for those",
            e->program ? e->program : "nothing");
    if (launches && (status = choose_kernel(e, v, err)) != WT_OK)
        return status;
    if (!v->config.xlen)
        v->config.xlen = v->image.bits ? v->image.bits : wt_vortex_image_width(&v->image);
    if ((status = vx_device_new(&v->config, &v->device, err)) != WT_OK)
        return status;
    e->machine = vx_machine(v->device);
    /* Unless core cycles pass with each access, reading a register changes nothing. */
    e->reads_change_state = v->config.dm_clock != 0;
    return WT_OK;
}

static enum wt_status load(struct wt_emulated *e, struct wt_error *err)
{
    struct vortex *v = e->own;
    if (e->program && vx_device_load(v->device, &v->image, err) != WT_OK)
        return wt_fail_in(err, "%s", e->program);
    return WT_OK;
}

static void close_device(struct wt_emulated *e)
{
    struct vortex *v = e->own;
    if (v->device)
        vx_device_free(v->device);
    wt_image_free(&v->image);
}

/* ---- checks ---- */

enum { STACK_POINTER = 2 };

/* The objects of a segment that is not written, as its symbols say: they come by address. */
struct objects {
    const void *space;
    const struct wt_segment *segment;
    uint64_t end; /* end of the last one */
};

/* Adds an object without a name for bytes that have no symbol: texts, code of an assembler. */
static void add_rest(struct objects *o, uint64_t to)
{
    if (o->end < to)
        wt_object_variable(o->space, o->end, to - o->end, "", true);
}

static bool add_symbol(void *context, const char *name, uint64_t addr, uint64_t size, bool code)
{
    struct objects *o = context;
    const struct wt_segment *s = o->segment;
    if (!size || addr < o->end || addr - s->addr >= s->size || size > s->size - (addr - s->addr))
        return true;
    add_rest(o, addr);
    wt_object_variable(o->space, addr, size, name, true);
    o->end = addr + size;
    return true;
}

/* Of a segment that is written one object is made: start-up code clears variables and the padding
 * between them alike. */
static void add_segment(const struct wt_emulated *e, const struct wt_segment *s)
{
    struct objects o = {e->machine, s, s->addr};
    size_t count;
    const struct wt_module *modules = wt_modules_list(e->modules, &count);
    if (s->writable) {
        wt_object_variable(o.space, s->addr, s->size, "", false);
        return;
    }
    if (count && modules->symbols)
        wt_symbols_each(modules->symbols, add_symbol, &o);
    add_rest(&o, s->addr + s->size);
}

/* Behind the image, where nothing is of the file's. */
static void add_thread_variables(const struct wt_emulated *e)
{
    const struct vortex *v = e->own;
    size_t count;
    const struct wt_module *m = wt_modules_list(e->modules, &count);
    uint64_t addr, size, begin = 0;
    if (!count || !m->symbols ||
        !wt_symbols_thread_variables(m->symbols, (uint64_t)e->machine->waves * e->machine->lanes,
                                     &addr, &size))
        return;
    for (size_t i = 0; i < v->image.segments; i++) {
        const struct wt_segment *s = &v->image.segment[i];
        begin = s->addr + s->size > begin ? s->addr + s->size : begin;
    }
    begin = begin > addr ? begin : addr;
    if (begin < addr + size)
        wt_object_variable(e->machine, begin, addr + size - begin, "thread-local variables", false);
}

static void add_objects(struct wt_emulated *e)
{
    const struct vortex *v = e->own;
    const struct vx_profile *profile = v->config.profile;
    struct wt_names_reader reader = {.space = e->machine};
    wt_names_read(&reader, "", profile->local_mem_base[v->config.xlen == 64],
                  profile->local_mem_size);
    wt_names_end(&reader);
    for (size_t i = 0; i < v->image.segments; i++)
        add_segment(e, &v->image.segment[i]);
    add_thread_variables(e);
    wt_object_variable(e->machine, profile->local_mem_base[v->config.xlen == 64],
                       profile->local_mem_size, "", false);
    wt_object_variable(e->machine, v->config.console_addr,
                       profile->console_ring ? VX_CONSOLE_RING_BYTES : v->config.console_slots,
                       "the console", false);
}

/* Stores below the console and the exit word are by null pointers, unless the program has a segment
 * there. Behind those two are counters, which programs store. */
static bool is_null(const struct wt_emulated *e, uint64_t addr)
{
    enum { USUAL = 0x40 };
    const struct vortex *v = e->own;
    const struct vx_config *config = &v->config;
    bool null = addr < USUAL && addr < config->console_addr && addr < config->exit_addr;
    for (size_t i = 0; i < v->image.segments && null; i++)
        null = v->image.segment[i].addr >= USUAL;
    return null;
}

/* The heap and the stacks are anywhere behind the program's segments: what is read there must have
 * been written. */
static bool allows(struct wt_emulated *e, uint64_t addr, unsigned size, bool write,
                   const struct wt_object *near)
{
    const struct vortex *v = e->own;
    static const uint8_t zeros[WT_PAGE_SIZE];
    for (size_t i = 0; i < v->image.segments; i++) {
        const struct wt_segment *s = &v->image.segment[i];
        if (addr < s->addr + s->size && s->addr < addr + size)
            return false;
    }
    if (is_null(e, addr))
        return false;
    return write || (addr & WT_PAGE_MASK) + size > WT_PAGE_SIZE ||
           !wt_memory_is_zero(e->machine->memory, addr, zeros, size);
}

/* Stacks that a function makes, as start-up code does: of a constant and the thread's number times
 * the length. */
static bool stacks_of(struct wt_emulated *e, uint64_t first, uint64_t end,
                      struct wt_check_stacks *s)
{
    size_t count;
    bool found = false;
    struct wt_origin *list = e->machine->ops->origins(e->machine, 0, first, end, &count);
    for (size_t i = 0; i < count && !found; i++) {
        const struct wt_origin *o = &list[i];
        found = o->part == WT_ORIGIN_STACK && o->known && o->base == WT_ORIGIN_NO_BASE &&
                o->index && o->scaled && !o->apart && o->step >= 256 && !(o->step & (o->step - 1));
        *s = (struct wt_check_stacks){
            .top = (uint64_t)o->constant, .size = o->step, .pointer = STACK_POINTER};
    }
    free(list);
    return found;
}

/* The function is one that reads the thread's number. */
static bool stacks(struct wt_emulated *e, struct wt_check_stacks *s)
{
    enum { CSRR_MHARTID = 0xf1402073, NOT_RD = 0xfffff07f };
    const struct vortex *v = e->own;
    uint64_t first = 0, end = 0;
    for (size_t i = 0; i < v->image.segments; i++) {
        const struct wt_segment *part = &v->image.segment[i];
        for (uint64_t at = 0; part->executable && at + 4 <= part->length; at += 2)
            if ((wt_load_le(part->bytes + at, 4) & NOT_RD) == (uint32_t)CSRR_MHARTID &&
                part->addr + at >= end &&
                wt_function_of(e->machine, part->addr + at, &first, &end) &&
                stacks_of(e, first, end, s))
                return true;
    }
    return false;
}

/* The variable of a function's stack that the code makes an address of; or one at whose address
 * linker scripts have a symbol, too, if the code's file means the variable by it. */
static bool variable_of(void *context, enum wt_observed_space space, uint64_t pc,
                        const struct wt_origin *o, struct wt_known_variable *v)
{
    enum { MOST = 64 };
    const struct wt_emulated *e = context;
    struct wt_memory_variable list[MOST], found;
    const struct wt_module *m = wt_modules_at(e->modules, 0, pc);
    if (!m || !m->symbols)
        return false;
    if (o->base == WT_ORIGIN_NO_BASE)
        return wt_variable_of(e->machine, (uint64_t)o->constant, v) &&
               wt_file_defines(m->symbols, pc - m->bias, v->first - m->bias);
    if (o->base != STACK_POINTER)
        return false;
    const size_t count = wt_stack_variables(m->symbols, pc - m->bias, list, MOST);
    if (!wt_variable_that_holds(list, count, (uint64_t)o->constant, &found))
        return false;
    *v = (struct wt_known_variable){.first = found.offset, .size = found.size};
    snprintf(v->name, sizeof v->name, "%s", found.name);
    return true;
}

/* ---- the run ---- */

static uint32_t exit_word(struct wt_emulated *e)
{
    return vx_device_exit_word(wt_vortex_device(e));
}

static unsigned instruction_text(struct wt_emulated *e, const struct wt_symbols *code, uint64_t pc,
                                 const uint8_t *bytes, size_t available, char *text, size_t size)
{
    if (available < 2)
        return 0;
    return vx_disassemble_known(bytes, (unsigned)available,
                                e      ? ((const struct vortex *)e->own)->config.xlen
                                : code ? wt_symbols_bits(code)
                                       : 64,
                                pc, text, size);
}

/* ---- the debugger ---- */

static bool work(void *context, uint32_t warp, struct wt_vortex_work *to)
{
    struct vortex_work is;
    const bool any = vx_device_work(wt_vortex_device(context), warp, &is);
    if (any)
        *to = wt_vortex_work_of(&is);
    return any;
}

static void attach(struct wt_emulated *e)
{
    const struct vx_config *config = e->machine->config;
    struct vortex *own = e->own;
    own->link = (struct wt_vortex_link){.bus = e->bus,
                                        .exit_addr = config->exit_addr,
                                        .xlen = config->xlen,
                                        .ctas = config->profile->launch_unit,
                                        .work = config->profile->launch_unit ? work : NULL,
                                        .work_context = e};
    e->target.link = &own->link;
}

/* ---- host programs ---- */

static void describe(const void *config, char *text, size_t size)
{
    const struct vx_config *c = config;
    const unsigned cores = c->clusters * c->cores;
    snprintf(text, size, "a Vortex with %u core%s, %u warps of %u threads each, RV%u", cores,
             cores == 1 ? "" : "s", c->warps, c->threads, c->xlen ? c->xlen : 32);
}

/* ---- core files ---- */

static unsigned line_of(const struct wt_emulated *e)
{
    return ((const struct vx_config *)e->machine->config)->line;
}

#define DCTRL_DMACTIVE ((uint32_t)1 << 31)

/* A run without a debugger has the Debug Module disabled. */
static void make_ready(struct wt_emulated *e)
{
    struct vx_device *d = wt_vortex_device(e);
    if (!(vx_dm_read(d, VX_DM_DCTRL) & DCTRL_DMACTIVE))
        vx_dm_write(d, VX_DM_DCTRL, DCTRL_DMACTIVE);
}

static struct wt_rows_totals translated(const struct wt_emulated *e)
{
    return vx_device_translated((struct vx_device *)e->machine);
}

static void models(wt_model_fn *tell, void *context)
{
    for (size_t i = 0; i < vx_profile_count; i++) {
        char name[24], keys[24];
        snprintf(name, sizeof name, "vortex-%s", vx_profiles[i]->name);
        snprintf(keys, sizeof keys, "profile=%s", vx_profiles[i]->name);
        tell(context, name, vx_profiles[i]->about, keys);
    }
}

const struct wt_family wt_family_vortex = {
    .models = models,
    .name = "vortex",
    .config = {.table = &vx_config_table, .describe = describe},
    .files = {.runs = "programs for RISC-V",
              .elf_machine = EM_RISCV,
              .tell_image = wt_vortex_tell_image},
    .words = {.core = "core", .wave = "warp", .lane = "thread", .local = "local"},
    .profile = {.begins_alone = true},
    .line = line_of,
    .run = {.own_bytes = sizeof(struct vortex),
            .open = open_device,
            .load = load,
            .close = close_device,
            .exit_word = exit_word,
            .objects = add_objects,
            .allows = allows,
            .variable = variable_of,
            .stacks = stacks,
            .translated = translated},
    .isa = {.instruction_text = instruction_text,
            .assembler = "riscv64-unknown-elf-gcc assembles its text (Debian's package "
                         "gcc-riscv64-unknown-elf)",
            .list_isa = wt_vortex_list_isa,
            .list_support = wt_vortex_list_support,
            .explain_word = wt_vortex_explain_word,
            .list_profiles = wt_vortex_list_profiles},
    .core_file = {.operations = vx_operations, .make_ready = make_ready},
    .debug = {.attach = attach,
              .probe = &wt_probe_vortex,
              .most_units = 127 * 511,
              .shown_units = 1,
              .process = &wt_vortex_process,
              .gdb = true,
              .registers = &wt_vxdebug_table,
              .registers_elsewhere = true},
    .host = &wt_vortex_host_driver,
    .tasks = wt_vortex_tasks,
};
