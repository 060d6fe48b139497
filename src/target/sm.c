/* NVIDIA SM (sm_50) as a family of targets: one kernel of a cubin or of PTX. See sm.h. */
#include "target/sm.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/file.h"
#include "debug/sm/sm.h"
#include "emulator/machine/machine.h"
#include "emulator/sm/host.h"
#include "emulator/sm/sass/isa.h"
#include "emulator/sm/sm.h"
#include "emulator/translate/rows.h"
#include "object/cubin.h"
#include "object/ptx_word.h"
#include "runtime/common/value.h"
#include "target/emulated.h"
#include "target/history.h"
#include "target/sm_core.h"
#include "target/sm_process.h"
#include "target/sm_ptx.h"
#include "target/sm_text.h"

/* The memory map of a launch. Machine code is in the low 4 GiB, where JMP and JCAL reach. */
#define CODE UINT64_C(0x10000000)
#define PTX_CODE UINT64_C(0x100000000)
#define PTX_DATA UINT64_C(0x180000000)
#define HANDLER UINT64_C(0x20000000)
#define BANKS UINT64_C(0x30000000)
#define BANK_STRIDE UINT64_C(0x10000)
#define BUFFERS UINT64_C(0x200000000)
#define HEAP UINT64_C(0x300000000000)
#define HEAP_SIZE (UINT64_C(8) << 20)
#define LOCAL UINT64_C(0x400000000000)
/* c[0x0] below the parameters, as NVIDIA's driver fills it for sm_50. */
enum { BANK_BLOCK = 0x8, BANK_GRID = 0x14, BANK_STACK = 0x20 };

struct sm_parameter {
    uint32_t offset, size; /* bytes; from the first parameter */
    enum wt_value_kind kind;
};

/* The facts about a kernel that a launch needs, for machine code and for PTX. */
struct sm_kernel {
    const char *name;
    const struct cubin_function *code; /* NULL: PTX */
    const struct sm_ptx_kernel *ptx;   /* NULL: machine code */
    uint64_t entry;
    uint32_t shared, local; /* bytes */
    struct sm_parameter *parameter;
    size_t parameter_count;
    uint32_t parameter_bytes;
};

struct sm {
    WT_KERNEL_LAUNCH; /* first; its grid is whole blocks */
    struct cubin cubin;
    struct wt_sm_ptx ptx; /* ptx of PTX; then there is no cubin */
    struct sm_kernel kernel;
    uint32_t dynamic; /* bytes of shared memory behind the kernel's own */
    struct sm_device *device;
    struct sm_launch launch;
    struct wt_sm_ptx *loaded; /* of a core file */
    size_t loaded_count, loaded_capacity;
};

static struct sm *own(const struct wt_emulated *e)
{
    return e->own;
}

static bool independent_lanes(const struct wt_emulated *e)
{
    return sm_has_independent_lanes(sm_machine(own(e)->device)->config);
}

static void describe(const void *config, char *text, size_t size)
{
    const struct sm_config *c = config;
    snprintf(text, size,
             "wavetrap SM: compute capability %u.%u, %u SM%s, %" PRIu64
             " MiB; CUDA driver API, OpenMP, OpenACC",
             c->cc / 10, c->cc % 10, c->sms, c->sms == 1 ? "" : "s", c->memory >> 20);
}

/* ---- the program ---- */

/* Whether a file that is no ELF file is PTX, by its name or its first words. */
static bool takes_file(const char *path)
{
    uint8_t bytes[4096]; /* comments come first, and are not long */
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".ptx") == 0)
        return true;
    return ptx_is_text(bytes, wt_file_begin(path, bytes, sizeof bytes));
}

static enum wt_status read_ptx(struct wt_sm_ptx *p, const char *path, const uint8_t *bytes,
                               size_t length, struct wt_error *err)
{
    enum wt_status status;
    if ((status = wt_sm_ptx_add(p, path, (const char *)bytes, length, err)) != WT_OK)
        return status;
    if ((status = wt_sm_ptx_link(p, PTX_CODE, PTX_DATA, err)) != WT_OK)
        return status;
    if (sm_ptx_undefined(p->image))
        return wt_fail(err, WT_INVALID, "%s", sm_ptx_undefined(p->image));
    for (size_t i = 0; i < p->module[0].text->variable_count; i++)
        if (p->module[0].text->variable[i].address)
            return wt_fail(err, WT_UNSUPPORTED,
                           "%s:%u: .wavetrap_at is for modules of host programs: there is no host "
                           "here whose memory it could be",
                           path, p->module[0].text->variable[i].place.line);
    return WT_OK;
}

