/* A library with cells of its own: the same name is the same cell. */
#include <kymo/metrics.h>

void plug_add(uint64_t value);
void plug_add(uint64_t value) {
    kymo_add_counter(kymo_counter("plugged", "things"), value);
}
