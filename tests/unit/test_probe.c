/*
 * The Vortex probe: what it reads and writes by injection is what the device holds (seen through
 * the emulator's memory port), nothing else is disturbed, and no device makes it hang.
 */
#include "steered.h"
#include "../names.h"

static const struct rig_options variants[] = {
    {.xlen = 32, .dm_only = true},
    {.xlen = 64, .dm_only = true},
    {.xlen = 32, .dm_only = true, .dm_clock = 1},
    {.xlen = 64, .dm_only = true, .dm_clock = 1},
    {.xlen = 64, .dm_only = true, .bare = true},
    {.xlen = 32, .threads = 64},
    {.xlen = 64},
};

#define FOR_VARIANTS(v)                                                                            \
    for (const struct rig_options *v = variants; v < variants + sizeof variants / sizeof *v; v++)

static const struct wt_probe_ops *const ops = &wt_probe_vortex;

/* Registers as numbers: all of the lowest lane, then those of the next. */
static enum wt_status read_values(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                                  const unsigned *index, size_t count, uint64_t *value,
                                  struct wt_error *e)
{
    return rig_read_values(ops, p, wave, lanes, index, count, value, e);
}

static enum wt_status write_value(struct wt_probe *p, uint32_t wave, unsigned lane, unsigned index,
                                  uint64_t value, struct wt_error *e)
{
    uint8_t row[8];
    wt_store_le(row, value, 8);
    return ops->write_row(p, wave, wt_lane_bit(lane), index, row, e);
}

static const uint32_t code[] = {ADDI(A0, X0, 1), J(X0, -4)};

static struct wt_probe *open_probe(struct rig *r, struct wt_wave_set *all)
{
    struct wt_probe *p = NULL;
    OK(ops->open(ops, &r->target, !r->options.dm_only, &p, &err));
    memset(all, 0xff, sizeof *all);
    OK(ops->halt(p, all, &err));
    return p;
}

static void close_all(struct rig *r, struct wt_probe *p)
{
    ops->close(p);
    vx_device_free(r->device);
    free(r);
}

static void the_device_describes_itself(void **state)
{
    const struct {
        unsigned xlen, cores, warps, threads;
    } shape[] = {{32, 1, 4, 4}, {64, 2, 8, 32}, {32, 16, 3, 1}, {64, 1, 1, 128}, {32, 7, 5, 2}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        struct rig_options o = {.xlen = shape[i].xlen,
                                .cores = shape[i].cores,
                                .warps = shape[i].warps,
                                .threads = shape[i].threads};
        struct rig *r = rig_device(&o, code, 2);
        struct wt_wave_set all;
        struct wt_probe *p = open_probe(r, &all);
        const struct wt_topology *t = ops->topology(p);
        assert_int_equal(t->cores, shape[i].cores);
        assert_int_equal(t->waves_per_core, shape[i].warps);
        assert_int_equal(t->waves, shape[i].cores * shape[i].warps);
        assert_int_equal(t->lanes, shape[i].threads);
        assert_int_equal(t->address_bits, shape[i].xlen);
        assert_string_equal(t->arch, shape[i].xlen == 64 ? "riscv:rv64" : "riscv:rv32");
        assert_int_equal(t->registers[t->pc_index].number, 32);
        close_all(r, p);
    }
}

static void opening_leaves_a_running_program_undisturbed(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_device(v, code, 2), *other = rig_device(v, code, 2);
        r->machine->ops->run(r->machine, 100);
        other->machine->ops->run(other->machine, 100);
        struct wt_probe *p = NULL;
        OK(ops->open(ops, &r->target, false, &p, &err));
        struct wt_probe_summary summary;
        OK(ops->summary(p, &summary, &err));
        assert_true(summary.any_running);
        assert_false(summary.any_halted);
        assert_false(summary.all_unavailable);
        if (v->dm_clock == 0) { /* with a clock the device runs on meanwhile */
            uint64_t a = 0, b = 0;
            r->machine->ops->run(r->machine, 100);
            other->machine->ops->run(other->machine, 100);
            for (unsigned i = 0; i < 4; i++) {
                struct wt_wave_view x, y;
                r->machine->ops->view(r->machine, i, &x);
                other->machine->ops->view(other->machine, i, &y);
                a = a * 31 + x.pc;
                b = b * 31 + y.pc;
            }
            assert_int_equal(a, b);
        }
        close_all(r, p);
        vx_device_free(other->device);
        free(other);
    }
}