static enum wt_status read_program(struct wt_emulated *e, struct wt_error *err)
{
    enum wt_status status;
    uint8_t *bytes;
    size_t length;
    if (e->options->load_count || e->options->base_given)
        return wt_fail(err, WT_UNSUPPORTED, "--load and --base are not for cubins and PTX");
    if ((status = wt_file_read(e->program, &bytes, &length, err)) != WT_OK)
        return status;
    const bool is_elf = length >= 4 && memcmp(bytes, "\177ELF", 4) == 0;
    status = !is_elf ? read_ptx(&own(e)->ptx, e->program, bytes, length, err)
                     : cubin_parse(e->program, bytes, length, &own(e)->cubin, err);
    if (!status && is_elf)
        cubin_relocate(&own(e)->cubin, CODE, PTX_DATA, BANKS + 3 * BANK_STRIDE);
    free(bytes);
    return status;
}

static bool takes_kernel_of_code(struct sm_kernel *k, const struct cubin_function *f)
{
    *k = (struct sm_kernel){.name = f->name,
                            .code = f,
                            .entry = CODE + f->code,
                            .shared = f->shared,
                            .local = f->local,
                            .parameter_count = f->parameter_count,
                            .parameter_bytes = f->parameter_bytes,
                            .parameter = calloc(f->parameter_count + 1, sizeof *k->parameter)};
    for (size_t i = 0; k->parameter && i < f->parameter_count; i++)
        k->parameter[i] =
            (struct sm_parameter){.offset = f->parameter[i].offset, .size = f->parameter[i].size};
    return k->parameter != NULL;
}

static bool takes_kernel_of_ptx(struct sm_kernel *k, const struct sm_ptx_kernel *f)
{
    *k = (struct sm_kernel){.name = f->name,
                            .ptx = f,
                            .entry = f->entry,
                            .shared = f->shared,
                            .local = f->local,
                            .parameter_count = f->parameter_count,
                            .parameter_bytes = f->parameter_bytes,
                            .parameter = calloc(f->parameter_count + 1, sizeof *k->parameter)};
    for (size_t i = 0; k->parameter && i < f->parameter_count; i++) {
        const struct sm_ptx_parameter *p = &f->parameter[i];
        k->parameter[i] = (struct sm_parameter){.offset = p->offset, .size = p->size};
        if (p->is_pointer && p->space == PTX_SPACE_SHARED)
            k->parameter[i].kind = WT_VALUE_LOCAL;
    }
    return k->parameter != NULL;
}

/* Name of function i if it is a kernel, else NULL; false if there is no function i. */
static bool kernel_name(const struct sm *s, size_t i, const char **name)
{
    size_t count = s->cubin.function_count;
    const struct sm_ptx_kernel *list = s->ptx.image ? sm_ptx_kernels(s->ptx.image, &count) : NULL;
    if (i >= count)
        return false;
    if (list)
        *name = list[i].is_kernel ? list[i].name : NULL;
    else
        *name = s->cubin.function[i].is_kernel ? s->cubin.function[i].name : NULL;
    return true;
}

static enum wt_status choose_kernel(const struct wt_emulated *e, struct wt_error *err)
{
    struct sm *s = own(e);
    const char *wanted = e->options->kernel.name, *name;
    char names[300] = "";
    size_t used = 0, kernels = 0, chosen = SIZE_MAX;
    for (size_t i = 0; kernel_name(s, i, &name); i++) {
        if (!name)
            continue;
        kernels++;
        if (wanted ? strcmp(name, wanted) == 0 : kernels == 1)
            chosen = i;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, " %s", name);
    }
    if (wanted && chosen == SIZE_MAX)
        return wt_fail(err, WT_INVALID, "%s: there is no kernel '%.64s'; there are:%s", e->program,
                       wanted, names);
    if (!wanted && kernels != 1)
        return wt_fail(err, WT_INVALID, "%s: say by --kernel which one to run:%s", e->program,
                       kernels ? names : " it has none");
    const bool taken =
        s->ptx.image
            ? takes_kernel_of_ptx(&s->kernel, &sm_ptx_kernels(s->ptx.image, &kernels)[chosen])
            : takes_kernel_of_code(&s->kernel, &s->cubin.function[chosen]);
    return taken ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

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
                           "--grid %u is not a multiple of --block %u: blocks of an SM are whole",
                           k->grid[i], s->block[i]);
        s->grid[i] = k->grid[i];
    }
    return WT_OK;
}

