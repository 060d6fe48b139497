/*
 * Loads, stores and atomics: RV32I and RV64I, chapters 2 and 5 of the unprivileged ISA, those of F
 * and D, and A, chapter 8. Part of exec.c.
 */

/* The host's place of `size` bytes of a page, to read them; NULL: see vx_tlb_fill_read. */
static inline const uint8_t *read_host(struct vx_warp *w, ux addr, size_t size)
{
    const struct wt_tlb_entry *e = wt_tlb_entry_of(&w->device->machine.tlb, addr);
    if (LIKELY(e->read_page == (addr & ~(ux)WT_PAGE_MASK)))
        return e->read_host + (addr & WT_PAGE_MASK);
    return AWAY(vx_tlb_fill_read(w, addr, size));
}

/* Likewise to write them; NULL: see vx_tlb_fill_write. */
static inline uint8_t *write_host(struct vx_warp *w, ux addr, size_t size)
{
    const struct wt_tlb_entry *e = wt_tlb_entry_of(&w->device->machine.tlb, addr);
    if (LIKELY(e->write_page == (addr & ~(ux)WT_PAGE_MASK)))
        return e->write_host + (addr & WT_PAGE_MASK);
    return AWAY(vx_tlb_fill_write(w, addr, size));
}

/* The layouts of a full warp's addresses that are one access of the host. */
struct pattern {
    bool unit_stride, uniform;
};

/* The layout of the accesses of `size` bytes at `base`. */
static inline struct pattern pattern_of(const struct vx_warp *w, const ux *base, unsigned size)
{
    ux stride = 0, differ = 0;
    /* The last lane tells most of those that are neither. */
    const ux span = base[N - 1] - base[0];
    if (span && span != (ux)((N - 1) * size))
        return (struct pattern){false, false};
    LANES {
        stride |= (base[l] - base[0]) ^ (ux)(l * size);
        differ |= base[l] ^ base[0];
    }
    return (struct pattern){stride == 0, differ == 0};
}

/* Whether the aligned accesses of a full warp all lie in the page of the first lane's. */
static inline bool in_one_page(const struct vx_warp *w, const ux *base, ux offset, unsigned size)
{
    const ux first = base[0] + offset;
    ux differ = 0, low = 0;
    LANES {
        const ux addr = base[l] + offset;
        differ |= addr ^ first;
        low |= addr;
    }
    return !(differ & ~(ux)WT_PAGE_MASK) && !(low & (size - 1));
}

/* Raises the fault of lanes whose addresses are no multiple of `size`. */
static const struct vx_uop *misaligned(struct vx_warp *w, const struct vx_uop *u, unsigned lane,
                                       ux addr, unsigned size, const char *what)
{
    const ux *base = x_row(w, u->rs1);
    wt_lanes lanes = 0;
    ACTIVE_LANES {
        if ((base[l] + (ux)(sx)u->imm) & (size - 1))
            lanes |= wt_lane_bit(l);
    }
    return vx_fault(w, u, WT_FAULT_MISALIGNED, lanes, addr,
                    "misaligned %s of %u bytes at 0x%llx by lane %u%s", what, size,
                    (unsigned long long)addr, lane,
                    *what == 'a' ? "" : "; misaligned=allow lets it pass");
}

/*
 * Loads one value of each enabled lane into out; false when a fault was raised. The general way:
 * each lane its own address, with the last page remembered.
 */