static uint64_t random64(void)
{
    uint64_t v = 0;
    for (int i = 0; i < 5; i++)
        v = v << 15 ^ (uint64_t)rand();
    switch (rand() % 6) {
    case 0:
        return v & 0xffff;
    case 1:
        return ~(v & 0xfff);
    case 2:
        return v | 0xffffffff00000000;
    case 3:
        return v << (rand() % 64);
    default:
        return v;
    }
}

static uint64_t shown(const struct wt_register *r, uint64_t value)
{
    return r->bits < 64 ? value & (((uint64_t)1 << r->bits) - 1) : value;
}

/* Every GPR and FPR of some lanes of two warps is set, and all of them read back at the end. */
static void registers_hold_what_is_written(void **state)
{
    srand(2);
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_device(v, code, 2);
        struct wt_wave_set all;
        struct wt_probe *p = open_probe(r, &all);
        const struct wt_topology *t = ops->topology(p);
        static uint64_t want[2][4][70];
        unsigned index[70];
        unsigned lanes = 4, n = 0;
        for (unsigned i = 0; i < t->register_count; i++)
            if (t->registers[i].number <= 64 && t->registers[i].number != 32)
                index[n++] = i;
        assert_int_equal(n, 64);
        for (int round = 0; round < 4; round++) {
            for (unsigned w = 0; w < 2; w++)
                for (unsigned lane = 0; lane < lanes; lane++)
                    for (unsigned i = 0; i < n; i++) {
                        const struct wt_register *reg = &t->registers[index[i]];
                        uint64_t value = random64();
                        want[w][lane][i] = reg->number == 0 ? 0 : shown(reg, value);
                        OK(write_value(p, w, lane, index[i], value, &err));
                    }
            for (unsigned w = 0; w < 2; w++) {
                uint64_t got[4 * 70];
                OK(read_values(p, w, 15, index, n, got, &err));
                for (unsigned lane = 0; lane < lanes; lane++)
                    for (unsigned i = 0; i < n; i++)
                        if (got[lane * n + i] != want[w][lane][i])
                            fail_msg("warp %u lane %u %s: %llx, not %llx", w, lane,
                                     t->registers[index[i]].name,
                                     (unsigned long long)got[lane * n + i],
                                     (unsigned long long)want[w][lane][i]);
            }
        }
        close_all(r, p);
    }
}

static void csrs_read_what_they_mean(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_device(v, code, 2);
        struct wt_wave_set all;
        struct wt_probe *p = open_probe(r, &all);
        const struct wt_topology *t = ops->topology(p);
        for (unsigned i = 0; i < t->register_count; i++) {
            const struct wt_register *reg = &t->registers[i];
            uint64_t value[2], lanes = t->lanes;
            OK(read_values(p, 2, 6, &i, 1, value, &err)); /* warp 2, lanes 1 and 2 */
            switch (reg->number - 65) {
            case 0xcc0:
                assert_int_equal(value[0], 1);
                assert_int_equal(value[1], 2);
                break;
            case 0xcc1:
                assert_int_equal(value[0], 2);
                break;
            case 0xfc0:
                assert_int_equal(value[0], lanes);
                break;
            case 0xfc1:
                assert_int_equal(value[0], 4);
                break;
            case 0xf14:
                assert_int_equal(value[1], 2 * lanes + 2);
                break;
            }
            if (reg->role == WT_ROLE_EXEC_MASK) {
                struct wt_error why; /* TMC sets it */
                assert_false(reg->read_only);
                assert_int_equal(write_value(p, 2, 1, i, 0, &why), WT_INVALID);
            } else if (reg->number >= 65 && (reg->number - 65) >> 10 == 3) {
                struct wt_error why;
                assert_true(reg->read_only);
                assert_int_equal(write_value(p, 2, 1, i, 1, &why), WT_INVALID);
            }
            if (reg->number == 65 + 0x340 || reg->number == 65 + 3) {
                OK(write_value(p, 2, 1, i, 0x51, &err));
                OK(read_values(p, 2, 2, &i, 1, value, &err));
                assert_int_equal(value[0], 0x51);
            }
        }
        close_all(r, p);
    }
}

