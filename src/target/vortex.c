/* Vortex as a family of targets. See vortex.h. */
#include "target/vortex.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "debug/vortex/vortex.h"
#include "debug/vortex/vxdebug.h"
#include "emulator/vortex/profile.h"
#include "emulator/vortex/vortex.h"
#include "object/image.h"
#include "target/emulated.h"

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

static enum wt_status open_device(struct wt_emulated *e, const void *config, struct wt_error *err)
{
    struct vortex *v = calloc(1, sizeof *v);
    enum wt_status status;
    if (!v)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    e->own = v;
    v->config = *(const struct vx_config *)config;
    wt_emulated_override(e, &v->config.schedule, &v->config.fill);
    if ((status = read_arguments(e, v, err)) != WT_OK)
        return status;
    if (e->options->kernel.given)
        return wt_fail(
            err, WT_INVALID,
            "%s is no AMD code object: --kernel, --grid, --block, --trap-handler, "
            "--dump-arg, --compare-arg, --who-wrote=N:OFFSET and --who-read=N:OFFSET are for those",
            e->program ? e->program : "nothing");
    if (e->program && (status = read_program(e, v, err)) != WT_OK)
        return status;
    if (!v->config.xlen)
        v->config.xlen = v->image.bits;
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
    if (!v)
        return;
    if (v->device)
        vx_device_free(v->device);
    wt_image_free(&v->image);
    free(v);
    e->own = NULL;
}

/* ---- the run ---- */

static uint32_t exit_word(struct wt_emulated *e)
{
    return vx_device_exit_word(wt_vortex_device(e));
}

static unsigned instruction_text(struct wt_emulated *e, uint64_t pc, const uint8_t *bytes,
                                 size_t available, char *text, size_t size)
{
    if (available < 2)
        return 0;
    return vx_disassemble(bytes, (unsigned)available, ((const struct vortex *)e->own)->config.xlen,
                          pc, text, size);
}

/* ---- the debugger ---- */

static void attach(struct wt_emulated *e)
{
    const struct vx_config *config = vx_device_config(wt_vortex_device(e));
    struct vortex *own = e->own;
    own->link = (struct wt_vortex_link){
        .bus = e->bus, .exit_addr = config->exit_addr, .xlen = config->xlen};
    e->target.link = &own->link;
}

/* ---- core files ---- */

static const void *config_of(const struct wt_emulated *e)
{
    return vx_device_config(wt_vortex_device(e));
}

static unsigned line_of(const struct wt_emulated *e)
{
    return ((const struct vx_config *)config_of(e))->line;
}

#define DCTRL_DMACTIVE ((uint32_t)1 << 31)

/* A run without a debugger has the Debug Module disabled. */
static void make_ready(struct wt_emulated *e)
{
    struct vx_device *d = wt_vortex_device(e);
    if (!(vx_dm_read(d, VX_DM_DCTRL) & DCTRL_DMACTIVE))
        vx_dm_write(d, VX_DM_DCTRL, DCTRL_DMACTIVE);
}

const struct wt_family wt_family_vortex = {
    .name = "vortex",
    .config = {.table = &vx_config_table, .of = config_of},
    .files = {.runs = "programs for RISC-V", .elf_machine = EM_RISCV},
    .words = {.core = "core", .wave = "warp", .lane = "thread", .local = "local"},
    .profile = {.begins_alone = true},
    .line = line_of,
    .run = {.open = open_device, .load = load, .close = close_device, .exit_word = exit_word},
    .isa = {.instruction_text = instruction_text,
            .list_isa = wt_vortex_list_isa,
            .explain_word = wt_vortex_explain_word,
            .list_profiles = wt_vortex_list_profiles},
    .core_file = {.make_ready = make_ready},
    .debug = {.attach = attach,
              .probe = &wt_probe_vortex,
              .gdb = true,
              .registers = &wt_vxdebug_table,
              .registers_elsewhere = true},
    .tasks = wt_vortex_tasks,
};
