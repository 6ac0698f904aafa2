// Files that are cut, or have wrong bytes, anywhere: never more than an error or a notice.
#include "collector.h"
#include "perf_bytes.h"

namespace kymo::import::perf {
namespace {

// A little of everything.
File small_file(bool swapped) {
    Event first;
    first.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                        PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
                        PERF_SAMPLE_STACK_USER;
    first.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
    first.regs_user = 3;
    first.ids = {1, 2};
    Event second;
    second.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
    second.ids = {3};
    File file{swapped, {first, second}};
    Writer sample(swapped);
    sample.u64(1).u64(0x10).u32(5).u32(6).u64(700);
    sample.u64(1).u64(55).u64(1);                     // a counter
    sample.u64(2).u64(0x10).u64(0x20);                // the call path
    sample.u64(1).u64(1).u64(2).u64(3);               // a branch
    sample.u64(2).u64(8).u64(9);                      // registers
    sample.u64(8).u64(0x0102'0304'0506'0708).u64(8);  // the stack
    file.add(record(swapped, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sample));
    Writer mapping(swapped);
    mapping.u32(5).u32(6).u64(0x1000).u64(0x1000).u64(0).u32(1).u32(2).u64(3).u64(0).u32(5).u32(2).text("/bin/x");
    file.add(record(swapped, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, mapping.u32(5).u32(6).u64(600).u64(3)));
    file.add(compressed(
        swapped, record(swapped, PERF_RECORD_SAMPLE, 0, Writer(swapped).u64(3).u64(0x30).u32(5).u32(6).u64(650)),
        10));
    Writer descriptions(swapped);
    descriptions.u32(2).u32(first.size);
    descriptions.all(attribute_bytes(first, swapped)).u32(2).counted_text("one").u64(1).u64(2);
    descriptions.all(attribute_bytes(second, swapped)).u32(1).counted_text("two").u64(3);
    file.features = {{3, Writer(swapped).counted_text("host").bytes()},
                     {11, Writer(swapped).u32(1).counted_text("perf").bytes()},
                     {12, descriptions.bytes()}};
    return file;
}

// Touches all that it gets, for the address sanitizer.
void read_any(const std::vector<std::uint8_t>& bytes) {
    Collector seen;
    const auto facts = read_bytes(bytes, seen);
    if (!facts) {
        EXPECT_FALSE(facts.error().what.empty());
        EXPECT_TRUE(seen.order.empty());
    }
}

TEST(PerfDamage, NoneAtFirst) {
    for (const bool swapped : {false, true}) {
        for (const auto& bytes : {small_file(swapped).bytes(), small_file(swapped).piped_bytes()}) {
            Collector seen;
            const FileFacts facts = collect(bytes, seen);
            EXPECT_TRUE(facts.notices.empty()) << facts.notices[0];
            EXPECT_EQ(seen.samples.size(), 2U);
            EXPECT_EQ(seen.mappings.size(), 1U);
            EXPECT_EQ(seen.attributes[1].name, "two");
        }
    }
}

TEST(PerfDamage, FilesCutAnywhere) {
    for (const bool swapped : {false, true}) {
        for (const auto& bytes : {small_file(swapped).bytes(), small_file(swapped).piped_bytes()}) {
            for (std::size_t size = 0; size < bytes.size(); ++size) {
                read_any({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
            }
        }
    }
}

TEST(PerfDamage, WrongBytesAnywhere) {
    for (const bool swapped : {false, true}) {
        for (const auto& bytes : {small_file(swapped).bytes(), small_file(swapped).piped_bytes()}) {
            for (std::size_t at = 0; at < bytes.size(); ++at) {
                for (const std::uint8_t wrong : {std::uint8_t{0}, std::uint8_t{0xff}, std::uint8_t{0x7f}}) {
                    auto changed = bytes;
                    changed[at] = wrong;
                    read_any(changed);
                }
            }
        }
    }
}

TEST(PerfDamage, HugeNumbersAnywhere) {
    const auto bytes = small_file(false).bytes();
    for (const std::uint64_t huge : {~std::uint64_t{0}, ~std::uint64_t{0} >> 1, ~std::uint64_t{7}}) {
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 4) {
            auto changed = bytes;
            std::memcpy(changed.data() + at, &huge, sizeof huge);
            read_any(changed);
        }
    }
}

}  // namespace
}  // namespace kymo::import::perf
