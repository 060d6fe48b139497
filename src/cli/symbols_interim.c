#include "debugger/symbols.h"
#include <stdio.h>
#include <inttypes.h>
enum wt_status wt_symbols_open(const char *p, struct wt_symbols **s, struct wt_error *e){*s=NULL;return 0;}
void wt_symbols_close(struct wt_symbols*s){}
bool wt_symbols_function(struct wt_symbols*s,uint64_t a,const char**n,uint64_t*o){return false;}
bool wt_symbols_line(struct wt_symbols*s,uint64_t a,const char**f,unsigned*l){return false;}
bool wt_symbols_address(struct wt_symbols*s,const char*n,uint64_t*a){return false;}
void wt_symbols_describe(struct wt_symbols*s,uint64_t a,char*t,size_t z){snprintf(t,z,"0x%08"PRIx64,a);}