static void memory_is_read_and_written_at_any_address_and_size(void **state)
{
    enum { BASE = 0x90000000u, SIZE = 3 * 4096 };
    srand(3);
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_device(v, code, 2);
        struct wt_wave_set all;
        struct wt_probe *p = open_probe(r, &all);
        static uint8_t model[SIZE], bytes[SIZE], seen[SIZE];
        memset(model, 0, sizeof model);
        for (int i = 0; i < 60; i++) {
            size_t size = rand() % 3 ? 1 + (size_t)rand() % 40 : 1 + (size_t)rand() % 5000;
            size_t at = (size_t)rand() % (SIZE - size);
            for (size_t k = 0; k < size; k++)
                bytes[k] = (uint8_t)rand();
            OK(ops->write_memory(p, 0, (unsigned)rand() % 4, wt_address_of(BASE + at), bytes, size,
                                 &err));
            memcpy(model + at, bytes, size);
            assert_true(r->machine->ops->read_memory(r->machine, 0, 0, BASE, seen, SIZE));
            assert_memory_equal(seen, model, SIZE);
            size = 1 + (size_t)rand() % 5000;
            at = (size_t)rand() % (SIZE - size);
            OK(ops->read_memory(p, 1, (unsigned)rand() % 4, wt_address_of(BASE + at), bytes, size,
                                &err));
            assert_memory_equal(bytes, model + at, size);
        }
        close_all(r, p);
    }
}

static void looking_changes_nothing(void **state)
{
    FOR_VARIANTS(v)
    {
        if (v->dm_clock)
            continue; /* the clock of the device goes on */
        struct rig *r = rig_device(v, code, 2);
        struct wt_wave_set all;
        struct wt_probe *p = open_probe(r, &all);
        const struct wt_topology *t = ops->topology(p);
        uint64_t value[200], hash[2];
        unsigned index[200];
        uint8_t bytes[100];
        wt_lanes mask;
        for (unsigned i = 0; i < t->register_count; i++) {
            index[i] = i;
            if (t->registers[i].number < 65 && t->registers[i].number != 32)
                OK(write_value(p, 0, 2, i, 0x123456789abcdef0 + i, &err));
        }
        for (int i = 0; i < 2; i++) { /* twice: DSCRATCH, which is ours, is part of the state */
            OK(read_values(p, 0, 4, index, t->register_count, value, &err));
            OK(ops->read_memory(p, 0, 2, wt_address_of(CODE - 3), bytes, sizeof bytes, &err));
            OK(ops->mask(p, 0, &mask, &err));
            assert_true(mask == 1);
            hash[i] = r->machine->ops->hash(r->machine);
        }
        assert_int_equal(hash[0], hash[1]);
        close_all(r, p);
    }
}

