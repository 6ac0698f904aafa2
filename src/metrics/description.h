// A metric description, checked and compiled: the cells and timers it needs, and the steps at each control point.
//
// Outside the measured program. Pure: it does not examine the program, so the planner finds missing functions
// (cli/measure). Bounded as the parser is; at most kNamedCells cells and 48 timers in a file.
#pragma once

#include "base/resource.h"
#include "base/result.h"
#include "cells/actions.h"
#include "metrics/measured_run.h"
#include "metrics/syntax.h"
#include "program/data/data_path.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kymo::metrics {

struct Metric {
    std::string name;
    std::string description;
    std::string unit;
    cells::MetricType type = cells::MetricType::kCounter;
    MetricTotal total = MetricTotal::kOfType;    // of the threads' values
    ResourceLevel per = ResourceLevel::kObject;  // the level shown beside the total
    std::uint32_t cell = 0;
};

// A step's input from outside the description: the program's data.
struct NamedData {
    program::DataPath path;
    Position at;
    std::string near;  // "; did you mean 'in_foo'?" if a cell has a similar name
};

struct InstrumentationPoint {
    bool at_exit = false;
    std::string function;    // of a line: its source file
    std::uint32_t line = 0;  // not 0: a source line
    std::string image;
    Position at;  // of the function's name, or the line's, in the file
    std::vector<cells::Step> steps;
    std::vector<NamedData> data;  // a load's constant is an index of it
};

struct Description {
    std::vector<Metric> metrics;
    std::vector<InstrumentationPoint> points;
    std::vector<DescribedCell> cells;  // the metrics' own, and those that they declare: "metric.cell"
    std::vector<DescribedTimer> timers;
};

std::variant<Description, std::vector<Mistake>> compile_description(std::string_view text);

// "FILE:LINE:COLUMN: what is wrong"; of several mistakes the first ten, one a line.
Error error_of(const std::vector<Mistake>& mistakes, const std::string& file);

}  // namespace kymo::metrics