#define GENERAL_LOAD(T)                                                                            \
    static __attribute__((noinline)) bool load_general_##T(                                        \
        struct vx_warp *w, const struct vx_uop *u, const ux *base, T *out)                         \
    {                                                                                              \
        uint8_t *told[ROOM];                                                                       \
        if (UNLIKELY(wt_observes_rows(&w->device->machine)) &&                                     \
            AWAY(vx_tell_lanes(w, u, WT_WATCH_READ, sizeof(T), told))) {                           \
            ACTIVE_LANES                                                                           \
                memcpy(&out[l], told[l], sizeof(T));                                               \
            return true;                                                                           \
        }                                                                                          \
        const bool any_alignment = w->device->config.allow_misaligned;                             \
        const uint8_t *host = NULL;                                                                \
        ux page = 0;                                                                               \
        ACTIVE_LANES {                                                                             \
            const ux addr = base[l] + (ux)(sx)u->imm;                                              \
            if (UNLIKELY(addr & (sizeof(T) - 1))) {                                                \
                uint64_t value;                                                                    \
                if (!any_alignment)                                                                \
                    return misaligned(w, u, l, addr, sizeof(T), "load") != NULL;                   \
                if (!AWAY(vx_load(w, u, l, addr, sizeof(T), &value)))                              \
                    return false;                                                                  \
                out[l] = (T)value;                                                                 \
                continue;                                                                          \
            }                                                                                      \
            if (!host || ((addr ^ page) & ~(ux)WT_PAGE_MASK)) {                                    \
                host = read_host(w, addr & ~(ux)WT_PAGE_MASK, WT_PAGE_SIZE);                       \
                page = addr;                                                                       \
                if (UNLIKELY(!host)) {                                                             \
                    uint64_t value;                                                                \
                    if (!AWAY(vx_load(w, u, l, addr, sizeof(T), &value)))                          \
                        return false;                                                              \
                    out[l] = (T)value;                                                             \
                    continue;                                                                      \
                }                                                                                  \
            }                                                                                      \
            memcpy(&out[l], host + (addr & WT_PAGE_MASK), sizeof(T));                              \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    static inline bool load_##T(struct vx_warp *w, const struct vx_uop *u, T *out)                 \
    {                                                                                              \
        const ux *base = x_row(w, u->rs1);                                                         \
        if (LIKELY(w->full)) {                                                                     \
            const ux first = base[0] + (ux)(sx)u->imm;                                             \
            const struct pattern p = pattern_of(w, base, sizeof(T));                               \
            if (LIKELY((p.unit_stride || p.uniform) && !(first & (sizeof(T) - 1)) &&               \
                       (first & WT_PAGE_MASK) + (size_t)N * sizeof(T) <= WT_PAGE_SIZE)) {          \
                const uint8_t *host =                                                              \
                    read_host(w, first, p.unit_stride ? (size_t)N * sizeof(T) : sizeof(T));        \
                if (UNLIKELY(!host) && wt_observes_rows(&w->device->machine))                      \
                    host =                                                                         \
                        AWAY(vx_tell_page(w, u, WT_WATCH_READ, sizeof(T), first, p.unit_stride));  \
                if (LIKELY(host)) {                                                                \
                    if (p.unit_stride) {                                                           \
                        memcpy(out, host, (size_t)N * sizeof(T));                                  \
                    } else {                                                                       \
                        T value;                                                                   \
                        memcpy(&value, host, sizeof value);                                        \
                        LANES                                                                      \
                            out[l] = value;                                                        \
                    }                                                                              \
                    return true;                                                                   \
                }                                                                                  \
            } else if (in_one_page(w, base, (ux)(sx)u->imm, sizeof(T))) {                          \
                const uint8_t *host = read_host(w, first & ~(ux)WT_PAGE_MASK, WT_PAGE_SIZE);       \
                if (UNLIKELY(!host) && wt_observes_rows(&w->device->machine)) {                    \
                    host = AWAY(vx_tell_page(w, u, WT_WATCH_READ, sizeof(T), first, false));       \
                    host = host ? host - (first & WT_PAGE_MASK) : NULL;                            \
                }                                                                                  \
                if (LIKELY(host)) {                                                                \
                    const T *page = (const T *)host;                                               \
                    LANES                                                                          \
                        out[l] =                                                                   \
                            page[(uint32_t)(base[l] + (ux)(sx)u->imm) % WT_PAGE_SIZE / sizeof(T)]; \
                    return true;                                                                   \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        return load_general_##T(w, u, base, out);                                                  \
    }

/* Stores one value of each enabled lane, in the order of the lanes. */
#define GENERAL_STORE(T)                                                                           \
    static __attribute__((noinline)) bool store_general_##T(                                       \
        struct vx_warp *w, const struct vx_uop *u, const ux *base, const T *in)                    \
    {                                                                                              \
        uint8_t *told[ROOM];                                                                       \
        if (UNLIKELY(wt_observes_rows(&w->device->machine)) &&                                     \
            AWAY(vx_tell_lanes(w, u, WT_WATCH_WRITE, sizeof(T), told))) {                          \
            ACTIVE_LANES                                                                           \
                memcpy(told[l], &in[l], sizeof(T));                                                \
            return true;                                                                           \
        }                                                                                          \
        const bool any_alignment = w->device->config.allow_misaligned;                             \
        wt_lanes away = 0; /* the memory is watched, or is no ordinary memory */                   \
        /* All lanes are checked before one stores: a fault has no effect. */                      \
        ACTIVE_LANES {                                                                             \
            const ux addr = base[l] + (ux)(sx)u->imm;                                              \
            if (UNLIKELY(addr & (sizeof(T) - 1)) && !any_alignment)                                \
                return misaligned(w, u, l, addr, sizeof(T), "store") != NULL;                      \
            if (UNLIKELY(addr & (sizeof(T) - 1)) || UNLIKELY(!write_host(w, addr, sizeof(T)))) {   \
                away |= wt_lane_bit(l);                                                            \
                if (!AWAY(vx_may_store(w, u, l, addr, sizeof(T), WT_ACCESS_STORE)))                \
                    return false;                                                                  \
            }                                                                                      \
        }                                                                                          \
        ACTIVE_LANES {                                                                             \
            const ux addr = base[l] + (ux)(sx)u->imm;                                              \
            uint8_t *host = away && wt_has_lane(away, l) ? NULL : write_host(w, addr, sizeof(T));  \
            if (LIKELY(host))                                                                      \
                memcpy(host, &in[l], sizeof(T));                                                   \
            else if (!AWAY(vx_store(w, u, l, addr, sizeof(T), in[l], WT_WATCH_WRITE)))             \
                return false;                                                                      \
        }                                                                                          \
        return true;                                                                               \
    }                                                                                              \
    static inline bool store_##T(struct vx_warp *w, const struct vx_uop *u, const T *in)           \
    {                                                                                              \
        const ux *base = x_row(w, u->rs1);                                                         \
        if (LIKELY(w->full)) {                                                                     \
            const ux first = base[0] + (ux)(sx)u->imm;                                             \
            const struct pattern p = pattern_of(w, base, sizeof(T));                               \
            if (LIKELY(p.unit_stride && !(first & (sizeof(T) - 1)) &&                              \
                       (first & WT_PAGE_MASK) + (size_t)N * sizeof(T) <= WT_PAGE_SIZE)) {          \
                uint8_t *host = write_host(w, first, (size_t)N * sizeof(T));                       \
                if (UNLIKELY(!host) && wt_observes_rows(&w->device->machine))                      \
                    host = AWAY(vx_tell_page(w, u, WT_WATCH_WRITE, sizeof(T), first, true));       \
                if (LIKELY(host)) {                                                                \
                    memcpy(host, in, (size_t)N * sizeof(T));                                       \
                    return true;                                                                   \
                }                                                                                  \
            } else if (in_one_page(w, base, (ux)(sx)u->imm, sizeof(T))) {                          \
                uint8_t *host = write_host(w, first & ~(ux)WT_PAGE_MASK, WT_PAGE_SIZE);            \
                if (UNLIKELY(!host) && wt_observes_rows(&w->device->machine)) {                    \
                    host = AWAY(vx_tell_page(w, u, WT_WATCH_WRITE, sizeof(T), first, false));      \
                    host = host ? host - (first & WT_PAGE_MASK) : NULL;                            \
                }                                                                                  \
                if (LIKELY(host)) {                                                                \
                    T *page = (T *)host;                                                           \
                    for (unsigned l = 0; l < N; l++)                                               \
                        page[(uint32_t)(base[l] + (ux)(sx)u->imm) % WT_PAGE_SIZE / sizeof(T)] =    \
                            in[l];                                                                 \
                    return true;                                                                   \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        return store_general_##T(w, u, base, in);                                                  \
    }

GENERAL_LOAD(uint8_t)
GENERAL_LOAD(uint16_t)
GENERAL_LOAD(uint32_t)
GENERAL_LOAD(uint64_t)
GENERAL_STORE(uint8_t)
GENERAL_STORE(uint16_t)
GENERAL_STORE(uint32_t)
GENERAL_STORE(uint64_t)

/* rd = VALUE of v, what each lane loaded. */
#define LOAD_X(id, T, VALUE)                                                                       \
    OP(id)                                                                                         \
    {                                                                                              \
        T loaded[ROOM] __attribute__((aligned(64)));                                               \
        if (UNLIKELY(!load_##T(w, u, loaded)))                                                     \
            return NULL;                                                                           \
        ux *rd = x_row(w, u->rd);                                                                  \
        if (LIKELY(w->full)) {                                                                     \
            LANES {                                                                                \
                const T v = loaded[l];                                                             \
                rd[l] = (ux)(VALUE);                                                               \
            }                                                                                      \
        } else {                                                                                   \
            ACTIVE_LANES {                                                                         \
                const T v = loaded[l];                                                             \
                rd[l] = (ux)(VALUE);                                                               \
            }                                                                                      \
        }                                                                                          \
        NEXT;                                                                                      \
    }

LOAD_X(lb, uint8_t, (sx)(int8_t)v)
LOAD_X(lh, uint16_t, (sx)(int16_t)v)
LOAD_X(lw, uint32_t, (sx)(int32_t)v)
LOAD_X(lbu, uint8_t, v)
LOAD_X(lhu, uint16_t, v)
#if VX_XLEN == 64
LOAD_X(lwu, uint32_t, v)
LOAD_X(ld, uint64_t, v)
#endif

#define STORE_X(id, T)                                                                             \
    OP(id)                                                                                         \
    {                                                                                              \
        T value[ROOM] __attribute__((aligned(64)));                                                \
        const ux *rb = x_row(w, u->rs2);                                                           \
        LANES                                                                                      \
            value[l] = (T)rb[l];                                                                   \
        if (UNLIKELY(!store_##T(w, u, value)))                                                     \
            return NULL;                                                                           \
        NEXT;                                                                                      \
    }

STORE_X(sb, uint8_t)
STORE_X(sh, uint16_t)
STORE_X(sw, uint32_t)
#if VX_XLEN == 64
STORE_X(sd, uint64_t)
#endif

/* ---- packed loads ---- */
/* Loads `count` parts of `size` bytes, each rs2 bytes behind the last one, into one register. */
static const struct vx_uop *load_packed(struct vx_warp *w, const struct vx_uop *u, unsigned count,
                                        unsigned size)
{
    const ux *base = x_row(w, u->rs1), *stride = x_row(w, u->rs2);
    uint32_t loaded[ROOM];
    ACTIVE_LANES {
        loaded[l] = 0;
        for (unsigned i = 0; i < count; i++) {
            const ux addr = base[l] + i * stride[l];
            uint64_t part = 0;
            if (addr & (size - 1) && !w->device->config.allow_misaligned)
                return AWAY(vx_fault(w, u, WT_FAULT_MISALIGNED, wt_lane_bit(l), addr,
                                     "misaligned load of %u bytes at 0x%llx by lane %u; "
                                     "misaligned=allow lets it pass",
                                     size, (unsigned long long)addr, l));
            if (!AWAY(vx_load(w, u, l, addr, size, &part)))
                return NULL;
            loaded[l] |= (uint32_t)part << (8 * size * i);
        }
    }
    uint64_t *rd = f_row(w, u->rd);
    ACTIVE_LANES
        rd[l] = 0xffffffff00000000u | loaded[l]; /* NaN-boxed */
    NEXT;
}

OP(packlb)
{
    return load_packed(w, u, 4, 1);
}
OP(packlh)
{
    return load_packed(w, u, 2, 2);
}

/* ---- A: lanes act one after the other, the lowest first ---- */

/* The address of an atomic, checked; false when a fault was raised. */
static bool atomic_address(struct vx_warp *w, const struct vx_uop *u, unsigned lane, unsigned size,
                           ux *addr)
{
    *addr = x_row(w, u->rs1)[lane];
    if (*addr & (size - 1))
        return misaligned(w, u, lane, *addr, size, "atomic") != NULL;
    return AWAY(vx_may_store(w, u, lane, *addr, size, WT_ACCESS_ATOMIC));
}

/* All lanes are checked before one acts: a fault has no effect. */
static bool atomics_allowed(struct vx_warp *w, const struct vx_uop *u, unsigned size)
{
    ACTIVE_LANES {
        ux addr;
        if (!atomic_address(w, u, l, size, &addr))
            return false;
    }
    return true;
}

#define EXTEND(T, v) (sizeof(T) == 4 ? W32(v) : (ux)(v))

#define AMO(id, T, ST, VALUE)                                                                      \
    OP(id)                                                                                         \
    {                                                                                              \
        if (!atomics_allowed(w, u, sizeof(T)))                                                     \
            return NULL;                                                                           \
        ux *rd = x_row(w, u->rd);                                                                  \
        const ux *ra = x_row(w, u->rs1), *rb = x_row(w, u->rs2);                                   \
        ux old[ROOM];                                                                              \
        ACTIVE_LANES {                                                                             \
            uint64_t was = 0;                                                                      \
            if (!AWAY(vx_peek(w, u, l, ra[l], sizeof(T), &was)))                                   \
                return NULL;                                                                       \
            const T a = (T)was, b = (T)rb[l];                                                      \
            if (!AWAY(vx_store(w, u, l, ra[l], sizeof(T), (T)(VALUE), WT_WATCH_ACCESS)))           \
                return NULL;                                                                       \
            old[l] = EXTEND(T, a);                                                                 \
        }                                                                                          \
        ACTIVE_LANES                                                                               \
            rd[l] = old[l];                                                                        \
        NEXT;                                                                                      \
    }

#define AMOS(suffix, T, ST)                                                                        \
    AMO(amoswap_##suffix, T, ST, b)                                                                \
    AMO(amoadd_##suffix, T, ST, a + b)                                                             \
    AMO(amoxor_##suffix, T, ST, a ^ b)                                                             \
    AMO(amoand_##suffix, T, ST, a &b)                                                              \
    AMO(amoor_##suffix, T, ST, a | b)                                                              \
    AMO(amomin_##suffix, T, ST, (ST)a < (ST)b ? a : b)                                             \
    AMO(amomax_##suffix, T, ST, (ST)a > (ST)b ? a : b)                                             \
    AMO(amominu_##suffix, T, ST, a < b ? a : b)                                                    \
    AMO(amomaxu_##suffix, T, ST, a > b ? a : b)

/*
 * A reservation is the address and the value read. SC succeeds if the address is the same and still
 * holds that value, as emulators of this ISA commonly have it.
 */
#define LR_SC(suffix, T)                                                                           \
    OP(lr_##suffix)                                                                                \
    {                                                                                              \
        if (!atomics_allowed(w, u, sizeof(T)))                                                     \
            return NULL;                                                                           \
        ux *rd = x_row(w, u->rd);                                                                  \
        const ux *ra = x_row(w, u->rs1);                                                           \
        ACTIVE_LANES {                                                                             \
            uint64_t value = 0;                                                                    \
            const ux addr = ra[l];                                                                 \
            if (!AWAY(vx_load(w, u, l, addr, sizeof(T), &value)))                                  \
                return NULL;                                                                       \
            w->reserved_addr[l] = (uint64_t)addr + 1;                                              \
            w->reserved_value[l] = value;                                                          \
            rd[l] = EXTEND(T, value);                                                              \
        }                                                                                          \
        NEXT;                                                                                      \
    }                                                                                              \
    OP(sc_##suffix)                                                                                \
    {                                                                                              \
        if (!atomics_allowed(w, u, sizeof(T)))                                                     \
            return NULL;                                                                           \
        ux *rd = x_row(w, u->rd);                                                                  \
        const ux *ra = x_row(w, u->rs1), *rb = x_row(w, u->rs2);                                   \
        ux failed[ROOM];                                                                           \
        ACTIVE_LANES {                                                                             \
            uint64_t value = 0;                                                                    \
            const ux addr = ra[l];                                                                 \
            if (!AWAY(vx_peek(w, u, l, addr, sizeof(T), &value)))                                  \
                return NULL;                                                                       \
            const bool keeps =                                                                     \
                w->reserved_addr[l] == (uint64_t)addr + 1 && w->reserved_value[l] == value;        \
            if (keeps && !AWAY(vx_store(w, u, l, addr, sizeof(T), (T)rb[l], WT_WATCH_WRITE)))      \
                return NULL;                                                                       \
            w->reserved_addr[l] = 0;                                                               \
            failed[l] = !keeps;                                                                    \
        }                                                                                          \
        ACTIVE_LANES                                                                               \
            rd[l] = failed[l];                                                                     \
        NEXT;                                                                                      \
    }

AMOS(w, uint32_t, int32_t)
LR_SC(w, uint32_t)
#if VX_XLEN == 64
AMOS(d, uint64_t, int64_t)
LR_SC(d, uint64_t)
#endif
