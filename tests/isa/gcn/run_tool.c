/*
 * Runs single instructions of the GCN emulator, for tests. Each line of stdin is a case:
 *
 *   ISSUES WORDS… [; KEY VALUE…]…
 *
 * instructions (they begin at CODE), how many are to issue, then what the wave has before: "s N
 * VALUE", "v N VALUE" (64 lanes: one value for all, or 64), "mode", "status", "scc", "m ADDR BYTES"
 * (a string of hexadecimal bytes at an address of DATA or, below 65536, of LDS). All numbers are
 * hexadecimal. "show" lists what the answer shows: v N, m ADDR LENGTH, g ADDR LENGTH (of GDS).
 * With GCN_COVERAGE=FILE in the environment, the names of the rows of isa.def that were executed,
 * and did not end in a fault, are appended to FILE, with their encodings and with what they were
 * seen to change. With GCN_SPOIL="NAME ENCODING WHAT" that row is made to go wrong: after each time
 * that it changes this, a bit of the change is undone. checked.py sees which test finds that out.
 * An argument is the name of a model, none: the first; then come the lanes of the wave.
 * The answer is one line: fault text or "-" | scc | mode | trapsts | 128 scalars | the values
 * shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/gcn/internal.h"

#define CODE UINT64_C(0x10000)
#define DATA UINT64_C(0x100000)
#define DATA_SIZE 0x40000
#define DESCRIPTOR UINT64_C(0x20000)
#define PACKET UINT64_C(0x30000)
#define SCRATCH UINT64_C(0x200000)

static struct gcn_config config;
static unsigned lanes = GCN_LANES;
static struct gcn_device *device;

static void check(enum wt_status status, const struct wt_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "run_tool: %s\n", err->text);
    exit(1);
}

/* A wave with 256 VGPRs and 64 KiB of LDS, about to run CODE. */
static struct gcn_wave *fresh(const uint32_t *word, unsigned words)
{
    uint8_t descriptor[64] = {0}, packet[64] = {0}, code[4096] = {0};
    struct wt_error err;
    struct wt_machine *m = gcn_machine(device);
    m->ops->reset(m);
    for (unsigned i = 0; i < words; i++)
        wt_store_le(code + 4 * i, word[i], 4);
    wt_store_le(code + 4 * words, 0xbf810000, 4);
    gcn_device_write(device, CODE, code, 4 * words + 4);
    wt_store_le(descriptor + 16, CODE - DESCRIPTOR, 8);
    wt_store_le(descriptor + 44, 63, 4); /* 256 VGPRs before accumulation registers */
    /* Of 4 registers each, or from gfx10 on of 4 in a wave of 64 lanes, 8 in one of 32. */
    wt_store_le(descriptor + 48,
                (lanes < GCN_LANES ? 31 : 63) | 12 << 6 | 0xf << 16 | 1 << 21 | 1 << 23, 4);
    wt_store_le(descriptor + 56, lanes < GCN_LANES ? 1 << 10 : 0, 2);
    gcn_device_write(device, DESCRIPTOR, descriptor, sizeof descriptor);
    wt_store_le(packet, 2, 2);
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(packet + 4 + 2 * i, i ? 1 : lanes, 2);
        wt_store_le(packet + 12 + 4 * i, i ? 1 : lanes, 4);
    }
    wt_store_le(packet + 28, 65536, 4);
    wt_store_le(packet + 32, DESCRIPTOR, 8);
    gcn_device_write(device, PACKET, packet, sizeof packet);
    check(gcn_device_dispatch(device, PACKET, 0, &err), &err);
    return &device->wave[0];
}

static uint32_t next_number(void)
{
    const char *word = strtok(NULL, " ;\n");
    return word ? (uint32_t)strtoull(word, NULL, 16) : 0;
}

static void set_memory(struct gcn_wave *w)
{
    const uint64_t addr = next_number();
    const char *hex = strtok(NULL, " ;\n");
    for (size_t i = 0; hex && hex[2 * i] && hex[2 * i + 1]; i++) {
        const char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};
        const uint8_t byte = (uint8_t)strtoul(pair, NULL, 16);
        if (addr < 65536)
            w->group->local[(addr + i) & 65535] = byte;
        else
            gcn_device_write(device, addr + i, &byte, 1);
    }
}

