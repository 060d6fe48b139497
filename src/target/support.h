/*
 * The support matrix: what a family executes and offers, what is only near to hardware, what is
 * refused and why. `wavetrap info --support` prints it, docs/support.md is made from that.
 */
#ifndef WT_TARGET_SUPPORT_H
#define WT_TARGET_SUPPORT_H

enum wt_support_state {
    WT_SUPPORT_WORKS,  /**< as the manual says; the note has what it is tested against */
    WT_SUPPORT_NEAR,   /**< results may differ from hardware's; the note says by how much */
    WT_SUPPORT_REFUSED /**< an error by its name; the note says why */
};

struct wt_support {
    const char *of;   /**< instruction set or library: "PTX" */
    const char *name; /**< name of the instruction or function */
    enum wt_support_state state;
    const char *note;
};

typedef void wt_support_fn(void *context, const struct wt_support *what);

#endif
