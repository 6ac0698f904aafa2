#include "metrics/predicate.h"

#include <utility>

namespace kymo::metrics {
namespace {

using cells::Comparison;
using cells::Step;

Comparison comparison_of(const std::string& sign) {
    if (sign == "==") {
        return Comparison::kEqual;
    }
    if (sign == "<") {
        return Comparison::kLess;
    }
    if (sign == "<=") {
        return Comparison::kLessOrEqual;
    }
    if (sign == ">") {
        return Comparison::kGreater;
    }
    return sign == ">=" ? Comparison::kGreaterOrEqual : Comparison::kNotEqual;
}

Comparison opposite(Comparison comparison) {
    switch (comparison) {
        case Comparison::kEqual:
            return Comparison::kNotEqual;
        case Comparison::kNotEqual:
            return Comparison::kEqual;
        case Comparison::kLess:
            return Comparison::kGreaterOrEqual;
        case Comparison::kLessOrEqual:
            return Comparison::kGreater;
        case Comparison::kGreater:
            return Comparison::kLessOrEqual;
        case Comparison::kGreaterOrEqual:
            return Comparison::kLess;
    }
    return comparison;
}

// Turned so that a constant is on the right, where a step has room for it.
Comparison turned(Comparison comparison) {
    switch (comparison) {
        case Comparison::kLess:
            return Comparison::kGreater;
        case Comparison::kLessOrEqual:
            return Comparison::kGreaterOrEqual;
        case Comparison::kGreater:
            return Comparison::kLess;
        case Comparison::kGreaterOrEqual:
            return Comparison::kLessOrEqual;
        default:
            return comparison;
    }
}

}  // namespace

// Jumps if the condition is `when`, and continues behind otherwise.
void Tests::generate(const Condition& condition, bool when, Jumps& jumps) {
    switch (condition.kind) {
        case Condition::Kind::kNot:
            generate(condition.parts.front(), !when, jumps);
            return;
        case Condition::Kind::kCompare:
            compare(condition, when, jumps);
            return;
        case Condition::Kind::kAnd:
        case Condition::Kind::kOr:
            break;
    }
    // One part decides an `or` by being true, an `and` by being false.
    const bool decides = condition.kind == Condition::Kind::kOr;
    if (decides == when) {
        for (const Condition& part : condition.parts) {
            generate(part, when, jumps);
        }
        return;
    }
    Jumps past;
    for (std::size_t i = 0; i + 1 < condition.parts.size(); ++i) {
        generate(condition.parts[i], decides, past);
    }
    generate(condition.parts.back(), when, jumps);
    land(past);
}

void Tests::compare(const Condition& condition, bool when, Jumps& jumps) {
    Meant left = meaning_(condition.left);
    Meant right = meaning_(condition.right);
    Comparison comparison = comparison_of(condition.comparison);
    if (left.operand.source == cells::Source::kConstant && !left.data) {
        std::swap(left, right);
        comparison = turned(comparison);
    }
    load(left, 0);
    load(right, 1);
    Step step;
    step.operation = cells::Operation::kSkipIf;
    step.comparison = when ? comparison : opposite(comparison);
    step.is_signed = left.is_signed || right.is_signed ? 1 : 0;
    step.left = left.operand;
    step.right = right.operand;
    step.constant = right.constant;
    jumps.push_back(steps_.size());
    steps_.push_back(step);
}

void Tests::load(Meant& meant, std::uint16_t which) {
    if (!meant.data) {
        return;
    }
    Step step;
    step.operation = cells::Operation::kLoad;
    step.left.index = which;
    step.constant = *meant.data;
    failed_.push_back(steps_.size());
    steps_.push_back(step);
    meant.operand = {cells::Source::kLoaded, cells::Width::k64, which};
}

void Tests::land(Jumps& jumps) {
    for (const std::size_t from : jumps) {
        steps_[from].target = static_cast<std::uint16_t>(steps_.size() - from - 1);
    }
    jumps.clear();
}

}  // namespace kymo::metrics
