// Result<T>: the value, or an error.
//
// Contract: for what can fail in normal use (a missing file, a refused system call, a malformed recording). Broken
// invariants outside the monitor throw; nothing in the monitor does, and the monitor does not use this header (it
// owns std::string).
//
// An Error is written for the user at the terminal: one line with what happened, one with what to do next, and the
// exit code of `kymo` (docs/exit-codes.md).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kymo {

enum class ErrorKind : int {
    kUsage = 2,          // the command line itself
    kNotFound = 3,       // a missing program, recording or file
    kNotRunnable = 4,    // a program that cannot be executed or monitored
    kOutputExists = 5,   // nothing is ever overwritten
    kMalformed = 6,      // not a recording, truncated beyond use, or foreign
    kNewerFormat = 7,    // a recording made by a later version
    kPermission = 8,     // refused by the system
    kNoSpace = 9,        // disk, memory or a limit is used up
    kUnsupported = 10,   // this machine or this build cannot do it
    kUnknownEvent = 11,  // no such event
    kInternal = 70,      // a defect of Kymo
};

struct Error {
    ErrorKind kind = ErrorKind::kInternal;
    std::string what;                      // one line, no full stop, names the object concerned
    std::string next;                      // the next step; may be empty
    std::vector<std::string> others = {};  // further errors, each like `what`
};

template <typename T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }
    bool ok() const { return state_.index() == 0; }

    // Precondition: ok(). Throws std::bad_variant_access otherwise (a broken invariant).
    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    // Precondition: !ok().
    const Error& error() const { return std::get<1>(state_); }

  private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}
    explicit operator bool() const { return !error_; }
    bool ok() const { return !error_; }
    const Error& error() const { return error_.value(); }

  private:
    std::optional<Error> error_;
};

}  // namespace kymo