static enum wt_status wrong_count(const struct sm_kernel *k, size_t given, struct wt_error *err)
{
    char list[300] = "";
    for (size_t i = 0, used = 0; i < k->parameter_count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "\n  %zu: %u bytes", i,
                                 k->parameter[i].size);
    return wt_fail(err, WT_INVALID, "kernel %.64s takes %zu arguments; %zu --arg are given%s",
                   k->name, k->parameter_count, given, list);
}

/* Neither form says for every parameter whether it is a pointer: the given value decides. */
static enum wt_status read_values(const struct wt_emulated *e, struct wt_error *err)
{
    struct sm *s = own(e);
    const struct sm_kernel *k = &s->kernel;
    const size_t count = e->options->argument_count;
    const uint64_t added = e->options->kernel.shared;
    if (count != k->parameter_count)
        return wrong_count(k, count, err);
    if (added > UINT32_MAX / 4)
        return wt_fail(err, WT_INVALID, "--shared: an SM has less shared memory");
    if (added) /* behind the kernel's own, where its variables of no size begin */
        s->dynamic = (k->shared + 15) / 16 * 16 + (uint32_t)added - k->shared;
    s->value = calloc(count + 1, sizeof *s->value);
    if (!s->value)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < count; i++) {
        const char *text = e->options->argument[i];
        const uint32_t size = k->parameter[i].size;
        enum wt_value_kind kind = k->parameter[i].kind;
        if (strncmp(text, "local:", 6) == 0)
            kind = WT_VALUE_LOCAL;
        if (wt_value_names_buffer(text) && kind != WT_VALUE_LOCAL)
            kind = WT_VALUE_BUFFER;
        if (kind == WT_VALUE_BUFFER && size != 8)
            return wt_fail(err, WT_INVALID,
                           "argument %zu has %u bytes; a pointer to a buffer has 8", i, size);
        s->value_count++;
        if (wt_value_parse(kind, size, text, &s->value[i], err) != WT_OK)
            return wt_fail_in(err, "argument %zu", i);
        if (kind == WT_VALUE_PLAIN && s->value[i].length != size)
            return wt_fail(err, WT_INVALID, "argument %zu has %u bytes, '%.64s' has %zu", i, size,
                           text, s->value[i].length);
        if (kind != WT_VALUE_LOCAL)
            continue;
        if (size != 8 && size != 4)
            return wt_fail(err, WT_INVALID,
                           "argument %zu has %u bytes; a pointer to shared memory has 4 or 8", i,
                           size);
        k->parameter[i].kind = kind;
        s->value[i].addr = (k->shared + s->dynamic + 15) / 16 * 16;
        s->dynamic = (uint32_t)(s->value[i].addr + s->value[i].length - k->shared);
        if (s->value[i].length > UINT32_MAX / 4 || s->dynamic > UINT32_MAX / 4)
            return wt_fail(err, WT_INVALID, "argument %zu: an SM has less shared memory", i);
    }
    return WT_OK;
}

/* The handler: the first function of a cubin, or raw bundles. */
static enum wt_status read_handler(const struct wt_emulated *e, struct wt_error *err)
{
    struct wt_value *h = &e->launch->handler[0];
    enum wt_status status;
    struct cubin cubin;
    if (!e->options->kernel.handler_count)
        return WT_OK;
    const char *path = e->options->kernel.handler[0];
    if (e->options->kernel.handler_count > 1)
        return wt_fail(err, WT_INVALID, "an SM has one trap handler");
    if ((status = wt_file_read(path, &h->bytes, &h->length, err)) != WT_OK)
        return status;
    if (h->length >= 4 && memcmp(h->bytes, "\177ELF", 4) == 0) {
        if ((status = cubin_parse(path, h->bytes, h->length, &cubin, err)) != WT_OK)
            return status;
        if (cubin.relocation_count) {
            cubin_free(&cubin);
            return wt_fail(err, WT_UNSUPPORTED,
                           "%s: a trap handler has no variables: its code is all that is loaded",
                           path);
        }
        const struct cubin_function *f = &cubin.function[0];
        memmove(h->bytes, cubin.code + f->code, f->size); /* a part of the file */
        h->length = f->size;
        cubin_free(&cubin);
    }
    if (!h->length || h->length % SM_BUNDLE || h->length > 1 << 20)
        return wt_fail(err, WT_INVALID,
                       "%s: %zu bytes; a trap handler is of whole bundles of 32, and not more than "
                       "a MiB",
                       path, h->length);
    return WT_OK;
}

