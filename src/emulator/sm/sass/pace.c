/* Hazards that control words cover: barriers that announce results, and sources that have been read
 * (machine/pace.h). Stalls are not looked at: NVIDIA does not publish the fixed latencies. */
#include <string.h>

#include "base/bits.h"
#include "emulator/machine/operands.h"
#include "emulator/machine/pace.h"
#include "emulator/sm/internal.h"
#include "emulator/sm/sass/isa.h"
#include "emulator/sm/operands.h"
#include "emulator/sm/ptx/image.h"

enum { BARRIERS = 6, UNANNOUNCED = BARRIERS };

const struct wt_pace_table sm_pace_table = {
    .counter = {"instruction with barrier 0", "instruction with barrier 1",
                "instruction with barrier 2", "instruction with barrier 3",
                "instruction with barrier 4", "instruction with barrier 5",
                "write barrier is set, and nothing"},
    .limit = {63, 63, 63, 63, 63, 63, 63},
    .rows = true,
    .unpaced = "PTX has no control words",
};

static void wait_for(struct wt_insn_pace *p, uint64_t barriers)
{
    for (unsigned i = 0; i < BARRIERS; i++)
        if (barriers >> i & 1)
            p->most[i] = 0;
}

static bool writes_registers(const struct wt_insn_operands *o)
{
    for (unsigned i = 0; i < o->count; i++)
        if (o->list[i].writes && o->list[i].file <= SM_FILE_STATE)
            return true;
    return false;
}

static void announce(struct sm_control c, uint64_t word, struct wt_insn_pace *p)
{
    struct wt_insn_operands o;
    if (c.write_barrier < BARRIERS)
        p->results = (uint8_t)(1u << c.write_barrier);
    else if (sm_operands(NULL, word, &o) && writes_registers(&o))
        p->results = 1 << UNANNOUNCED;
    p->group_results = p->results;
    p->sources = c.read_barrier < BARRIERS ? (uint8_t)(1u << c.read_barrier) : 0;
    p->counts = p->results | p->sources;
}

bool sm_pace(struct wt_machine *m, uint64_t pc, struct wt_insn_pace *p)
{
    struct sm_device *d = (struct sm_device *)m;
    uint8_t bytes[SM_BUNDLE];
    uint32_t index;
    enum sm_insn insn;
    enum sm_form form;
    pc += sm_is_control(pc) ? 8 : 0;
    const unsigned slot = pc % SM_BUNDLE / 8;
    if (ptx_image_at(d, pc, &index) || !sm_device_read(d, pc - 8 * slot, bytes, sizeof bytes))
        return false;
    const struct sm_control c = sm_control_get(wt_load_le(bytes, 8), slot - 1);
    const uint64_t word = wt_load_le(bytes + 8 * slot, 8);
    if (!sm_decode(word, &insn, &form))
        return false;
    *p = (struct wt_insn_pace){.states = 1};
    memset(p->most, WT_PACE_ANY, sizeof p->most);
    wait_for(p, c.wait);
    /* A wait for some of the results counts as one for all: who comes first is not known. */
    if (insn == SM_DEPBAR_LE)
        wait_for(p, UINT64_C(1) << SM_FIELD(word, sb26));
    if (insn == SM_DEPBAR_LE || insn == SM_DEPBAR)
        wait_for(p, sm_bits(word, 0, BARRIERS));
    if (sm_is_slow(insn))
        announce(c, word, p);
    return true;
}
