// A file that is complete or not there.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace kymo::view {

// Has no name before it is kept, if the file system can do that (O_TMPFILE, not on NFS), so that nothing is left
// of an incomplete one, whatever ends the process.
class NewFile {
  public:
    // Never overwrites. `name` empty or "-": standard output, which must not be a terminal if `binary` (a word
    // for the message) is given. Errors: kOutputExists, kUsage, the system's.
    static Result<NewFile> make(const std::string& name, const char* binary = nullptr);

    NewFile(NewFile&& other) noexcept;
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    NewFile& operator=(NewFile&&) = delete;
    ~NewFile();  // removes the file unless it was kept

    int descriptor() const { return descriptor_; }
    // Closes it. Error: kOutputExists, if another file of this name was made meanwhile.
    Result<void> keep();

  private:
    NewFile() = default;
    void close();

    int descriptor_ = -1;
    std::string name_;  // empty: standard output
    bool has_name_ = false;
};

// Before long work: that no file has this name (empty, "-": standard output). Error: kOutputExists.
Result<void> check_new_name(const std::string& name);

// A whole file at once; `name` as for make(). Errors: as make(); kNoSpace and others of the system, nothing left.
Result<void> write_new_file(const std::string& name, std::string_view bytes);

}  // namespace kymo::view
