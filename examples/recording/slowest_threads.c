/* The threads that used most processor time: slowest_threads RECORDING.kymo
 *
 *   cc slowest_threads.c $(pkg-config --cflags --libs kymo-recording) -o slowest_threads
 */
#include <kymo/recording.h>
#include <stdio.h>

static const char kQuery[] =
    "select coalesce(name, tid), user_ns + system_ns, off_cpu_ns from thread order by user_ns + system_ns desc, id "
    "limit 5";

int main(int argc, char** argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s RECORDING.kymo\n", argv[0]);
        return 2;
    }
    kymo_recording* recording = kymo_recording_open(argv[1]);
    kymo_rows* rows = recording ? kymo_recording_query(recording, kQuery) : NULL;
    int more = -1;
    while (rows && (more = kymo_rows_next(rows)) == 1) {
        printf("%-16s %10.3f ms on a processor", kymo_rows_text(rows, 0), (double)kymo_rows_integer(rows, 1) / 1e6);
        if (kymo_rows_is_null(rows, 2)) {
            printf("\n");
        } else {
            printf(" %10.3f ms off it\n", (double)kymo_rows_integer(rows, 2) / 1e6);
        }
    }
    if (more != 0) {
        fprintf(stderr, "%s\n", kymo_recording_error());
    }
    kymo_rows_close(rows);
    kymo_recording_close(recording);
    return more != 0;
}
