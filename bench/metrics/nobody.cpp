#include "nobody.h"

#include <dlfcn.h>

// Hidden per program: renamed, so that this file has state of its own, and the look-up finds nothing.
#define kymo_nobody_counts_ kymo_nobody_counts_here_
#define kymo_interface_ kymo_interface_nowhere_
#define kymo_here_ kymo_here_nowhere_
#define kymo_find_interface_ kymo_find_interface_nowhere_
#define kymo_enter_ kymo_enter_nowhere_
#define dlsym(handle, name) (static_cast<void*>(nullptr))
#include "kymo/metrics.h"

void add_where_nobody_measures() {
    kymo_add_counter(40, 1);
}