static void set_vector(struct gcn_wave *w)
{
    const unsigned n = next_number() & 511; /* 0x100 + N: accumulation register N */
    char *rest = strtok(NULL, ";\n"), *at = rest;
    uint32_t value = 0;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        char *end;
        const uint32_t number = (uint32_t)strtoull(at ? at : "", &end, 16);
        if (at && end != at)
            value = number;
        at = end;
        w->v[n][i] = value;
    }
}

static void show(const struct gcn_wave *w, const char *what)
{
    unsigned long n, length;
    if (sscanf(what, " v %lx", &n) == 1) {
        printf("|");
        for (unsigned i = 0; i < GCN_LANES; i++)
            printf("%s%x", i ? " " : "", w->v[n & 511][i]);
    } else if (sscanf(what, " g %lx %lx", &n, &length) == 2) {
        printf("|");
        for (unsigned long i = 0; i < length; i++)
            printf("%02x", device->gds[(n + i) & 65535]);
    } else if (sscanf(what, " m %lx %lx", &n, &length) == 2) {
        printf("|");
        for (unsigned long i = 0; i < length; i++) {
            uint8_t byte = 0;
            if (n < 65536)
                byte = w->group ? w->group->local[(n + i) & 65535] : device->group[0].local[n + i];
            else
                gcn_device_read(device, n + i, &byte, 1);
            printf("%02x", byte);
        }
    }
}

static void answer(const struct gcn_wave *w, char *shown)
{
    const struct wt_machine *m = gcn_machine(device);
    printf("%s|%x|%x|%x|", m->fault.kind ? m->fault.text : "-", w->scc, w->mode, w->trapsts);
    for (unsigned i = 0; i < GCN_SCALARS; i++)
        printf("%s%x", i ? " " : "", w->s[i]);
    char *save;
    for (char *part = strtok_r(shown, ",\n", &save); part; part = strtok_r(NULL, ",\n", &save))
        show(w, part);
    printf("\n");
}

/* ---- what instructions change ---- */

enum what { SCALAR, VECTOR, SCC, MODE, TRAPSTS, STATUS, MEMORY, LDS, GDS, JUMP, COUNTERS, WHATS };
static const char *const what_names[WHATS] = {"scalar",  "vector", "scc",     "mode",
                                              "trapsts", "status", "memory",  "lds",
                                              "gds",     "jump",   "counters"};

struct seen {
    uint32_t s[GCN_SCALARS], v[GCN_MOST_ROWS][GCN_LANES], mode, trapsts, status;
    bool scc;
    uint64_t pc;
    uint32_t counters;
    uint8_t data[DATA_SIZE], scratch[64 * 4096], lds[GCN_MOST_LDS], gds[GCN_MOST_GDS];
};

static unsigned executed[GCN_INSNS]; /* bits of what they changed, and one more */
static int spoiled_row = -1;
static enum what spoiled;

static void look(const struct gcn_wave *w, struct seen *t)
{
    memcpy(t->s, w->s, sizeof t->s);
    memcpy(t->v, w->v, gcn_model_rows(gcn_model_of(w->device)) * sizeof *t->v);
    t->scc = w->scc;
    t->mode = w->mode;
    t->trapsts = w->trapsts;
    t->status = w->status;
    t->pc = w->pc;
    t->counters = w->vm_cnt | (uint32_t)w->lgkm_cnt << 8 | (uint32_t)w->exp_cnt << 16;
    gcn_device_read(device, DATA, t->data, sizeof t->data);
    gcn_device_read(device, SCRATCH, t->scratch, sizeof t->scratch);
    memcpy(t->lds, device->group[0].local, sizeof t->lds);
    memcpy(t->gds, device->gds, sizeof t->gds);
}

/* Undoes a bit of the first difference: the highest, for some results need not be exact. */
static void undo(void *now, const void *before, size_t size)
{
    uint32_t a, b;
    for (size_t i = 0; i < size; i += 4) {
        memcpy(&a, (uint8_t *)now + i, 4);
        memcpy(&b, (const uint8_t *)before + i, 4);
        if (a == b)
            continue;
        a ^= UINT32_C(1) << (31 - __builtin_clz(a ^ b));
        memcpy((uint8_t *)now + i, &a, 4);
        return;
    }
}

