/* `wavetrap info`: describes a file, or the emulated GPU. */
#include "base/text.h"
#include "cli/cli.h"

#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "cli/info.h"
#include "debug/source/symbols.h"
#include "object/code_object.h"
#include "object/cubin.h"
#include "object/elf_header.h"
#include "object/fatbin.h"
#include "object/image.h"
#include "object/patchtokens.h"
#include "object/zebin.h"

enum { MOST_GPUS = 16 };

struct info {
    bool isa, models, profile, extension, registers, devices, support, support_json;
    const char *register_form;   /* NULL: a table */
    const char *word;            /* NULL: none is explained */
    const char *spec[MOST_GPUS]; /* --gpu */
    unsigned spec_count;
    struct wt_gpu gpu; /* that they say, but for --devices */
    uint64_t base;
    bool base_given;
};

static enum wt_status set_gpu(void *context, const char *value, struct wt_error *err)
{
    struct info *info = context;
    if (info->spec_count == MOST_GPUS)
        return wt_fail(err, WT_INVALID, "--gpu is given more than %d times", MOST_GPUS);
    info->spec[info->spec_count++] = value;
    return WT_OK;
}

/* The GPU that files, listings and words are about. */
static enum wt_status choose_gpu(struct info *info, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (unsigned i = 0; i < info->spec_count && !info->devices && !status; i++)
        status = wt_gpu_choose(&info->gpu, info->spec[i], err);
    return status;
}

static enum wt_status set_registers(void *context, const char *value, struct wt_error *err)
{
    struct info *info = context;
    info->registers = true;
    info->register_form = value;
    return WT_OK;
}

static enum wt_status set_support(void *context, const char *value, struct wt_error *err)
{
    struct info *info = context;
    info->support = true;
    info->support_json = value != NULL;
    return !value || strcmp(value, "json") == 0
               ? WT_OK
               : wt_fail(err, WT_INVALID, "--support=%.64s: only 'json'", value);
}

static enum wt_status set_base(void *context, const char *value, struct wt_error *err)
{
    ((struct info *)context)->base_given = true;
    return wt_parse_number(value, &((struct info *)context)->base, err);
}

static const struct wt_option options[] = {
    {"gpu", 'g', "GPU",
     "which GPU --isa, --support, --registers, --explain-word and --devices are\nabout (vortex; "
     "all)",
     WT_OPTION_SET(set_gpu)},
    {"devices", 0, NULL, "list the GPUs that host programs see, or what they see of --gpu",
     WT_OPTION_FLAG(struct info, devices)},
    {"models", 0, NULL, "list the models of GPUs that --gpu takes, by family",
     WT_OPTION_FLAG(struct info, models)},
    {"isa", 0, NULL, "list the instructions of the emulated GPU: names, encodings, results",
     WT_OPTION_FLAG(struct info, isa)},
    {"support", 0, "[=json]",
     "list what works of the instructions and functions, what is only near to\nhardware's results, "
     "and what is refused, and why",
     WT_OPTION_SET(set_support)},
    {"registers", 0, "[=xml|c]",
     "gen9: list the registers of a thread: a table, or as GDB's sources do",
     WT_OPTION_SET(set_registers)},
    {"explain-word", 0, "HEX",
     "explain an instruction: gen9, 8 or 16 bytes, field by field; gcn (its\ndwords), sm and "
     "vortex, what it reads and writes",
     WT_OPTION_TEXT(struct info, word)},
    {"profile", 0, NULL, "list Vortex's platform profiles, or that of --gpu: addresses, CSRs, DCRs",
     WT_OPTION_FLAG(struct info, profile)},
    {"gdb-extension", 0, NULL, "print where the file is that adds commands for GPUs to GDB",
     WT_OPTION_FLAG(struct info, extension)},
    {"base", 0, "ADDRESS", "where a raw binary would go (default 0x80000000)",
     WT_OPTION_SET(set_base)},
    {0},
};

/* ---- a file ---- */

