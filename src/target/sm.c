/* NVIDIA SM (sm_50) as a family of targets: one kernel of a cubin. See sm.h. */
#include "target/sm.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "emulator/sm/assembler.h"
#include "emulator/sm/isa.h"
#include "emulator/sm/sm.h"
#include "object/cubin.h"
#include "runtime/common/value.h"
#include "target/emulated.h"

/* The memory map of a launch. Code is in the low 4 GiB, where JMP and JCAL reach. */
#define CODE UINT64_C(0x10000000)
#define HANDLER UINT64_C(0x20000000)
#define BANKS UINT64_C(0x30000000)
#define BANK_STRIDE UINT64_C(0x10000)
#define BUFFERS UINT64_C(0x200000000)
#define LOCAL UINT64_C(0x400000000000)
/* c[0x0] below the parameters, as NVIDIA's driver fills it for sm_50. */
enum { BANK_BLOCK = 0x8, BANK_GRID = 0x14, BANK_STACK = 0x20 };

struct sm {
    struct cubin cubin;
    const struct cubin_function *kernel;
    uint32_t grid[3], block[3]; /* CTAs; threads of one */
    struct wt_value *value;
    bool *is_buffer;
    size_t value_count;
    uint8_t *handler;
    size_t handler_size;
    struct sm_device *device;
};

static struct sm *own(const struct wt_emulated *e)
{
    return e->own;
}

static void config_default(void *config)
{
    sm_config_default(config);
}

static enum wt_status config_parse(void *config, const char *text, struct wt_error *err)
{
    return sm_config_parse(config, text, err);
}

/* ---- the program ---- */

static enum wt_status read_program(struct wt_emulated *e, struct wt_error *err)
{
    enum wt_status status;
    uint8_t *bytes;
    size_t length;
    if (e->options->load_count || e->options->base_given)
        return wt_fail(err, WT_UNSUPPORTED, "--load and --base are not for cubins");
    if ((status = wt_file_read(e->program, &bytes, &length, err)) != WT_OK)
        return status;
    status = cubin_parse(e->program, bytes, length, &own(e)->cubin, err);
    free(bytes);
    return status;
}

static enum wt_status choose_kernel(const struct wt_emulated *e, struct wt_error *err)
{
    struct sm *s = own(e);
    const char *name = e->options->kernel.name;
    char names[300] = "";
    size_t used = 0, kernels = 0;
    for (size_t i = 0; i < s->cubin.function_count; i++) {
        const struct cubin_function *f = &s->cubin.function[i];
        if (!f->is_kernel)
            continue;
        kernels++;
        if (name ? strcmp(name, f->name) == 0 : kernels == 1)
            s->kernel = f;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, " %s", f->name);
    }
    if (s->kernel && (name || kernels == 1))
        return WT_OK;
    if (name)
        return wt_fail(err, WT_INVALID, "%s: there is no kernel '%.64s'; there are:%s", e->program,
                       name, names);
    return wt_fail(err, WT_INVALID, "%s: say by --kernel which one to run:%s", e->program,
                   kernels ? names : " it has none");
}

/* --grid counts work-items, as for every family; the grid of a launch counts CTAs. */
static enum wt_status set_shape(const struct wt_emulated *e, struct wt_error *err)
{
    const struct wt_kernel_options *k = &e->options->kernel;
    struct sm *s = own(e);
    if (!k->grid_given)
        return wt_fail(err, WT_INVALID, "say by --grid how many threads there are");
    for (unsigned i = 0; i < 3; i++) {
        s->block[i] = k->block_given ? k->block[i] : i ? 1 : 32;
        if (s->block[i] > k->grid[i])
            s->block[i] = k->grid[i];
        if (k->grid[i] % s->block[i])
            return wt_fail(err, WT_INVALID,
                           "--grid %u is no multiple of --block %u: blocks of an SM are whole",
                           k->grid[i], s->block[i]);
        s->grid[i] = k->grid[i] / s->block[i];
    }
    return WT_OK;
}

