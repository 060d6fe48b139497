/* The functions that the GCN emulator's files share. */
#ifndef WT_EMULATOR_GCN_INTERNAL_H
#define WT_EMULATOR_GCN_INTERNAL_H

#include "emulator/gcn/exec/scalars.h"
#include "emulator/gcn/wave.h"

/* ---- origin.c ---- */

WT_MACHINE_FN(origins) gcn_origins;

/* ---- code.c: decoded pages ---- */

/* The decoded instruction at pc; sets w->code. NULL with a fault if nothing can be fetched there.
 */
const struct gcn_uop *gcn_fetch(struct gcn_wave *w, uint64_t pc);

/* Whether the wave has a trap handler, and is not in it. */
static inline bool gcn_may_trap(const struct gcn_wave *w)
{
    const uint32_t trap_bits = GCN_STATUS_TRAP_EN | GCN_STATUS_PRIV;
    return w->tba && (w->status & trap_bits) == GCN_STATUS_TRAP_EN;
}

/*
 * Enters the trap handler (section 3.10): TTMP0 and TTMP1 get pc, the trap's number (8 bits), and
 * PCRewind: how many dwords pc is behind the instruction that raised an exception. The wave must be
 * one that may trap. Returns the handler's first instruction.
 */
const struct gcn_uop *gcn_enter_trap(struct gcn_wave *w, uint64_t pc, unsigned id, unsigned rewind);
/*
 * Before a turn of a wave: *step becomes whether it is single-stepped, so that the turn has one
 * issue. Takes a trap that was due while the wave waited; false if that has stopped the wave for a
 * debugger.
 */
bool gcn_begin_step(struct gcn_wave *w, bool *step);
/*
 * After the turn's last instruction: takes the traps that follow an instruction, those of address
 * watches and of a single step.
 */
void gcn_after_instruction(struct gcn_wave *w, bool step);
/*
 * Makes a wave that may trap enter the handler before its next instruction: a trap of the host or
 * of hardware around the wave. ttmp1: TTMP1 but for the PC.
 */
void gcn_trap_from_outside(struct gcn_wave *w, uint32_t ttmp1);
/*
 * Ends a wave's wait at a barrier or at global wave sync, so that it arrives there again later.
 * Returns the PC of the instruction it waited at; the wave's PC if it did not wait.
 */
uint64_t gcn_leave_wait(struct gcn_wave *w);
/* Whether bits of TRAPSTS that have just been set make the wave enter the trap handler. */
bool gcn_calls_for_trap(const struct gcn_wave *w, uint32_t trapsts);
/*
 * Writes a source operand for reports, by its type in isa.def: "-v3 = 1.5 (0x3fc00000)". `value` is
 * the one after modifiers.
 */
void gcn_operand_text(const struct gcn_uop *u, unsigned source, char type, uint64_t value,
                      char *text, size_t size);

/*
 * Takes exceptions that u has raised in some lanes, that MODE enables and that come after u's
 * effect. Returns the trap handler's first instruction; NULL where a debugger takes them, or, with
 * a fault, where there is no handler.
 */
const struct gcn_uop *gcn_raised(struct gcn_wave *w, const struct gcn_uop *u, uint32_t raised,
                                 uint64_t lanes);
/*
 * Executes s_sendmsg(MSG_SAVEWAVE): EXEC gets the place for the wave's context. A fault if nobody
 * has asked for the context, or the area is full.
 */
const struct gcn_uop *gcn_save_answer(struct gcn_wave *w, const struct gcn_uop *u);

/*
 * Goes on at pc: returns the next instruction for a handler to return; NULL, with w->pc set, where
 * it cannot.
 */
const struct gcn_uop *gcn_jump(struct gcn_wave *w, uint64_t pc);
extern const struct wt_code_format gcn_code_format;

/* Decodes a record that has not been executed yet, if that does not show anywhere; whether it did.
 */
bool gcn_decode_record(struct gcn_wave *w, struct gcn_uop *slot);

/* ---- flags.c ---- */

/* The operation `loop`. */
extern WT_MACHINE_FN(loop) gcn_loop;
/* The operation `guesses`. */
extern WT_MACHINE_FN(guesses) gcn_guesses;

/* The operation `array`. */
extern WT_MACHINE_FN(array) gcn_array;
/* The operation `frame`, by the calling convention: s33 has it (LLVM, "User Guide for AMDGPU
 * Backend", "Call Convention"). */
