// Writes small recording files with results, right and strange, into the folder named on the command line.
#include "made_inputs.h"

#include <cstdio>

namespace {

using namespace kymo;
using testing::kMs;
using testing::MadeFile;

constexpr std::uint64_t kHuge = ~std::uint64_t{0};

void begin(MadeFile& file) {
    file.own().append(recording::Run{.time = kMs});
    file.own().append(recording::Process{.time = kMs, .pid = 1, .executable = "/nonexistent/app"});
    file.event(0, "page-faults", "", recording::EventMode::kPeriod, 1);
    file.own().append(recording::Hunt{.time = kMs, .event = "page-faults", .cells = 4, .share = 0.05});
    file.own().append(recording::Image{.image = 7, .begin = 0x1000, .end = 0x2000, .path = "/nonexistent/app"});
    file.begin_stream(1, kMs, 101, "a");
    file.context(1, 1, 0, 7, 0x10);
    file.context(1, 2, 1, 7, 0x20);
}

recording::HuntResult find(std::uint64_t number, std::uint64_t key, std::uint64_t context) {
    recording::HuntResult row;
    row.time = 2 * kMs;
    row.number = number;
    row.key = key;
    row.image = 7;
    row.offset = 0x20;
    row.context = context;
    row.events = 100;
    row.matches = 60;
    row.seen = 120;
    return row;
}

recording::HuntResultEnd end_of(std::uint64_t number, std::uint64_t events, std::uint64_t matches) {
    return {.time = 5 * kMs, .number = number, .quiet = 1, .events = events, .matches = matches};
}

void whole(MadeFile& file) {
    begin(file);
    for (std::uint64_t i = 0; i < 60; ++i) {
        file.sample(1, 2 * kMs + i, 2, {1});
    }
    file.stream(1).append(find(1, 0x1020, 2));
    file.own().append(end_of(1, 1000, 600));
    file.own().append(recording::HuntEnd{.time = 9 * kMs, .engine = 1, .events = 1120, .captures = 9});
}

void no_end(MadeFile& file) {
    begin(file);
    file.stream(1).append(find(1, 0x1020, 2));
}

void ends_alone(MadeFile& file) {
    begin(file);
    file.own().append(end_of(3, 10, 5));
    file.own().append(recording::HuntEnd{.time = 9 * kMs, .engine = 77, .events = kHuge, .captures = kHuge});
}

void one_number_for_all(MadeFile& file) {
    begin(file);
    for (std::uint64_t i = 0; i < 40; ++i) {
        file.stream(1).append(find(1, i % 3, 2));
        file.own().append(end_of(1, 10, 5));
    }
}

void more_matches_than_events(MadeFile& file) {
    begin(file);
    file.stream(1).append(find(1, 0x1020, 2));
    file.own().append(end_of(1, 10, kHuge));
}

void round_in_circles(MadeFile& file) {
    begin(file);
    file.context(1, 3, 4, 7, 0x30);
    file.context(1, 4, 3, 7, 0x40);
    file.stream(1).append(find(1, 0x1030, 4));
    file.sample(1, 3 * kMs, 4, {1});
}

void before_the_run(MadeFile& file) {
    begin(file);
    recording::HuntResult early = find(1, 5, 99);
    early.time = 0;
    early.image = 99;
    early.offset = kHuge;
    file.stream(1).append(early);
    file.own().append(recording::HuntResultEnd{.time = kHuge, .number = 1, .events = 1});
}

void strange_hunt(MadeFile& file) {
    file.own().append(recording::Hunt{.time = kHuge,
                                      .event = "",
                                      .engine = 200,
                                      .key = 200,
                                      .cells = kHuge,
                                      .every = 0,
                                      .precision = 200,
                                      .share = -1e308,
                                      .events_alone = 1e308});
    file.stream(1).append(find(0, 0, 0));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: hunt_results_fuzz_inputs FOLDER\n", stderr);
        return 2;
    }
    const testing::MadeInput inputs[] = {
        {"whole", whole},
        {"no-end", no_end},
        {"ends-alone", ends_alone},
        {"one-number-for-all", one_number_for_all},
        {"more-matches-than-events", more_matches_than_events},
        {"round-in-circles", round_in_circles},
        {"before-the-run", before_the_run},
        {"strange-hunt", strange_hunt},
    };
    return testing::write_inputs(argv[1], inputs);
}