static void past_the_end_of_memory_is_refused(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_device(v, code, 2);
        struct wt_wave_set all;
        struct wt_probe *p = open_probe(r, &all);
        struct wt_error why;
        uint8_t bytes[8];
        assert_int_equal(ops->read_memory(p, 0, 0, wt_address_of(UINT64_MAX - 3), bytes, 8, &why),
                         WT_INVALID);
        if (v->xlen == 32) {
            assert_int_equal(ops->read_memory(p, 0, 0, wt_address_of(0xfffffffc), bytes, 8, &why),
                             WT_INVALID);
            assert_int_equal(ops->write_memory(p, 0, 0, wt_address_of(0xfffffffc), bytes, 8, &why),
                             WT_INVALID);
            OK(ops->read_memory(p, 0, 0, wt_address_of(0xfffffff8), bytes, 8, &err));
        }
        OK(ops->read_memory(p, 0, 0, wt_address_of(0), bytes, 0, &err));
        close_all(r, p);
    }
}

/*
 * The wire is cut at every possible access of a transfer. Each failure is reported, and once the
 * wire is mended all is as it was: what had been borrowed is given back first.
 */
static void a_cut_wire_is_reported_at_every_access(void **state)
{
    FOR_VARIANTS(v)
    {
        if (!v->dm_only)
            continue;
        struct rig *r = rig_device(v, code, 2);
        struct wt_wave_set all;
        struct wt_probe *p = open_probe(r, &all);
        uint8_t bytes[20], out[20];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(i + 1);
        static const unsigned gpr[] = {5, 6, 7, 33}, upper = 33;
        uint64_t want[4], got[4], word = 0x1122334455667788, scratch = 0;
        bool done = false;
        for (unsigned i = 0; i < 4; i++) {
            want[i] = shown(&ops->topology(p)->registers[gpr[i]], 0x123456789abcdef0 * (i + 1));
            OK(write_value(p, 0, 1, gpr[i], want[i], &err));
        }
        assert_true(r->machine->ops->write_memory(r->machine, 0, 0, 0xffff0000, &word, 8));
        for (unsigned k = 1; !done; k++) {
            struct wt_error why = {0};
            r->fail_at = r->accesses + k;
            enum wt_status status =
                ops->write_memory(p, 0, 1, wt_address_of(0x90000001), bytes, sizeof bytes, &why);
            done = r->accesses < r->fail_at;
            r->fail_at = 0;
            if (done)
                assert_int_equal(status, WT_OK);
            else
                assert_string_equal(why.text, "the wire is cut");
            OK(read_values(p, 0, 2, gpr, 4, got, &err));
            assert_memory_equal(got, want, sizeof want);
        }
        done = false;
        for (unsigned k = 1; !done; k++) { /* a double, which may have to pass through memory */
            struct wt_error why = {0};
            r->fail_at = r->accesses + k;
            enum wt_status status = read_values(p, 0, 2, &upper, 1, got, &why);
            done = r->accesses < r->fail_at;
            r->fail_at = 0;
            assert_int_equal(status, done ? WT_OK : WT_IO);
            OK(read_values(p, 0, 2, gpr, 4, got, &err));
            assert_memory_equal(got, want, sizeof want);
            assert_true(r->machine->ops->read_memory(r->machine, 0, 0, 0xffff0000, &scratch, 8));
            assert_int_equal(scratch, word);
        }
        OK(ops->read_memory(p, 0, 1, wt_address_of(0x90000001), out, sizeof out, &err));
        assert_memory_equal(bytes, out, sizeof out);
        close_all(r, p);
    }
}

/* A device that was quick and becomes slow in the middle of a transfer loses nothing. */
static void a_device_that_slows_down_is_followed(void **state)
{
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        struct rig_options o = {.xlen = xlen, .dm_only = true, .dm_clock = 40};
        struct rig *r = rig_device(&o, code, 2);
        struct wt_wave_set all;
        struct wt_probe *p = open_probe(r, &all); /* 40 cycles an access: found to be quick */
        const struct wt_topology *t = ops->topology(p);
        uint64_t want[40], got[40];
        unsigned index[32];
        srand(5);
        for (unsigned i = 0; i < 32; i++) {
            index[i] = i;
            want[i] = i == 0 ? 0 : shown(&t->registers[i], random64());
            OK(write_value(p, 0, 1, i, want[i], &err));
        }
        uint64_t quick = r->bus.round_trips;
        OK(read_values(p, 0, 2, index, 32, got, &err));
        quick = r->bus.round_trips - quick;
        assert_memory_equal(got, want, sizeof *got * 32);
        assert_true(quick <= 6);
        /* The same device, all of a sudden with a clock of 1. */
        ((struct vx_config *)(uintptr_t)vx_machine(r->device)->config)->dm_clock = 1;
        for (int again = 0; again < 3; again++) {
            OK(read_values(p, 0, 2, index, 32, got, &err));
            assert_memory_equal(got, want, sizeof *got * 32);
        }
        close_all(r, p);
    }
}

