/* Declarations shared by the files of the GCN probe. */
#ifndef WT_DEBUG_GCN_INTERNAL_H
#define WT_DEBUG_GCN_INTERNAL_H

#include "debug/gcn/gcn.h"
#include "debug/standstill/standstill.h"

#define GCN_LANES 64u
#define MOST_VGPRS 256u

/** Spaces, by their number in the topology. */
enum gcnp_space { SPACE_GENERIC, SPACE_GLOBAL, SPACE_LOCAL, SPACE_PRIVATE, SPACE_SCRATCH, SPACES };

/** A row of the probe's table of waves: its slot, and the record that the last scan read. */
struct gcnp_row {
    struct wt_standstill_row common;
    bool watched; /**< it has stopped for an address watch, whose range was not looked at yet */
    bool traps_to_abort; /**< it stands at an s_trap 2, by which the program gives up */
    bool aborts;         /**< and the debugger has heard of it */
    bool given_up; /**< it was to go on from an exception: the runtime knows, and it stays halted */
    uint32_t queue;  /**< index in the probe's list of queues */
    uint64_t record; /**< address; VGPRs come first */
    uint32_t vgprs, sgprs, lds;
    uint32_t agprs;                      /**< accumulation registers, behind the VGPRs */
    uint32_t lanes;                      /**< lanes of the wave: 32 or 64 */
    uint32_t frame_lanes;                /**< whose bytes its stack pointer counts */
    bool is_gfx10;                       /**< the record is laid out as those of gfx10 */
    uint32_t leader;                     /**< handle of its group's first wave, which has the LDS */
    bool is_first;                       /**< it is that wave */
    bool is_read;                        /**< hw and ttmp */
    bool changed;                        /**< hw or ttmp: the record is yet to be written */
    uint32_t hw[KFD_HW_COUNT], ttmp[16]; /**< as they lie in the record */
    uint64_t scratch, scratch_changes; /**< where its private memory begins, as of these changes */
};

/** A dword of the private memory of each lane, as it lies in memory. */
#define GCNP_DWORD_ROW 256u

/** Address watches of gfx9, and how many bytes of a watched range the probe remembers. */
#define GCNP_WATCHES 4
#define GCNP_WATCHED_BYTES WT_WATCHED_BYTES

/** Watchpoints that an emulated device watches itself, at most. */
#define GCNP_LOCAL_WATCHES 16u

/** A watchpoint in LDS, or one with a condition. */
struct gcnp_local {
    struct wt_watchpoint asked;
    uint64_t addr; /**< generic: in LDS that in its aperture */
};

/** A range that an address watch covers. */
struct gcnp_watch {
    struct wt_watchpoint asked;
    uint32_t id[KFD_DEBUG_DEVICES]; /**< the watch's number on each GPU */
    uint64_t addr;                  /**< where the range is in global memory */
    uint8_t
        before[GCNP_WATCHED_BYTES]; /**< the memory as it was when a write was looked for last */
};

/** The head of a queue's save area. */
struct gcnp_area {
    uint8_t head[4096]; /**< struct kfd_save_header, and the control stack of some hundred waves */
    uint8_t read[8];    /**< the number of the packet that is read next; 0: not known */
};

/** Numbers of instructions that differ between gfx9 and gfx10. Sources: AMD, "Vega" and "RDNA 2"
 * Instruction Set Architecture, chapter 12. Those with two have one of 64 and one of 32 bits. */
struct gcnp_codes {
    uint8_t s_mov_b32, s_mov_b64, s_getpc, s_setpc, s_swappc, s_rfe;
    uint8_t s_cbranch_join; /**< 0xff: there is none, likewise below */
    uint8_t s_or_saveexec[2];
    uint8_t s_addk, s_call, s_setreg_imm32, branch_k[2]; /**< SOPK; branches: the first, the last */
    uint8_t s_cbranch_g_fork, sop2_narrow;               /**< SOP2; the last one of 32 bits at the
                                                            beginning */
    uint8_t sop1_narrow[3], sop1_narrow_from, sop1_narrow_to; /**< SOP1 of 32 bits: some, a range */
    uint8_t vop2_constant[4];           /**< those that always have a constant */
    uint8_t vop1_wide[12], vop1_any[4]; /**< with results of 64 bits; that write registers that the
                                           instruction does not name */
    uint16_t vop3_wide[20], vop3_quad[3],
        vop3_vop1;                    /**< results of 64, 128 bits; VOP1 from there */
    uint16_t v_readlane, v_writelane; /**< VOP3 */
    uint8_t vop3, smem, vintrp;       /**< formats: bits 31:26 */
    uint8_t load_dword;               /**< FLAT, MUBUF */
    uint8_t load_first;               /**< the first plain load: of a byte */
    uint8_t load_atomic;              /**< the first atomic operation of FLAT */
    uint8_t no_saddr, offset_bits;    /**< GLOBAL */
};
extern const struct gcnp_codes gcnp_codes_gfx9, gcnp_codes_gfx10;

