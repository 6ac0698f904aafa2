// The library that dlopen_dlclose loads.
#include "../burn.h"

int plugin_work(int milliseconds);
int plugin_work(int milliseconds) {
    burn(milliseconds);
    return milliseconds;
}
