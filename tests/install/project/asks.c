/* Asks a recording what cannot be answered, and what can: asks RECORDING. */
#include <kymo/recording.h>
#include <stdio.h>
#include <string.h>

static int count = 0;

static void refused(const char* what, const void* made, const char* says) {
    if (made != NULL || strstr(kymo_recording_error(), says) == NULL ||
        strchr(kymo_recording_error(), '\n') != NULL) {
        printf("%s: \"%s\" for \"%s\"\n", what, kymo_recording_error(), says);
        ++count;
    }
}

int main(int argc, char** argv) {
    if (argc != 2) {
        return 2;
    }
    refused("no path", kymo_recording_open(NULL), "");
    refused("no recording", kymo_recording_open("/nowhere.kymo"), "/nowhere.kymo");
    kymo_recording* recording = kymo_recording_open(argv[1]);
    if (recording == NULL) {
        printf("%s\n", kymo_recording_error());
        return 1;
    }
    refused("no table", kymo_recording_query(recording, "select 1 from nothing"), "nothing");
    refused("no SQL", kymo_recording_query(recording, "selekt"), "syntax");
    refused("nothing", kymo_recording_query(recording, " "), "one statement");
    refused("two", kymo_recording_query(recording, "select 1; select 2"), "one statement");
    refused("a change", kymo_recording_query(recording, "delete from thread"), "cannot be changed");
    refused("no query", kymo_recording_query(recording, NULL), "no query");
    kymo_rows* threads = kymo_recording_query(recording, "select count(*) from thread;");
    /* Other tables: the rows of the first query stay as they are. */
    kymo_rows* functions = kymo_recording_query(recording, "select count(*) as n, null from function");
    kymo_recording_close(recording);
    if (kymo_rows_next(threads) != 1 || kymo_rows_integer(threads, 0) < 1 || kymo_rows_next(threads) != 0 ||
        kymo_rows_next(functions) != 1 || kymo_rows_integer(functions, 0) < 1 || kymo_rows_columns(functions) != 2 ||
        strcmp(kymo_rows_name(functions, 0), "n") != 0 || !kymo_rows_is_null(functions, 1) ||
        kymo_rows_text(functions, 1) != NULL || kymo_rows_integer(functions, 1) != 0 ||
        kymo_rows_name(functions, 9) != NULL) {
        printf("wrong rows: %s\n", kymo_recording_error());
        ++count;
    }
    kymo_rows_close(threads);
    kymo_rows_close(functions);
    kymo_rows_close(NULL);
    kymo_recording_close(NULL);
    printf("%d wrong\n", count);
    return count;
}
