// Conditions as steps: tests that skip forwards. See cells/actions.h.
#pragma once

#include "cells/actions.h"
#include "metrics/syntax.h"

#include <functional>
#include <optional>
#include <vector>

namespace kymo::metrics {

// A value as an operand, and its value if it is a constant; `is_signed`: by its type, or negative.
struct Meant {
    cells::Operand operand;
    std::uint64_t constant = 0;
    bool is_signed = false;
    std::optional<std::size_t> data = {};  // it is loaded first: index of the point's data
};

using Meaning = std::function<Meant(const Value&)>;

// Appends tests to `steps` that continue behind them if the condition holds, and otherwise jump to where close()
// is called. Unreadable data also jumps there, whatever the condition does with it.
class Tests {
  public:
    Tests(std::vector<cells::Step>& steps, const Meaning& meaning) : steps_(steps), meaning_(meaning) {}

    void add(const Condition& condition) { generate(condition, false, failed_); }
    // If a value is the program's data: loads it for the next step. `which`: of the loaded values.
    void load(Meant& meant, std::uint16_t which);
    // The condition's failures jump to here.
    void close() { land(failed_); }

  private:
    using Jumps = std::vector<std::size_t>;
    void generate(const Condition& condition, bool when, Jumps& jumps);
    void compare(const Condition& condition, bool when, Jumps& jumps);
    void land(Jumps& jumps);

    std::vector<cells::Step>& steps_;
    const Meaning& meaning_;
    Jumps failed_;
};

}  // namespace kymo::metrics
