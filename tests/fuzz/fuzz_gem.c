/* Fuzz target: a state of buffer objects as JSON, and the reports on it. */
#include <stdlib.h>
#include <string.h>

#include "runtime/i915/gem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const struct wt_gem_state *state, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    wt_gem_state_write(out, state);
    fclose(out);
    return text;
}

/* What is written can be read, and says the same. */
static void write_and_read(const struct wt_gem_state *state)
{
    struct wt_gem_state again;
    struct wt_error err;
    size_t length, second_length;
    char *text = written(state, &length), *second;
    if (wt_gem_state_parse(text, length, &again, &err) != WT_OK)
        abort();
    second = written(&again, &second_length);
    if (length != second_length || memcmp(text, second, length) != 0)
        abort();
    wt_gem_state_free(&again);
    free(text);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wt_gem_state state;
    struct wt_error err = {0};
    char *text = NULL;
    size_t length;
    if (wt_gem_state_parse((const char *)data, size, &state, &err) != WT_OK) {
        if (!err.text[0] || state.objects || state.processes)
            abort();
        return 0;
    }
    FILE *out = open_memstream(&text, &length);
    for (enum wt_gem_format format = WT_GEM_4_14; format <= WT_GEM_5_2; format++) {
        for (size_t i = 0; i < state.object_count; i++) {
            wt_gem_describe(out, &state.objects[i], state.has_llc, format);
            wt_gem_explain(out, &state.objects[i], format);
        }
        wt_gem_summary(out, &state, format);
        if (wt_gem_list(out, &state, format, format == WT_GEM_5_2, &err) != WT_OK)
            abort();
    }
    fclose(out);
    free(text);
    write_and_read(&state);
    wt_gem_state_free(&state);
    return 0;
}