struct wt_probe {
    struct wt_standstill common;
    char arch[24]; /**< as GDB names the devices' architecture */
    uint64_t
        changes; /**< standstills and the probe's own writes: what was read before is not kept */
    struct {
        uint64_t at, changes; /**< as of these changes; 0: none is kept */
        uint8_t bytes[GCNP_DWORD_ROW];
    } dwords; /**< private memory that was read last: lanes are asked for one after the other */
    struct wt_space space[SPACES];
    struct kfd_device_entry device[KFD_DEBUG_DEVICES];
    uint32_t devices;
    const struct gcnp_codes *codes; /**< instructions of the GPUs */
    bool is_gfx10;                  /**< … which are those of gfx10, and so are the records */
    uint32_t simds;                 /**< simds of a compute unit */
    uint32_t waves_per_simd;        /**< waves of the SIMDs that have the most */
    uint32_t accumulates;           /**< those that have accumulation registers, as a bit set */
    uint32_t private_registers; /**< those whose waves begin with FLAT_SCRATCH, likewise; TTMP11 has
                                   what others have in TTMP6 and TTMP13 */
    uint32_t unified;           /**< those that have them in one file with VGPRs, likewise */
    struct kfd_queue_entry queue[KFD_DEBUG_QUEUES];
    uint32_t queues;
    struct gcnp_area area[KFD_DEBUG_QUEUES]; /**< area of each of them */
    struct gcnp_row *found;                  /**< that a standstill finds, until they are rows */
    size_t found_count, found_capacity;
    size_t expected;             /**< so many of the last standstill's may be where they were */
    bool alone;                  /**< one wave went since then, and those that began are held */
    struct wt_link_piece *piece; /**< piece of the next message */
    size_t piece_capacity;
    uint32_t launch_mode;
    struct gcnp_watch watch[GCNP_WATCHES];
    unsigned watches;
    struct gcnp_local local[GCNP_LOCAL_WATCHES];
    unsigned locals;
    bool notes; /**< the device notes writes to the ranges of the address watches: */
    /** … those whose waves have not stopped yet, which they do some instructions later */
    struct wt_watchpoint_hit *write;
    size_t write_count, write_capacity;
};

/** A row of the table. Rows lie one behind the other. */
static inline struct gcnp_row *gcnp_row(const struct wt_probe *p, wt_wave_handle wave)
{
    return (struct gcnp_row *)wt_standstill_row(p, wave);
}

/** Whether waves differ in what their stack pointers count. */
static inline bool gcnp_varies(const struct wt_probe *p)
{
    return p->is_gfx10 || p->private_registers;
}

/* ---- call.c ---- */

/** Does an operation; what the driver refuses fails. */
enum wt_status gcnp_call(struct wt_probe *p, struct kfd_debug_call *call, struct wt_error *err);
/** Lists the program's queues in p->queue. */
enum wt_status gcnp_list_queues(struct wt_probe *p, struct wt_error *err);
/** Lists its GPUs in p->device. */
enum wt_status gcnp_list_devices(struct wt_probe *p, struct wt_error *err);

/* ---- waves.c: queues, records, who is where ---- */

/** A standstill is queues that are suspended. */
extern const struct wt_standstill_ops gcnp_standstill;

/** The row of an active wave, at a standstill. WT_STATE if it has ended. */
static inline enum wt_status gcnp_find_row(struct wt_probe *p, wt_wave_handle wave,
                                           struct gcnp_row **row, struct wt_error *err)
{
    *row = gcnp_row(p, wave);
    return wt_standstill_look(p, wave, err);
}

/** The pc in a row's record: its next instruction. */
static inline uint64_t gcnp_row_pc(const struct gcnp_row *row)
{
    return row->hw[KFD_HW_PC_LO] | (uint64_t)row->hw[KFD_HW_PC_HI] << 32;
}

/** Sets it; the record is written with others that have changed. */
static inline void gcnp_row_set_pc(struct gcnp_row *row, uint64_t pc)
{
    row->hw[KFD_HW_PC_LO] = (uint32_t)pc;
    row->hw[KFD_HW_PC_HI] = (uint32_t)(pc >> 32) & 0xffff;
}

/** EXEC in a row's record: the enabled lanes. */
static inline uint64_t gcnp_row_exec(const struct gcnp_row *row)
{
    return row->hw[KFD_HW_EXEC_LO] | (uint64_t)row->hw[KFD_HW_EXEC_HI] << 32;
}

/** Where MODE is in a row's record. */
static inline unsigned gcnp_mode(const struct gcnp_row *row)
{
    return row->is_gfx10 ? KFD_HW_GFX10_MODE : KFD_HW_MODE;
}

/** The bytes of a VGPR in a row's record. */
static inline uint32_t gcnp_row_vgpr(const struct gcnp_row *row)
{
    return 4 * row->lanes;
}

/** The address in memory at which the SGPRs of a row's record begin. */
static inline uint64_t gcnp_row_sgprs(const struct gcnp_row *row)
{
    return row->record + (uint64_t)(row->vgprs + row->agprs) * gcnp_row_vgpr(row);
}