static void round_trips_do_not_grow_with_the_amount(void **state)
{
    const struct rig_options o = {.xlen = 32, .dm_only = true};
    struct rig *r = rig_device(&o, code, 2);
    struct wt_wave_set all;
    struct wt_probe *p = open_probe(r, &all);
    static uint8_t bytes[16384];
    unsigned index[32];
    static uint64_t value[4 * 32];
    for (unsigned i = 0; i < 32; i++)
        index[i] = i;
    uint64_t before = r->bus.round_trips;
    OK(read_values(p, 0, 15, index, 32, value, &err));
    assert_int_equal(r->bus.round_trips - before, 1);
    before = r->bus.round_trips;
    OK(ops->read_memory(p, 0, 0, wt_address_of(0x90000000), bytes, sizeof bytes, &err));
    assert_int_equal(r->bus.round_trips - before, 2);
    before = r->bus.round_trips;
    OK(ops->write_memory(p, 0, 0, wt_address_of(0x90000000), bytes, sizeof bytes, &err));
    assert_int_equal(r->bus.round_trips - before, 1);
    close_all(r, p);
}

/* Warps of their own masks and registers, halted at different places. */
static const uint32_t crowd[] = {
    /* 00 */ CSRR(A0, 0xfc1),
    /* 04 */ AUIPC(A1, 0),
    /* 08 */ ADDI(A1, A1, 12),
    /* 0c */ WSPAWN(A0, A1),
    /* 10 */ CSRR(A0, 0xcc1), /* every warp: as many lanes as its number and one say in bits */
    /* 14 */ ADDI(A0, A0, 1),
    /* 18 */ TMC(A0),
    /* 1c */ ADDI(A2, A2, 1), /* loop */
    /* 20 */ J(X0, -4),
};

/* A survey says of each warp what asking for it alone says; and nothing is lost when the wire is
 * cut at any access of it. */
static void a_survey_is_what_asking_each_warp_says(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig_options o = *v;
        o.warps = 40;
        o.schedule = "rr:1";
        struct rig *r = rig_device(&o, crowd, sizeof crowd / 4);
        struct wt_wave_set all;
        struct wt_probe *p = open_probe(r, &all);
        OK(ops->resume(p, &all, &err));
        for (int i = 0; i < 40; i++)
            rig_pump(r, 100);
        OK(ops->halt(p, &all, &err));
        uint32_t wave[39];
        struct wt_probe_view view[39];
        uint64_t t0[39];
        const unsigned index = T0;
        for (uint32_t i = 0; i < 39; i++) {
            wave[i] = i + 1;
            t0[i] = shown(&ops->topology(p)->registers[T0], 0x123456789abcdef0u * (i + 1));
            OK(write_value(p, i + 1, 0, T0, t0[i], &err));
        }
        bool done = false;
        for (unsigned k = 1; !done; k += k < 300 ? 1 : 37) {
            struct wt_error why = {0};
            memset(view, 0xee, sizeof view);
            r->fail_at = r->accesses + k;
            enum wt_status status = ops->survey(p, wave, 39, view, &why);
            done = r->accesses < r->fail_at;
            r->fail_at = 0;
            assert_int_equal(status, done ? WT_OK : WT_IO);
            for (uint32_t i = 0; i < 39; i++) {
                uint64_t value;
                OK(read_values(p, wave[i], 1, &index, 1, &value, &err));
                assert_int_equal(value, t0[i]);
            }
        }
        for (uint32_t i = 0; i < 39; i++) {
            enum wt_halt_cause cause;
            uint64_t pc;
            wt_lanes mask;
            OK(ops->halt_cause(p, wave[i], &cause, &pc, &err));
            OK(ops->mask(p, wave[i], &mask, &err));
            assert_int_equal(view[i].cause, cause);
            assert_int_equal(view[i].pc, pc);
            assert_true(view[i].mask == mask);
            assert_true(mask == ((wave[i] + 1) & wt_lanes_first(ops->topology(p)->lanes)) ||
                        mask == 1);
        }
        close_all(r, p);
    }
}