static enum wt_status read_kernel(struct wt_emulated *e, struct wt_error *err)
{
    enum wt_status status;
    e->launch = &own(e)->given;
    if ((status = read_program(e, err)) != WT_OK || (status = choose_kernel(e, err)) != WT_OK ||
        (status = set_shape(e, err)) != WT_OK || (status = read_values(e, err)) != WT_OK)
        return status;
    return read_handler(e, err);
}

static enum wt_status open_device(struct wt_emulated *e, const void *config, struct wt_error *err)
{
    struct sm *s = own(e);
    enum wt_status status = sm_device_new(config, &s->device, err);
    if (!status && s->ptx.image)
        status = sm_device_attach_ptx(s->device, s->ptx.image, err);
    if (status)
        return status;
    if (e->core_file)
        wt_modules_set_bundles(e->modules, SM_BUNDLE, 8);
    e->machine = sm_machine(s->device);
    e->is_elf = true;
    return WT_OK;
}

static void close_device(struct wt_emulated *e)
{
    struct sm *s = own(e);
    sm_device_free(s->device);
    cubin_free(&s->cubin);
    wt_sm_ptx_free(&s->ptx);
    for (size_t i = 0; i < s->loaded_count; i++)
        wt_sm_ptx_free(&s->loaded[i]);
    free(s->loaded);
    free(s->kernel.parameter);
}

/* ---- the launch ---- */

static enum wt_status put(struct sm *s, uint64_t addr, const void *bytes, size_t size,
                          struct wt_error *err)
{
    return sm_device_write(s->device, addr, bytes, size)
               ? WT_OK
               : wt_fail(err, WT_NO_MEMORY, "no memory for %zu bytes at 0x%" PRIx64, size, addr);
}

/* The blocks of hardware in which buffers are. */
static enum wt_status map_blocks(struct sm *s, struct wt_error *err)
{
    uint64_t end = 0;
    for (size_t i = 0; i < s->value_count; i++)
        if (s->value[i].kind == WT_VALUE_BUFFER && s->value[i].length)
            end += (s->value[i].length + 0xfff) / 0x1000 * 0x1000 + 0x10000;
    end = (end + SM_BLOCK_BYTES - 1) / SM_BLOCK_BYTES * SM_BLOCK_BYTES;
    return end ? sm_device_map(s->device, BUFFERS, end, true, err) : WT_OK;
}

