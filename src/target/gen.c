/* Intel Gen9 as a family of targets: one kernel of a zebin. See gen.h. */
#include "target/gen.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "debug/source/source.h"
#include "emulator/gen/isa.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/meaning.h"
#include "object/elf_header.h"
#include "object/gen_steps.h"
#include "object/patchtokens.h"
#include "runtime/gen/launch.h"
#include "target/emulated.h"
#include "target/gen_debugger.h"
#include "target/gen_process.h"
#include "target/gen_text.h"
#include "target/launch.h"

struct gen {
    struct gen_object object;
    struct gen_launch launch;
    struct gen_device *device;
};

static struct gen *own(const struct wt_emulated *e)
{
    return e->own;
}

static void describe(const void *config, char *text, size_t size)
{
    const struct gen_config *c = config;
    snprintf(text, size, "HD Graphics 530: %u EUs; OpenCL, Level Zero", 8 * c->subslices);
}

/* ---- the launch ---- */

static enum wt_status choose_kernel(const struct wt_emulated *e, struct wt_error *err)
{
    struct gen *g = own(e);
    const char *name = e->options->kernel.name;
    if (g->launch.kernel) /* of machine code */
        return WT_OK;
    char names[300] = "";
    for (size_t i = 0, used = 0; i < g->object.kernel_count && used < sizeof names; i++)
        used +=
            (size_t)snprintf(names + used, sizeof names - used, " %s", g->object.kernel[i].name);
    if (name)
        g->launch.kernel = gen_object_kernel(&g->object, name);
    else if (g->object.kernel_count == 1)
        g->launch.kernel = &g->object.kernel[0];
    if (g->launch.kernel)
        return WT_OK;
    if (name)
        return wt_fail(err, WT_INVALID, "%s: there is no kernel '%.64s'; there are:%s", e->program,
                       name, names);
    return wt_fail(err, WT_INVALID, "%s: say by --kernel which one to run:%s", e->program, names);
}

static struct wt_launch_argument argument(const void *kernel, size_t index)
{
    struct wt_launch_argument a = {.name = gen_launch_name(kernel, index)};
    a.kind = gen_launch_kind(kernel, index, &a.size);
    return a;
}

static enum wt_status read_system(const struct wt_emulated *e, struct wt_error *err)
{
    struct wt_value *code = &e->launch->handler[0];
    enum wt_status status;
    if (!e->options->kernel.handler_count)
        return WT_OK;
    const char *path = e->options->kernel.handler[0];
    if (e->options->kernel.handler_count > 1)
        return wt_fail(err, WT_INVALID, "--trap-handler twice: Gen9 has one system routine");
    if ((status = wt_file_read(path, &code->bytes, &code->length, err)) != WT_OK)
        return status;
    if (!code->length || code->length % 8 || code->length > 1 << 20)
        return wt_fail(err, WT_INVALID,
                       "%s has %zu bytes; a system routine is the code alone, of 8 or 16 bytes an "
                       "instruction, and not more than a MiB",
                       path, code->length);
    return WT_OK;
}

/* Machine code as iga64 assembles it. --kernel gives the number of channels of its threads. */
static enum wt_status read_code(const struct wt_emulated *e, const uint8_t *bytes, size_t length,
                                struct wt_error *err)
{
    static const unsigned widths[] = {8, 16, 32};
    const struct wt_emulated_options *o = e->options;
    const char *wanted = o->kernel.name ? o->kernel.name : "simd16";
    unsigned simd = 0;
    char name[16];
    for (unsigned i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        snprintf(name, sizeof name, "simd%u", widths[i]);
        if (strcmp(wanted, name) == 0)
            simd = widths[i];
    }
    if (!simd)
        return wt_fail(
            err, WT_INVALID,
            "%s is machine code: --kernel=simd8, simd16 or simd32 says how many channels "
            "its threads have",
            e->program);
    enum gen_address_mode *mode = calloc(o->argument_count + 1, sizeof *mode);
    if (!mode)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < o->argument_count; i++) /* else a number */
        mode[i] = wt_value_names_buffer(o->argument[i])       ? GEN_ADDRESS_STATELESS
                  : strncmp(o->argument[i], "local:", 6) == 0 ? GEN_ADDRESS_SLM
                                                              : GEN_ADDRESS_NONE;
    enum wt_status status = gen_object_of_code(e->program, bytes, length, simd, mode,
                                               o->argument_count, &own(e)->object, err);
    free(mode);
    if (status == WT_OK)
        own(e)->launch.kernel = &own(e)->object.kernel[0];
    return status;
}

