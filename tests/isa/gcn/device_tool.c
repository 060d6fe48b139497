/*
 * A GPU that does what stdin says, for tests of traps: a command a line, an answer a line. Numbers
 * are hexadecimal. Arguments: its model, compute units, shader engines.
 *
 *   map ADDR SIZE             memory for kernels
 *   write ADDR BYTES          bytes as hexadecimal digits, without blanks
 *   read ADDR SIZE
 *   handler TBA TMA           the trap handler
 *   dispatch PACKET NUMBER    the packet of that number of its queue
 *   run ISSUES                answers why it came back, and the fault's text
 *   reg ADDR VALUE            writes a debug register
 *   control WHAT MESSAGE      gcn_driver_wave_control; WHAT: operation, mode << 4, trap << 8
 *   watch ADDR WHAT           gcn_driver_set_watch; WHAT: mask, mode << 32
 *   gone                      gcn_driver_debugger_gone
 *   at WAVE                   the wave message that names it
 *   raise WAVE BITS           gcn_wave_raise;  trap WAVE ID: gcn_wave_trap
 *   save ADDR SIZE            gcn_device_save_context;  saved: whether it is all there, behind what
 *   place WAVE                gcn_wave_saved
 *   restore                   gcn_device_restore_context; runs until no wave is in the handler, and
 *                             answers with the states of all waves, each as it left it
 *   waves                     states of all waves
 *   lds WAVE SIZE             of its group
 *   reached FROM TO           which dwords in between have been issued
 *   lanes                     that the fault names
 *   hash
 *
 * The state of a wave: number:PC:scc:128 scalars:hardware registers 1 to 7:VGPRs and accumulation
 * registers; blanks between waves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/gcn/internal.h"
#include "emulator/machine/trace.h"

#define REACHED 0x100000

static struct gcn_device *device;
static uint8_t reached[REACHED]; /* by dword, from address 0 */

static void note(void *context, const struct wt_trace *trace)
{
    (void)context;
    if (trace->pc / 4 < REACHED)
        reached[trace->pc / 4] = 1;
}

static enum wt_run run(uint64_t issues)
{
    return wt_engine_run_traced(gcn_machine(device), issues, note, NULL);
}

static void print_wave(const struct gcn_wave *w)
{
    printf(" %x:%llx:%x:", w->id,
           (unsigned long long)(w->at_barrier || w->gws ? w->wait_pc : w->pc), w->scc);
    for (unsigned i = 0; i < GCN_SCALARS; i++)
        printf("%s%x", i ? "," : "", w->s[i]);
    for (unsigned id = 1; id <= 7; id++) {
        uint32_t value = 0;
        gcn_wave_hwreg(device, w->id, id, &value);
        printf("%s%x", id == 1 ? ":" : ",", value);
    }
    for (unsigned r = 0; r < GCN_MOST_ROWS; r++)
        for (unsigned i = 0; i < GCN_LANES && gcn_has_row(w, r); i++)
            printf("%s%x", r || i ? "," : ":", w->v[r][i]);
}

static void restore(void)
{
    struct wt_error err;
    bool out[64 * GCN_MOST_CU_WAVES] = {false};
    const struct wt_machine *m = gcn_machine(device);
    if (gcn_device_restore_context(device, &err)) {
        printf("%s\n", err.text);
        return;
    }
    for (bool inside = true; inside && run(1) == WT_RUN_BUDGET;) {
        inside = false;
        for (uint32_t i = 0; i < m->waves; i++) {
            const struct gcn_wave *w = &device->wave[i];
            if (!w->active || out[i])
                continue;
            inside |= w->status & GCN_STATUS_PRIV;
            if (!(w->status & GCN_STATUS_PRIV)) {
                out[i] = true;
                print_wave(w);
            }
        }
    }
    printf("\n");
}

static void print_bytes(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        printf("%02x", bytes[i]);
    printf("\n");
}

static void write_bytes(uint64_t addr, const char *hex)
{
    for (size_t i = 0; hex[2 * i] && hex[2 * i + 1]; i++) {
        const char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};
        const uint8_t byte = (uint8_t)strtoul(pair, NULL, 16);
        gcn_device_write(device, addr + i, &byte, 1);
    }
}

static const char *answer(enum wt_status status, const struct wt_error *err)
{
    return status ? err->text : "ok";
}

static enum wt_status dispatch(uint64_t packet, uint32_t number, struct wt_error *err)
{
    uint8_t bytes[GCN_AQL_BYTES];
    unsigned slot;
    gcn_device_read(device, packet, bytes, sizeof bytes);
    const struct gcn_aql_dispatch asked = gcn_aql_dispatch(bytes);
    const struct gcn_origin origin = {.packet = number};
    return gcn_device_begin(device, &asked, packet, 0, &origin, &slot, err);
}