static void tell_elf(const char *path, const struct wt_image *image)
{
    static const char *const floats[] = {"soft-float", "single-float", "double-float",
                                         "quad-float"};
    printf("  machine: %s (%u), %u bits", wt_image_machine_name(image->elf_machine),
           image->elf_machine, image->bits);
    if (image->elf_machine == EM_RISCV)
        printf(", %s ABI%s", floats[(image->elf_flags & EF_RISCV_FLOAT_ABI) >> 1],
               image->elf_flags & EF_RISCV_RVC ? ", compressed instructions" : "");
    putchar('\n');
    cli_tell_debug_information(path);
}

static const char *runs_on(const struct wt_image *image)
{
    if (image->format != WT_IMAGE_ELF)
        return "vortex, if it is code of RISC-V: the format does not say";
    if (image->elf_machine != EM_RISCV)
        return "no GPU that is emulated";
    return image->bits == 64 ? "vortex:xlen=64" : "vortex:xlen=32";
}

static int tell_file(const struct info *info, const char *path)
{
    static const char *const formats[] = {"ELF executable", "raw binary", "Intel HEX",
                                          "Vortex .vxbin"};
    struct wt_image image;
    struct wt_error err;
    struct wt_elf_header header;
    const bool is_elf = wt_elf_header_read(path, &header);
    if (is_elf && header.machine == GCN_ELF_MACHINE)
        return cli_tell_code_object(path, &err) ? wt_subcommand_fail(&cli_info, &err) : 0;
    if ((is_elf && header.machine == GEN_ELF_MACHINE) || gen_patchtokens_is_file(path))
        return cli_tell_zebin(path, &err) ? wt_subcommand_fail(&cli_info, &err) : 0;
    if (is_elf && header.machine == CUBIN_ELF_MACHINE)
        return cli_tell_cubin(path, &err) ? wt_subcommand_fail(&cli_info, &err) : 0;
    if (!is_elf && wt_family_of_file(path))
        return cli_tell_ptx(path, &err) ? wt_subcommand_fail(&cli_info, &err) : 0;
    if (is_elf && wt_elf_machine_is_host(header.machine))
        return cli_tell_host_program(path, header.machine, &err)
                   ? wt_subcommand_fail(&cli_info, &err)
                   : 0;
    if (!is_elf && gcn_fatbin_is_file(path))
        return cli_tell_bundle_file(path, &err) ? wt_subcommand_fail(&cli_info, &err) : 0;
    if (wt_image_load(path, info->base, &image, &err))
        return wt_subcommand_fail(&cli_info, &err);
    if (wt_image_check_base(&image, path, info->base_given, &err)) {
        wt_image_free(&image);
        return wt_subcommand_fail(&cli_info, &err);
    }
    struct wt_symbols *symbols = NULL;
    char place[512];
    printf("%s: %s\n", path, formats[image.format]);
    if (image.format == WT_IMAGE_ELF) {
        tell_elf(path, &image);
        if (wt_symbols_open(path, &symbols, &err))
            symbols = NULL;
    }
    if (image.has_entry) {
        wt_symbols_describe(symbols, image.entry, place, sizeof place);
        printf("  entry: %s\n", place);
    } else {
        puts("  entry: none is given; the startup address is taken");
    }
    for (size_t i = 0; i < image.segments; i++) {
        const struct wt_segment *s = &image.segment[i];
        printf("  segment: 0x%" PRIx64 "..0x%" PRIx64 ", %" PRIu64 " bytes", s->addr,
               s->addr + s->size, s->size);
        if (s->size > s->length)
            printf(", the last %" PRIu64 " of them zero", s->size - s->length);
        puts(image.format == WT_IMAGE_ELF && s->executable ? ", executable" : "");
    }
    const struct wt_family *family = wt_family_of_machine(EM_RISCV);
    if (image.format != WT_IMAGE_ELF && family && family->files.tell_image)
        family->files.tell_image(stdout, &image, path);
    printf("  runs on: %s\n", runs_on(&image));
    if (symbols)
        wt_symbols_close(symbols);
    wt_image_free(&image);
    return 0;
}

static int tell_extension(void)
{
    char path[PATH_MAX];
    struct wt_error err;
    if (cli_gdb_extension(path, sizeof path)) {
        puts(path);
        return 0;
    }
    wt_fail(&err, WT_IO, "share/wavetrap/gdb/wavetrap.py is not where this program was installed");
    return wt_subcommand_fail(&cli_info, &err);
}

