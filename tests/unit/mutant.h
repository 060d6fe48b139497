/*
 * Debug Modules that are wrong in one point: the emulator's, with a register bus before it that
 * spoils what goes through. Each mutation names the checks of the conformance test that must
 * notice.
 */
#ifndef TESTS_MUTANT_H
#define TESTS_MUTANT_H

#include "debug/core/target.h"
#include "debug/vortex/vortex.h"
#include "emulator/vortex/vortex.h"

struct mutant;

struct mutation {
    const char *name;
    const char *kills[5]; /**< checks that must fail */
    const char *gpu;      /**< the shape in which it shows; NULL: that of the tests */
    /* What every access goes through: */
    uint32_t (*read)(struct mutant *m, unsigned addr);
    void (*write)(struct mutant *m, unsigned addr, uint32_t value);
    /* or for one register: bits that read 0, bits that read 1, bits that take no writes. */
    unsigned reg;
    uint32_t zeros, ones, ignored;
};

struct mutant {
    struct wt_bus bus;               /* first */
    const struct mutation *mutation; /* NULL: nothing is wrong */
    struct vx_device *device;
    struct wt_target_services services;
    struct wt_vortex_link link;
    struct wt_target target;
    uint64_t accesses;
    uint64_t cut_at; /* the access that fails, and all after it until it is connected again;
                      * 0: none */
    bool dead;       /* it cannot be */
    /* For the mutations to use; all 0 at first. */
    uint32_t shadow[16];
    bool shadowed[16];
    unsigned count;
};

extern const struct mutation mutations[];
extern const size_t mutation_count;

/** A device of shape @p gpu ("cores=2,…") with a mutation (NULL: none); aborts if it cannot be. */
struct mutant *mutant_new(const char *gpu, const struct mutation *mutation);
void mutant_free(struct mutant *m);

#endif
