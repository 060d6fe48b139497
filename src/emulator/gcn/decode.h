/* Parts of the decoder that its files share: reasons why words are no instruction, and checks of
 * operands. */
#ifndef WT_EMULATOR_GCN_DECODE_H
#define WT_EMULATOR_GCN_DECODE_H

#include "base/bits.h"
#include "emulator/gcn/isa.h"
#include "emulator/gcn/models.h"

extern const char gcn_no_such[], gcn_bad_operand[], gcn_cut_off[];

/* Each check writes the reason to *why where it fails. Whether a scalar operand number below 128
 * can hold so many registers; they must be aligned. */
bool gcn_sgprs_ok(const struct gcn_model *model, unsigned n, unsigned count, const char **why);
/* Whether a group of vector registers may begin at this one. */
bool gcn_vgprs_ok(const struct gcn_model *model, unsigned first, unsigned count, const char **why);
/* Whether operand n can be a source of this type (isa.def); literal: a literal constant may follow.
 */
bool gcn_source_ok(const struct gcn_model *model, unsigned n, char type, bool literal,
                   const char **why);

/* decode_memory.c: each decodes the two or more dwords of an encoding of memory, which are all
 * there; results are those of gcn_decode(). SMEM. */
bool gcn_decode_smem(const struct gcn_model *model, const uint32_t *word, struct gcn_uop *u,
                     const char **why);
/* DS. */
bool gcn_decode_ds(const struct gcn_model *model, const uint32_t *word, struct gcn_uop *u,
                   const char **why);
/* FLAT, GLOBAL and SCRATCH. */
bool gcn_decode_flat(const struct gcn_model *model, const uint32_t *word, struct gcn_uop *u,
                     const char **why);
/* MUBUF and MTBUF. */
bool gcn_decode_buffer(const struct gcn_model *model, const uint32_t *word,
                       enum gcn_encoding encoding, struct gcn_uop *u, const char **why);
/* MIMG, of whose dwords `available` are there. */
bool gcn_decode_image(const struct gcn_model *model, const uint32_t *word, unsigned available,
                      struct gcn_uop *u, const char **why);

#endif
