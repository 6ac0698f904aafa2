// A table's rows as text, so that an expectation reads like `readelf --debug-dump=frames-interp`.
#pragma once

#include "unwind/native.h"
#include "unwind/table.h"

#include <cstdio>
#include <string>
#include <vector>

namespace kymo::unwind::test {

inline const char* register_name(unsigned number) {
    static constexpr const char* kNames[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
                                             "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra"};
    return number < 17 ? kNames[number] : "r?";
}

inline std::string signed_text(long long value) {
    return (value < 0 ? "" : "+") + std::to_string(value);
}

// "rsp+16 rbp=c-16", "none", "bottom", "bad", "extended …".
inline std::string text_of(const Table& table, RuleWord rule) {
    switch (kind_of(rule)) {
        case RuleKind::kNone:
            return "none";
        case RuleKind::kBottom:
            return "bottom";
        case RuleKind::kBad:
            return "bad";
        case RuleKind::kPlain: {
            std::string text =
                register_name(native::base_of(rule)) + signed_text(static_cast<long long>(native::offset_of(rule)));
            for (unsigned i = 0; i < native::kPreserved.size(); ++i) {
                if (const unsigned slot = native::slot_of(rule, i); slot != 0) {
                    text +=
                        std::string(" ") + register_name(native::kPreserved[i]) + "=c-" + std::to_string(8 * slot);
                }
            }
            return text;
        }
        case RuleKind::kExtended:
            break;
    }
    const ExtendedRule& row = *table.extended_of(rule);
    std::string text = "extended ";
    text += row.signal_frame ? "signal " : "";
    text += row.cfa_is_expression ? "exp" : register_name(row.cfa_register) + signed_text(row.cfa_value);
    for (unsigned i = 0; i < 17; ++i) {
        const std::string value = signed_text(row.value[i]);
        switch (row.rule[i]) {
            case RegisterRule::kSame:
                continue;
            case RegisterRule::kUndefined:
                text += std::string(" ") + register_name(i) + "=u";
                continue;
            case RegisterRule::kOffset:
                text += std::string(" ") + register_name(i) + "=c" + value;
                continue;
            case RegisterRule::kValueOffset:
                text += std::string(" ") + register_name(i) + "=v" + value;
                continue;
            case RegisterRule::kRegister:
                text +=
                    std::string(" ") + register_name(i) + "=" + register_name(static_cast<unsigned>(row.value[i]));
                continue;
            case RegisterRule::kExpression:
                text += std::string(" ") + register_name(i) + "=exp";
                continue;
            case RegisterRule::kValueExpression:
                text += std::string(" ") + register_name(i) + "=vexp";
                continue;
        }
    }
    return text;
}

// All rows: "1000 rsp+8".
inline std::vector<std::string> rows_of(const Table& table) {
    std::vector<std::string> rows;
    for (std::uint32_t i = 0; i < table.rows; ++i) {
        char start[32];
        std::snprintf(start, sizeof(start), "%llx ", static_cast<unsigned long long>(table.base + table.starts[i]));
        rows.push_back(start + text_of(table, table.rules[i]));
    }
    return rows;
}

}  // namespace kymo::unwind::test
