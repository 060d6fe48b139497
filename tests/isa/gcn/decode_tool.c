/*
 * The decoder of the GCN emulator, for tests. Each line of stdin is an instruction as dwords in
 * hexadecimal; the answer is its length in dwords and its mnemonic, or "0" and why it is none.
 * `executes`: a 1 comes first if the emulator executes it, else a 0. `rows` prints the table
 * instead. Then may come the name of a model, none: the first, of rows: those of all models; then
 * the lanes of the waves, none: the model's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/gcn/isa.h"
#include "emulator/gcn/models.h"

static int rows(unsigned models)
{
    for (unsigned i = 0; i < GCN_INSNS; i++) {
        const struct gcn_row *row = &gcn_rows[i];
        if (!(row->models & models))
            continue;
        printf("%s %s %u %u %s %u\n", row->name,
               gcn_encoding_name((enum gcn_encoding)row->encoding),
               models == GCN_ON_GFX10 ? row->gfx10 : row->opcode, row->forms & (GCN_ALL | GCN_LIT),
               *row->operands ? row->operands : "-", gcn_row_executes(row));
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct gcn_model *model =
        argc > 2 ? gcn_model_find(argv[2], strlen(argv[2])) : gcn_models;
    if (!model) {
        fprintf(stderr, "decode_tool: there is no such model\n");
        return 1;
    }
    if (argc > 1 && strcmp(argv[1], "rows") == 0)
        return rows(argc > 2 ? model->set : GCN_ON_GFX9);
    const unsigned lanes = argc > 3 ? (unsigned)atoi(argv[3]) : model->target.lanes;
    const bool executes = argc > 1 && strcmp(argv[1], "executes") == 0;
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        uint32_t word[GCN_MOST_DWORDS];
        const int words =
            sscanf(line, "%x %x %x %x %x", &word[0], &word[1], &word[2], &word[3], &word[4]);
        struct gcn_uop u = {0};
        const char *why = "";
        char mnemonic[64];
        const bool good = words > 0 && gcn_decode(model, lanes, word, (unsigned)words, &u, &why);
        if (executes)
            printf("%d ", good && gcn_row_executes(u.row));
        if (words < 1) {
            printf("0 not a dword\n");
        } else if (good) {
            gcn_mnemonic(&u, mnemonic, sizeof mnemonic);
            printf("%u %s\n", u.length, mnemonic);
        } else {
            printf("0 %s\n", why);
        }
    }
    return 0;
}