/* Buffers are placed one after the other, a page apart; a second load finds them mapped. */
static enum wt_status put_buffers(struct sm *s, bool first, struct wt_error *err)
{
    enum wt_status status;
    uint64_t at = BUFFERS;
    const bool blocks = ((const struct sm_config *)sm_machine(s->device)->config)->hardware_bounds;
    if (first && blocks && (status = map_blocks(s, err)) != WT_OK)
        return status;
    for (size_t i = 0; i < s->value_count; i++) {
        struct wt_value *v = &s->value[i];
        if (v->kind != WT_VALUE_BUFFER || v->is_null)
            continue;
        v->addr = at;
        if (v->length) {
            if (first && !blocks &&
                (status = sm_device_map(s->device, at, v->length, true, err)) != WT_OK)
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
        wt_store_le(bank + BANK_GRID + 4 * i, s->grid[i] / s->block[i], 4);
    }
    wt_store_le(bank + BANK_STACK, s->kernel.local, 4); /* the stack grows down from its end */
    for (size_t i = 0; i < s->value_count; i++) {
        const struct sm_parameter *p = &s->kernel.parameter[i];
        uint8_t *to = bank + CUBIN_PARAMETERS + p->offset;
        if (s->value[i].kind == WT_VALUE_PLAIN)
            memcpy(to, s->value[i].bytes, s->value[i].length);
        else
            wt_store_le(to, s->value[i].addr, p->size);
    }
}

static enum wt_status put_banks(struct sm *s, struct sm_launch *l, struct wt_error *err)
{
    enum wt_status status;
    const struct cubin_function *code = s->kernel.code;
    for (unsigned i = 0; code && i < SM_BANKS; i++) {
        const bool shared = i == 3 && s->cubin.bank3;
        const uint8_t *bytes = shared ? s->cubin.bank3 : code->bank[i];
        const uint32_t size = shared ? s->cubin.bank3_size : code->bank_size[i];
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
    l->bank_size[0] = CUBIN_PARAMETERS + s->kernel.parameter_bytes;
    status = put(s, BANKS, bank, l->bank_size[0], err);
    free(bank);
    return status;
}

/* Writes the code and the variables of the program, in their initial state. */
struct sm_part {
    uint64_t at;
    const uint8_t *bytes;
    size_t size;
    bool writable;
};

static size_t parts_of(const struct sm *s, struct sm_part part[3])
{
    size_t count = 0;
    if (s->ptx.image) {
        part[0] = (struct sm_part){.at = PTX_CODE};
        part[0].bytes = sm_ptx_code(s->ptx.image, &part[0].size);
        part[1] = (struct sm_part){.at = PTX_DATA, .writable = true};
        part[1].bytes = sm_ptx_data(s->ptx.image, &part[1].size);
        count = part[1].size ? 2 : 1;
    } else {
        part[count++] = (struct sm_part){CODE, s->cubin.code, s->cubin.code_size, false};
        if (s->cubin.data_size)
            part[count++] = (struct sm_part){PTX_DATA, s->cubin.data, s->cubin.data_size, true};
    }
    if (s->handler[0].length)
        part[count++] = (struct sm_part){HANDLER, s->handler[0].bytes, s->handler[0].length, false};
    return count;
}

/* Maps what stays mapped for the life of the device. */
static enum wt_status map_all(struct sm *s, struct wt_error *err)
{
    enum wt_status status;
    struct sm_part part[3];
    const size_t count = parts_of(s, part);
    const uint64_t local = sm_device_local_size(s->device, s->kernel.local);
    for (size_t i = 0; i < count; i++)
        if ((status = sm_device_map(s->device, part[i].at, part[i].size, part[i].writable, err)) !=
            WT_OK)
            return status;
    status = sm_device_map(s->device, BANKS, SM_BANKS * BANK_STRIDE, false, err);
    if (!status && s->ptx.image)
        status = sm_device_map(s->device, HEAP, HEAP_SIZE, true, err);
    if (status || !local)
        return status;
    return sm_device_map(s->device, LOCAL, local, true, err);
}

/* Accesses name the variables from which their addresses come. */
static void find_origins(struct wt_emulated *e)
{
    const struct sm *s = e->own;
    if (s->ptx.image)
        sm_ptx_find_origins(s->ptx.image, s->ptx.module, s->ptx.count);
}

/* In a cubin each function is at address 0; the module has the addresses in memory. A kernel
 * without symbols runs, too. */
static void add_module(struct wt_emulated *e)
{
    const struct sm *s = own(e);
    uint8_t *bytes;
    size_t length;
    if (s->ptx.image) {
        wt_sm_ptx_add_module(&s->ptx, e->modules, NULL, WT_IGNORED);
        return;
    }
    wt_modules_set_bundles(e->modules, SM_BUNDLE, 8);
    struct cubin code = s->cubin; /* its variables are elsewhere */
    code.variable_count = code.relocation_count = code.data_size = code.initialized = 0;
    if (cubin_write(&code, &bytes, &length, WT_IGNORED) != WT_OK)
        return;
    wt_modules_add_bytes(e->modules, e->program, bytes, length, CODE, 0, NULL, WT_IGNORED);
    free(bytes);
}

static struct sm_launch launch_of(const struct sm *s)
{
    const struct sm_kernel *k = &s->kernel;
    struct sm_launch l = {.entry = k->entry,
                          .shared = k->shared + s->dynamic,
                          .local = k->local,
                          .local_base = LOCAL};
    for (unsigned i = 0; i < 3; i++) {
        l.grid[i] = s->grid[i] / s->block[i];
        l.block[i] = s->block[i];
    }
    if (k->code) {
        l.registers = k->code->registers ? k->code->registers : 255;
        return l;
    }
    sm_ptx_launch(s->ptx.image, k->ptx, &l);
    l.heap = HEAP;
    l.heap_size = HEAP_SIZE;
    return l;
}

static enum wt_status load(struct wt_emulated *e, struct wt_error *err)
{
    struct sm *s = own(e);
    struct wt_machine *m = e->machine;
    const bool first = wt_modules_at(e->modules, 0, s->kernel.entry) == NULL;
    enum wt_status status;
    s->launch = launch_of(s);
    struct sm_part part[3];
    const size_t count = parts_of(s, part);
    m->ops->reset(m);
    if (first && (status = map_all(s, err)) != WT_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        if ((status = put(s, part[i].at, part[i].bytes, part[i].size, err)) != WT_OK)
            return status;
    static const uint8_t none[32];
    if (s->ptx.image && (status = put(s, HEAP, none, sizeof none, err)) != WT_OK)
        return status;
    if ((status = put_buffers(s, first, err)) != WT_OK ||
        (status = put_banks(s, &s->launch, err)) != WT_OK)
        return status;
    if (s->handler[0].length)
        sm_device_set_trap_handler(s->device, HANDLER);
    if (first)
        add_module(e);
    return sm_device_launch(s->device, &s->launch, err);
}

/* ---- the run ---- */

/* ---- the debugger ---- */

static void attach(struct wt_emulated *e)
{
    struct sm *s = own(e);
    if (e->core_file)
        s->launch = *sm_device_latest_launch(s->device);
    e->link.place[WT_SM_HANDLER] = sm_device_trap_handler(s->device);
}

static_assert((int)WT_SM_LOCAL == (int)SM_REGISTER_LOCAL && (int)WT_SM_P0 == (int)SM_REGISTER_P0 &&
                  (int)WT_SM_PC == (int)SM_REGISTER_PC && WT_SM_SHARED_WINDOW == SM_SHARED_WINDOW &&
                  WT_SM_LOCAL_WINDOW == SM_LOCAL_WINDOW,
              "the probe's numbers of registers, and its addresses, are the emulator's");

static enum wt_status launch_again(struct wt_emulated *e, struct wt_error *err)
{
    return wt_emulated_operation(e, sm_do_launch, &own(e)->launch, sizeof own(e)->launch)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "the kernel cannot be launched again");
}

/* ---- core files ---- */

static bool write_code(struct wt_emulated *e, struct wt_core_writer *w, struct wt_archive *a)
{
    const struct sm *s = own(e);
    for (size_t i = 0; i < s->loaded_count; i++)
        wt_sm_core_write(&s->loaded[i], sm_ptx_code_address(s->loaded[i].image),
                         sm_ptx_data_address(s->loaded[i].image), w, a);
    if (s->ptx.image)
        wt_sm_core_write(&s->ptx, PTX_CODE, PTX_DATA, w, a);
    return s->ptx.image;
}

static enum wt_status take_code(struct wt_emulated *e, struct wt_archive *a, struct wt_error *err)
{
    struct sm *s = own(e);
    struct wt_sm_ptx *grown =
        wt_array_grow(s->loaded, &s->loaded_capacity, s->loaded_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    s->loaded = grown;
    grown[s->loaded_count] = (struct wt_sm_ptx){.count = 0};
    return wt_sm_core_take(a, s->device, e->modules, &grown[s->loaded_count++], err);
}

static enum wt_status name_code(struct wt_archive *a, struct wt_modules *modules,
                                struct wt_error *err)
{
    struct wt_sm_ptx program = {.count = 0};
    const enum wt_status status = wt_sm_core_take(a, NULL, modules, &program, err);
    wt_sm_ptx_free(&program);
    return status;
}

/* The error status of a warp, and the address of the error. */
static void explain_registers(FILE *out, const char *const *name, const uint64_t *value,
                              size_t count)
{
    uint64_t esr = 0, esr_pc = 0, trapped = 0, pc = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name[i], "warpesr") == 0)
            esr = value[i];
        else if (strcmp(name[i], "esrpc") == 0)
            esr_pc = value[i];
        else if (strcmp(name[i], "trapped") == 0)
            trapped = value[i];
        else if (strcmp(name[i], "warppc") == 0)
            pc = value[i];
    }
    const unsigned error = esr & 0xffff, trap = esr >> 16 & 7;
    fprintf(out, "HWW_WARP_ESR = 0x%08" PRIx64 ": %s\n", esr,
            error  ? sm_error_name(error)
            : trap ? "a trap"
                   : "nothing");
    if (error)
        fprintf(out, "  ERROR = 0x%02x, made at 0x%" PRIx64 "\n", error, esr_pc);
    if (trap)
        fprintf(out, "  TRAP = %u: BPT.TRAP 0x%x\n", trap, trap);
    if (trapped)
        fprintf(out, "The warp is in the trap handler, at 0x%" PRIx64 ".\n", pc);
}

