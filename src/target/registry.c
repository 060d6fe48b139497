/* The families of GPUs: the only file that names them. A program with another family links a list
 * of its own instead. */
#include "target/family.h"

#include "target/gcn.h"
#include "target/gen.h"
#include "target/sm.h"
#include "target/vortex.h"

const struct wt_family *const wt_families[] = {&wt_family_vortex, &wt_family_gcn, &wt_family_gen,
                                               &wt_family_sm, NULL};
