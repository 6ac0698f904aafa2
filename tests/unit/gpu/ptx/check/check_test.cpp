// Checks on demand: each planted defect is told at its line, with CTA and thread; its fixed twin is silent. That
// whole kernels are silent too is in validation_test.cpp and its neighbours.
#include "../kernels.h"

#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>

namespace kymo::gpu::ptx {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Of the line of checks.cu that ends with this comment.
std::string at(const std::string& marker) {
    std::ifstream in(std::filesystem::path(KYMO_GPU_KERNELS) / "checks.cu");
    unsigned number = 1;
    for (std::string line; std::getline(in, line); ++number) {
        if (line.ends_with("// " + marker)) {
            return fmt::format("checks.cu:{}", number);
        }
    }
    return "no line of " + marker;
}

std::vector<std::string> told(const std::vector<Defect>& defects) {
    std::vector<std::string> texts;
    for (const Defect& defect : defects) {
        texts.push_back(defect.what);
    }
    return texts;
}

class Checked : public testing::Test {
  protected:
    std::vector<std::string> of(const char* kernel, Dim3 grid, Dim3 block, Checks checks = {true, true}) {
        return told(device.defects(kernel, grid, block, Parameters().add(in.data()).add(out.data()), 0, checks));
    }
    std::vector<std::string> races(const char* kernel, Dim3 grid, Dim3 block) {
        return of(kernel, grid, block, {false, true});
    }
    Device device{kernels("checks")};
    std::span<int> in = device.array(integers(256, 0, 100, 1));
    std::span<int> out = device.array<int>(256);
};

TEST_F(Checked, ARaceBetweenWarpsInSharedMemory) {
    EXPECT_THAT(
        races("neighbour_bad", {1}, {64}),
        ElementsAre(AllOf(HasSubstr(at("written") + ": in neighbour_bad: st.shared.u32 writes 4 bytes at 0x80"),
                          HasSubstr("of shared memory that thread 0,0,0 read at " + at("neighbour") +
                                    ", with no barrier in between (CTA 0,0,0 thread 32,0,0)"))));
    // In the order of execution here the first warp comes too early, too.
    EXPECT_THAT(of("neighbour_bad", {1}, {64}, {true, false}),
                ElementsAre(HasSubstr(at("neighbour") + ": in neighbour_bad: ld.shared.u32 reads 4 bytes at 0x80 of "
                                                        "shared memory, which nothing has written")));
    EXPECT_THAT(of("neighbour_fixed", {1}, {64}), IsEmpty());
    EXPECT_THAT(of("neighbour_fixed", {3}, {64}), IsEmpty());
}

TEST_F(Checked, ARaceWithTheNextRound) {
    EXPECT_THAT(races("rounds_bad", {1}, {64}),
                ElementsAre(AllOf(HasSubstr(at("mirrored") + ": in rounds_bad: ld.shared.u32 reads"),
                                  HasSubstr("that thread 31,0,0 wrote at " + at("overwritten")))));
    EXPECT_THAT(of("rounds_fixed", {1}, {64}), IsEmpty());
}

TEST_F(Checked, ARaceInsideAWarp) {
    EXPECT_THAT(of("lanes_bad", {1}, {32}), ElementsAre(AllOf(HasSubstr(at("lane") + ": in lanes_bad: ld.shared"),
                                                              HasSubstr("with no __syncwarp in between"))));
    EXPECT_THAT(of("lanes_fixed", {1}, {32}), IsEmpty());
}

TEST_F(Checked, BytesBesideEachOtherAndTheSameValueAreNoRace) {
    EXPECT_THAT(of("bytes_fixed", {2}, {64}), IsEmpty());
    EXPECT_THAT(of("same_fixed", {1}, {256}), IsEmpty());
}

TEST_F(Checked, ARaceInGlobalMemoryAndBetweenCtas) {
    const auto defects = of("sum_bad", {4}, {32});
    ASSERT_FALSE(defects.empty());
    for (const std::string& one : defects) {
        EXPECT_THAT(one, AllOf(HasSubstr(at("sum") + ": in sum_bad: "), HasSubstr("of global memory that thread")));
    }
    const auto apart = of("sum_bad", {4}, {1});
    ASSERT_FALSE(apart.empty());
    EXPECT_THAT(apart[0], AllOf(HasSubstr("that thread 0,0,0 of CTA 0,0,0 wrote at " + at("sum")),
                                HasSubstr("(CTA 1,0,0 thread 0,0,0)")));
    EXPECT_THAT(of("sum_fixed", {4}, {32}), IsEmpty());
}

TEST_F(Checked, AFenceAndAnAtomicOrderCtas) {
    const auto parts = device.array<int>(4);
    const auto count = device.array<unsigned>(1);
    const auto run = [&](const char* kernel) {
        count[0] = 0;
        return told(device.defects(kernel, {4}, {32},
                                   Parameters().add(in.data()).add(parts.data()).add(count.data()).add(out.data())));
    };
    const auto defects = run("last_bad");
    ASSERT_FALSE(defects.empty());
    EXPECT_THAT(defects[0], AllOf(HasSubstr(at("parts") + ": in last_bad: ld.global.u32 reads"),
                                  HasSubstr("thread 0,0,0 of CTA 0,0,0 wrote")));
    EXPECT_THAT(run("last_fixed"), IsEmpty());
    EXPECT_EQ(out[0], in[0] + in[1] + in[2] + in[3]);
}

TEST_F(Checked, SharedAndLocalMemoryThatNothingHasWritten) {
    EXPECT_THAT(of("shared_bad", {2}, {64}),
                ElementsAre(HasSubstr(at("edge") + ": in shared_bad: ld.shared.u32 reads 4 bytes at 0x100 of shared "
                                                   "memory, which nothing has written (CTA 0,0,0 thread 63,0,0)")));
    EXPECT_THAT(of("shared_fixed", {2}, {64}), IsEmpty());
    const auto defects = of("local_bad", {1}, {32});
    ASSERT_FALSE(defects.empty());
    EXPECT_THAT(defects[0], AllOf(HasSubstr(at("local") + ": in local_bad: ld.local.u32 reads 4 bytes at"),
                                  HasSubstr("of local memory, which nothing has written")));
    EXPECT_THAT(of("local_fixed", {1}, {32}), IsEmpty());
}

// cudaMalloc'ed memory counts as written where the host, or a kernel, has written it.
TEST(Check, GlobalMemoryThatNothingHasWritten) {
    Device device(kernels("linear_algebra"));
    device.memory.watch();
    const auto known = device.array(numbers(64, 1));
    const auto unknown = device.memory.allocate(64 * sizeof(float), DeviceMemory::Contents::kUnknown);
    const auto result = device.memory.allocate(64 * sizeof(float), DeviceMemory::Contents::kUnknown);
    ASSERT_TRUE(unknown.ok() && result.ok());
    const auto add = [&](std::uint64_t a) {
        return told(
            device.defects("vector_add", {2}, {32}, Parameters().add(a).add(known.data()).add(*result).add(64)));
    };
    device.memory.wrote(*unknown, 40 * sizeof(float));
    EXPECT_THAT(add(*unknown), ElementsAre(AllOf(HasSubstr("linear_algebra.cu:5: in vector_add: ld.global.f32 reads"),
                                                 HasSubstr("of global memory, which nothing has written"),
                                                 HasSubstr("(CTA 1,0,0 thread 8,0,0)"))));
    EXPECT_THAT(add(*result), IsEmpty());  // the kernel has written it
    device.memory.wrote(*unknown, 64 * sizeof(float));
    EXPECT_THAT(add(*unknown), IsEmpty());
}

std::vector<Defect> registers(const std::string& body) {
    const auto module = parse(
        ".version 8.3\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) { .reg .b64 %a; "
        ".reg .b32 %x, %y, %z, %t; .reg .pred %p;\nld.param.u64 %a, [p]; mov.u32 %t, %tid.x; "
        "mad.wide.u32 %a, %t, 4, %a; setp.lt.u32 %p, %t, 8;\n" +
            body + "\nret; }",
        "k.ptx");
    EXPECT_TRUE(module.ok()) << (module ? "" : module.error().what);
    Device device(*module);
    const auto out = device.array<int>(32);
    return device.defects("k", {1}, {32}, Parameters().add(out.data()));
}

TEST(Check, RegistersThatNothingHasWritten) {
    const auto defects = registers("@%p mov.u32 %x, 5;\nadd.u32 %y, %x, 1; st.global.u32 [%a], %y;");
    EXPECT_THAT(told(defects), ElementsAre("k.ptx:7: in k: add.u32 reads %x, which nothing has written (CTA 0,0,0 "
                                           "thread 8,0,0)"));
    EXPECT_EQ(defects[0].times, 24U);
    EXPECT_THAT(error_of(defects[0]).what, HasSubstr(", and 23 times more"));
    EXPECT_THAT(registers("@%p mov.u32 %x, 5; @!%p mov.u32 %x, 6; add.u32 %y, %x, 1; st.global.u32 [%a], %y;"),
                IsEmpty());
    // Passed on by moves and selections, and told where it is used; not at all where it is not chosen.
    EXPECT_THAT(
        told(registers("@%p mov.u32 %x, 5; mov.u32 %y, %x; selp.u32 %z, %y, 3, %p;\nst.global.u32 [%a], %z;")),
        IsEmpty());
    EXPECT_THAT(
        told(registers("@%p mov.u32 %x, 5; mov.u32 %y, %x; selp.u32 %z, 3, %y, %p;\nst.global.u32 [%a], %z;")),
        ElementsAre(HasSubstr("k.ptx:7: in k: st.global.u32 reads %z")));
    EXPECT_THAT(told(registers("mov.u32 %x, 1;\n@%p setp.eq.u32 %p, %t, %z;")),
                ElementsAre(HasSubstr("setp.eq.u32 reads %z")));
}

TEST(Check, NamesOfChecks) {
    EXPECT_TRUE(checks_from("initialised,races")->initialised);
    EXPECT_TRUE(checks_from("races")->races);
    EXPECT_FALSE(checks_from("races")->initialised);
    EXPECT_FALSE(checks_from("")->any());
    EXPECT_THAT(checks_from("racing").error().what, HasSubstr("no check is called 'racing'"));
}

}  // namespace
}  // namespace kymo::gpu::ptx
