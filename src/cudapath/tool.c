/* See tool.h. */
#include "cudapath/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum wt_status tool_add(void *context, const char *name, const char *text, size_t length,
                        struct wt_error *err)
{
    struct tool *t = context;
    struct ptx_object_text *grown = wt_array_grow(t->text, &t->room, t->count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    t->text = grown;
    struct ptx_object_text *one = &t->text[t->count];
    *one = (struct ptx_object_text){strdup(name), malloc(length + 1), length};
    t->count++;
    if (!one->name || !one->text)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    memcpy(one->text, text, length);
    one->text[length] = 0;
    return WT_OK;
}

/* The value of an option of this name: behind '=', or the next word. */
static const char *value_of(char **word, const char *name, int *words)
{
    const size_t length = strlen(name);
    *words = 1;
    if (strncmp(word[0], name, length) != 0)
        return NULL;
    if (word[0][length] == '=')
        return word[0] + length + 1;
    *words = 2;
    return word[0][length] ? NULL : word[1];
}

int tool_option(struct tool *t, char **word)
{
    static const char *const outputs[] = {"-o", "--output-file"};
    static const char *const targets[] = {"-arch", "--gpu-name", "--arch"};
    const char *value;
    int words;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if ((value = value_of(word, outputs[i], &words))) {
            t->output = value;
            return words;
        }
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if ((value = value_of(word, targets[i], &words))) {
            t->capability =
                (unsigned)strtoul(strncmp(value, "sm_", 3) ? value : value + 3, NULL, 10);
            return words;
        }
    if (strcmp(word[0], "-L") == 0 && word[1])
        return 2;
    return word[0][0] == '-' ? 1 : 0;
}

enum wt_status tool_write(const struct tool *t, bool linked, struct wt_error *err)
{
    enum wt_status status;
    struct wt_buffer out = {0};
    if (!t->output || !t->count)
        return wt_fail(err, WT_INVALID, t->output ? "there is no input" : "-o is missing");
    if ((status = ptx_object_write(t->text, t->count, t->capability, linked, &out, err)) == WT_OK) {
        FILE *file = fopen(t->output, "wb");
        if (!file || fwrite(out.bytes, 1, out.length, file) != out.length)
            status = wt_fail(err, WT_IO, "%.400s: %s", t->output, strerror(errno));
        if (file && fclose(file) && !status)
            status = wt_fail(err, WT_IO, "%.400s: %s", t->output, strerror(errno));
    }
    free(out.bytes);
    return status;
}

int tool_end(struct tool *t, enum wt_status status, const struct wt_error *err)
{
    if (status)
        fprintf(stderr, "%s (wavetrap): %s\n", t->name, err->text);
    for (size_t i = 0; i < t->count; i++) {
        free(t->text[i].name);
        free(t->text[i].text);
    }
    free(t->text);
    return status ? 1 : 0;
}