static bool has_format(const char *path)
{
    struct wt_elf_header header;
    return wt_elf_header_read(path, &header) || gen_patchtokens_is_file(path);
}

static enum wt_status read_object(struct wt_emulated *e, struct wt_error *err)
{
    enum wt_status status;
    uint8_t *bytes, *linked;
    size_t length, linked_length;
    if (e->options->load_count || e->options->base_given)
        return wt_fail(err, WT_UNSUPPORTED, "--load and --base are not for zebins");
    if ((status = wt_file_read(e->program, &bytes, &length, err)) != WT_OK)
        return status;
    status = has_format(e->program)
                 ? gen_object_parse(e->program, bytes, length, &own(e)->object, err)
                 : read_code(e, bytes, length, err);
    /* A kernel without symbols runs, too. */
    if (!status && gen_object_link(e->program, bytes, length, &own(e)->object, GEN_LAUNCH_CODE,
                                   &linked, &linked_length, WT_IGNORED) == WT_OK) {
        wt_modules_add_bytes(e->modules, e->program, linked, linked_length, 0, 0, NULL, WT_IGNORED);
        free(linked);
    }
    free(bytes);
    return status;
}

/* Where sub-groups of the kernel wait; by which lines is not known. */
static void find_steps(struct wt_emulated *e)
{
    struct gen_launch *l = &own(e)->launch;
    uint8_t *bytes = NULL;
    size_t length, size = 0;
    if (!l->kernel ||
        (has_format(e->program) && wt_file_read(e->program, &bytes, &length, WT_IGNORED) != WT_OK))
        return;
    const uint8_t *module = bytes ? wt_elf_section(bytes, length, GEN_STEPS_SECTION, &size) : NULL;
    l->steps = gen_steps_make(module, size, l->kernel->name, NULL, 0);
    free(bytes);
}

static enum wt_status read_program(struct wt_emulated *e, struct wt_error *err)
{
    struct gen_launch *l = &own(e)->launch;
    enum wt_status status;
    e->launch = &l->given;
    if ((status = read_object(e, err)) != WT_OK || (status = read_system(e, err)) != WT_OK ||
        (status = choose_kernel(e, err)) != WT_OK)
        return status;
    l->lanes = l->kernel->simd;
    if (e->options->kernel.shared)
        return wt_fail(err, WT_INVALID,
                       "--shared is for kernels of HIP and CUDA; local memory is an argument of a "
                       "Gen9's: --arg=local:BYTES");
    find_steps(e);
    return wt_launch_describe(e, l->kernel->name, l->kernel, gen_launch_arguments(l->kernel),
                              argument, err);
}

static enum wt_status open_device(struct wt_emulated *e, const void *config, struct wt_error *err)
{
    const enum wt_status status = gen_device_new(config, &own(e)->device, err);
    if (status)
        return status;
    e->machine = gen_machine(own(e)->device);
    e->is_elf = true;
    return WT_OK;
}

static enum wt_status load(struct wt_emulated *e, struct wt_error *err)
{
    gen_device_clear(own(e)->device);
    return gen_launch(own(e)->device, &own(e)->object, &own(e)->launch, err);
}

static void close_device(struct wt_emulated *e)
{
    gen_device_free(own(e)->device);
    gen_object_free(&own(e)->object);
    gen_steps_free(own(e)->launch.steps);
}

/* ---- the run ---- */