extern WT_MACHINE_FN(frame) gcn_frame;

/* ---- block.c: translated code ---- */

/* The operation `piece`. */
extern WT_MACHINE_FN(piece) gcn_piece;
/* Frees all translated code. */
void gcn_blocks_free(struct gcn_device *d);

/* ---- faults (device.c) ---- */

/* Notes the exception of a wave that is active; returns the note, NULL without host memory. */
struct wt_fault *gcn_note_exception(struct gcn_device *d, const struct wt_fault *fault);
/* The note of the operands of a wave's exception, to be filled in; NULL without host memory. */
struct gcn_raise *gcn_raise_of(struct gcn_wave *w);
/* The exception that is noted for a wave, told or not; NULL: none. */
struct wt_fault *gcn_noted_exception(struct gcn_device *d, uint32_t wave);
/* Tells of the violation for which w->late counts: the wave enters its trap handler, stops for its
 * debugger, or the machine's fault is set. Not within an instruction that counts as issued. */
void gcn_tell_late(struct gcn_wave *w);
/*
 * Reports a mistake at u. Where the configuration has violations of memory late, it notes them, and
 * the wave goes on behind u. A memory violation or an illegal instruction enters the wave's trap
 * handler or stops for its debugger, if it has one. Else the machine's fault is set and the wave
 * stays at u. Returns what the instruction's handler returns: the trap handler's first instruction,
 * or NULL.
 */
