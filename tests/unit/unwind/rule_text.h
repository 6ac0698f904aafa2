// A table's rows as text, so that an expectation reads like `readelf --debug-dump=frames-interp`.
#pragma once

#include "unwind/native.h"
#include "unwind/table.h"

#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

namespace kymo::unwind::test {

template <class Rules = native::Arch::Rules>
std::string register_name(unsigned number) {
    if (!std::is_same_v<Rules, x86_64::Rules>) {
        return number == Rules::kStackPointer    ? "sp"
               : number == Rules::kPreserved[0]  ? "fp"
               : number == Rules::kReturnAddress ? "ra"
                                                 : "r" + std::to_string(number);
    }
    static constexpr const char* kNames[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
                                             "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra"};
    return number < 17 ? kNames[number] : "r?";
}

inline std::string signed_text(long long value) {
    return (value < 0 ? "" : "+") + std::to_string(value);
}

// "rsp+16 rbp=c-16", "none", "bottom", "bad", "switch", "hand over", "extended …".
template <class Rules = native::Arch::Rules>
std::string text_of(const Table& table, RuleWord rule) {
    switch (kind_of(rule)) {
        case RuleKind::kNone:
            return "none";
        case RuleKind::kBottom:
            return "bottom";
        case RuleKind::kBad:
            return "bad";
        case RuleKind::kSwitch:
            return "switch";
        case RuleKind::kHandOver:
            return "hand over";
        case RuleKind::kPlain: {
            std::string text = register_name<Rules>(Rules::base_of(rule)) +
                               signed_text(static_cast<long long>(Rules::offset_of(rule)));
            const auto add = [&text](unsigned number, unsigned slot) {
                text += slot == 0 ? "" : " " + register_name<Rules>(number) + "=c-" + std::to_string(8 * slot);
            };
            if (Rules::kReturnAddress < Rules::kGeneralRegisters) {  // else it is always at CFA − 8
                add(Rules::kReturnAddress, Rules::return_slot(rule));
            }
            for (unsigned i = 0; i < Rules::kPreserved.size(); ++i) {
                add(Rules::kPreserved[i], Rules::slot_of(rule, i));
            }
            return text;
        }
        case RuleKind::kExtended:
            break;
    }
    const ExtendedRule& row = *table.extended_of(rule);
    std::string text = "extended ";
    text += row.signal_frame ? "signal " : "";
    text += row.cfa_is_expression ? "exp" : register_name<Rules>(row.cfa_register) + signed_text(row.cfa_value);
    for (unsigned i = 0; i < Rules::kRuleRegisters; ++i) {
        const std::string value = signed_text(row.value[i]);
        switch (row.rule[i]) {
            case RegisterRule::kSame:
                continue;
            case RegisterRule::kUndefined:
                text += std::string(" ") + register_name<Rules>(i) + "=u";
                continue;
            case RegisterRule::kOffset:
                text += std::string(" ") + register_name<Rules>(i) + "=c" + value;
                continue;
            case RegisterRule::kValueOffset:
                text += std::string(" ") + register_name<Rules>(i) + "=v" + value;
                continue;
            case RegisterRule::kRegister:
                text += std::string(" ") + register_name<Rules>(i) + "=" +
                        register_name<Rules>(static_cast<unsigned>(row.value[i]));
                continue;
            case RegisterRule::kExpression:
                text += std::string(" ") + register_name<Rules>(i) + "=exp";
                continue;
            case RegisterRule::kValueExpression:
                text += std::string(" ") + register_name<Rules>(i) + "=vexp";
                continue;
        }
    }
    return text;
}

// All rows: "1000 rsp+8".
template <class Rules = native::Arch::Rules>
std::vector<std::string> rows_of(const Table& table) {
    std::vector<std::string> rows;
    for (std::uint32_t i = 0; i < table.rows; ++i) {
        char start[32];
        std::snprintf(start, sizeof(start), "%llx ", static_cast<unsigned long long>(table.base + table.starts[i]));
        rows.push_back(start + text_of<Rules>(table, table.rules[i]));
    }
    return rows;
}

}  // namespace kymo::unwind::test