static bool names_buffer(const char *text)
{
    static const char *const words[] = {"zeros:", "iota:", "pattern:", "file:"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* A cubin does not say which parameters are pointers: what is given for them does. */
static enum wt_status read_values(const struct wt_emulated *e, struct wt_error *err)
{
    struct sm *s = own(e);
    const struct cubin_function *f = s->kernel;
    const size_t count = e->options->argument_count;
    if (count != f->parameter_count) {
        char list[300] = "";
        for (size_t i = 0, used = 0; i < f->parameter_count && used < sizeof list; i++)
            used += (size_t)snprintf(list + used, sizeof list - used, "\n  %zu: %u bytes", i,
                                     f->parameter[i].size);
        return wt_fail(err, WT_INVALID, "kernel %.64s takes %zu arguments; %zu --arg are given%s",
                       f->name, f->parameter_count, count, list);
    }
    s->value = calloc(count + 1, sizeof *s->value);
    s->is_buffer = calloc(count + 1, sizeof *s->is_buffer);
    if (!s->value || !s->is_buffer)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < count; i++) {
        const char *text = e->options->argument[i];
        enum wt_value_kind kind = WT_VALUE_PLAIN;
        s->is_buffer[i] = names_buffer(text);
        if (s->is_buffer[i]) {
            kind = WT_VALUE_BUFFER;
            if (f->parameter[i].size != 8)
                return wt_fail(err, WT_INVALID,
                               "argument %zu has %u bytes; a pointer to a buffer has 8", i,
                               f->parameter[i].size);
        }
        s->value_count++;
        if (wt_value_parse(kind, f->parameter[i].size, text, &s->value[i], err) != WT_OK)
            return wt_fail_in(err, "argument %zu", i);
        if (!s->is_buffer[i] && s->value[i].length != f->parameter[i].size)
            return wt_fail(err, WT_INVALID, "argument %zu has %u bytes, '%.64s' has %zu", i,
                           f->parameter[i].size, text, s->value[i].length);
    }
    return WT_OK;
}

/* The handler: the first function of a cubin, or raw bundles. */
static enum wt_status read_handler(const struct wt_emulated *e, struct wt_error *err)
{
    struct sm *s = own(e);
    enum wt_status status;
    struct cubin cubin;
    if (!e->options->kernel.handler_count)
        return WT_OK;
    const char *path = e->options->kernel.handler[0];
    if (e->options->kernel.handler_count > 1)
        return wt_fail(err, WT_INVALID, "an SM has one trap handler");
    if ((status = wt_file_read(path, &s->handler, &s->handler_size, err)) != WT_OK)
        return status;
    if (s->handler_size >= 4 && memcmp(s->handler, "\177ELF", 4) == 0) {
        if ((status = cubin_parse(path, s->handler, s->handler_size, &cubin, err)) != WT_OK)
            return status;
        const struct cubin_function *f = &cubin.function[0];
        memmove(s->handler, cubin.code + f->code, f->size); /* a part of the file */
        s->handler_size = f->size;
        cubin_free(&cubin);
    }
    if (!s->handler_size || s->handler_size % SM_BUNDLE || s->handler_size > 1 << 20)
        return wt_fail(err, WT_INVALID,
                       "%s: %zu bytes; a trap handler is of whole bundles of 32, and not more than "
                       "a MiB",
                       path, s->handler_size);
    return WT_OK;
}

static enum wt_status open_device(struct wt_emulated *e, const void *config, struct wt_error *err)
{
    struct sm_config gpu = *(const struct sm_config *)config;
    struct sm *s = calloc(1, sizeof *s);
    enum wt_status status;
    if (!s)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    e->own = s;
    if (e->options->schedule)
        gpu.schedule = *e->options->schedule;
    if ((status = read_program(e, err)) != WT_OK || (status = choose_kernel(e, err)) != WT_OK ||
        (status = set_shape(e, err)) != WT_OK || (status = read_values(e, err)) != WT_OK ||
        (status = read_handler(e, err)) != WT_OK ||
        (status = sm_device_new(&gpu, &s->device, err)) != WT_OK)
        return status;
    e->machine = sm_machine(s->device);
    e->is_elf = true;
    return WT_OK;
}

static void close_device(struct wt_emulated *e)
{
    struct sm *s = own(e);
    if (!s)
        return;
    for (size_t i = 0; i < s->value_count; i++)
        free(s->value[i].bytes);
    free(s->value);
    free(s->is_buffer);
    free(s->handler);
    sm_device_free(s->device);
    cubin_free(&s->cubin);
    free(s);
    e->own = NULL;
}

/* ---- the launch ---- */

static enum wt_status put(struct sm *s, uint64_t addr, const void *bytes, size_t size,
                          struct wt_error *err)
{
    return sm_device_write(s->device, addr, bytes, size)
               ? WT_OK
               : wt_fail(err, WT_NO_MEMORY, "no memory for %zu bytes at 0x%" PRIx64, size, addr);
}

/* Buffers one behind the other, a page apart; a second load finds them mapped. */
static enum wt_status put_buffers(struct sm *s, bool first, struct wt_error *err)
{
    enum wt_status status;
    uint64_t at = BUFFERS;
    for (size_t i = 0; i < s->value_count; i++) {
        if (!s->is_buffer[i])
            continue;
        struct wt_value *v = &s->value[i];
        v->addr = at;
        if (v->length) {
            if (first && (status = sm_device_map(s->device, at, v->length, true, err)) != WT_OK)
                return status;
            if ((status = put(s, at, v->bytes, v->length, err)) != WT_OK)
                return status;
        }
        at += (v->length + 0xfff) / 0x1000 * 0x1000 + 0x10000;
    }
    return WT_OK;
}

static void fill_bank0(const struct sm *s, uint8_t *bank)
{
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(bank + BANK_BLOCK + 4 * i, s->block[i], 4);
        wt_store_le(bank + BANK_GRID + 4 * i, s->grid[i], 4);
    }
    wt_store_le(bank + BANK_STACK, s->kernel->local, 4); /* the stack grows down from its end */
    for (size_t i = 0; i < s->value_count; i++) {
        uint8_t *to = bank + CUBIN_PARAMETERS + s->kernel->parameter[i].offset;
        if (s->is_buffer[i])
            wt_store_le(to, s->value[i].addr, 8);
        else
            memcpy(to, s->value[i].bytes, s->value[i].length);
    }
}

