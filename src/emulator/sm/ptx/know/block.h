/* Instructions of PTX for translated code: sm/ptx/know/block_insn.c. */
#ifndef WT_EMULATOR_SM_PTX_KNOW_BLOCK_H
#define WT_EMULATOR_SM_PTX_KNOW_BLOCK_H

#include "emulator/sm/ptx/image.h"

struct wt_rows_insn;

/* Rows and numbers that blocks are given (sm/ptx/know/block.c, give()). */
enum { GIVEN_ROWS = 4, LANE_ROW = 3, FIRST_NTID = 0, FIRST_CTAID = 3, FIRST_NCTAID = 6 };

/* An instruction as rows; false: it is left to its handler. */
bool ptx_as_rows(const struct ptx_op *o, struct wt_rows_insn *to);
/* Whether a handler may be called by code: it goes on behind itself as a rule, in the same frame.
 */
bool ptx_is_called(const struct ptx_op *o);
/* Whether a handler may change what other paths of the warp wait for. */
bool ptx_meets(const struct ptx_op *o);

#endif
