/* The options of --gpu gen9:…. */
#include "emulator/gen/internal.h"

#include "emulator/machine/fill.h"

void gen_config_default(void *config)
{
    struct gen_config *c = config;
    *c = (struct gen_config){.subslices = 3, .jit = 256};
    wt_schedule_parse(WT_SCHEDULE_DEFAULT, &c->schedule, WT_IGNORED);
}

static const struct wt_config_key keys[] = {
    {"subslices", "of eight EUs with seven threads each, 1..9 (3)",
     .offset = offsetof(struct gen_config, subslices), .least = 1, .most = 9},
    {"bounds",
     "accesses outside a surface: stop, or as hardware does, read 0 and write nothing (stop)",
     offsetof(struct gen_config, hardware_bounds), WT_CONFIG_WORD, .words = {"stop", "hardware"},
     .rare = true},
    {"jit",
     "visits of an instruction after which code of the host is made for it and what follows,\n"
     "               1..60000; 0: never (256)",
     .offset = offsetof(struct gen_config, jit), .most = 60000},
    WT_PROCESSES_KEY,
    WT_FILL_KEY,
};

const struct wt_config gen_config_table = {
    .gpu = "a gen9",
    .size = sizeof(struct gen_config),
    .keys = keys,
    .count = sizeof keys / sizeof keys[0],
    .set_default = gen_config_default,
};