/* Prints facts that only some families have. */
static int tell_family(const struct info *info, const struct wt_family *family)
{
    struct wt_error err;
    enum wt_status status = WT_OK;
    if (info->registers)
        status = family->isa.list_registers
                     ? family->isa.list_registers(stdout, info->register_form, &err)
                     : wt_fail(&err, WT_UNSUPPORTED, "--registers: %s has no such list; gen9 has",
                               info->gpu.family ? wt_gpu_name(&info->gpu) : family->name);
    if (!status && info->word)
        status = family->isa.explain_word
                     ? family->isa.explain_word(stdout, info->word, info->gpu.config, &err)
                     : wt_fail(&err, WT_UNSUPPORTED,
                               "--explain-word: not for %s; gen9, gcn, sm and vortex have it",
                               family->name);
    return status ? wt_subcommand_fail(&cli_info, &err) : 0;
}

int cli_tell_device(const char *spec)
{
    struct wt_gpu gpu = {0};
    struct wt_error err;
    char text[200];
    if (wt_gpu_choose(&gpu, spec, &err))
        return wt_subcommand_fail(&cli_info, &err);
    if (!gpu.family->config.describe) {
        wt_fail(&err, WT_UNSUPPORTED, "--devices: host programs do not see a %s", gpu.family->name);
        wt_gpu_free(&gpu);
        return wt_subcommand_fail(&cli_info, &err);
    }
    gpu.family->config.describe(gpu.config, text, sizeof text);
    printf("%s: %s\n", spec, text);
    wt_gpu_free(&gpu);
    return 0;
}

/* Prints what `exec` shows to programs: each --gpu, or each family with its defaults. */
static int tell_devices(const struct info *info)
{
    int status = 0;
    for (unsigned i = 0; i < info->spec_count && !status; i++)
        status = cli_tell_device(info->spec[i]);
    for (const struct wt_family *const *f = wt_families; *f && !info->spec_count && !status; f++)
        if ((*f)->config.describe)
            status = cli_tell_device((*f)->name);
    return status;
}

/* The support matrix of the GPU of --gpu, or of all. */
static int tell_support(const struct info *info)
{
    struct wt_error err;
    enum wt_status status = WT_OK;
    for (const struct wt_family *const *f = wt_families; *f && !status; f++)
        if (!info->gpu.family || info->gpu.family == *f)
            status = cli_tell_support(*f, info->support_json, &err);
    return status ? wt_subcommand_fail(&cli_info, &err) : 0;
}

static int run(int argc, char **argv)
{
    struct info info = {.base = 0x80000000};
    const int parsed = wt_subcommand_parse(&cli_info, argc, argv, &info, NULL, 0, true);
    if (parsed != WT_SUBCOMMAND_GO)
        return parsed;
    if (optind == argc && !info.isa && !info.profile && !info.extension && !info.registers &&
        !info.word && !info.devices && !info.support && !info.models)
        return wt_subcommand_operand_missing(&cli_info, "FILE");
    struct wt_error err;
    if (choose_gpu(&info, &err) != WT_OK)
        return wt_subcommand_fail(&cli_info, &err);
    const struct wt_family *family = info.gpu.family ? info.gpu.family : wt_families[0];
    if (info.models)
        wt_gpu_list_models(stdout);
    if (info.isa)
        family->isa.list_isa(stdout, info.gpu.config);
    for (const struct wt_family *const *f = wt_families; info.profile && *f; f++)
        if ((*f)->isa.list_profiles)
            (*f)->isa.list_profiles(stdout, info.gpu.family == *f ? info.gpu.config : NULL);
    int status = info.extension ? tell_extension() : 0;
    if (!status && info.support)
        status = tell_support(&info);
    if (!status && info.devices)
        status = tell_devices(&info);
    if (!status)
        status = tell_family(&info, family);
    for (; optind < argc; optind++)
        if (tell_file(&info, argv[optind]))
            status = WT_EXIT_FAILED;
    wt_gpu_free(&info.gpu);
    return status;
}

const struct wt_subcommand cli_info = {
    .name = "info",
    .operands = "[FILE]…",
    .summary = "Describes each FILE: format, width, entry, segments, symbols, debug information.",
    .options = options,
    .run = run,
};