static enum wt_status put_banks(struct sm *s, struct sm_launch *l, struct wt_error *err)
{
    enum wt_status status;
    for (unsigned i = 0; i < SM_BANKS; i++) {
        const bool shared = i == 3 && s->cubin.bank3;
        const uint8_t *bytes = shared ? s->cubin.bank3 : s->kernel->bank[i];
        const uint32_t size = shared ? s->cubin.bank3_size : s->kernel->bank_size[i];
        if (!bytes || !size)
            continue;
        l->bank[i] = BANKS + i * BANK_STRIDE;
        l->bank_size[i] = size;
        if ((status = put(s, l->bank[i], bytes, size, err)) != WT_OK)
            return status;
    }
    uint8_t *bank = calloc(1, CUBIN_BANK_BYTES);
    if (!bank)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    fill_bank0(s, bank);
    l->bank[0] = BANKS;
    l->bank_size[0] = CUBIN_PARAMETERS + s->kernel->parameter_bytes;
    status = put(s, BANKS, bank, l->bank_size[0], err);
    free(bank);
    return status;
}

/* What is mapped once for the life of the device. */
static enum wt_status map_all(struct sm *s, struct wt_error *err)
{
    enum wt_status status;
    const uint64_t local = sm_device_local_size(s->device, s->kernel->local);
    if ((status = sm_device_map(s->device, CODE, s->cubin.code_size, false, err)) != WT_OK ||
        (status = sm_device_map(s->device, BANKS, SM_BANKS * BANK_STRIDE, false, err)) != WT_OK)
        return status;
    if (s->handler &&
        (status = sm_device_map(s->device, HANDLER, s->handler_size, false, err)) != WT_OK)
        return status;
    return local ? sm_device_map(s->device, LOCAL, local, true, err) : WT_OK;
}

/* In a cubin each function is at 0; the module has them where they are. A kernel runs without its
 * symbols, too. */
static void add_module(struct wt_emulated *e)
{
    uint8_t *bytes;
    size_t length;
    if (cubin_write(&own(e)->cubin, &bytes, &length, WT_IGNORED) != WT_OK)
        return;
    wt_modules_add_bytes(e->modules, e->program, bytes, length, CODE, 0, NULL, WT_IGNORED);
    free(bytes);
}

