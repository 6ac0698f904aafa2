#include "cells/standard.h"
#include "events/suggest.h"
#include "metrics/description.h"
#include "metrics/parser.h"
#include "metrics/predicate.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace kymo::metrics {
namespace {

using cells::Operation;
using cells::Source;
using cells::Step;
using cells::Width;

constexpr std::size_t kMostMistakes = 10;
constexpr std::uint32_t kMostTimers = cells::kTaskTimers - cells::kProgramTimers;
constexpr std::size_t kMostName = 47;  // bytes that a segment keeps

const std::map<std::string, Width>& types() {
    static const std::map<std::string, Width> all = {
        {"char", Width::kS8},   {"uchar", Width::k8}, {"bool", Width::k8},    {"short", Width::kS16},
        {"ushort", Width::k16}, {"int", Width::kS32}, {"uint", Width::k32},   {"long", Width::kS64},
        {"ulong", Width::k64},  {"size", Width::k64}, {"pointer", Width::k64}};
    return all;
}

bool is_signed(Width width) {
    return width == Width::kS8 || width == Width::kS16 || width == Width::kS32 || width == Width::kS64;
}

template <typename Map>
std::vector<std::string> keys_of(const Map& map) {
    std::vector<std::string> names;
    for (const auto& [name, ignored] : map) {
        names.push_back(name);
    }
    return names;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
    const auto near = events::nearest(name, known, 1);
    return near.empty() ? std::string() : "; did you mean '" + near.front() + "'?";
}

class Compiler {
  public:
    explicit Compiler(const Syntax& syntax) : syntax_(syntax) {}

    std::variant<Description, std::vector<Mistake>> compile() {
        for (const Constant& constant : syntax_.constants) {
            if (!constants_.emplace(constant.name.text, constant.value).second) {
                wrong(constant.name.at, fmt::format("the constant '{}' is there already", constant.name.text));
            }
        }
        for (const MetricSyntax& metric : syntax_.metrics) {
            declare(metric);
        }
        if (syntax_.metrics.empty()) {
            wrong({}, "no metric in it", "a description begins with: metric NAME { … }");
        }
        for (std::size_t i = 0; i < syntax_.metrics.size() && mistakes_.size() < kMostMistakes; ++i) {
            compile_metric(syntax_.metrics[i]);
        }
        if (!mistakes_.empty()) {
            return std::move(mistakes_);
        }
        return std::move(out_);
    }

  private:
    void wrong(const Position& at, std::string what, std::string next = {}) {
        if (mistakes_.size() < kMostMistakes) {
            mistakes_.push_back({at, std::move(what), std::move(next)});
        }
    }

    std::uint32_t new_cell(const Name& name, DescribedCell cell) {
        if (out_.cells.size() == cells::kNamedCells) {
            wrong(name.at, fmt::format("more than {} cells", cells::kNamedCells), "measure them in two runs");
            return cells::kNoCell;
        }
        if (cell.name.size() > kMostName) {
            wrong(name.at, fmt::format("the name '{}' is longer than {} bytes", cell.name, kMostName));
        }
        cell.index = cells::kFirstNamed + static_cast<std::uint32_t>(out_.cells.size());
        out_.cells.push_back(cell);
        return cell.index;
    }

    std::uint16_t new_timer(const Position& at) {
        if (out_.timers.size() == kMostTimers) {
            wrong(at, fmt::format("more than {} timers", kMostTimers), "measure them in two runs");
            return 0;
        }
        const auto number = cells::kProgramTimers + static_cast<std::uint32_t>(out_.timers.size());
        out_.timers.push_back({number, own_});
        return static_cast<std::uint16_t>(number);
    }

