// Code and call-frame information that compilers made for other processors (foreign/): the rows that are compiled
// from it are those that binutils computes; and what is recovered without rules, from the instructions alone, is what
// the rules say.
#include "rule_text.h"
#include "unwind/aarch64/arch.h"
#include "unwind/compile.h"
#include "unwind/loongarch64/arch.h"
#include "unwind/riscv64/arch.h"

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace kymo::unwind::test {
namespace {

struct ForeignSection {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes;
};
struct ForeignCode {
    std::map<std::string, ForeignSection> sections;  // text, eh_frame
    std::map<std::uint64_t, std::string> rows;       // as make_rows.py says
};

ForeignCode read_foreign(const std::string& name) {
    ForeignCode code;
    std::ifstream file(KYMO_FOREIGN_ROWS "/" + name + ".rows");
    EXPECT_TRUE(file.is_open()) << name;
    ForeignSection* section = nullptr;
    bool is_row = false;
    for (std::string line; std::getline(file, line);) {
        const std::size_t space = line.find(' ');
        if (line.starts_with('#')) {
            continue;
        }
        if (line == "rows") {
            is_row = true;
        } else if (is_row) {
            code.rows[std::stoull(line, nullptr, 16)] = line.substr(space + 1);
        } else if (space != std::string::npos) {
            section = &code.sections[line.substr(0, space)];
            section->address = std::stoull(line.substr(space), nullptr, 16);
        } else {
            for (std::size_t i = 0; i + 1 < line.size(); i += 2) {
                section->bytes.push_back(static_cast<std::uint8_t>(std::stoul(line.substr(i, 2), nullptr, 16)));
            }
        }
    }
    return code;
}

class ForeignTable {
  public:
    template <class Arch>
    ForeignTable(const ForeignCode& code, const Arch& /*architecture*/) {
        const ForeignSection& section = code.sections.at("eh_frame");
        const ForeignSection& text = code.sections.at("text");
        CompileInput input;
        input.code_begin = text.address;
        input.code_end = text.address + text.bytes.size();
        input.eh_frame.bytes = section.bytes;
        input.eh_frame.address = section.address;
        EXPECT_TRUE(compile_for<typename Arch::RulePacker>(input, &table_));
        EXPECT_EQ(table_.bad_functions, 0U);
    }
    ~ForeignTable() { release(&table_); }
    ForeignTable(const ForeignTable&) = delete;
    ForeignTable& operator=(const ForeignTable&) = delete;

    const Table& table() const { return table_; }

  private:
    Table table_;
};

// Of a rule of either form, what the file tells of it.
template <class Rules>
std::string without_other_registers(const Table& table, RuleWord rule) {
    std::istringstream words(text_of<Rules>(table, rule));
    std::string cfa;
    std::map<std::string, std::string> places;
    for (std::string word; words >> word;) {
        if (word.starts_with("ra=") || word.starts_with("fp=")) {
            places[word.substr(0, 2)] = " " + word;
        } else if (cfa.empty() && word != "extended") {
            cfa = word;
        }
    }
    return cfa + places["ra"] + places["fp"];
}

struct Agreement {
    unsigned same = 0;
    unsigned other_terms = 0;  // by the stack pointer where the rule counts from the frame pointer, or the reverse
    unsigned late_rules = 0;   // the frame is gone, and the rule still has it
    unsigned not_found = 0;
    std::string different;
};

// At each instruction, the trace against the rule.
template <class Arch>
class Comparison {
  public:
    using Rules = typename Arch::Rules;
    using Trace = link_register::FrameTrace<typename Arch::Numbers>;

    Comparison(const ForeignCode& code, const Table& table) : text_(code.sections.at("text")), table_(table) {}

    Agreement run() {
        const std::span<const std::uint8_t> bytes = text_.bytes;
        for (std::size_t at = 0; at < bytes.size(); at += Arch::decode(bytes.subspan(at)).size) {
            const std::uint64_t address = text_.address + at;
            if (kind_of(table_.find(address)) == RuleKind::kPlain) {
                compare(address, bytes.subspan(at));
            }
        }
        return agreement_;
    }

  private:
    void compare(std::uint64_t address, std::span<const std::uint8_t> code) {
        const RuleWord rule = table_.find(address);
        const auto offset = static_cast<std::int64_t>(Rules::offset_of(rule));
        Trace trace;
        if (!trace.run(code, Arch::decode)) {
            ++agreement_.not_found;
        } else if (trace.stack_pointer().number != Rules::base_of(rule)) {
            ++agreement_.other_terms;
        } else if (trace.stack_pointer().offset == offset && holds(trace.return_address(), address, 0) &&
                   holds(trace.frame_pointer(), address, 1)) {
            ++agreement_.same;
        } else if (trace.stack_pointer().offset < offset && trace.stack_pointer().offset < kMostInOneMove) {
            ++agreement_.late_rules;
        } else {
            std::ostringstream text;
            text << std::hex << address << ": " << text_of<Rules>(table_, rule) << '\n';
            agreement_.different += text.str();
        }
    }

    // Whether the trace has a register (0: the return address, 1: the frame pointer) where the rule has it. Between a
    // store and the row that tells of it, and between a load and that row, it is in both places.
    bool holds(const link_register::Held& held, std::uint64_t address, unsigned which) const {
        using Kind = link_register::Held::Kind;
        const unsigned number = which == 0 ? Rules::kReturnAddress : Rules::kPreserved[0];
        if (held == link_register::Held{Kind::kRegister, number, 0}) {
            return true;
        }
        // Where the function saves it: in this row or a later one.
        unsigned slot = 0;
        for (std::uint64_t at = address; slot == 0 && kind_of(table_.find(at)) == RuleKind::kPlain; at += 2) {
            slot = which == 0 ? Rules::return_slot(table_.find(at)) : Rules::slot_of(table_.find(at), 0);
        }
        const RuleWord rule = table_.find(address);
        return slot != 0 && held == link_register::Held{
                                        Kind::kMemory, Rules::base_of(rule),
                                        static_cast<std::int64_t>(Rules::offset_of(rule)) - std::int64_t{8} * slot};
    }

    static constexpr std::int64_t kMostInOneMove = 2048;  // of the stack pointer, on RISC-V and LoongArch

    const ForeignSection& text_;
    const Table& table_;
    Agreement agreement_;
};

template <class Arch>
void expect_rows(const ForeignCode& code) {
    const ForeignTable table(code, Arch{});
    ASSERT_GT(code.rows.size(), 20U);
    for (const auto& [address, text] : code.rows) {
        EXPECT_EQ(without_other_registers<typename Arch::Rules>(table.table(), table.table().find(address)), text)
            << std::hex << address;
    }
}

TEST(ForeignRows, OfAarch64WithSignedReturnAddresses) {
    expect_rows<aarch64::Arch>(read_foreign("aarch64"));
}
TEST(ForeignRows, OfRiscV) {
    expect_rows<riscv64::Arch>(read_foreign("riscv64"));
    expect_rows<riscv64::Arch>(read_foreign("riscv64_frame_pointer"));
}
TEST(ForeignRows, OfLoongArch) {
    expect_rows<loongarch64::Arch>(read_foreign("loongarch64"));
}

// `least`: instructions at which both say the same; `most`: at which nothing is found (frames of a size in a
// register), or the rules are late.
struct Bounds {
    unsigned least = 0;
    unsigned most_not_found = 0;
    unsigned most_late = 0;
};
template <class Arch>
void expect_traces(const char* name, Bounds bounds) {
    SCOPED_TRACE(name);
    const ForeignCode code = read_foreign(name);
    const ForeignTable table(code, Arch{});
    const Agreement agreement = Comparison<Arch>(code, table.table()).run();
    EXPECT_EQ(agreement.different, "");
    EXPECT_GE(agreement.same, bounds.least);
    EXPECT_LE(agreement.not_found, bounds.most_not_found);
    EXPECT_LE(agreement.late_rules, bounds.most_late);
}

TEST(ForeignTraces, AgreeWithTheRules) {
    expect_traces<aarch64::Arch>("aarch64", {.least = 103, .most_not_found = 0});
    expect_traces<riscv64::Arch>("riscv64", {.least = 114, .most_not_found = 22});
    expect_traces<riscv64::Arch>("riscv64_frame_pointer", {.least = 70, .most_not_found = 19});
    // clang 19 says nothing of epilogues.
    expect_traces<loongarch64::Arch>("loongarch64", {.least = 90, .most_not_found = 15, .most_late = 10});
}

}  // namespace
}  // namespace kymo::unwind::test
