/* Records of the video instructions (exec/video.c). */
#ifndef WT_EMULATOR_SM_PTX_EXEC_VIDEO_H
#define WT_EMULATOR_SM_PTX_EXEC_VIDEO_H

#include "emulator/sm/ptx/image.h"

/* `how` of a record. */
enum video_operation {
    ADD,
    SUBTRACT,
    AVERAGE,
    DIFFERENCE,
    MINIMUM,
    MAXIMUM,
    COMPARE,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    MULTIPLY
};

/*
 * A record of one part of each word: vector[0] to [2] are the selectors of d, a and b; combine is a
 * comparison's outcomes or, of shifts, whether they wrap; round what is done with c (enum
 * sm_atomic, after flag); index the signs of vmad's operands (1 of the product, 2 of c, 4: .po),
 * count how far it shifts.
 */
enum { A_SIGNED = 1, B_SIGNED = 2 };
enum { WHOLE, BYTE, HALFWORD = 5 }; /* a selector: .b0 to .b3 from BYTE on, .h0 and .h1 */

/** The operation of a record of a video instruction; PTX_MATHS: it is none. */
enum ptx_math ptx_video_of(const struct ptx_op *op);
/** `how` of an instruction on one part of each word, PTX_OP_vadd to PTX_OP_vmad. */
enum video_operation ptx_video_operation(enum ptx_math op);
/** The part of a word that is source 0 or 1 of one for one part: the first bit, how many. */
void ptx_video_part(const struct ptx_op *op, unsigned source, uint8_t *first, uint8_t *bits);

#endif
