// Reads recordings in C++11 and later: kymo/recording.h with owners and exceptions.
//
//   kymo::Recording recording("my_program.kymo");
//   for (kymo::Rows rows = recording.query("select name, user_ns from thread"); rows.next();) {
//       std::cout << rows.text(0) << ' ' << rows.integer(1) << '\n';
//   }
#ifndef KYMO_RECORDING_HPP
#define KYMO_RECORDING_HPP

#include <kymo/recording.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace kymo {

// The text of kymo_recording_error().
class RecordingError : public std::runtime_error {
  public:
    RecordingError() : std::runtime_error(kymo_recording_error()) {}
};

// The rows of a query; they may outlive the recording.
class Rows {
  public:
    explicit Rows(kymo_rows* rows) : rows_(rows, kymo_rows_close) {
        if (!rows_) {
            throw RecordingError();
        }
    }
    // To the next row, initially to the first; false: no more rows. Throws RecordingError.
    bool next() {
        const int more = kymo_rows_next(rows_.get());
        if (more < 0) {
            throw RecordingError();
        }
        return more == 1;
    }
    int columns() const { return kymo_rows_columns(rows_.get()); }
    // Empty if there is no such column.
    std::string name(int column) const { return text_of(kymo_rows_name(rows_.get(), column)); }
    // Of the current row.
    bool is_null(int column) const { return kymo_rows_is_null(rows_.get(), column) != 0; }
    std::int64_t integer(int column) const { return kymo_rows_integer(rows_.get(), column); }
    double number(int column) const { return kymo_rows_number(rows_.get(), column); }
    std::string text(int column) const { return text_of(kymo_rows_text(rows_.get(), column)); }

  private:
    static std::string text_of(const char* text) { return text != nullptr ? text : ""; }

    std::unique_ptr<kymo_rows, void (*)(kymo_rows*)> rows_;
};

class Recording {
  public:
    // Throws RecordingError, as query() does.
    explicit Recording(const std::string& path) : recording_(kymo_recording_open(path.c_str()), kymo_recording_close) {
        if (!recording_) {
            throw RecordingError();
        }
    }
    Rows query(const std::string& sql) const { return Rows(kymo_recording_query(recording_.get(), sql.c_str())); }

  private:
    std::unique_ptr<kymo_recording, void (*)(kymo_recording*)> recording_;
};

}  // namespace kymo

#endif
