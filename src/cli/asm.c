/* `wavetrap asm`: assembles programs for GPUs that have no other free assembler. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "target/family.h"

struct assembly {
    struct wt_gpu gpu;
    const char *output;
    bool disassemble;
};

static enum wt_status set_gpu(void *context, const char *value, struct wt_error *err)
{
    return wt_gpu_choose(&((struct assembly *)context)->gpu, value, err);
}

/* The family that the user chose, or the first that has an assembler. */
static enum wt_status choose_family(const struct assembly *a, const struct wt_family **family,
                                    struct wt_error *err)
{
    if (a->gpu.family && !a->gpu.family->isa.assemble)
        return wt_fail(err, WT_UNSUPPORTED, "there is no assembler for %s here: %s",
                       wt_gpu_name(&a->gpu), a->gpu.family->isa.assembler);
    const struct wt_family *const *f = wt_families;
    while (*f && !(*f)->isa.assemble)
        f++;
    *family = a->gpu.family ? a->gpu.family : *f;
    return *family ? WT_OK : wt_fail(err, WT_UNSUPPORTED, "there is no assembler here");
}

static enum wt_status write_object(const struct assembly *a, const struct wt_family *family,
                                   const char *path, const char *text, struct wt_error *err)
{
    enum wt_status status;
    uint8_t *object;
    size_t length;
    if (!a->output)
        return wt_fail(err, WT_INVALID, "say by -o where the object file goes");
    if ((status = family->isa.assemble(path, text, &object, &length, err)) != WT_OK)
        return status;
    FILE *out = fopen(a->output, "wb");
    if (!out)
        status = wt_fail(err, WT_IO, "%s: cannot create: %s", a->output, strerror(errno));
    else {
        const bool written = fwrite(object, 1, length, out) == length;
        if (fclose(out) != 0 || !written)
            status = wt_fail(err, WT_IO, "%s: cannot write: %s", a->output, strerror(errno));
    }
    free(object);
    return status;
}

static enum wt_status write_text(const struct assembly *a, const struct wt_family *family,
                                 const char *path, const uint8_t *bytes, size_t length,
                                 struct wt_error *err)
{
    FILE *out = a->output ? fopen(a->output, "w") : stdout;
    if (!out)
        return wt_fail(err, WT_IO, "%s: cannot create: %s", a->output, strerror(errno));
    enum wt_status status = family->isa.disassemble(path, bytes, length, out, err);
    const bool written = !ferror(out);
    if (((out == stdout ? fflush(out) : fclose(out)) != 0 || !written) && !status)
        status = wt_fail(err, WT_IO, "%s: cannot write: %s", a->output ? a->output : "stdout",
                         strerror(errno));
    return status;
}

static enum wt_status convert(const struct assembly *a, const char *path, struct wt_error *err)
{
    const struct wt_family *family = NULL;
    enum wt_status status;
    uint8_t *bytes;
    size_t length;
    if ((status = choose_family(a, &family, err)) != WT_OK ||
        (status = wt_file_read(path, &bytes, &length, err)) != WT_OK)
        return status;
    if (a->disassemble) {
        status = write_text(a, family, path, bytes, length, err);
    } else {
        char *text = malloc(length + 1);
        if (!text) {
            status = wt_fail(err, WT_NO_MEMORY, "no host memory");
        } else {
            memcpy(text, bytes, length);
            text[length] = 0;
            status = strlen(text) == length ? write_object(a, family, path, text, err)
                                            : wt_fail(err, WT_INVALID, "%s: it is not text", path);
        }
        free(text);
    }
    free(bytes);
    return status;
}

static int run(int argc, char **argv)
{
    struct assembly a = {0};
    struct wt_error err;
    int status = wt_subcommand_parse(&cli_asm, argc, argv, &a, NULL, 1, false);
    if (status == WT_SUBCOMMAND_GO) {
        status = convert(&a, argv[optind], &err) ? wt_subcommand_fail(&cli_asm, &err) : 0;
    }
    wt_gpu_free(&a.gpu);
    return status;
}

static const struct wt_option options[] = {
    {"gpu", 'g', "GPU", "which GPU the text is for: sm (default)", WT_OPTION_SET(set_gpu)},
    {"output", 'o', "FILE", "where the result goes (--disassemble: default stdout)",
     WT_OPTION_TEXT(struct assembly, output)},
    {"disassemble", 'd', NULL, "the other direction: an object file to text that assembles to it",
     WT_OPTION_FLAG(struct assembly, disassemble)},
    {0},
};

const struct wt_subcommand cli_asm = {
    .name = "asm",
    .operands = "FILE",
    .summary =
        "Assembles instructions for a GPU. FILE is text; the result is what 'wavetrap run' takes.\n"
        "For sm: SASS in NVIDIA's notation, to a cubin.",
    .options = options,
    .notes =
        "SASS files have a line for each instruction, and these directives:\n"
        "  .kernel NAME              a kernel begins; .handler NAME: a trap handler\n"
        "  .param SIZE [NAME]        its next parameter; NAME means its offset in c[0x0]\n"
        "  .reg N, .shared BYTES, .local BYTES, .bar N\n"
        "  .const BANK,OFFSET VALUE[, VALUE]…\n"
        "                            dwords of a constant bank\n"
        "  .equ NAME VALUE           NAME means VALUE\n"
        "  LABEL:                    a target of branches\n"
        "[B01----:R0:W1:Y:S05] before an instruction is its part of the control word: barriers to\n"
        "wait for, read barrier, write barrier, yield, stall. Without it the part is safe.\n",
    .run = run,
};
