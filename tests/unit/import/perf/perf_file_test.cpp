#include "collector.h"
#include "perf_bytes.h"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace kymo::import::perf {
namespace {

namespace fs = std::filesystem;
using Order = std::vector<std::pair<std::string, std::uint64_t>>;

std::vector<std::uint64_t> times_of(const Collector& seen) {
    std::vector<std::uint64_t> to;
    for (const auto& [kind, time] : seen.order) {
        to.push_back(time);
    }
    return to;
}

TEST(PerfFile, DeliversInTheOrderOfTime) {
    const bool native = false;
    File file;
    file.add(flat_sample(native, 1, 10, 300)).add(flat_sample(native, 2, 10, 400));  // one processor
    file.add(flat_sample(native, 3, 11, 100)).add(flat_sample(native, 4, 11, 400));  // another one
    // Made by perf itself: a trailer of zeros.
    file.add(record(native, PERF_RECORD_COMM, 0, Writer(native).u32(10).u32(10).text("first").u64(0).u64(0)));
    file.add(
        record(native, PERF_RECORD_FORK, 0, Writer(native).u32(1).u32(2).u32(3).u32(4).u64(350).u64(0).u64(350)));
    Collector seen;
    const FileFacts facts = collect(file.bytes(), seen);
    EXPECT_EQ(
        seen.order,
        (Order{{"comm", 0}, {"sample", 100}, {"sample", 300}, {"fork", 350}, {"sample", 400}, {"sample", 400}}));
    ASSERT_EQ(seen.samples.size(), 4U);
    EXPECT_EQ(seen.samples[2].sample.ip, 2U) << "of equal time: in the file's order";
    EXPECT_EQ(seen.samples[3].sample.ip, 4U);
    EXPECT_EQ(seen.comms[0].record.cpu, kNotGiven);
    EXPECT_EQ(facts.records, 6U);
    EXPECT_EQ(facts.samples, 4U);
    EXPECT_EQ(facts.first_time, 100U);
    EXPECT_EQ(facts.last_time, 400U);
    EXPECT_EQ(seen.at_begin.samples, 4U) << "known before the first record";
    EXPECT_TRUE(facts.notices.empty());
}

TEST(PerfFile, OrdersManyRecordsOfManyProcessors) {
    File file;
    constexpr std::uint64_t kProcessors = 40;
    constexpr std::uint64_t kEach = 2'000;  // in all 2.5 MB
    for (std::uint64_t processor = 0; processor < kProcessors; ++processor) {
        for (std::uint64_t i = 0; i < kEach; ++i) {
            file.add(flat_sample(false, processor, 1, 1 + processor + i * kProcessors));
        }
    }
    Collector seen;
    collect(file.bytes(), seen);
    ASSERT_EQ(seen.samples.size(), kProcessors * kEach);
    for (std::uint64_t i = 0; i < kProcessors * kEach; ++i) {
        ASSERT_EQ(seen.samples[i].sample.time, i + 1);
        ASSERT_EQ(seen.samples[i].sample.ip, i % kProcessors);
    }
}

TEST(PerfFile, ReadsPipedFiles) {
    for (const bool swapped : {false, true}) {
        File file{swapped};
        file.events[0].ids = {5};
        file.features[3] = Writer(swapped).counted_text("somewhere").bytes();
        file.add(record(swapped, 78, 0, Writer(swapped).u64(2).u64(5).text("my-event")));
        file.add(record(swapped, 66, 0, Writer(swapped).u32(13)));  // 13 bytes of formats and 3 to fill up follow
        file.add(std::vector<std::uint8_t>(16, 0xff));
        file.add(flat_sample(swapped, 1, 2, 3));
        Writer build_id(swapped);
        build_id.u32(0).all(std::vector<std::uint8_t>(20, 7)).u8(20).u8(0).u16(0).text("/bin/x");
        file.add(record(swapped, 67, PERF_RECORD_MISC_USER | 1 << 15, build_id));
        file.add(record(swapped, 68, 0, Writer(swapped)));
        Collector seen;
        const FileFacts facts = collect(file.piped_bytes(), seen);
        EXPECT_TRUE(facts.pipe_mode);
        EXPECT_TRUE(facts.notices.empty());
        EXPECT_EQ(facts.hostname, "somewhere");
        ASSERT_EQ(facts.build_ids.size(), 1U);
        EXPECT_EQ(facts.build_ids[0].path, "/bin/x");
        ASSERT_EQ(seen.attributes.size(), 1U);
        EXPECT_EQ(seen.attributes[0].name, "my-event");
        ASSERT_EQ(seen.samples.size(), 1U);
        EXPECT_EQ(seen.samples[0].sample.ip, 1U);
    }
}

TEST(PerfFile, ReadsWhatComesThroughAPipe) {
    File file;
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        file.add(flat_sample(false, i, 1, 20'000 - i));
    }
    const std::string pipe = testing::TempDir() + "/kymo-perf-pipe-" + std::to_string(::getpid());
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (const auto& bytes : {file.bytes(), file.piped_bytes()}) {
        std::thread writer([&] {
            std::ofstream(pipe, std::ios::binary)
                .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        });
        Collector seen;
        const auto facts = read_perf_data(pipe, seen);
        writer.join();
        ASSERT_TRUE(facts.ok()) << facts.error().what;
        ASSERT_EQ(seen.samples.size(), 10'000U);
        EXPECT_EQ(seen.samples[0].sample.ip, 9'999U);
    }
    fs::remove(pipe);
}

TEST(PerfFile, ReadsCompressedRecords) {
    for (const bool swapped : {false, true}) {
        for (const bool second_kind : {false, true}) {
            std::vector<std::uint8_t> inside;
            for (std::uint64_t i = 0; i < 20'000; ++i) {
                const auto one = flat_sample(swapped, i * 7'919 % 65'536, 1, 30'000 - i);
                inside.insert(inside.end(), one.begin(), one.end());
            }
            File file{swapped};
            file.add(flat_sample(swapped, 99'999, 1, 15'000));
            file.add(compressed(swapped, inside, 5'001, second_kind));
            file.add(flat_sample(swapped, 88'888, 1, 40'000));
            for (const auto& bytes : {file.bytes(), file.piped_bytes()}) {
                Collector seen;
                const FileFacts facts = collect(bytes, seen);
                EXPECT_TRUE(facts.notices.empty()) << facts.notices[0];
                EXPECT_TRUE(facts.compressed);
                ASSERT_EQ(seen.samples.size(), 20'002U);
                EXPECT_EQ(seen.samples[0].sample.time, 10'001U);
                EXPECT_EQ(seen.samples[4'999].sample.ip, 99'999U) << "before the compressed one of equal time";
                EXPECT_EQ(seen.samples.back().sample.ip, 88'888U);
                const auto times = times_of(seen);
                EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
            }
        }
    }
}

TEST(PerfFile, ReadsWhatThereIsOfDamagedCompressedRecords) {
    std::vector<std::uint8_t> inside;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        const auto one = flat_sample(false, i * 7'919 % 65'536, 1, i + 1);
        inside.insert(inside.end(), one.begin(), one.end());
    }
    std::vector<std::uint8_t> bytes = compressed(false, inside, 5'000);
    ASSERT_GT(bytes.size(), 30'000U);
    std::fill(bytes.begin() + 25'600, bytes.begin() + 29'000, std::uint8_t{0xa5});
    File file;
    Collector seen;
    const FileFacts facts = collect(file.add(bytes).bytes(), seen);
    ASSERT_FALSE(facts.notices.empty());
    EXPECT_LT(seen.samples.size(), 20'000U);
}

TEST(PerfFile, RefusesCompressedRecordsWithinCompressedOnes) {
    File file;
    file.add(compressed(false, compressed(false, flat_sample(false, 1, 2, 3), 1'000), 1'000));
    Collector seen;
    const FileFacts facts = collect(file.bytes(), seen);
    EXPECT_TRUE(seen.samples.empty());
    EXPECT_FALSE(facts.notices.empty());
}

TEST(PerfFile, StopsWhereLittleBecomesTooMuch) {
    std::vector<std::uint8_t> inside;
    const auto one = record(false, 68, 0, Writer(false));
    constexpr std::size_t kMiB = 1 << 20;
    while (inside.size() < 100 * kMiB) {
        inside.insert(inside.end(), one.begin(), one.end());
    }
    File file;
    file.add(compressed(false, inside, 60'000)).add(flat_sample(false, 1, 2, 3));
    Collector seen;
    const FileFacts facts = collect(file.bytes(), seen);
    EXPECT_EQ(seen.samples.size(), 1U);
    EXPECT_THAT(facts.notices, testing::ElementsAre(testing::HasSubstr("hold more than is read")));
}

TEST(PerfFile, AssignsRecordsToEventsByTheirIds) {
    for (const bool swapped : {false, true}) {
        for (const std::uint64_t id_field : {PERF_SAMPLE_ID, PERF_SAMPLE_IDENTIFIER}) {
            Event first;
            first.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | id_field;
            first.ids = {10, 11};
            Event second = first;
            second.config = PERF_COUNT_SW_PAGE_FAULTS;
            second.sample_type |= PERF_SAMPLE_ADDR * (id_field == PERF_SAMPLE_IDENTIFIER ? 1 : 0);
            second.ids = {20, 21};
            File file{swapped, {first, second}};
            const bool in_front = id_field == PERF_SAMPLE_IDENTIFIER;
            const auto sample = [&](std::uint64_t id, std::uint64_t time, bool address) {
                Writer body(swapped);
                if (in_front) {
                    body.u64(id);
                }
                body.u64(1).u64(time);
                if (address) {
                    body.u64(0xadd4);
                }
                if (!in_front) {
                    body.u64(id);
                }
                return record(swapped, PERF_RECORD_SAMPLE, 0, body);
            };
            file.add(sample(21, 2, in_front)).add(sample(11, 1, false)).add(sample(99, 3, false));
            Collector seen;
            const FileFacts facts = collect(file.bytes(), seen);
            ASSERT_EQ(seen.samples.size(), 2U);
            EXPECT_EQ(seen.samples[0].sample.attribute, 0U);
            EXPECT_EQ(seen.samples[1].sample.attribute, 1U);
            EXPECT_EQ(seen.samples[1].sample.address, in_front ? 0xadd4U : 0U);
            EXPECT_EQ(facts.notices,
                      std::vector<std::string>{"left out: 1 samples of events that the file does not describe"});
        }
    }
}

TEST(PerfFile, ReadsAttributesOfAllSizes) {
    for (const bool swapped : {false, true}) {
        for (const std::uint32_t size : {64U, 72U, 80U, 96U, 104U, 112U, 120U, 128U, 136U, 256U}) {
            Event event;
            event.size = size;
            event.flags = {kFlagSampleIdAll, kFlagFrequency,     kFlagExcludeKernel, kFlagPreciseSecond,
                           kFlagInherit,     kFlagContextSwitch, kFlagUseClockid};
            event.branch_sample_type = 0x808;
            event.regs_user = 0xff;
            event.regs_intr = 0xf;
            event.stack_user = 8'192;
            event.clockid = -3;
            event.ids = {1, 2, 3};
            const File file{swapped, {event}};
            for (const auto& bytes : {file.bytes(), file.piped_bytes()}) {
                Collector seen;
                collect(bytes, seen);
                ASSERT_EQ(seen.attributes.size(), 1U);
                const Attribute& read = seen.attributes[0];
                EXPECT_EQ(read.name, "task-clock");
                EXPECT_EQ(read.frequency, 1'000U);
                EXPECT_EQ(read.period, 0U);
                EXPECT_TRUE(read.is_frequency);
                EXPECT_TRUE(read.exclude_kernel);
                EXPECT_FALSE(read.exclude_user);
                EXPECT_TRUE(read.inherit);
                EXPECT_TRUE(read.sample_id_all);
                EXPECT_TRUE(read.context_switch);
                EXPECT_TRUE(read.use_clockid);
                EXPECT_EQ(read.precise, swapped ? 1 : 2) << "the first bit is the higher one on big-endian machines";
                EXPECT_EQ(read.config1, 0x11U);
                EXPECT_EQ(read.config2, size >= 72 ? 0x22U : 0U);
                EXPECT_EQ(read.branch_sample_type, size >= 80 ? 0x808U : 0U);
                EXPECT_EQ(read.sample_regs_user, size >= 96 ? 0xffU : 0U);
                EXPECT_EQ(read.sample_stack_user, size >= 96 ? 8'192U : 0U);
                EXPECT_EQ(read.clockid, size >= 96 ? -3 : 0);
                EXPECT_EQ(read.sample_regs_intr, size >= 104 ? 0xfU : 0U);
                EXPECT_EQ(read.ids, (std::vector<std::uint64_t>{1, 2, 3}));
            }
        }
    }
}

TEST(PerfFile, TakesTimesFromWhereTheyAreWithoutTrailers) {
    File file;
    file.events[0].flags = {};  // no sample_id_all
    file.add(record(false, PERF_RECORD_EXIT, 0, Writer(false).u32(1).u32(2).u32(3).u32(4).u64(9)));
    file.add(record(false, PERF_RECORD_THROTTLE, 0, Writer(false).u64(8).u64(1).u64(1)));
    file.add(record(false, PERF_RECORD_SWITCH, 0, Writer(false)));
    file.add(flat_sample(false, 1, 2, 7));
    Collector seen;
    collect(file.bytes(), seen);
    EXPECT_EQ(seen.order, (Order{{"switch", 0}, {"sample", 7}, {"throttle", 8}, {"exit", 9}}));
}

TEST(PerfFile, SaysWhatItLeavesOut) {
    File file;
    file.add(record(false, 71, 0, Writer(false).u64(64).u64(0).u64(0).u32(0).u32(0).u32(0).u32(0)));
    file.add(std::vector<std::uint8_t>(64, 0xff));  // the trace
    file.add(record(false, PERF_RECORD_AUX, 0, Writer(false).u64(0).u64(64).u64(0)));
    file.add(record(false, PERF_RECORD_READ, 0, Writer(false).u32(1).u32(1).u64(2)));
    file.add(record(false, 999, 0, Writer(false)));
    file.add(record(false, 999, 0, Writer(false)));
    file.add(record(false, 33, 0, Writer(false)));
    file.add(flat_sample(false, 1, 2, 3));
    Collector seen;
    const FileFacts facts = collect(file.bytes(), seen);
    EXPECT_EQ(seen.samples.size(), 1U);
    EXPECT_THAT(facts.notices,
                testing::UnorderedElementsAre("left out: traces of the processor or another device, 64 bytes",
                                              "left out: 1 counts of ended threads (perf record -s)",
                                              "left out: 1 records of the unknown type 33",
                                              "left out: 2 records of the unknown type 999"));
    EXPECT_EQ(seen.at_begin.notices, facts.notices);
}

TEST(PerfFile, ReadsFilesThatPerfDidNotFinish) {
    File file;
    file.finished = false;
    file.add(flat_sample(false, 1, 2, 3)).add(flat_sample(false, 4, 5, 6));
    std::vector<std::uint8_t> bytes = file.bytes();
    bytes.resize(bytes.size() - 4);
    Collector seen;
    const FileFacts facts = collect(bytes, seen);
    EXPECT_EQ(seen.samples.size(), 1U);
    EXPECT_THAT(facts.notices, testing::ElementsAre(testing::HasSubstr("did not finish"),
                                                    testing::HasSubstr("is cut within a record")));
}

TEST(PerfFile, EndsAtARecordWithoutASize) {
    File file;
    file.add(flat_sample(false, 1, 2, 3)).add(std::vector<std::uint8_t>(8)).add(flat_sample(false, 4, 5, 6));
    Collector seen;
    const FileFacts facts = collect(file.bytes(), seen);
    EXPECT_EQ(seen.samples.size(), 1U);
    EXPECT_THAT(facts.notices, testing::ElementsAre(testing::HasSubstr("damaged at byte")));
}

TEST(PerfFile, RefusesWhatIsNoPerfData) {
    struct Case {
        std::vector<std::uint8_t> bytes;
        ErrorKind kind;
    };
    const std::string_view old = "PERFFILE........";
    File without_events;
    without_events.events = {};
    const std::vector<Case> cases = {
        {{}, ErrorKind::kMalformed},
        {{1, 2, 3}, ErrorKind::kMalformed},
        {std::vector<std::uint8_t>(200, 'x'), ErrorKind::kMalformed},
        {{old.begin(), old.end()}, ErrorKind::kUnsupported},
        {without_events.bytes(), ErrorKind::kMalformed},
        {without_events.piped_bytes(), ErrorKind::kMalformed},
    };
    for (const Case& at : cases) {
        Collector seen;
        const auto facts = read_bytes(at.bytes, seen);
        ASSERT_FALSE(facts.ok());
        EXPECT_EQ(facts.error().kind, at.kind) << facts.error().what;
        EXPECT_EQ(facts.error().what.find('\n'), std::string::npos);
    }
    Collector seen;
    const auto missing = read_perf_data("/nowhere/at/all", seen);
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().kind, ErrorKind::kNotFound);
}

TEST(PerfFile, ReadsDirectoriesOfOneFileOnly) {
    const fs::path folder = testing::TempDir() + "/kymo-perf-folder-" + std::to_string(::getpid());
    fs::create_directories(folder / "kcore_dir");
    File file;
    const TestFile data(file.add(flat_sample(false, 1, 2, 3)).bytes());
    fs::copy_file(data.path(), folder / "data");
    Collector seen;
    EXPECT_TRUE(read_perf_data(folder, seen).ok());
    EXPECT_EQ(seen.samples.size(), 1U);
    fs::copy_file(data.path(), folder / "data.0");
    const auto refused = read_perf_data(folder, seen);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::kUnsupported);
    EXPECT_EQ(refused.error().next, "record without --threads");
    fs::remove_all(folder);
}

TEST(PerfFile, RefusesAFileThatShrinksMeanwhile) {
    class Shrinking : public Visitor {
      public:
        explicit Shrinking(fs::path path) : path_(std::move(path)) {}
        void sample(const Sample&) override {
            if (samples++ == 0) {
                fs::resize_file(path_, 1'000);
            }
        }
        std::uint64_t samples = 0;

      private:
        fs::path path_;
    };
    File file;
    constexpr std::uint64_t kSamples = 2'500'000;
    const std::vector<std::uint8_t> one = flat_sample(false, 1, 2, 3);
    file.records.reserve(kSamples * one.size());
    for (std::uint64_t i = 0; i < kSamples; ++i) {  // 80 MB, more than is kept of the file
        file.add(one);
    }
    const TestFile on_disk(file.bytes());
    Shrinking seen(on_disk.path());
    const auto facts = read_perf_data(on_disk.path(), seen);
    ASSERT_FALSE(facts.ok());
    EXPECT_LT(seen.samples, kSamples);
    EXPECT_EQ(facts.error().kind, ErrorKind::kMalformed);
    EXPECT_THAT(facts.error().what, testing::HasSubstr("became shorter, or unreadable, while it was read"));
}

TEST(PerfFile, EndsWhenTheVisitorHasEnough) {
    class Satisfied : public Collector {
        bool enough() const override { return true; }
    };
    class Refusing : public Collector {
        Result<void> begin(const FileFacts&, std::span<const Attribute>) override {
            return Error{ErrorKind::kUnsupported, "no", ""};
        }
    };
    File file;
    file.add(flat_sample(false, 1, 2, 3));
    Satisfied satisfied;
    collect(file.bytes(), satisfied);
    EXPECT_TRUE(satisfied.samples.empty());
    Refusing refusing;
    const auto facts = read_bytes(file.bytes(), refusing);
    ASSERT_FALSE(facts.ok());
    EXPECT_EQ(facts.error().what, "no");
}

TEST(PerfFile, TellsItsProgress) {
    File file;
    file.add(flat_sample(false, 1, 2, 3));
    const TestFile on_disk(file.bytes());
    std::vector<double> shares;
    Visitor nobody;
    ASSERT_TRUE(read_perf_data(on_disk.path(), nobody, [&](double share) { shares.push_back(share); }).ok());
    ASSERT_FALSE(shares.empty());
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_EQ(shares.back(), 1.0);
}

}  // namespace
}  // namespace kymo::import::perf
