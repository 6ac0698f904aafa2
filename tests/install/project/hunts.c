/* Links the library that hunts. */
#include <kymo/hunt.h>
#include <stdio.h>

int main(void) {
    printf("%s\n", kymo_hunt_error());
    return kymo_hunt_start(0) == 0 ? 0 : 1;
}