/** How many SGPRs with numbers it has. */
static inline uint32_t gcnp_row_numbered(const struct gcnp_row *row)
{
    return row->is_gfx10 ? KFD_GFX10_VCC : row->sgprs - KFD_RECORD_SPECIAL;
}

/** The address at which its hardware registers begin. */
static inline uint64_t gcnp_row_hw(const struct gcnp_row *row)
{
    return gcnp_row_sgprs(row) + 4 * row->sgprs;
}

/** Reads global memory of the GPU's process, through the link. */
static inline enum wt_status gcnp_read_link(struct wt_probe *p, uint64_t addr, void *out,
                                            size_t size, struct wt_error *err)
{
    return wt_link_read(p->common.link, 0, 0, addr, out, size, err);
}

/** Writes it. */
static inline enum wt_status gcnp_write_link(struct wt_probe *p, uint64_t addr, const void *bytes,
                                             size_t size, struct wt_error *err)
{
    p->changes++;
    return wt_link_write(p->common.link, 0, 0, addr, bytes, size, err);
}

/** WT_INVALID if one of the first @p count pieces of p->piece has no memory. */
enum wt_status gcnp_all_there(const struct wt_probe *p, size_t count, struct wt_error *err);
/** Appends to p->piece, whose *count this counts. WT_NO_MEMORY. */
enum wt_status gcnp_add_piece(struct wt_probe *p, size_t *count, struct wt_link_piece piece,
                              struct wt_error *err);
/** Reads or writes all of p->piece. WT_INVALID: one is absent. */
enum wt_status gcnp_transfer(struct wt_probe *p, size_t count, bool write, struct wt_error *err);

/* ---- registers.c ---- */

/** Describes the topology's registers. */
enum wt_status gcnp_describe_registers(struct wt_probe *p, struct wt_error *err);
WT_PROBE_FN(read_rows) gcnp_read_rows;
WT_PROBE_FN(write_row) gcnp_write_row;

/* ---- memory.c ---- */

/** Fills in p->space and the topology's list of address spaces. */
void gcnp_describe_spaces(struct wt_probe *p);
WT_PROBE_FN(read_memory) gcnp_read_memory;
WT_PROBE_FN(write_memory) gcnp_write_memory;

/** Whether an emulated device watches a range of memory itself: LDS, which address watch does not
 * see; and global memory with a condition, which the program's process judges (struct
 * wt_watchpoint.rule). *at becomes its generic address. */
bool gcnp_device_watches(const struct wt_probe *p, const struct wt_watchpoint *w, uint64_t *at);
/** Where [addr, addr + size) of a space lies in global memory, if it does in one piece, as a lane
 * of a wave sees it. */
enum wt_status gcnp_global_range(struct wt_probe *p, uint32_t wave, unsigned lane,
                                 struct wt_address addr, uint64_t size, uint64_t *at,
                                 struct wt_error *err);

WT_PROBE_FN(find_home) gcnp_find_home;

/* ---- watch.c ---- */

WT_PROBE_FN(set_watchpoints) gcnp_set_watches;
/** Forgets writes that the device has noted, and frees the list. */
void gcnp_drop_writes(struct wt_probe *p);
/** During a standstill: notes which waves have accessed watched ranges since the last one. */
enum wt_status gcnp_take_hits(struct wt_probe *p, struct wt_error *err);

/* ---- access.c ---- */

/** The lanes with which the instruction at @p pc, which a row's wave has just executed, has
 * accessed [addr, addr + size) of global memory, maybe none; all that are enabled where that cannot
 * be known. */
wt_lanes gcnp_lanes_of_access(struct wt_probe *p, uint32_t wave, const struct gcnp_row *row,
                              uint64_t pc, uint64_t addr, uint64_t size);

/* ---- code.c ---- */

WT_PROBE_FN(patch) gcnp_patch;
WT_PROBE_FN(decode) gcnp_decode_instruction;

/* ---- unwind.c ---- */

WT_PROBE_FN(find_caller) gcnp_find_caller;
WT_PROBE_FN(find_kept) gcnp_find_kept;
WT_PROBE_FN(find_cfa) gcnp_find_cfa;

/* ---- writes.c ---- */

/** The VGPRs that a function, or one that it calls, may write: a bit each. False: not known. */
bool gcnp_written_vgprs(struct wt_probe *p, const struct wt_callee *callee, uint64_t written[4]);

/* ---- exception.c ---- */

/** Why a row has stopped, by its TTMPs and TRAPSTS. */
enum wt_halt_cause gcnp_cause_of(const struct gcnp_row *row);
/** gives_up of the probe. */
bool gcnp_gives_up(struct wt_probe *p, uint32_t wave, char *text, size_t size);
/** The driver's code of a row's exception (KFD_EC_QUEUE_WAVE_…). */
uint32_t gcnp_code_of(const struct gcnp_row *row);
/** The mistake that a row has stopped for (WT_HALT_EXCEPTION), in words. */
void gcnp_describe_exception(const struct wt_standstill_row *row,
                             struct wt_probe_exception *exception);
enum { GCNP_EXCEPTIONS = 10 };
extern const struct wt_exception gcnp_exceptions[GCNP_EXCEPTIONS];

#endif