    void declare(const MetricSyntax& syntax) {
        Metric metric;
        metric.name = syntax.name.text;
        metric.description = syntax.description;
        metric.unit = syntax.unit;
        metric.type = syntax.type.text == "gauge"     ? cells::MetricType::kGauge
                      : syntax.type.text == "maximum" ? cells::MetricType::kMaximum
                                                      : cells::MetricType::kCounter;
        metric.total = syntax.total.text == "mean"      ? MetricTotal::kMean
                       : syntax.total.text == "minimum" ? MetricTotal::kMinimum
                       : syntax.total.text == "maximum" ? MetricTotal::kMaximum
                       : syntax.total.text == "sum"     ? MetricTotal::kSum
                                                        : MetricTotal::kOfType;
        metric.per = syntax.per.text == "process"  ? ResourceLevel::kProcess
                     : syntax.per.text == "host"   ? ResourceLevel::kHost
                     : syntax.per.text == "system" ? ResourceLevel::kSystem
                                                   : ResourceLevel::kObject;
        metric.cell = new_cell(
            syntax.name, {0, metric.type, metric.unit, metric.name, metric.description, metric.total, metric.per});
        if (!metrics_.emplace(metric.name, metric.cell).second) {
            wrong(syntax.name.at, fmt::format("the metric '{}' is there already", metric.name));
        }
        if (constants_.count(metric.name) != 0) {
            wrong(syntax.name.at, fmt::format("'{}' is a constant already", metric.name));
        }
        out_.metrics.push_back(std::move(metric));
    }

    void compile_metric(const MetricSyntax& syntax) {
        own_cells_.clear();
        own_timers_.clear();
        has_own_timer_ = false;
        own_ = metrics_.at(syntax.name.text);
        for (const Name& name : syntax.cells) {
            const bool taken = constants_.count(name.text) != 0 || metrics_.count(name.text) != 0;
            if (taken || own_cells_.count(name.text) != 0) {
                wrong(name.at, fmt::format("the name '{}' is taken already", name.text));
                continue;
            }
            own_cells_[name.text] =
                new_cell(name, {0, cells::MetricType::kGauge, {}, syntax.name.text + "." + name.text, {}});
        }
        for (const Name& name : syntax.timers) {
            if (own_timers_.count(name.text) != 0) {
                wrong(name.at, fmt::format("the timer '{}' is there already", name.text));
                continue;
            }
            own_timers_[name.text] = new_timer(name.at);
        }
        if (syntax.statements.empty()) {
            wrong(syntax.name.at, fmt::format("the metric '{}' has no instrumentation point", syntax.name.text),
                  "add one: at entry FUNCTION : add");
        }
        for (const Statement& statement : syntax.statements) {
            compile_statement(statement);
        }
    }

    void compile_statement(const Statement& statement) {
        at_exit_ = statement.at_exit;
        at_line_ = statement.line != 0;
        InstrumentationPoint point;
        point.at_exit = statement.at_exit;
        point.function = statement.function.text;
        point.line = statement.line;
        point.image = statement.image;
        point.at = statement.function.at;
        data_ = &point.data;
        const Meaning meaning = [this](const Value& value) { return mean(value); };
        Tests tests(point.steps, meaning);
        if (statement.has_condition) {
            tests.add(statement.condition);
        }
        for (const Action& action : statement.actions) {
            compile_action(action, tests, point.steps);
        }
        if (point.steps.size() > cells::kMaxSteps) {
            wrong(point.at,
                  fmt::format("{} steps at one point, {} is the most", point.steps.size(), cells::kMaxSteps),
                  "split it into several points");
            return;
        }
        tests.close();
        out_.points.push_back(std::move(point));
    }

    void compile_action(const Action& action, Tests& tests, std::vector<Step>& steps) {
        Step step;
        if (action.verb == "start" || action.verb == "stop") {
            step.operation = action.verb == "start" ? Operation::kStart : Operation::kStop;
            if (action.words.size() > 1) {
                wrong(action.words[1].at, fmt::format("'{}' takes one timer", action.verb));
                return;
            }
            step.target = action.words.empty() ? own_timer(action.at) : named_timer(action.words[0]);
        } else if (action.verb == "bind") {
            if (action.words.size() != 2) {
                wrong(action.at, "'bind' takes a timer and a cell", "for example: bind sending send_time");
                return;
            }
            step.operation = Operation::kBind;
            step.target = named_timer(action.words[0]);
            step.constant = cell_of(action.words[1]);
        } else {
            step.operation = action.verb == "set"   ? Operation::kSet
                             : action.verb == "add" ? Operation::kAdd
                                                    : Operation::kSubtract;
            compile_change(action, tests, step);
        }
        steps.push_back(step);
    }