static void a_dead_device_is_refused_with_a_reason(void **state)
{
    struct rig_options o = {.xlen = 32};
    struct rig *r = rig_device(&o, code, 2);
    struct wt_probe *p = NULL;
    struct wt_error why = {0};
    r->fail_at = 1;
    assert_int_equal(ops->open(ops, &r->target, true, &p, &why), WT_IO);
    assert_null(p);
    assert_non_null(strstr(why.text, "Debug Module"));
    r->link.xlen = 48;
    assert_int_equal(ops->open(ops, &r->target, true, &p, &why), WT_INVALID);
    vx_device_free(r->device);
    free(r);
}

static void a_debug_module_that_went_to_sleep_is_noticed(void **state)
{
    const struct rig_options o = {.xlen = 32, .dm_only = true};
    struct rig *r = rig_device(&o, code, 2);
    struct wt_wave_set all;
    struct wt_probe *p = open_probe(r, &all);
    struct wt_probe_summary summary;
    struct wt_error why = {0};
    uint8_t byte;
    vx_dm_write(r->device, VX_DM_DCTRL, 0);
    assert_int_equal(ops->summary(p, &summary, &why), WT_IO);
    assert_int_equal(ops->read_memory(p, 0, 0, wt_address_of(CODE), &byte, 1, &why), WT_IO);
    assert_non_null(strstr(why.text, "attach again"));
    close_all(r, p);
}

static void breakpoint_instructions_have_the_length_of_what_they_replace(void **state)
{
    struct wt_window four = {CODE, 4, 2, {0x13, 0x05, 0x10, 0x00}},
                     two = {CODE, 4, 2, {0x05, 0x05, 0x13, 0x00}}, window;
    const struct rig_options o = {.xlen = 32};
    struct rig *r = rig_device(&o, code, 2);
    struct wt_wave_set all;
    struct wt_probe *p = open_probe(r, &all);
    struct wt_patch patch;
    ops->patch(p, CODE, &four, &patch);
    assert_int_equal(patch.addr, CODE);
    assert_int_equal(patch.size, 4);
    assert_memory_equal(patch.bytes, "\x73\x00\x10\x00", 4);
    assert_memory_equal(patch.mask, "\xff\xff\xff\xff", 4);
    ops->patch(p, CODE, &two, &patch);
    assert_int_equal(patch.size, 2);
    assert_memory_equal(patch.bytes, "\x02\x90", 2);
    assert_memory_equal(patch.mask, "\xff\xff", 2);
    /* An instruction is shown from where it begins; none begins at an odd address. */
    OK(ops->window(p, CODE + 2, &window, &err));
    assert_int_equal(window.addr, CODE + 2);
    assert_int_equal(window.size, 4);
    struct wt_error why;
    assert_int_equal(ops->window(p, CODE + 1, &window, &why), WT_INVALID);
    close_all(r, p);
}