static void undo_memory(uint64_t addr, const uint8_t *now, const uint8_t *before, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const uint8_t changed = now[i] ^ before[i], byte = now[i] ^ (uint8_t)(changed & -changed);
        if (!changed)
            continue;
        gcn_device_write(device, addr + i, &byte, 1);
        return;
    }
}

static void spoil(struct gcn_wave *w, const struct seen *old, const struct seen *new,
                  unsigned length)
{
    switch (spoiled) {
    case SCALAR:
        undo(w->s, old->s, sizeof w->s);
        break;
    case VECTOR:
        undo(w->v, old->v, gcn_model_rows(gcn_model_of(w->device)) * sizeof *old->v);
        break;
    case SCC:
        w->scc = old->scc;
        break;
    case MODE:
        undo(&w->mode, &old->mode, sizeof w->mode);
        break;
    case TRAPSTS:
        undo(&w->trapsts, &old->trapsts, sizeof w->trapsts);
        break;
    case STATUS:
        undo(&w->status, &old->status, sizeof w->status);
        break;
    case MEMORY:
        undo_memory(DATA, new->data, old->data, sizeof old->data);
        undo_memory(SCRATCH, new->scratch, old->scratch, sizeof old->scratch);
        break;
    case LDS:
        undo(device->group[0].local, old->lds, sizeof old->lds);
        break;
    case GDS:
        undo(device->gds, old->gds, sizeof old->gds);
        break;
    case JUMP:
        w->pc = old->pc + 4 * length;
        break;
    default:
        w->vm_cnt = (uint8_t)old->counters;
        w->lgkm_cnt = (uint8_t)(old->counters >> 8);
        w->exp_cnt = (uint8_t)(old->counters >> 16);
        break;
    }
}

static unsigned changes(const struct gcn_wave *w, const struct seen *old, const struct seen *new,
                        unsigned length)
{
    const bool memory = memcmp(new->data, old->data, sizeof old->data) ||
                        memcmp(new->scratch, old->scratch, sizeof old->scratch);
    return (memcmp(new->s, old->s, sizeof old->s) != 0) << SCALAR |
           (memcmp(new->v, old->v, sizeof old->v) != 0) << VECTOR | (new->scc != old->scc) << SCC |
           (new->mode != old->mode) << MODE | (new->trapsts != old->trapsts) << TRAPSTS |
           (new->status != old->status) << STATUS | memory << MEMORY |
           (memcmp(new->lds, old->lds, sizeof old->lds) != 0) << LDS |
           (memcmp(new->gds, old->gds, sizeof old->gds) != 0) << GDS |
           (w->active && new->pc != old->pc + 4 * length) << JUMP |
           (new->counters != old->counters) << COUNTERS;
}

/* Issue by issue, to see what each one does. */
static void run_noting(struct gcn_wave *w, uint32_t issues)
{
    static struct seen old, new;
    struct wt_machine *m = gcn_machine(device);
    for (uint32_t i = 0; i < issues && w->active && !m->fault.kind; i++) {
        struct gcn_uop u = {0};
        uint8_t bytes[8] = {0};
        const char *why;
        gcn_device_read(device, w->pc, bytes, sizeof bytes);
        const uint32_t word[2] = {(uint32_t)wt_load_le(bytes, 4),
                                  (uint32_t)wt_load_le(bytes + 4, 4)};
        const int row =
            gcn_decode(config.model, lanes, word, 2, &u, &why) ? (int)(u.row - gcn_rows) : -1;
        const bool noted = row >= 0 && (spoiled_row < 0 || spoiled_row == row);
        if (noted)
            look(w, &old);
        const uint64_t time = m->time;
        m->ops->run(m, 1);
        if (m->time == time) /* it is halted, or has made a mistake */
            break;
        if (!noted || m->fault.kind)
            continue;
        look(w, &new);
        const unsigned what = changes(w, &old, &new, u.length);
        executed[row] |= what | 1u << WHATS;
        if (spoiled_row >= 0 && what >> spoiled & 1)
            spoil(w, &old, &new, u.length);
    }
}

