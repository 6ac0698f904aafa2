// The rows of a table while it is being made: starts and rules side by side, and the data that rules of the long
// form refer to. On pages of its own; usable in the guest, also in a signal handler.
#pragma once

#include "unwind/call_frame.h"
#include "unwind/page_array.h"
#include "unwind/table.h"

#include <cstring>

namespace kymo::unwind {

// kRegisters: those that a row has rules for.
template <unsigned kRegisters>
class TableRows {
  public:
    explicit TableRows(std::uint64_t base) : base_(base) {}

    bool reserve(std::size_t rows) { return starts_.reserve(rows) && rules_.reserve(rows); }
    bool is_out_of_memory() const { return out_of_memory_; }

    // From `location` on. Locations ascend; the last rule of one location counts, and rules that repeat are one row.
    void emit(std::uint64_t location, RuleWord rule) {
        const auto start = static_cast<std::uint32_t>(location - base_);
        const std::size_t rows = starts_.size();
        if (location - base_ > UINT32_MAX || (rows != 0 && rules_[rows - 1] == rule)) {
            return;
        }
        if (rows != 0 && starts_[rows - 1] >= start) {
            rules_[rows - 1] = rule;
            return;
        }
        if (starts_.push(start) && !rules_.push(rule)) {
            starts_.pop();
        }
        out_of_memory_ = starts_.size() == rows;
    }

    // The rule that refers to a row of the long form, which is shared with a near duplicate; kBad if there is no
    // room.
    RuleWord keep(const FrameSection& section, const RowState& row) {
        ExtendedRule kept = row;
        bool stored = true;
        if (kept.cfa_is_expression) {
            stored = keep_expression(section, &kept.cfa_value);
        }
        for (unsigned i = 0; i < kRegisters && stored; ++i) {
            if (kept.rule[i] == RegisterRule::kExpression || kept.rule[i] == RegisterRule::kValueExpression) {
                stored = keep_expression(section, &kept.value[i]);
            }
        }
        const std::size_t rows = extended_.size();
        for (std::size_t back = 1; back <= rows && back <= 16; ++back) {
            if (extended_[rows - back] == kept) {
                return extended_rule(static_cast<std::uint32_t>(rows - back));
            }
        }
        if (!stored || rows == kMaxExtended || !extended_.push(kept)) {
            return simple_rule(RuleKind::kBad);
        }
        return extended_rule(static_cast<std::uint32_t>(rows));
    }

    // Hands the pages over to the table.
    void finish(Table* table) {
        starts_.trim();
        rules_.trim();
        extended_.trim();
        expressions_.trim();
        table->base = base_;
        table->rows = static_cast<std::uint32_t>(starts_.size());
        table->extended_rows = static_cast<std::uint32_t>(extended_.size());
        table->starts = starts_.data();
        table->rules = rules_.data();
        table->extended = extended_.data();
        table->expressions = {expressions_.data(), expressions_.size()};
    }
    void give_back() {
        starts_.give_back();
        rules_.give_back();
        extended_.give_back();
        expressions_.give_back();
    }

  private:
    static constexpr std::size_t kMaxExtended = std::size_t{1} << 20U;
    static constexpr std::size_t kMaxExpressions = std::size_t{1} << 24U;

    // Copies an expression out of the section, so that the table needs nothing else; shared with a near duplicate.
    bool keep_expression(const FrameSection& section, std::int64_t* value) {
        const ExpressionPlace place = unpack(*value);
        const auto bytes = section.bytes.subspan(place.offset, place.size);
        constexpr std::size_t kNear = 1024;
        const std::size_t size = expressions_.size();
        const std::size_t from = size < kNear ? 0 : size - kNear;
        const void* same = bytes.empty() || size == 0
                               ? nullptr
                               : memmem(expressions_.data() + from, size - from, bytes.data(), bytes.size());
        auto offset = static_cast<std::uint32_t>(size);
        if (same != nullptr) {
            offset = static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(same) - expressions_.data());
        } else {
            if (size + bytes.size() > kMaxExpressions) {
                return false;
            }
            for (const std::uint8_t byte : bytes) {
                if (!expressions_.push(byte)) {
                    return false;
                }
            }
        }
        *value = pack(ExpressionPlace{offset, place.size});
        return true;
    }

    std::uint64_t base_;
    bool out_of_memory_ = false;
    PageArray<std::uint32_t> starts_;
    PageArray<RuleWord> rules_;
    PageArray<ExtendedRule> extended_;
    PageArray<std::uint8_t> expressions_;
};

}  // namespace kymo::unwind