static void obey(const char *word, uint64_t a, uint64_t b, const char *text)
{
    static const char *const why[] = {"budget", "event", "halted", "ended", "fault", "watch"};
    struct wt_machine *m = gcn_machine(device);
    struct wt_error err;
    if (strcmp(word, "map") == 0) {
        printf("%s\n", answer(gcn_device_map(device, a, b, true, &err), &err));
    } else if (strcmp(word, "write") == 0) {
        write_bytes(a, text);
        printf("ok\n");
    } else if (strcmp(word, "read") == 0) {
        uint8_t *bytes = calloc(1, b + 1);
        gcn_device_read(device, a, bytes, b);
        print_bytes(bytes, b);
        free(bytes);
    } else if (strcmp(word, "handler") == 0) {
        gcn_device_set_trap_handler(device, a, b);
        printf("ok\n");
    } else if (strcmp(word, "dispatch") == 0) {
        printf("%s\n", answer(dispatch(a, (uint32_t)b, &err), &err));
    } else if (strcmp(word, "run") == 0) {
        const enum wt_run result = run(a);
        printf("%s %s\n", why[result], result == WT_RUN_FAULT ? m->fault.text : "");
    } else if (strcmp(word, "reg") == 0) {
        gcn_debug_write(device, (uint32_t)a, (uint32_t)b);
        printf("ok\n");
    } else if (strcmp(word, "control") == 0) {
        const struct gcn_wave_control c = {a & 15, a >> 4 & 15, a >> 8 & 255, (uint32_t)b};
        printf("%d\n", gcn_driver_wave_control(device, GCN_KFD_VMID, &c));
    } else if (strcmp(word, "watch") == 0) {
        uint32_t id = 0;
        printf("%d\n", gcn_driver_set_watch(device, GCN_KFD_VMID, a, (uint32_t)b,
                                            (uint32_t)(b >> 32), &id));
    } else if (strcmp(word, "gone") == 0) {
        gcn_driver_debugger_gone(device, GCN_KFD_VMID);
        printf("ok\n");
    } else if (strcmp(word, "at") == 0) {
        const struct gcn_location at = gcn_wave_location(device, (uint32_t)a);
        printf("%x\n", at.sh << 8 | at.wave << 14 | at.simd << 18 | at.cu << 20 | at.se << 24);
    } else if (strcmp(word, "raise") == 0) {
        printf("%d\n", gcn_wave_raise(device, (uint32_t)a, (uint32_t)b));
    } else if (strcmp(word, "trap") == 0) {
        printf("%d\n", gcn_wave_trap(device, (uint32_t)a, (unsigned)b));
    } else if (strcmp(word, "save") == 0) {
        printf("%s\n", answer(gcn_device_save_context(device, a, b, &err), &err));
    } else if (strcmp(word, "saved") == 0) {
        uint64_t end = 0;
        const bool all = gcn_device_saved_context(device, &end);
        printf("%d %llx\n", all, (unsigned long long)end);
    } else if (strcmp(word, "place") == 0) {
        uint64_t addr = 0;
        bool first = false;
        const bool saved = gcn_wave_saved(device, (uint32_t)a, &addr, &first);
        printf("%d %llx %d\n", saved, (unsigned long long)addr, first);
    } else if (strcmp(word, "restore") == 0) {
        restore();
    } else if (strcmp(word, "waves") == 0) {
        for (uint32_t i = 0; i < m->waves; i++)
            if (device->wave[i].active)
                print_wave(&device->wave[i]);
        printf("\n");
    } else if (strcmp(word, "lds") == 0) {
        const struct gcn_group *g = device->wave[a].group;
        print_bytes(g ? g->local : NULL, g ? b : 0);
    } else if (strcmp(word, "reached") == 0) {
        for (uint64_t at = a; at < b; at += 4)
            if (reached[at / 4])
                printf(" %llx", (unsigned long long)at);
        printf("\n");
    } else if (strcmp(word, "lanes") == 0) {
        printf("%llx\n", (unsigned long long)m->fault.lanes);
    } else if (strcmp(word, "hash") == 0) {
        printf("%llx %llx\n", (unsigned long long)m->ops->hash(m), (unsigned long long)m->time);
    } else {
        printf("there is no '%s'\n", word);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct gcn_config config;
    struct wt_error err;
    static char line[1 << 21], word[64], text[1 << 21];
    gcn_config_default(&config);
    if (argc > 1)
        config.model = gcn_model_find(argv[1], strlen(argv[1]));
    assert(config.model);
    config.cu = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 2;
    config.se = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 2;
    if (gcn_device_new(&config, &device, &err))
        return 1;
    while (fgets(line, sizeof line, stdin)) {
        unsigned long long a = 0, b = 0;
        *text = 0;
        if (sscanf(line, "%63s %llx %llx", word, &a, &b) < 1)
            continue;
        sscanf(line, "%*s %*s %2097151s", text);
        obey(word, a, b, text);
    }
    gcn_device_free(device);
    return 0;
}
