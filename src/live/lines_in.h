// Lines of standard input, for what goes on meanwhile.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace kymo::live {

// Whole lines that have arrived on standard input; never waits.
class LinesIn {
  public:
    void take(const std::function<void(const std::string&)>& line);

  private:
    static constexpr std::size_t kLongest = 4096;
    std::string begun_;
    bool ended_ = false;
};

}  // namespace kymo::live