    // set, add, sub [CELL] [VALUE]: without a cell the metric itself, without a value 1. A single cell is changed
    // by add and sub, and is the source of set.
    void compile_change(const Action& action, Tests& tests, Step& step) {
        std::size_t next = 0;
        step.target = static_cast<std::uint16_t>(own_);
        const bool alone = step.operation == Operation::kSet && action.words.size() == 1;
        if (!action.words.empty() && !alone && (action.words.size() > 1 || names_cell(action.words[0]))) {
            step.target = static_cast<std::uint16_t>(cell_of(action.words[0]));
            next = 1;
        }
        if (next < action.words.size()) {
            Meant meant = mean(action.words[next]);
            tests.load(meant, 0);
            step.right = meant.operand;
            step.constant = meant.constant;
            ++next;
        } else if (step.operation == Operation::kSet) {
            wrong(action.at, "'set' needs a value", "for example: set 0");
        } else {
            step.constant = 1;
        }
        if (next < action.words.size()) {
            wrong(action.words[next].at, fmt::format("'{}' takes a cell and a value, no more", action.verb));
        }
    }

    std::uint16_t own_timer(const Position& at) {
        if (!has_own_timer_) {
            has_own_timer_ = true;
            own_timer_ = new_timer(at);
        }
        return own_timer_;
    }

    std::uint16_t named_timer(const Value& value) {
        const auto found = value.kind == Value::Kind::kName ? own_timers_.find(value.name.text) : own_timers_.end();
        if (found == own_timers_.end()) {
            const std::string name = value.kind == Value::Kind::kName ? value.name.text : "that";
            wrong(value.at, fmt::format("no timer '{}'{}", name, did_you_mean(name, keys_of(own_timers_))),
                  fmt::format("declare it in the metric: timer {}", name));
            return 0;
        }
        return found->second;
    }

    [[nodiscard]] bool names_cell(const Value& value) const {
        return value.kind == Value::Kind::kName &&
               (own_cells_.count(value.name.text) != 0 || metrics_.count(value.name.text) != 0);
    }

    std::uint32_t cell_of(const Value& value) {
        if (value.kind != Value::Kind::kName) {
            wrong(value.at, "a cell's name is expected here");
            return cells::kNoCell;
        }
        const std::string& name = value.name.text;
        if (const auto own = own_cells_.find(name); own != own_cells_.end()) {
            return own->second;
        }
        if (const auto metric = metrics_.find(name); metric != metrics_.end()) {
            return metric->second;
        }
        wrong(value.at, fmt::format("no cell '{}'{}", name, did_you_mean(name, known_names())),
              fmt::format("declare it in the metric: cell {}", name));
        return cells::kNoCell;
    }

    [[nodiscard]] std::vector<std::string> known_names() const {
        std::vector<std::string> known = keys_of(own_cells_);
        for (const auto& names : {keys_of(metrics_), keys_of(constants_)}) {
            known.insert(known.end(), names.begin(), names.end());
        }
        for (const cells::StandardMetric& standard : cells::kStandardMetrics) {
            if (standard.kind == cells::ResourceKind::kTask) {
                known.emplace_back(standard.name);
            }
        }
        return known;
    }

    // The value of a name: a constant, a cell, a standard metric of the thread, or the program's data.
    Meant mean_name(const Value& value) {
        Meant meant;
        const std::string& name = value.name.text;
        if (const auto constant = constants_.find(name); constant != constants_.end()) {
            meant.constant = constant->second.number;
            meant.is_signed = constant->second.negative;
            return meant;
        }
        if (names_cell(value)) {
            meant.operand = {Source::kCell, Width::k64, static_cast<std::uint16_t>(cell_of(value))};
            return meant;
        }
        for (const cells::StandardMetric& standard : cells::kStandardMetrics) {
            if (standard.kind == cells::ResourceKind::kTask && name == standard.name) {
                meant.operand = {Source::kCell, Width::k64, static_cast<std::uint16_t>(standard.cell)};
                return meant;
            }
        }
        if (name.find('-') != std::string::npos) {
            wrong(value.at, fmt::format("no metric '{}'{}", name, did_you_mean(name, known_names())));
            return meant;
        }
        return mean_data(value);
    }