/* A bundle begins with a control word, which is no instruction; the length of a bundle's last
 * instruction includes the next control word. */
static unsigned instruction_text(struct wt_emulated *e, const struct wt_symbols *code, uint64_t pc,
                                 const uint8_t *bytes, size_t available, char *text, size_t size)
{
    if (available < 8 || (!e && (wt_load_le(bytes, 8) & PTX_WORD_MASK) == PTX_WORD))
        return 0; /* the text of PTX is the device's */
    if (sm_is_control(pc)) {
        snprintf(text, size, "(control)");
        return 8;
    }
    if (e)
        sm_device_instruction_text(own(e)->device, pc, wt_load_le(bytes, 8), text, size);
    else
        sm_disassemble(wt_load_le(bytes, 8), pc, 0, text, size);
    return (unsigned)(sm_next_pc(pc) - pc);
}

static bool code_register(struct wt_emulated *e, uint64_t pc, size_t n,
                          struct wt_code_register *reg)
{
    const struct sm *s = own(e);
    bool found = wt_sm_ptx_code_register(s->ptx.image, pc, n, reg);
    for (size_t i = 0; i < s->loaded_count && !found; i++)
        found = wt_sm_ptx_code_register(s->loaded[i].image, pc, n, reg);
    return found;
}

/* ---- faults ---- */

