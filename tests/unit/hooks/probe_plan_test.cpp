// What the kernel would be asked to stop at. That it does is for tests/truth/test_probes.py, which needs rights.
#include "hooks/plan/planner.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace kymo::hooks {
namespace {

const std::filesystem::path kPlugin = KYMO_HOOKS_PLUGIN;
const std::filesystem::path kSelf = std::filesystem::canonical("/proc/self/exe");

std::vector<cells::Step> one_step() {
    return std::vector<cells::Step>(1);
}

Planned plan_probes(const std::filesystem::path& image, const std::string& function) {
    Request request;
    request.function = function;
    request.entry = one_step();
    request.exit = one_step();
    const Request requests[] = {request};
    return plan({{image}, {}}, requests, Means::kProbes);
}

// The value of a symbol in the file's own table, turned into a place in the file by its section.
std::uint64_t in_file(const std::filesystem::path& path, const std::string& name) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    const auto at = [&]<typename T>(std::uint64_t offset, T*) {
        T value;
        std::memcpy(&value, bytes.data() + offset, sizeof value);
        return value;
    };
    const auto header = at(0, static_cast<Elf64_Ehdr*>(nullptr));
    const auto section = [&](unsigned i) {
        return at(header.e_shoff + i * sizeof(Elf64_Shdr), static_cast<Elf64_Shdr*>(nullptr));
    };
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const Elf64_Shdr table = section(i);
        for (std::uint64_t k = 0; table.sh_type == SHT_SYMTAB && k < table.sh_size; k += sizeof(Elf64_Sym)) {
            const auto symbol = at(table.sh_offset + k, static_cast<Elf64_Sym*>(nullptr));
            if (name == bytes.data() + section(table.sh_link).sh_offset + symbol.st_name) {
                const Elf64_Shdr code = section(symbol.st_shndx);
                return symbol.st_value - code.sh_addr + code.sh_offset;
            }
        }
    }
    return 0;
}

TEST(ProbePlan, TakesTheReturnAddressWhereNothingThrows) {
    const Planned planned = plan_probes(kPlugin, "plugin_twice");
    ASSERT_EQ(planned.probes.size(), 2U);
    const std::uint64_t entry = in_file(kPlugin, "plugin_twice");
    ASSERT_NE(entry, 0U);
    for (const bool at_exit : {false, true}) {
        const Probe& probe = planned.probes[at_exit ? 1 : 0];
        EXPECT_EQ(probe.image, kPlugin);
        EXPECT_EQ(probe.in_file, entry);
        EXPECT_EQ(probe.at_exit, at_exit);
        EXPECT_EQ(probe.by_return, at_exit);
        EXPECT_EQ(probe.name, "plugin_twice");
        ASSERT_LT(probe.point, planned.points.size());
        EXPECT_EQ(planned.points[probe.point].size(), 1U);
    }
    EXPECT_TRUE(planned.file.empty());
    EXPECT_EQ(planned.outcomes[0].entries, 1U);
}

TEST(ProbePlan, StopsAtReturnInstructionsInAProgramThatThrows) {
    const Planned planned = plan_probes(kSelf, "hooked_condition_first");
    ASSERT_EQ(planned.outcomes[0].entries, 1U);
    const auto exits = std::count_if(planned.probes.begin(), planned.probes.end(),
                                     [](const Probe& probe) { return probe.at_exit && !probe.by_return; });
    EXPECT_GE(exits, 1);
    EXPECT_EQ(static_cast<std::size_t>(exits) + 1, planned.probes.size());
    std::ifstream file(kSelf, std::ios::binary);
    for (const Probe& probe : planned.probes) {
        if (probe.at_exit) {
            file.seekg(static_cast<std::streamoff>(probe.in_file));
            const int byte = file.get();
            EXPECT_TRUE(byte == 0xc3 || byte == 0xf3) << byte;  // ret, or one with a prefix
        }
    }
}

TEST(ProbePlan, RefusesJumpsToOtherFunctionsThere) {
    const Planned planned = plan_probes(kSelf, "hooked_tail_outer");
    EXPECT_TRUE(planned.probes.empty());
    ASSERT_EQ(planned.outcomes[0].refused.size(), 1U);
    EXPECT_EQ(
        planned.outcomes[0].refused[0].reason,
        "may end in a jump to another function: its exits cannot be hooked in a program that throws or moves stacks");
}

TEST(ProbePlan, SuggestsNames) {
    const Planned planned = plan_probes(kPlugin, "plugin_twic");
    EXPECT_FALSE(planned.outcomes[0].is_known());
    EXPECT_NE(std::find(planned.known.begin(), planned.known.end(), "plugin_twice"), planned.known.end());
}

TEST(ProbePlan, ListsImagesWithoutRunningTheProgram) {
    const auto traced = images_of(kSelf);
    const auto listed = images_listed(kSelf);
    ASSERT_TRUE(traced && listed);
    EXPECT_EQ(*traced, *listed);
    EXPECT_GT(listed->size(), 2U);
}

}  // namespace
}  // namespace kymo::hooks
