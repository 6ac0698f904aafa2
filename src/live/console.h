// Where a session prints what is not on its screen.
#pragma once

#include "base/result.h"
#include "view/text.h"

#include <functional>
#include <string>
#include <string_view>

namespace kymo::live {

struct Console {
    std::function<view::Style()> style;            // of what is shown, for the terminal as it is at the time
    std::function<bool(std::string_view)> show;    // on standard output; false: it could not be written
    std::function<void(const std::string&)> note;  // on standard error, without an end of line
    std::function<int(const Error&)> fail;         // on standard error; returns the error's exit code
};

}  // namespace kymo::live
