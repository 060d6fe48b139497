/* Parts of states that several families have, for their archives (archive.h). */
#ifndef WT_EMULATOR_MACHINE_ARCHIVE_PARTS_H
#define WT_EMULATOR_MACHINE_ARCHIVE_PARTS_H

#include "base/fault.h"
#include "emulator/machine/archive.h"
#include "emulator/machine/copy.h"
#include "emulator/machine/regions.h"

/** Writes or reads the list of mapped ranges. */
void wt_archive_regions(struct wt_archive *a, struct wt_regions *regions);

/** Writes or reads a fault, which may be none, of a machine with so many waves and lanes. */
void wt_archive_fault(struct wt_archive *a, struct wt_fault *fault, uint32_t waves, unsigned lanes);

/** Writes or reads what the recorded run depends on: whether the device was in a host process, and
 * the pages that it shared with threads. The list of pages that it had is freed when it is read. */
void wt_archive_in_process(struct wt_archive *a, struct wt_machine *m);

/**
 * Writes the state of a machine in a host process, and these ranges of its memory, as
 * wt_archive_whole_machine() of a machine that is in no process reads it. False: the host has no
 * memory, or too much is mapped.
 */
bool wt_archive_in_host(struct wt_archive *a, struct wt_machine *m,
                        const struct wt_host_archive *in_host, const struct wt_region *region,
                        size_t count);
/** Likewise of a machine whose mapped memory is that of m->regions. */
bool wt_archive_mapped(struct wt_machine *m, struct wt_archive *a,
                       const struct wt_host_archive *in_host);

#endif
