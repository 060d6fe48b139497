/* linux/kfd_ioctl.h wants this header for its types only, and Debian's linux-libc-dev lacks it. */
#include <linux/types.h>
#include <sys/ioctl.h>
