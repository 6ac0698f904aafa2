#include "view/processor/branches.h"

#include "view/processor/code_words.h"
#include "view/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace kymo::view {
namespace {

using spacetime::Branches;
using spacetime::BranchOfCode;
using spacetime::ExecutedFunction;
using spacetime::ExecutedSpace;
using Json = nlohmann::ordered_json;

double part_of(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string number(std::uint64_t value) {
    return count(static_cast<std::int64_t>(value));
}

void rows_left(const Style& style, std::size_t shown, std::size_t all, std::string& out) {
    if (shown < all) {
        out += "  " + paint(style, Ink::kDim, fmt::format("{} {} more", signs(style).ellipsis, all - shown)) + "\n";
    }
}

// Of what the counts are, and what is not in them.
std::string account_words(const Branches& branches) {
    const auto& account = branches.account;
    std::string text = fmt::format("{} branches in the stacks of {}", number(account.branches),
                                   quantity(account.stacks, "sample", "samples"));
    if (branches.judged != 0) {
        text += fmt::format("; {} of those taken in known code were mispredicted",
                            percent(part_of(branches.mispredicted, branches.judged)));
    }
    if (branches.late_cycles != 0) {
        text += fmt::format("; behind a mispredicted branch the same code took longer, in all {} of the cycles",
                            percent(part_of(branches.late_cycles, branches.cycles)));
    }
    const auto left_out = [&text](std::uint64_t amount, std::string_view what) {
        if (amount != 0) {
            text += fmt::format("; left out: {} {}", number(amount), what);
        }
    };
    left_out(account.elsewhere, "branches of the kernel or generated code");
    left_out(account.unrelated, "stacks of selected branches, between which other code may have run");
    left_out(account.broken, "stretches that cannot have run straight");
    left_out(branches.undecoded, "stretches of code that cannot be decoded");
    left_out(account.without_room, "branches and stretches beyond the limit of the import");
    return text + ".";
}

std::string branch_table(const Style& style, const Branches& branches, std::size_t top) {
    Table table{.headings = {"mispredicted", "of those", "taken", "not taken", "branch"}, .rows = {}};
    for (std::size_t i = 0; i < std::min(branches.branches.size(), top); ++i) {
        const BranchOfCode& branch = branches.branches[i];
        if (branches.judged != 0 && branch.mispredicted == 0) {
            break;
        }
        std::vector<Cell> row = {{branch.judged == 0 ? std::string(signs(style).dot) : number(branch.mispredicted)},
                                 {branch.judged == 0 ? std::string(signs(style).dot)
                                                     : percent(part_of(branch.mispredicted, branch.judged))},
                                 {number(branch.taken)},
                                 {number(branch.passed)},
                                 {code_words(branch.place), Ink::kName},
                                 {fmt::format("  {}+{:#x}", branch.place.module, branch.offset), Ink::kDim}};
        if (branch.targets > 1) {
            row.push_back({fmt::format(", {} targets", branch.targets), Ink::kDim});
        }
        table.rows.push_back(std::move(row));
    }
    if (table.rows.empty()) {
        return {};
    }
    std::string out = "\n" +
                      paint(style, Ink::kHeading,
                            branches.judged != 0 ? "Branches that were mispredicted" : "Branches that were taken") +
                      "\n" + render(style, table);
    const auto shown = table.rows.size();
    std::size_t all = 0;
    for (const BranchOfCode& branch : branches.branches) {
        all += branches.judged == 0 || branch.mispredicted != 0 ? 1 : 0;
    }
    rows_left(style, shown, all, out);
    return out;
}

std::string function_table(const Style& style, const Branches& branches, std::size_t top) {
    if (branches.functions.empty()) {
        return {};
    }
    Table table{.headings = {"instructions", "blocks", "of them", "spaces", "function"}, .rows = {}};
    for (std::size_t i = 0; i < std::min(branches.functions.size(), top); ++i) {
        const ExecutedFunction& function = branches.functions[i];
        table.rows.push_back({{percent(part_of(function.instructions, branches.instructions))},
                              {number(function.executed_blocks)},
                              {number(function.blocks)},
                              {number(function.spaces)},
                              {code_words(function.place), Ink::kName},
                              {"  " + function.place.module, Ink::kDim}});
    }
    std::string out = "\n" + paint(style, Ink::kHeading, "Executed functions") + "  " +
                      paint(style, Ink::kDim, "instructions that the stacks show, and basic blocks that ran") + "\n" +
                      render(style, table);
    rows_left(style, table.rows.size(), branches.all_functions, out);
    return out;
}

std::string space_table(const Style& style, const Branches& branches, std::size_t top) {
    if (branches.spaces.empty()) {
        return {};
    }
    Table table{.headings = {"weight", "times", "instructions", "code"}, .rows = {}};
    for (std::size_t i = 0; i < std::min(branches.spaces.size(), top); ++i) {
        const ExecutedSpace& space = branches.spaces[i];
        table.rows.push_back(
            {{percent(part_of(space.weight(), branches.instructions))},
             {number(space.count)},
             {number(space.instructions)},
             {code_words(space.first_place, space.last_place), Ink::kName},
             {fmt::format("  {}+{:#x} to {:#x}", space.first_place.module, space.first, space.last), Ink::kDim}});
    }
    std::string out = "\n" + paint(style, Ink::kHeading, "Executed code") + "  " +
                      paint(style, Ink::kDim, "code spaces between taken branches, exactly") + "\n" +
                      render(style, table);
    rows_left(style, table.rows.size(), branches.all_spaces, out);
    return out;
}

}  // namespace

std::string terminal_branches(const Style& style, const Branches& branches, std::size_t top) {
    if (!branches.is_known()) {
        return {};
    }
    return "\n" + paint(style, Ink::kHeading, "Branch stacks") + "\n" + wrap(style, account_words(branches), 2, 2) +
           branch_table(style, branches, top) + function_table(style, branches, top) +
           space_table(style, branches, top);
}

Json json_branches(const Branches& branches) {
    const auto& account = branches.account;
    Json json;
    json["stacks"] = account.stacks;
    json["stack_branches"] = account.branches;
    json["elsewhere"] = account.elsewhere;
    json["unrelated_stacks"] = account.unrelated;
    json["broken"] = account.broken;
    json["undecoded"] = branches.undecoded;
    json["without_room"] = account.without_room;
    json["taken"] = branches.taken;
    json["judged"] = branches.judged;
    json["mispredicted"] = branches.mispredicted;
    json["instructions"] = branches.instructions;
    json["cycles"] = branches.cycles;
    json["late_cycles"] = branches.late_cycles;
    json["branches"] = Json::array();
    for (const BranchOfCode& branch : branches.branches) {
        json["branches"].push_back({{"place", code_json(branch.place)},
                                    {"offset", branch.offset},
                                    {"taken", branch.taken},
                                    {"judged", branch.judged},
                                    {"mispredicted", branch.mispredicted},
                                    {"not_taken", branch.passed},
                                    {"targets", branch.targets}});
    }
    json["all_branches"] = branches.all_branches;
    json["functions"] = Json::array();
    for (const ExecutedFunction& function : branches.functions) {
        json["functions"].push_back({{"place", code_json(function.place)},
                                     {"instructions", function.instructions},
                                     {"spaces", function.spaces},
                                     {"blocks", function.blocks},
                                     {"executed_blocks", function.executed_blocks}});
    }
    json["all_functions"] = branches.all_functions;
    json["spaces"] = Json::array();
    for (const ExecutedSpace& space : branches.spaces) {
        json["spaces"].push_back({{"first_place", code_json(space.first_place)},
                                  {"last_place", code_json(space.last_place)},
                                  {"first", space.first},
                                  {"last", space.last},
                                  {"count", space.count},
                                  {"instructions", space.instructions},
                                  {"weight", part_of(space.weight(), branches.instructions)}});
    }
    json["all_spaces"] = branches.all_spaces;
    return json;
}

}  // namespace kymo::view