const struct gcn_uop *gcn_fault(struct gcn_wave *w, const struct gcn_uop *u,
                                enum wt_fault_kind kind, uint64_t lanes, uint64_t addr,
                                const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Reports an instruction that names a row of a file that the wave does not have. Returns as
 * gcn_fault. */
const struct gcn_uop *gcn_no_row(struct gcn_wave *w, const struct gcn_uop *u, unsigned row);
/*
 * Reports WT_FAULT_HOST for a store to addr that the host has no memory for. Returns NULL, as
 * gcn_fault.
 */
const struct gcn_uop *gcn_no_memory(struct gcn_wave *w, const struct gcn_uop *u, uint64_t lanes,
                                    uint64_t addr);
/*
 * Reports an illegal instruction, or one that the emulator does not execute; without a handler the
 * wave is halted for good. Returns what the handler returns, as gcn_fault.
 */
const struct gcn_uop *gcn_illegal(struct gcn_wave *w, const struct gcn_uop *u);
/* Reports an access by a resource of gfx10 with a format, of which the emulator has no table.
 * Returns as gcn_fault. */
const struct gcn_uop *gcn_formats_unknown(struct gcn_wave *w, const struct gcn_uop *u);

/* ---- valu.c: vector instructions ---- */

/* Writes all ones to the lanes of a mask, zeros to the others: 64 dwords. */
void gcn_spread_mask(uint32_t *on, uint64_t mask);
/* Copies 64 values into a register where `on` is all ones. */
void gcn_blend(uint32_t *to, const uint32_t *from, const uint32_t *on);
/* The handler that executes decoded instruction u; gcn_illegal where the emulator does not. */
gcn_op gcn_handler_of(const struct gcn_uop *u);

/* ---- hwreg.c: what s_getreg and s_setreg see ---- */

/*
 * Reads the hardware register of an active wave that s_getreg knows by this id (section 5.8); false
 * if there is none.
 */
bool gcn_hwreg_read(struct gcn_wave *w, unsigned id, uint32_t *value);
/*
 * Writes the bits of a mask to a hardware register; read-only ones drop the write. False if there
 * is none of this id. privileged: the write may change all of STATUS that is not computed.
 */
bool gcn_hwreg_write(struct gcn_wave *w, unsigned id, uint32_t value, uint32_t mask,
                     bool privileged);
/* The bits of MODE that the model has. */
uint32_t gcn_mode_held(const struct gcn_device *d);
/* The bits of STATUS that a write may change: not those that are computed, nor TRAP_EN in a wave
 * that has no trap handler. */
uint32_t gcn_status_held(const struct gcn_wave *w);
/* STATUS with its computed bits: SCC, EXECZ, VCCZ, IN_TG, IN_BARRIER, VALID. */
uint32_t gcn_status(const struct gcn_wave *w);

/* ---- control.c: what debug hardware outside does to waves ---- */

/*
 * Whether the wave does not issue because of HALT: it counts outside the trap handler; a fatal one
 * everywhere.
 */
static inline bool gcn_halted(const struct gcn_wave *w)
{
    return w->status & GCN_STATUS_FATAL_HALT ||
           (w->status & (GCN_STATUS_HALT | GCN_STATUS_PRIV)) == GCN_STATUS_HALT;
}

/* Obeys a write of SQ_CMD: halts, resumes, kills, steps or traps the waves that it selects. */
void gcn_sq_command(struct gcn_device *d, uint32_t command);
/* Executes s_sendmsg(MSG_HALT_WAVES): halts all waves of the wave's process (VMID). */
void gcn_halt_process(struct gcn_wave *w);
/* GRBM_GFX_INDEX.INSTANCE_INDEX of a location: its compute unit or, on gfx10, its SIMD. */
uint32_t gcn_instance(const struct gcn_device *d, const struct gcn_location *at);
/* Whether GRBM_GFX_INDEX selects the compute unit of a location or, on gfx10, its SIMD. */
bool gcn_selected(const struct gcn_device *d, const struct gcn_location *at);
/* Ends a wave outside of a turn. */
void gcn_kill(struct gcn_wave *w);
/* Sends an interrupt about a wave to the host. data: 24 bits of a message (23 on gfx10), or the
 * type of an error. */
void gcn_send_interrupt(const struct gcn_wave *w, uint32_t data,
                        enum gcn_interrupt_encoding encoding);
/* Whether SPI_GDBG_WAVE_CNTL keeps waves of the dispatch from starting. */
bool gcn_launch_stalled(const struct gcn_device *d, const struct gcn_dispatch *k);
/*
 * Applies the SPI's debug registers to a new wave: the exceptions it enables (SPI_GDBG_TRAP_MASK),
 * and whether it starts halted, killed or with DEBUG_EN (SPI_GDBG_WAVE_CNTL2).
 */
void gcn_launch_wave(struct gcn_device *d, struct gcn_wave *w);

/* ---- address_watch.c: TCP_WATCH ---- */

/* Bytes of a block: watches do not tell what is in one apart. */
uint32_t gcn_watch_block(const struct gcn_device *d);

/* Whether an access to some byte of the page can hit an address watch. */
bool gcn_address_watch_page(const struct gcn_device *d, uint64_t addr);
/*
 * Whether an access to some byte of [first, last] can hit an address watch. It is checked by blocks
 * of 64 bytes.
 */
bool gcn_address_watch_range(const struct gcn_device *d, uint64_t first, uint64_t last);
/*
 * Checks a lane's access by a vector memory instruction to [addr, addr + size): notes the address
 * watches that it hits, and ends the turn.
 */
void gcn_address_watch_access(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                              unsigned lane, uint64_t addr, unsigned size);
/* Must be called after a TCP_WATCH register was written, or all were restored. */
void gcn_address_watch_changed(struct gcn_device *d);

/*
 * Whether accesses of vector memory instructions must be checked: a debugger's watch or an address
 * watch is set.
 */
static inline bool gcn_watching(const struct gcn_device *d)
{
    return d->machine.watch || d->address_watch;
}

/* ---- access.c: memory ---- */

/*
 * Whether the host may access [addr, addr + size): on a device that works on host memory only what
 * is mapped.
 */
bool gcn_is_there(const struct gcn_device *d, uint64_t addr, size_t size);
/*
 * Puts the page of addr into the TLB for reading. Returns a host pointer to addr; NULL where
 * gcn_read must be used: nothing is mapped, or a byte of the page is watched.
 */
const uint8_t *gcn_tlb_fill_read(struct gcn_device *d, uint64_t addr);
/*
 * Puts the page of addr into the TLB for writing. Returns a host pointer to addr; NULL where
 * gcn_write must be used: nothing is mapped for writing, a byte of the page is watched, it holds
 * decoded code, or its stores are reported to the host.
 */
uint8_t *gcn_tlb_fill_write(struct gcn_device *d, uint64_t addr);
/*
 * A host pointer to addr for writing, watched or not, that is not put into the TLB; NULL where
 * gcn_write must be used.
 */
uint8_t *gcn_host_for_write(struct gcn_device *d, uint64_t addr);
/*
 * Whether something is watched on the device, but no byte of [addr, addr + size), which lies in one
 * page.
 */
bool gcn_beside_watch(const struct gcn_device *d, uint64_t addr, uint64_t size);
/*
 * A host pointer to [addr, addr + size) for reading, in one page that is kept out of the TLB by a
 * watch; NULL where a byte of it is watched, nothing is watched at all, or nothing is mapped.
 */
const uint8_t *gcn_readable_beside_watch(struct gcn_device *d, uint64_t addr, uint64_t size);
/* As gcn_readable_beside_watch, for writing; NULL also where gcn_host_for_write gives NULL. */
uint8_t *gcn_writable_beside_watch(struct gcn_device *d, uint64_t addr, uint64_t size);
/* Reads memory as a kernel does; false where a byte is not mapped. */
bool gcn_read(struct gcn_device *d, uint64_t addr, void *out, size_t size);
/* Decodes the instruction at an address; false: there is none. */
bool gcn_uop_at(struct gcn_device *d, uint64_t pc, struct gcn_uop *u);
/*
 * Writes memory as a kernel does; false where a byte is not mapped for writing, or without host
 * memory.
 */
bool gcn_write(struct gcn_device *d, uint64_t addr, const void *bytes, size_t size);
/* Whether all of [addr, addr + size) is mapped, and where `write` says so for writing. */
bool gcn_mapped(const struct gcn_device *d, uint64_t addr, uint64_t size, bool write);

/*
 * A host pointer to `size` bytes at addr for reading, by the TLB; NULL where they cross a page, or
 * gcn_read must be used (gcn_tlb_fill_read).
 */
static inline const uint8_t *gcn_readable(struct gcn_device *d, uint64_t addr, unsigned size)
{
    if ((addr & WT_PAGE_MASK) + size > WT_PAGE_SIZE)
        return NULL;
    struct wt_tlb_entry *e = wt_tlb_entry_of(&d->machine.tlb, addr);
    if (e->read_page == (addr & ~WT_PAGE_MASK))
        return e->read_host + (addr & WT_PAGE_MASK);
    return gcn_tlb_fill_read(d, addr);
}

/*
 * A host pointer to `size` bytes at addr for writing, by the TLB; NULL where they cross a page, or
 * gcn_write must be used (gcn_tlb_fill_write).
 */
static inline uint8_t *gcn_writable(struct gcn_device *d, uint64_t addr, unsigned size)
{
    if ((addr & WT_PAGE_MASK) + size > WT_PAGE_SIZE)
        return NULL;
    struct wt_tlb_entry *e = wt_tlb_entry_of(&d->machine.tlb, addr);
    if (e->write_page == (addr & ~WT_PAGE_MASK))
        return e->write_host + (addr & WT_PAGE_MASK);
    return gcn_tlb_fill_write(d, addr);
}

/* ---- kfd.c, kfd_save.c: the driver's debug interface ---- */

/*
 * Whether the driver's handlers take a trap or exception of the wave for a debugger. Other ones
 * than the debugger's own (breakpoints, steps, watches) go to a trap handler of the program, if it
 * has one.
 */
bool gcn_kfd_handles(const struct gcn_wave *w, bool debuggers_own);
/*
 * Stops the wave as the driver's handlers do, and raises the exception. pc: of the trap; ttmp1:
 * TTMP1 but for the PC.
 */
void gcn_kfd_stop(struct gcn_wave *w, uint64_t pc, uint32_t ttmp1, enum kfd_exception code);
/*
 * Writes a queue's waves to its save area (gcn_kfd_area); false if it is too small or the host has
 * no memory.
 */
bool gcn_kfd_save(struct gcn_device *d, struct gcn_kfd_queue *q);
/* Takes the registers and LDS of a suspended queue's waves back from its save area. */
void gcn_kfd_load(struct gcn_device *d, struct gcn_kfd_queue *q);
/** Whether a wave's record, with the LDS of its group, is within the save area: the record is at 0
 * if there is none. */
bool gcn_kfd_record_fits(const struct gcn_device *d, const struct gcn_wave *w);
/* The bytes of a queue's save area; NULL where a device in no host process has not used it yet. */
uint8_t *gcn_kfd_area(const struct gcn_device *d, const struct gcn_kfd_queue *q);
/*
 * The byte at an address of a save area, and in *room how many follow up to its end; NULL: the
 * address is in none.
 */
uint8_t *gcn_kfd_area_at(const struct gcn_device *d, uint64_t addr, uint64_t *room);

/* ---- groups.c ---- */

/* This family's operations for groups (machine/groups.h). */
extern const struct wt_group_ops gcn_group_ops;
/* Starts work-groups of the dispatches wherever a compute unit has room. */
void gcn_dispatch_pump(struct gcn_device *d);
/*
 * Recomputes what waves and work-groups have taken of the compute units, and the running waves of
 * each dispatch, after the waves were replaced.
 */
void gcn_count_taken(struct gcn_device *d);
/* Starts a wave whose context is saved again, in its own slot, where the trap handler restores. */
void gcn_restart_wave(struct gcn_device *d, struct gcn_wave *w);
/* Ends a wave; with its group's last wave ends the group, and other groups may start. */
void gcn_wave_end(struct gcn_wave *w);
/* Recomputes whether the wave can issue, and puts it into the ready set or takes it out. */
void gcn_update_ready(struct gcn_wave *w);
/*
 * Lets the wave wait at its group's barrier, which opens with the last wave to come (section 4.3).
 */
void gcn_barrier(struct gcn_wave *w);

/* ---- host.c ---- */

/* The host of a device that is in no host process. */
extern const struct gcn_host gcn_no_driver;
/* The host of a device that repeats what one in a host process did: its runs return where the
 * recorded ones did. */
extern const struct gcn_host gcn_recorded_driver;

/* ---- inspect.c: the machine's operations of these names ---- */

/* By the numbers of enum gcn_register. */
WT_MACHINE_FN(describe_register) gcn_describe_register;
/* False also where the wave is not active or has fewer VGPRs. */
WT_MACHINE_FN(read_row) gcn_read_row;
/* Flat addresses, GDS and the save areas of queues. */
extern const struct wt_address_map gcn_address_map;

/* ---- definedness.c: the machine's operations of these names ---- */

WT_MACHINE_FN(read_cell) gcn_read_cell;
WT_MACHINE_FN(unwritten) gcn_unwritten;
WT_MACHINE_FN(lane_sources) gcn_lane_sources;
WT_MACHINE_FN(pace) gcn_pace;
extern const struct wt_pace_table gcn_pace_table;

/* The die of a compute unit: each has as many. */
static inline uint32_t gcn_xcc_of(const struct gcn_device *d, uint32_t cu)
{
    return cu / (d->config.cu / d->config.xcc);
}

/* How many SGPRs a wave has values in when it starts (groups.c). */
unsigned gcn_first_sgprs(const struct gcn_wave *w);
/* How many rows of VGPRs. */
unsigned gcn_first_vgprs(const struct gcn_wave *w);

/* ---- the machine's and the engine's other operations, in files of these names ---- */

/* How a flat address is translated (wt_machine_ops.explain). */
WT_MACHINE_FN(explain) gcn_explain;
WT_ENGINE_FN(check) gcn_check;
WT_MACHINE_FN(state) gcn_state;
extern const struct wt_field gcn_dispatch_fields[], gcn_group_fields[], gcn_wave_fields[];
/** Why an active wave is one that there cannot be: a sentence without a period; NULL. */
const char *gcn_wave_flaw(const struct gcn_device *d, const struct gcn_wave *w);
/* All of the state but the driver's debug interface and interrupts. */
WT_MACHINE_FN(hash) gcn_hash;
/* Without the registers of the debug hardware, and without what the driver's debug interface does
 * to waves. */
WT_MACHINE_FN(program_hash) gcn_program_hash;
extern const struct wt_engine_ops gcn_engine_ops;

/* The functions that execute instructions, as isa.def names them. */
#define GCN_OP(executor)                                                                           \
    const struct gcn_uop *gcn_op_##executor(struct gcn_wave *w, const struct gcn_uop *u);
#define GCN_VECTOR(executor) void gcn_vop_##executor(struct gcn_valu *v);
#define I(id, name, encoding, opcode, forms, operands, state, models, gfx10, executor, ...)        \
    GCN_RUNS_##encoding(executor)
#include "emulator/gcn/isa.def"
#undef I
#undef GCN_OP
#undef GCN_VECTOR

/* ---- salu.c: s_movrel ---- */

/* The scalar registers, by operand number, that M0 names with register n; count: 1, or 2 for a
 * pair. Two names may stand for one; -1: there is none. False: it leads beyond the registers. */
bool gcn_relative(const struct gcn_wave *w, unsigned n, unsigned count, int *named, int *other);

#endif