/* Nothing is said of an offset into shared or local memory. */
static bool fault_memory(struct wt_emulated *e, const struct wt_fault *fault, char *text,
                         size_t size)
{
    return !sm_fault_is_global(fault);
}

static struct wt_rows_totals translated(const struct wt_emulated *e)
{
    return sm_device_translated((struct sm_device *)e->machine);
}

/* The compute capabilities that NVIDIA's GPUs have, up to the newest whose features programs find.
 */
static void models(wt_model_fn *tell, void *context)
{
    static const uint8_t capabilities[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
    for (size_t i = 0; i < sizeof capabilities; i++) {
        const unsigned cc = capabilities[i];
        char name[16], about[60], keys[16];
        snprintf(name, sizeof name, "sm_%u", cc);
        snprintf(about, sizeof about, "NVIDIA: programs see compute capability %u.%u", cc / 10,
                 cc % 10);
        snprintf(keys, sizeof keys, "cc=%u.%u", cc / 10, cc % 10);
        tell(context, name, about, keys);
    }
}

const struct wt_family wt_family_sm = {
    .models = models,
    .name = "sm",
    .config = {.table = &sm_config_table, .describe = describe},
    .files = {.runs = "cubins and PTX", .elf_machine = CUBIN_ELF_MACHINE, .takes = takes_file},
    .words = {.core = "sm",
              .wave = "warp",
              .lane = "lane",
              .local = "shared",
              .local_window = SM_SHARED_WINDOW,
              .private_window = SM_LOCAL_WINDOW,
              .mask_digits = 8},
    .profile = SM_PROFILE,
    .run = {.own_bytes = sizeof(struct sm),
            .read = read_kernel,
            .open = open_device,
            .load = load,
            .close = close_device,
            .objects = find_origins,
            .fault_memory = fault_memory,
            .independent_lanes = independent_lanes,
            .translated = translated},
    .isa = {.reported = 8,
            .instruction_text = instruction_text,
            .code_register = code_register,
            .explain_registers = explain_registers,
            .assemble = wt_sm_assemble,
            .disassemble = wt_sm_disassemble,
            .list_isa = wt_sm_list_isa,
            .list_support = wt_sm_list_support,
            .explain_word = wt_sm_explain_word},
    .core_file = {.write_code = write_code,
                  .take_code = take_code,
                  .name_code = name_code,
                  .code_text = wt_sm_core_text,
                  .code_text_end = wt_sm_core_text_end,
                  .operations = sm_operations},
    .debug = {.probe = &wt_probe_sm,
              .unit_waves = SM_WARPS,
              .most_units = 64,
              .shown_units = 1,
              .attach = attach,
              .process = &wt_sm_process_ops,
              .looks = true,
              .launch_again = launch_again,
              .serve = sm_serve,
              .registers = &sm_register_table},
    .host = &wt_sm_host_driver,
    .tasks = wt_sm_tasks,
};
