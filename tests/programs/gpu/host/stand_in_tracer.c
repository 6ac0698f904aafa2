// Stands in for Accel-Sim's NVBit tracer: loaded into a program, it leaves what STAND_IN_TRACE names as the trace of
// its only launch, where the tracer's variables say.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE* open_in(const char* folder, const char* name) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "w");
}

__attribute__((constructor)) static void trace(void) {
    const char* own_folder = getenv("USER_DEFINED_FOLDERS");
    const char* folder = getenv("TRACES_FOLDER");
    const char* lines = getenv("TRACE_LINEINFO");
    const char* from = getenv("STAND_IN_TRACE");
    if (from == NULL || *from == 0 || folder == NULL || own_folder == NULL || strcmp(own_folder, "1") != 0 ||
        lines == NULL) {
        return;
    }
    FILE* list = open_in(folder, "kernelslist");
    if (list == NULL) {
        return;
    }
    (void)fprintf(list, "MemcpyHtoD,0x00007f0000000000,64\n");
    FILE* in = fopen(from, "r");
    FILE* out = in != NULL ? open_in(folder, "kernel-1.trace") : NULL;
    if (out != NULL) {
        char buffer[4096];
        for (size_t size; (size = fread(buffer, 1, sizeof buffer, in)) != 0;) {
            (void)fwrite(buffer, 1, size, out);
        }
        (void)fclose(out);
        (void)fprintf(list, "kernel-1.trace\n");
    }
    if (in != NULL) {
        (void)fclose(in);
    }
    (void)fclose(list);
}
