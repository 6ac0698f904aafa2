// Where an export goes: a file, or standard output, in pieces, so that memory does not grow with it.
//
// Contract: the first error is kept, later output dropped; finish() returns the error. One thread.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace kymo::view {

class Output {
  public:
    // Does not use the descriptor after finish(). `name`: for errors.
    Output(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(std::string_view bytes) {
        buffer_ += bytes;
        if (buffer_.size() >= kPiece) {
            flush();
        }
    }
    // Whether further output makes sense: long exports stop if it does not.
    bool is_good() const { return error_ == 0; }
    // Errors: kNoSpace, with the system's message.
    Result<void> finish();

  private:
    static constexpr std::size_t kPiece = 1U << 18U;
    void flush();

    int descriptor_;
    std::string name_;
    std::string buffer_;
    int error_ = 0;
};

}  // namespace kymo::view
