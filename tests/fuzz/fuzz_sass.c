/* Fuzz target: SASS text. What assembles, disassembles to text that assembles to the same code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sm/sass/assembler.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cubin cubin, again;
    struct wt_error err;
    char *text = malloc(size + 1), *listing = NULL;
    size_t length = 0;
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    if (sm_assemble_file("fuzz", text, &cubin, &err) == WT_OK) {
        FILE *out = open_memstream(&listing, &length);
        sm_disassemble_file(&cubin, out);
        fclose(out);
        if (sm_assemble_file("again", listing, &again, &err) != WT_OK ||
            again.code_size != cubin.code_size ||
            memcmp(again.code, cubin.code, cubin.code_size) != 0)
            abort();
        free(listing);
        cubin_free(&again);
        cubin_free(&cubin);
    }
    free(text);
    return 0;
}
