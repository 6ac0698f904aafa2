// While it lives, the standard descriptors are /dev/null, and this process is in another directory: for runs of a
// program that nobody watches. One at a time, in a process without other threads.
#pragma once

#include <array>
#include <filesystem>
#include <system_error>

namespace kymo::confirm {

class Aside {
  public:
    explicit Aside(const std::filesystem::path& directory);
    ~Aside();
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

    // Why the directory could not be entered.
    const std::error_code& failed() const { return failed_; }

  private:
    std::error_code failed_;
    std::filesystem::path before_;
    std::array<int, 3> saved_ = {-1, -1, -1};
};

}  // namespace kymo::confirm
