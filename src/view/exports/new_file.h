// A file that is made, and is not left half written.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace kymo::view {

// Has no name before it is kept, where the file system can do that (O_TMPFILE, not on NFS), so that nothing is left
// of one that is not finished, whatever ends the process.
class NewFile {
  public:
    // Never overwrites. `name` empty or "-": standard output, which must be no terminal where `binary` (what it is,
    // for the message) is given. Errors: kOutputExists, kUsage, the system's.
    static Result<NewFile> make(const std::string& name, const char* binary = nullptr);

    NewFile(NewFile&& other) noexcept;
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    NewFile& operator=(NewFile&&) = delete;
    ~NewFile();  // nothing is left, unless it was kept

    int descriptor() const { return descriptor_; }
    // Closes it. Error: kOutputExists, where another has made a file of this name meanwhile.
    Result<void> keep();

  private:
    NewFile() = default;
    void close();

    int descriptor_ = -1;
    std::string name_;  // empty: standard output
    bool has_name_ = false;
};

// A whole file at once, named as make()'s. Errors: as make(); kNoSpace and others of the system, with nothing left.
Result<void> write_new_file(const std::string& name, std::string_view bytes);

}  // namespace kymo::view
