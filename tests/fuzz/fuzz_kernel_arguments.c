/*
 * Fuzz target: what a kernel is given. The first two bytes are the length of a metadata note, which
 * follows; the rest are texts as --arg takes them, a line for each argument, and, behind a line
 * "printf", records that the kernel is supposed to have left in its printf buffer. What the
 * metadata describe keeps the promises of code_object.h; a value that is taken lies in the argument
 * segment where the metadata say; records are printed as far as they are sound.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/machine/machine.h"
#include "object/metadata.h"
#include "runtime/gcn/launch.h"
#include "runtime/gcn/printf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_VALUES = 64, MOST_BYTES = 1 << 16, DESCRIPTOR = 0, CODE = 256 };

static void check_kernel(const struct gcn_kernel *k)
{
    uint8_t *taken = calloc(k->kernarg_size + 1, 1);
    if (!k->name || k->explicit_arguments > k->arguments || !taken)
        abort();
    for (size_t i = 0; i < k->arguments; i++) {
        const struct gcn_argument *a = &k->argument[i];
        if (!a->name || (uint64_t)a->offset + a->size > k->kernarg_size ||
            (i < k->explicit_arguments) != (a->kind <= GCN_ARG_OTHER))
            abort();
        for (uint32_t at = a->offset; at < a->offset + a->size; at++)
            if (taken[at]++)
                abort();
    }
    free(taken);
}

/* The value that each argument's line says; a file has no place here. */
static size_t values(const struct gcn_kernel *k, const char **line, struct wt_value *value)
{
    struct wt_error err = {0};
    char text[4096];
    size_t n = 0;
    for (; n < k->explicit_arguments && n < MOST_VALUES && **line; n++) {
        const size_t length = strcspn(*line, "\n");
        snprintf(text, sizeof text, "%.*s", (int)length, *line);
        *line += length + ((*line)[length] == '\n');
        if (strncmp(text, "file:", 5) == 0 ||
            wt_value_parse(gcn_value_kind(&k->argument[n]), k->argument[n].size, text, &value[n],
                           &err)) {
            if (value[n].bytes)
                abort();
            break;
        }
        /* As large as the fuzzer has patience for. */
        if (value[n].length > MOST_BYTES) {
            free(value[n].bytes);
            break;
        }
    }
    return n;
}

static void check_segment(struct gcn_device *d, const struct gcn_launch *l)
{
    const uint64_t kernarg = GCN_LAUNCH_ARGUMENTS + 256 + 64;
    for (size_t i = 0; i < l->value_count; i++) {
        const struct gcn_argument *a = &l->kernel->argument[i];
        uint8_t bytes[65536];
        if (!gcn_device_read(d, kernarg + a->offset, bytes, a->size))
            abort();
        if (a->kind == GCN_ARG_VALUE ? memcmp(bytes, l->value[i].bytes, a->size) != 0
                                     : wt_load_le(bytes, a->size) != l->value[i].addr)
            abort();
    }
}

static void launch(const struct gcn_object *object, struct gcn_launch *l)
{
    struct gcn_config config;
    struct gcn_device *d;
    struct wt_error err = {0};
    gcn_config_default(&config);
    config.cu = 1;
    if (gcn_device_new(&config, &d, &err))
        abort();
    if (!gcn_launch(d, object, l, &err)) {
        check_segment(d, l);
        gcn_machine(d)->ops->run(gcn_machine(d), 100);
    } else if (!err.text[0]) {
        abort();
    }
    gcn_device_free(d);
}

/* A copy in which every line ends, and so do the texts. */
static char *text_of(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    struct gcn_object object = {.version = size && data[0] & 1 ? 4 : 5};
    struct wt_error err = {0};
    uint8_t code[512] = {0};
    struct gcn_object_segment segment = {.size = sizeof code, .bytes = code, .length = sizeof code};
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    if (size < 2 || !nowhere)
        return 0;
    const size_t claimed = wt_load_le(data, 2), length = claimed < size - 2 ? claimed : size - 2;
    if (gcn_metadata_parse("note", data + 2, length, &object, &err)) {
        if (!err.text[0])
            abort();
        gcn_object_free(&object);
        return 0;
    }
    char *text = text_of(data + 2 + length, size - 2 - length);
    const char *line = text;
    for (size_t i = 0; i < object.kernels; i++) {
        struct wt_value value[MOST_VALUES] = {0};
        struct gcn_launch l = {
            .kernel = &object.kernel[i], .grid = {65, 1, 1}, .block = {65, 1, 1}, .value = value};
        check_kernel(l.kernel);
        wt_store_le(code + 16, CODE - DESCRIPTOR, 8);
        wt_store_le(code + 48, 1, 4);
        wt_store_le(code + CODE, 0xbf810000, 4); /* s_endpgm */
        object.segment = &segment;
        object.segments = 1;
        object.size = sizeof code;
        l.value_count = values(l.kernel, &line, value);
        if (l.value_count == l.kernel->explicit_arguments)
            launch(&object, &l);
        for (size_t k = 0; k < l.value_count; k++)
            free(value[k].bytes);
    }
    object.segment = NULL;
    object.segments = 0;
    const size_t left = size - 2 - length - (size_t)(line - text);
    if (strncmp(line, "printf\n", 7) == 0 &&
        gcn_printf_print(&object, (const uint8_t *)line + 7, left - 7, nowhere) > left - 7)
        abort();
    free(text);
    gcn_object_free(&object);
    return 0;
}
