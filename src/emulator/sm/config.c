/* The options of --gpu sm:…. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/fill.h"
#include "emulator/sm/sm.h"

void sm_config_default(void *config)
{
    struct sm_config *c = config;
    *c = (struct sm_config){.sms = 1, .cc = 50, .memory = UINT64_C(16) << 30, .jit = 256};
    wt_schedule_parse(WT_SCHEDULE_DEFAULT, &c->schedule, WT_IGNORED);
}

/* "5.2" is 52. */
static enum wt_status take_capability(void *config, const char *text, struct wt_error *err)
{
    const bool digits = strlen(text) == 3 && text[0] >= '5' && text[0] <= '9' && text[1] == '.' &&
                        text[2] >= '0' && text[2] <= '9';
    const unsigned cc = digits ? (unsigned)(text[0] - '0') * 10 + (unsigned)(text[2] - '0') : 0;
    if (!digits || cc > 90)
        return wt_fail(err, WT_INVALID, "must be 5.0 to 9.0");
    ((struct sm_config *)config)->cc = cc;
    return WT_OK;
}

static void print_capability(const void *config, char *text, size_t size)
{
    const struct sm_config *c = config;
    snprintf(text, size, "%u.%u", c->cc / 10, c->cc % 10);
}

/* "4G" */
static enum wt_status take_memory(void *config, const char *text, struct wt_error *err)
{
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 0);
    const unsigned shift = *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    const uint64_t bytes = number > 1 << 20 ? 0 : (uint64_t)number << shift;
    if (end == text || errno || *text == '-' || !shift || end[1] || bytes < UINT64_C(16) << 20 ||
        bytes > UINT64_C(64) << 30)
        return wt_fail(err, WT_INVALID, "must be 16M to 64G");
    ((struct sm_config *)config)->memory = bytes;
    return WT_OK;
}

static void print_memory(const void *config, char *text, size_t size)
{
    snprintf(text, size, "%uM", (unsigned)(((const struct sm_config *)config)->memory >> 20));
}

#define AT(member) .offset = offsetof(struct sm_config, member)

static const struct wt_config_key keys[] = {
    {"cc", "compute capability that programs see, 5.0..9.0 (5.0)", .kind = WT_CONFIG_OWN,
     .take = take_capability, .print = print_capability},
    {"sms", "SMs, 1..16 (1)", AT(sms), .least = 1, .most = SM_MOST_SMS},
    {"memory", "memory that programs see, 16M..64G (16G)", .kind = WT_CONFIG_OWN,
     .take = take_memory, .print = print_memory},
    {"error-delay", "issues by which warp errors are late, 0..1000 (0)", AT(error_delay),
     .most = 1000},
    {"memory-delay", "issues by which L1 errors are late, beyond BPT.DRAIN, 0..1000 (0)",
     AT(memory_delay), .most = 1000},
    {"jit",
     "visits of an instruction after which code of the host is made for it and what follows,\n"
     "               1..60000; 0: never (256)",
     AT(jit), .most = 60000},
    {"vectors",
     "bits of the longest vectors in that code: '512', where the host has them, or '256' (512)",
     AT(vectors_256), WT_CONFIG_WORD, .words = {"512", "256"}, .rare = true},
    {"bounds",
     "accesses outside of all buffers: stop, or as hardware does, only where no block of\n"
     "               2 MiB with a buffer is (stop)",
     AT(hardware_bounds), WT_CONFIG_WORD, .words = {"stop", "hardware"}, .rare = true},
    WT_PROCESSES_KEY,
    WT_FILL_KEY,
};

const struct wt_config sm_config_table = {
    .gpu = "an SM",
    .size = sizeof(struct sm_config),
    .keys = keys,
    .count = sizeof keys / sizeof keys[0],
    .set_default = sm_config_default,
};