static enum wt_status print(struct wt_emulated *e, FILE *out, struct wt_error *err)
{
    const char *lost;
    if (e->core_file)
        return WT_OK; /* it was printed by the program */
    const enum wt_status status =
        gen_launch_print(own(e)->device, &own(e)->launch, out, &lost, err);
    if (status == WT_OK && lost)
        snprintf(e->notice, sizeof e->notice, "not all that the kernel prints is there: %s", lost);
    return status;
}

static void explain_fault(struct wt_emulated *e, FILE *out)
{
    const struct wt_fault *f = &e->machine->fault;
    if (f->kind == WT_FAULT_ACCESS && f->addr < GEN_SLM_APERTURE)
        gen_device_tell_walk(out, "  ", own(e)->device, f->addr);
}

/* Piece @p n of the payload that arguments are in; some overlap. */
static bool argument_piece(const struct gen_kernel *k, size_t n, struct wt_code_register *reg)
{
    for (size_t i = 0; i < k->payload_count; i++) {
        const struct gen_payload_argument *a = &k->payload[i];
        const bool is_pointer = a->kind == GEN_ARG_BUFFER_ADDRESS ||
                                (a->kind == GEN_ARG_BYPOINTER && a->object == GEN_OBJECT_MEMORY &&
                                 (a->mode == GEN_ADDRESS_STATELESS || a->mode == GEN_ADDRESS_SLM));
        if (a->index < 0 || (a->kind != GEN_ARG_BYVALUE && !is_pointer) || n--)
            continue;
        *reg = (struct wt_code_register){.parameter = (unsigned)a->index + 1,
                                         .at_launch = true,
                                         .at = a->source_offset,
                                         .offset = a->offset,
                                         .bytes = a->size};
        snprintf(reg->name, sizeof reg->name, "%s", gen_launch_name(k, (size_t)a->index));
        return true;
    }
    return false;
}

/* By the module: a core file has no program. */
static bool code_register(struct wt_emulated *e, uint64_t pc, size_t n,
                          struct wt_code_register *reg)
{
    const struct wt_module *module;
    struct gen_object object;
    const char *name;
    size_t length;
    const uint8_t *image = wt_modules_image(e->modules, pc, &module, &name, &length);
    if (!image || gen_object_parse(module->name, image, length, &object, WT_IGNORED) != WT_OK)
        return false;
    const struct gen_kernel *k = gen_object_kernel(&object, name);
    const bool found = k && argument_piece(k, n, reg);
    gen_object_free(&object);
    return found;
}

static unsigned instruction_text(struct wt_emulated *e, const struct wt_symbols *code, uint64_t pc,
                                 const uint8_t *bytes, size_t available, char *text, size_t size)
{
    if (available < 8)
        return 0;
    struct gen_word word = {.low = wt_load_le(bytes, 8)};
    if (available >= 16)
        word.high = wt_load_le(bytes + 8, 8);
    else if (!gen_is_compact(&word))
        return 0;
    return wt_gen_text(&word, text, size);
}

/* ---- the debugger ---- */

static void attach(struct wt_emulated *e)
{
    if (e->core_file)
        gen_debugger_attend(e);
    else
        gen_device_debug(own(e)->device, true);
}

static enum wt_status launch_again(struct wt_emulated *e, struct wt_error *err)
{
    return gen_debugger_launch(e, &own(e)->launch, err);
}

/* A run without a debugger has the driver's debug support off. */
static void make_ready(struct wt_emulated *e)
{
    gen_device_debug(own(e)->device, true);
}

static void list_isa(FILE *out, const void *config)
{
    static const char *const formats[] = {
        "no operands", "one source",  "two sources",  "three sources", "math",
        "JIP",         "JIP and UIP", "jump",         "call",          "return",
        "wait",        "message",     "split message"};
    for (unsigned i = 0; i < GEN_INSNS; i++) {
        const struct gen_row *row = &gen_rows[i];
        fprintf(out, "%-8s opcode 0x%02x, %s", row->name, row->opcode, formats[row->format]);
        wt_meaning_print_types(out, row->meaning);
        fputc('\n', out);
    }
    for (unsigned i = 0; i < 16; i++)
        if (gen_math_meaning(i)) {
            fprintf(out, "math.%s", gen_math_name(i));
            wt_meaning_print(out, ": ", gen_math_meaning(i));
            fputc('\n', out);
        }
}