static void write_executed(const char *name)
{
    FILE *f = fopen(name, "a");
    if (!f) {
        fprintf(stderr, "run_tool: cannot write %s\n", name);
        exit(1);
    }
    for (unsigned i = 0; i < GCN_INSNS; i++) {
        if (!executed[i])
            continue;
        fprintf(f, "%s %s", gcn_rows[i].name,
                gcn_encoding_name((enum gcn_encoding)gcn_rows[i].encoding));
        for (unsigned k = 0; k < WHATS; k++)
            if (executed[i] >> k & 1)
                fprintf(f, " %s", what_names[k]);
        fprintf(f, "\n");
    }
    fclose(f);
}

static void read_spoil(const char *text)
{
    char name[64], encoding[16], what[16];
    if (!text || sscanf(text, "%63s %15s %15s", name, encoding, what) != 3)
        return;
    for (unsigned i = 0; i < GCN_INSNS; i++)
        if (strcmp(gcn_rows[i].name, name) == 0 &&
            strcmp(gcn_encoding_name((enum gcn_encoding)gcn_rows[i].encoding), encoding) == 0)
            spoiled_row = (int)i;
    for (unsigned i = 0; i < WHATS; i++)
        if (strcmp(what_names[i], what) == 0)
            spoiled = (enum what)i;
}

static void run_case(char *line)
{
    uint32_t word[512];
    unsigned words = 0;
    char *shown = strstr(line, "show");
    char none[1] = "";
    if (shown) {
        shown[-1] = 0;
        shown += 4;
    }
    char *rest = strchr(line, ';');
    if (rest)
        *rest++ = 0;
    const uint32_t issues = (uint32_t)strtoull(strtok(line, " \n"), NULL, 16);
    for (char *at = strtok(NULL, " \n"); at; at = strtok(NULL, " \n")) {
        if (words == sizeof word / sizeof *word) {
            fprintf(stderr, "run_tool: a case of more than %u dwords\n", words);
            exit(1);
        }
        word[words++] = (uint32_t)strtoull(at, NULL, 16);
    }
    struct gcn_wave *w = fresh(word, words);
    for (char *key = rest ? strtok(rest, " ;\n") : NULL; key; key = strtok(NULL, " ;\n")) {
        if (strcmp(key, "s") == 0) {
            const unsigned n = next_number() & 127;
            w->s[n] = next_number();
        } else if (strcmp(key, "v") == 0) {
            set_vector(w);
        } else if (strcmp(key, "mode") == 0) {
            w->mode = next_number();
        } else if (strcmp(key, "status") == 0) {
            w->status |= next_number();
        } else if (strcmp(key, "scc") == 0) {
            w->scc = next_number();
        } else if (strcmp(key, "m") == 0) {
            set_memory(w);
        }
    }
    struct wt_machine *m = gcn_machine(device);
    if (getenv("GCN_COVERAGE") || spoiled_row >= 0)
        run_noting(w, issues);
    else
        m->ops->run(m, issues);
    answer(w, shown ? shown : none);
}

int main(int argc, char **argv)
{
    struct wt_error err;
    static char line[1 << 20];
    gcn_config_default(&config);
    config.cu = 1;
    if (argc > 1)
        config.model = gcn_model_find(argv[1], strlen(argv[1]));
    if (!config.model) {
        fprintf(stderr, "run_tool: there is no such model\n");
        return 1;
    }
    lanes = argc > 2 ? (unsigned)atoi(argv[2]) : config.model->target.lanes;
    check(gcn_device_new(&config, &device, &err), &err);
    check(gcn_device_map(device, CODE, 4096, true, &err), &err);
    check(gcn_device_map(device, DESCRIPTOR, 64, true, &err), &err);
    check(gcn_device_map(device, PACKET, 64, true, &err), &err);
    check(gcn_device_map(device, DATA, DATA_SIZE, true, &err), &err);
    check(gcn_device_map(device, SCRATCH, 64 * 4096, true, &err), &err);
    read_spoil(getenv("GCN_SPOIL"));
    while (fgets(line, sizeof line, stdin))
        run_case(line);
    if (getenv("GCN_COVERAGE"))
        write_executed(getenv("GCN_COVERAGE"));
    gcn_device_free(device);
    return 0;
}