static void instructions_are_decoded(void **state)
{
    const struct {
        uint32_t word;
        unsigned xlen, length;
        enum wt_instruction_kind kind;
    } list[] = {
        {ADDI(A0, X0, 1), 32, 4, WT_INSTRUCTION_PLAIN},
        {0x00100073, 32, 4, WT_INSTRUCTION_TRAP},     /* ebreak */
        {0x00000073, 32, 4, WT_INSTRUCTION_PLAIN},    /* ecall */
        {0x008000ef, 32, 4, WT_INSTRUCTION_CALL},     /* jal ra, 8 */
        {0x008002ef, 32, 4, WT_INSTRUCTION_CALL},     /* jal t0, 8 */
        {J(X0, -4), 32, 4, WT_INSTRUCTION_BRANCH},    /* jal x0 */
        {0x000500e7, 32, 4, WT_INSTRUCTION_CALL},     /* jalr ra, a0 */
        {0x00008067, 32, 4, WT_INSTRUCTION_RETURN},   /* jalr x0, ra */
        {0x00050067, 32, 4, WT_INSTRUCTION_BRANCH},   /* jalr x0, a0 */
        {0x00050463, 32, 4, WT_INSTRUCTION_BRANCH},   /* beqz a0, 8 */
        {BAR(A0, A1), 32, 4, WT_INSTRUCTION_BARRIER}, /* vx_bar */
        {TMC(X0), 32, 4, WT_INSTRUCTION_END},
        {TMC(A0), 32, 4, WT_INSTRUCTION_PLAIN},
        {0x9002, 32, 2, WT_INSTRUCTION_TRAP},   /* c.ebreak */
        {0x0001, 32, 2, WT_INSTRUCTION_PLAIN},  /* c.nop */
        {0x2011, 32, 2, WT_INSTRUCTION_CALL},   /* c.jal 4 */
        {0x2511, 64, 2, WT_INSTRUCTION_PLAIN},  /* c.addiw a0, 4 */
        {0xa011, 32, 2, WT_INSTRUCTION_BRANCH}, /* c.j 4 */
        {0xc111, 32, 2, WT_INSTRUCTION_BRANCH}, /* c.beqz a0, 4 */
        {0xe111, 32, 2, WT_INSTRUCTION_BRANCH}, /* c.bnez a0, 4 */
        {0x8082, 32, 2, WT_INSTRUCTION_RETURN}, /* c.jr ra */
        {0x8502, 32, 2, WT_INSTRUCTION_BRANCH}, /* c.jr a0 */
        {0x9502, 32, 2, WT_INSTRUCTION_CALL},   /* c.jalr a0 */
        {0x852e, 32, 2, WT_INSTRUCTION_PLAIN},  /* c.mv a0, a1 */
        {0x952e, 32, 2, WT_INSTRUCTION_PLAIN},  /* c.add a0, a1 */
    };
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        const struct rig_options o = {.xlen = xlen};
        struct rig *r = rig_device(&o, code, 2);
        struct wt_wave_set all;
        struct wt_probe *p = open_probe(r, &all);
        for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
            struct wt_window window = {CODE, 4, 2, {0}};
            struct wt_instruction got;
            wt_store_le(window.bytes, list[i].word, 4);
            if (list[i].xlen != xlen)
                continue;
            ops->decode(p, CODE, &window, &got);
            if (got.length != list[i].length || got.kind != list[i].kind)
                fail_msg("0x%08x: length %u, %s", (unsigned)list[i].word, got.length,
                         instruction_name(got.kind));
        }
        close_all(r, p);
    }
}

/* Code at CODE. */
static bool read_bytes(void *context, uint64_t addr, void *out, size_t size)
{
    memcpy(out, (const uint8_t *)context + (addr - CODE), size);
    return true;
}