    Meant mean_data(const Value& value) {
        Meant meant;
        const bool is_plain = value.kind == Value::Kind::kName;
        meant.data = data_->size();
        data_->push_back({value.data, value.at, is_plain ? did_you_mean(value.name.text, known_names()) : ""});
        return meant;
    }

    Width width_of(const Value& value) {
        if (value.type.empty()) {
            return Width::k64;
        }
        const auto found = types().find(value.type);
        if (found == types().end()) {
            wrong(value.at, fmt::format("no type '{}'{}", value.type, did_you_mean(value.type, keys_of(types()))),
                  "the types are char uchar bool short ushort int uint long ulong size pointer");
            return Width::k64;
        }
        return found->second;
    }

    Meant mean(const Value& value) {
        Meant meant;
        switch (value.kind) {
            case Value::Kind::kNumber:
                meant.constant = value.number;
                meant.is_signed = value.negative;
                break;
            case Value::Kind::kName:
                return mean_name(value);
            case Value::Kind::kData:
                return mean_data(value);
            case Value::Kind::kArgument:
                if (value.number < 1 || value.number > cells::kMaxArguments) {
                    wrong(value.at, fmt::format("no argument {}", value.number),
                          fmt::format("arg1 to arg{} can be read", cells::kMaxArguments));
                } else if (at_exit_ || at_line_) {
                    wrong(value.at, "arguments are known at entries only", "keep it in a cell at the entry");
                } else {
                    meant.operand = {Source::kArgument, width_of(value),
                                     static_cast<std::uint16_t>(value.number - 1)};
                }
                meant.is_signed = is_signed(meant.operand.width);
                break;
            case Value::Kind::kResult:
                if (!at_exit_) {
                    wrong(value.at, "a result is known at exits only");
                }
                meant.operand = {Source::kResult, width_of(value), 0};
                meant.is_signed = is_signed(meant.operand.width);
                break;
        }
        return meant;
    }

    const Syntax& syntax_;
    Description out_;
    std::vector<Mistake> mistakes_;
    std::map<std::string, Value> constants_;
    std::map<std::string, std::uint32_t> metrics_;  // their cells
    // Of the metric at hand:
    std::map<std::string, std::uint32_t> own_cells_;
    std::map<std::string, std::uint16_t> own_timers_;
    std::vector<NamedData>* data_ = nullptr;  // of the point at hand
    std::uint32_t own_ = 0;
    bool has_own_timer_ = false;
    std::uint16_t own_timer_ = 0;
    bool at_exit_ = false;
    bool at_line_ = false;
};

}  // namespace

std::variant<Description, std::vector<Mistake>> compile_description(std::string_view text) {
    auto syntax = parse_description(text);
    if (auto* mistake = std::get_if<Mistake>(&syntax)) {
        return std::vector<Mistake>{std::move(*mistake)};
    }
    return Compiler(std::get<Syntax>(syntax)).compile();
}

Error error_of(const std::vector<Mistake>& mistakes, const std::string& file) {
    Error error{ErrorKind::kMalformed, {}, {}};
    for (const Mistake& mistake : mistakes) {
        std::string told = fmt::format("{}:{}:{}: {}", file, mistake.at.line, mistake.at.column, mistake.what);
        if (error.what.empty()) {
            error.what = std::move(told);
        } else if (error.others.size() + 1 < kMostMistakes) {
            error.others.push_back(std::move(told));
        }
        if (error.next.empty()) {
            error.next = mistake.next;
        }
    }
    return error;
}

}  // namespace kymo::metrics