static enum wt_status load(struct wt_emulated *e, struct wt_error *err)
{
    struct sm *s = own(e);
    struct wt_machine *m = e->machine;
    const bool first = wt_modules_at(e->modules, 0, CODE) == NULL;
    enum wt_status status;
    struct sm_launch l = {.entry = CODE + s->kernel->code,
                          .registers = s->kernel->registers ? s->kernel->registers : 255,
                          .shared = s->kernel->shared,
                          .local = s->kernel->local,
                          .local_base = LOCAL};
    memcpy(l.grid, s->grid, sizeof l.grid);
    memcpy(l.block, s->block, sizeof l.block);
    m->ops->reset(m);
    if (first && (status = map_all(s, err)) != WT_OK)
        return status;
    if ((status = put(s, CODE, s->cubin.code, s->cubin.code_size, err)) != WT_OK ||
        (status = put_buffers(s, first, err)) != WT_OK || (status = put_banks(s, &l, err)) != WT_OK)
        return status;
    if (s->handler) {
        if ((status = put(s, HANDLER, s->handler, s->handler_size, err)) != WT_OK)
            return status;
        sm_device_set_trap_handler(s->device, HANDLER);
    }
    if (first)
        add_module(e);
    return sm_device_launch(s->device, &l, err);
}

/* ---- the run ---- */

static unsigned waves_per_core(const struct wt_emulated *e)
{
    return SM_WARPS;
}

/* Kernels have no status. */
static uint32_t exit_word(struct wt_emulated *e)
{
    return 0;
}

static bool instruction(struct wt_emulated *e, uint64_t pc, char *text, size_t size)
{
    uint8_t bytes[8];
    if (!sm_device_read(own(e)->device, pc, bytes, sizeof bytes))
        return false;
    sm_disassemble(wt_load_le(bytes, 8), pc, 0, text, size);
    return true;
}

static bool buffer(const struct wt_emulated *e, size_t index, struct wt_kernel_buffer *out)
{
    const struct sm *s = own(e);
    if (index >= s->value_count || !s->is_buffer[index])
        return false;
    *out = (struct wt_kernel_buffer){
        .name = "", .addr = s->value[index].addr, .length = s->value[index].length};
    return true;
}

static bool work_item(struct wt_emulated *e, uint32_t wave, unsigned lane, uint64_t item[3])
{
    const struct sm *s = own(e);
    uint32_t cta[3], index;
    if (!sm_warp_cta(s->device, wave, cta, &index))
        return false;
    const uint32_t thread = index * e->machine->lanes + lane;
    item[0] = (uint64_t)cta[0] * s->block[0] + thread % s->block[0];
    item[1] = (uint64_t)cta[1] * s->block[1] + thread / s->block[0] % s->block[1];
    item[2] = (uint64_t)cta[2] * s->block[2] + thread / s->block[0] / s->block[1];
    return true;
}

static void list_isa(FILE *out)
{
    for (unsigned i = 0; i < SM_INSNS; i++) {
        static const char *const forms[SM_FORMS] = {"register", "constant", "immediate",
                                                    "register-constant"};
        char name[32];
        sm_mnemonic((enum sm_insn)i, name, sizeof name);
        fprintf(out, "%-20s", name);
        for (unsigned f = 0; f < SM_FORMS; f++)
            if (sm_rows[i].word[f])
                fprintf(out, " %s 0x%016" PRIx64, forms[f], sm_rows[i].word[f]);
        fputc('\n', out);
    }
}

/* ---- assembler ---- */

static enum wt_status assemble(const char *name, const char *text, uint8_t **bytes, size_t *length,
                               struct wt_error *err)
{
    enum wt_status status;
    struct cubin cubin;
    if ((status = sm_assemble_file(name, text, &cubin, err)) != WT_OK)
        return status;
    status = cubin_write(&cubin, bytes, length, err);
    cubin_free(&cubin);
    return status;
}

static enum wt_status disassemble(const char *name, const uint8_t *bytes, size_t length, FILE *out,
                                  struct wt_error *err)
{
    enum wt_status status;
    struct cubin cubin;
    if ((status = cubin_parse(name, bytes, length, &cubin, err)) != WT_OK)
        return status;
    sm_disassemble_file(&cubin, out);
    cubin_free(&cubin);
    return WT_OK;
}

const struct wt_family wt_family_sm = {
    .name = "sm",
    .runs = "cubins",
    .elf_machine = CUBIN_ELF_MACHINE,
    .core_word = "sm",
    .wave_word = "warp",
    .lane_word = "lane",
    .mask_digits = 8,
    .config_size = sizeof(struct sm_config),
    .config_default = config_default,
    .config_parse = config_parse,
    .config_help = sm_config_help,
    .open = open_device,
    .load = load,
    .close = close_device,
    .waves_per_core = waves_per_core,
    .exit_word = exit_word,
    .instruction = instruction,
    .buffer = buffer,
    .work_item = work_item,
    .list_isa = list_isa,
    .registers = &sm_register_table,
    .assemble = assemble,
    .disassemble = disassemble,
};
