/* Intel Gen9 as a family of targets: a kernel of a zebin. */
#ifndef WT_TARGET_GEN_H
#define WT_TARGET_GEN_H

#include "target/family.h"

/** Its configuration is a struct gen_config. */
extern const struct wt_family wt_family_gen;

#endif
