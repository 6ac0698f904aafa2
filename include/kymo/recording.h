/* Reads recordings: queries their tables in SQL (docs/sql.md has the tables; docs/recording-library.md this
 * interface). Link with -lkymo-recording. C99 and later; C++ has kymo/recording.hpp.
 *
 *   kymo_recording* recording = kymo_recording_open("my_program.kymo");
 *   kymo_rows* rows = recording ? kymo_recording_query(recording, "select name, user_ns from thread") : NULL;
 *   int more = -1;
 *   while (rows && (more = kymo_rows_next(rows)) == 1)
 *       printf("%s %lld\n", kymo_rows_text(rows, 0), (long long)kymo_rows_integer(rows, 1));
 *   if (more != 0) fprintf(stderr, "%s\n", kymo_recording_error());
 *   kymo_rows_close(rows);
 *   kymo_recording_close(recording);
 *
 * A recording and its rows are used by one thread at a time; different recordings by any threads at once. Memory and
 * time: opening reads the recording's headers; the first query that names a table reads what the table takes, as
 * `kymo sql` does. `piece` and `sample` have a row for every stretch of a thread's life and every sample; the
 * findings take the analysis of `kymo report`.
 */
#ifndef KYMO_RECORDING_H
#define KYMO_RECORDING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): C, whose compilers read this, too */
typedef struct kymo_recording kymo_recording;
typedef struct kymo_rows kymo_rows;

/* Why the calling thread's last failed call failed, in one line; "" before any has. Valid until its next
 * call. */
const char* kymo_recording_error(void);

/* Null: not a recording, or it cannot be read (kymo_recording_error). Functions are named with the images that the
 * recording has copies of, and those that the system has. */
kymo_recording* kymo_recording_open(const char* path);

/* One SELECT statement in SQLite's dialect. Null: the statement is wrong or would change something, or the recording
 * cannot be read on (kymo_recording_error). */
kymo_rows* kymo_recording_query(kymo_recording* recording, const char* sql);

/* The next row, first before the first: 1; 0: there is none; -1: an error (kymo_recording_error). */
int kymo_rows_next(kymo_rows* rows);

/* How many columns, and their names; null for one that is not there. */
int kymo_rows_columns(const kymo_rows* rows);
const char* kymo_rows_name(kymo_rows* rows, int column);

/* Of the current row: 1 if the column is null, which means not known. A value is converted as SQLite
 * does; null becomes 0 or a null pointer. Texts are UTF-8, valid until the next call for these rows. */
int kymo_rows_is_null(kymo_rows* rows, int column);
int64_t kymo_rows_integer(kymo_rows* rows, int column);
double kymo_rows_number(kymo_rows* rows, int column);
const char* kymo_rows_text(kymo_rows* rows, int column);

/* In any order; null is ignored. */
void kymo_rows_close(kymo_rows* rows);
void kymo_recording_close(kymo_recording* recording);
/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