/* The letter of an answer: in Place, not Yet, Gone. */
static char kept_at(struct wt_probe *p, const uint8_t *bytes, size_t size, const char *name,
                    uint64_t pc)
{
    const struct wt_topology *t = ops->topology(p);
    struct wt_kept_address asked = {.start = CODE,
                                    .end = CODE + size,
                                    .pc = CODE + pc,
                                    .reg = -1,
                                    .context = (void *)bytes,
                                    .read_code = read_bytes};
    struct wt_kept_answer answer;
    struct wt_error err;
    for (size_t i = 0; i < t->register_count; i++)
        if (strcmp(t->registers[i].name, name) == 0)
            asked.reg = (int)i;
    assert_true(asked.reg >= 0);
    assert_int_equal(ops->find_kept(p, &asked, &answer, &err), WT_OK);
    return answer.state == WT_KEPT_IN_PLACE ? 'P' : answer.state == WT_KEPT_NOT_YET ? 'Y' : 'G';
}

/* A variable's address is in its register from the function's first write of it to whatever
 * overwrites it, in the order in which instructions may follow each other. */
static void addresses_are_in_registers_for_a_while(void **state)
{
    enum { MV_RA_A1 = 0x00058093, CALL = 0x008000ef, RET = 0x00008067, NOP = 0x13 };
    static const uint32_t once[] = {NOP, MV_RA_A1, NOP, CALL, NOP, RET},
                          loop[] = {NOP, ADDI(A0, A1, 0), CALL, J(X0, -8)},
                          given[] = {NOP, CALL, RET}, outer[] = {NOP, CALL, NOP};
    static const uint16_t branch[] = {0xc111 /* c.beqz a0, 4 */, 0x852e /* c.mv a0, a1 */, 1, 1},
                          jump[] = {0xa011 /* c.j 4 */, 0x852e, 1, 1};
    static const struct {
        const void *bytes;
        size_t size;
        const char *reg, *states; /* before each instruction */
        unsigned each;            /* bytes of an instruction */
    } list[] = {
        {once, sizeof once, "ra", "YYPPGG", 4},   {loop, sizeof loop, "a0", "YGPG", 4},
        {given, sizeof given, "a0", "PPG", 4},    {given, sizeof given, "s1", "PPP", 4},
        {branch, sizeof branch, "a0", "YYGG", 2}, {jump, sizeof jump, "a0", "YGYY", 2},
    };
    const struct rig_options o = {.xlen = 32};
    struct rig *r = rig_device(&o, code, 2);
    struct wt_wave_set all;
    struct wt_probe *p = open_probe(r, &all);
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (size_t k = 0; k < list[i].size / list[i].each; k++) {
            const char got = kept_at(p, list[i].bytes, list[i].size, list[i].reg, k * list[i].each);
            if (got != list[i].states[k])
                fail_msg("code %zu, instruction %zu: %c", i, k, got);
        }
    /* The PC of a frame that has called another one is within the call, which has overwritten it.
     */
    assert_int_equal(kept_at(p, (const void *)outer, sizeof outer, "ra", 4), 'P');
    assert_int_equal(kept_at(p, (const void *)outer, sizeof outer, "ra", 7), 'G');
    close_all(r, p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_describes_itself),
        cmocka_unit_test(opening_leaves_a_running_program_undisturbed),
        cmocka_unit_test(registers_hold_what_is_written),
        cmocka_unit_test(csrs_read_what_they_mean),
        cmocka_unit_test(memory_is_read_and_written_at_any_address_and_size),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(past_the_end_of_memory_is_refused),
        cmocka_unit_test(a_cut_wire_is_reported_at_every_access),
        cmocka_unit_test(a_device_that_slows_down_is_followed),
        cmocka_unit_test(round_trips_do_not_grow_with_the_amount),
        cmocka_unit_test(a_survey_is_what_asking_each_warp_says),
        cmocka_unit_test(a_dead_device_is_refused_with_a_reason),
        cmocka_unit_test(a_debug_module_that_went_to_sleep_is_noticed),
        cmocka_unit_test(breakpoint_instructions_have_the_length_of_what_they_replace),
        cmocka_unit_test(instructions_are_decoded),
        cmocka_unit_test(addresses_are_in_registers_for_a_while),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