static void list_support(wt_support_fn *tell, void *context)
{
    for (unsigned i = 0; i < GEN_INSNS; i++)
        if (gen_rows[i].format != GEN_FORMAT_MATH)
            tell(context, &(struct wt_support){"Gen9", gen_rows[i].name, WT_SUPPORT_WORKS,
                                               "the manual's words in Python, Intel's iga64"});
    tell(context,
         &(struct wt_support){
             "Gen9", GEN_BFREV_F, WT_SUPPORT_NEAR,
             "the manuals have no bfrev of a float: its bits are reversed. Intel's compiler makes "
             "it, by a mistake, of a loop that reverses another number of bits than 8, 16, 32 or "
             "64: the kernel's results are wrong"});
    for (unsigned function = 0; function < 16; function++) {
        char name[16];
        snprintf(name, sizeof name, "math.%s", gen_math_name(function));
        const bool near = gen_math_is_near(function);
        if (name[5] != '?')
            tell(context,
                 &(struct wt_support){"Gen9", name, near ? WT_SUPPORT_NEAR : WT_SUPPORT_WORKS,
                                      !near ? "the manual's words in Python, Intel's iga64"
                                            : "computed in double precision and rounded once, "
                                              "which is inside of the hardware's bounds"});
    }
}

static struct wt_rows_totals translated(const struct wt_emulated *e)
{
    return gen_device_translated((struct gen_device *)e->machine);
}

static void models(wt_model_fn *tell, void *context)
{
    tell(context, "gen9",
         "Intel Gen9 (Skylake GT2): EUs of seven threads, 128 registers of 256 bits", "");
}

const struct wt_family wt_family_gen = {
    .models = models,
    .name = "gen9",
    .config = {.table = &gen_config_table, .describe = describe},
    .files = {.runs = "compiled OpenCL programs (zebins, patch tokens)",
              .elf_machine = GEN_ELF_MACHINE,
              .takes = gen_patchtokens_is_file,
              .takes_code = true},
    .words = {.core = "subslice",
              .wave = "thread",
              .lane = "channel",
              .local = "local",
              .local_window = UINT64_C(0x0a) << 56, /* Intel's compiler's mark */
              .mask_digits = 8},
    .profile = GEN_PROFILE,
    .run = {.own_bytes = sizeof(struct gen),
            .read = read_program,
            .open = open_device,
            .load = load,
            .close = close_device,
            .print = print,
            .explain_fault = explain_fault,
            .translated = translated},
    .isa = {.reported = 16,
            .instruction_text = instruction_text,
            .code_register = code_register,
            .print_operand = gen_print_operand,
            .region = gen_read_region,
            .assembler =
                "iga64 -p=9 -a FILE assembles its text (Debian's package libigc-tools), and "
                "'wavetrap run -g gen9' takes the machine code",
            .list_isa = list_isa,
            .list_support = list_support,
            .list_registers = gen_list_registers,
            .explain_word = gen_explain_word},
    .core_file = {.operations = gen_debugger_operations, .make_ready = make_ready},
    .debug = {.probe = &wt_probe_gen,
              .unit_waves = GEN_SUBSLICE_THREADS,
              .most_units = 9,
              .shown_units = 3, /* a GT2 */
              .place = {[GEN_WIRE_SAVED] = GEN_SAVED_APERTURE,
                        [GEN_WIRE_SLM] = GEN_SLM_APERTURE,
                        [GEN_WIRE_FILE] = GEN_FILE_APERTURE},
              .attach = attach,
              .process = &wt_gen_process_ops,
              .attention = gen_debugger_attention,
              .looks = true,
              .launch_again = launch_again,
              .registers = &gen_register_table},
    .host = &wt_gen_host_driver,
    .tasks = wt_gen_tasks,
};
