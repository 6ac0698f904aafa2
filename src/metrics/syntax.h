// A metric description as its author wrote it: the parser makes it, the checker reads it. docs/metrics.md has the
// grammar.
#pragma once

#include "program/data/data_path.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kymo::metrics {

struct Position {
    std::uint32_t line = 1;  // from 1, as is the column (bytes)
    std::uint32_t column = 1;
};

struct Name {
    std::string text;
    Position at;
};

struct Value {
    enum class Kind : std::uint8_t { kNumber, kName, kData, kArgument, kResult };
    Kind kind = Kind::kNumber;
    std::uint64_t number = 0;  // or the argument's, from 1
    bool negative = false;     // of a number that was written with a minus; `number` is its two's complement
    Name name;                 // of a constant, cell, metric or variable
    program::DataPath data;    // kData: more than a name
    std::string type;          // behind `as`; empty: 64 bits
    Position at;
};

struct Condition {
    enum class Kind : std::uint8_t { kCompare, kAnd, kOr, kNot };
    Kind kind = Kind::kCompare;
    Value left;
    std::string comparison;  // "==", …
    Value right;
    std::vector<Condition> parts;  // of the other kinds
};

struct Action {
    std::string verb;  // set add sub bind start stop
    std::vector<Value> words;
    Position at;
};

struct Statement {
    bool at_exit = false;
    Name function;           // source-level or linkage name, a glob; of a line: its file
    std::uint32_t line = 0;  // not 0: a source line
    std::string image;       // a glob; empty: any
    bool has_condition = false;
    Condition condition;
    std::vector<Action> actions;
};

struct MetricSyntax {
    Name name;
    std::string description;
    std::string unit;
    Name type;   // counter gauge maximum; empty: counter
    Name total;  // sum mean minimum maximum; empty: by type
    Name per;    // thread process host system; empty: thread
    std::vector<Name> cells;
    std::vector<Name> timers;
    std::vector<Statement> statements;
};

struct Constant {
    Name name;
    Value value;
};

struct Syntax {
    std::vector<Constant> constants;
    std::vector<MetricSyntax> metrics;
};

// A mistake and its place: one line, and what to do about it.
struct Mistake {
    Position at;
    std::string what;
    std::string next;
};

}  // namespace kymo::metrics
