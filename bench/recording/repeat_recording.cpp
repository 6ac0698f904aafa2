// repeat_recording RECORDING NEW SAMPLES: a recording of a real program made as large as one likes, by doing what the
// program did again and again: samples, waits, task switches and marks follow each other in time as often as it takes
// to come to that many samples, and the rest is as it was. So call paths, runs, occurrences and waits are those of a
// program.
#include "recording/pack.h"
#include "recording/reader.h"
#include "recording/row_types.h"
#include "recording/tables.h"
#include "recording/writer.h"

#include <algorithm>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

using namespace kymo;
using namespace kymo::recording;

template <typename Row, typename... Rows>
constexpr bool is_one_of = (std::same_as<Row, Rows> || ...);
template <typename Row>
constexpr bool is_repeated = is_one_of<Row, Sample, Wait, Switch, Mark>;
template <typename Row>
constexpr bool is_last = is_one_of<Row, RunEnd, ProcessEnd, ImageEnd, StreamEnd>;

void require(bool good, const std::string& what) {
    if (!good) {
        throw std::runtime_error(what);
    }
}

template <typename Value>
Value take(Result<Value> result) {
    require(result.ok(), result.ok() ? "" : result.error().what);
    return std::move(*result);
}

struct Work {
    std::uint64_t times = 1;
    std::uint64_t duration = 0;  // ns, of once
};

Work plan(const Recording& recording, std::uint64_t samples) {
    std::uint64_t once = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    for (const File& file : recording.files()) {
        take(file.scan(on<Sample>([&](StreamId, const Sample&) { ++once; }),
                       on<Run>([&](StreamId, const Run& row) { begin = row.time; }),
                       on<RunEnd>([&](StreamId, const RunEnd& row) { end = row.time; })));
    }
    require(once != 0 && end > begin, "the recording holds no samples, or not its run's begin and end");
    return {(samples + once - 1) / once, end - begin};
}

class Repeater {
  public:
    Repeater(const File& from, const std::filesystem::path& to, const Work& work)
        : from_(from), to_(to), work_(work) {
        const int error = writer_.create(
            to.c_str(), {.machine = from.header().machine, .pid = from.header().pid, .producer = "kymo generator"});
        require(error == 0, to.string() + " cannot be written");
        require(write_schemas(stream(0)), "no space");
        for_each_row_type([&]<typename Row>() { handle<Row>(); });
    }

    void run() {
        std::vector<AnyHandler*> handlers;
        for (const auto& handler : handlers_) {
            handlers.push_back(handler.get());
        }
        for (time_ = 0; time_ < work_.times; ++time_) {
            take(from_.scan_with(handlers));
        }
        for (auto& [id, stream] : streams_) {
            stream->release();
        }
        require(writer_.close() == 0, to_.string() + " cannot be written to its end");
        take(pack_file(to_));
    }

  private:
    StreamWriter& stream(std::uint32_t id) {
        std::unique_ptr<StreamWriter>& stream = streams_[id];
        if (stream == nullptr) {
            stream = std::make_unique<StreamWriter>();
            stream->open(writer_, StreamId{id});
        }
        return *stream;
    }

    template <typename Row>
    void handle() {
        const auto write = [this](StreamId id, const Row& row) {
            if (!is_repeated<Row> && time_ != (at_end(row) ? work_.times - 1 : 0)) {
                return;
            }
            Row moved = row;
            if constexpr (requires { moved.time += time_; }) {
                moved.time += time_ * work_.duration;
            }
            std::vector<std::uint64_t> totals;
            if constexpr (is_one_of<Row, StreamEnd, ProcessEnd>) {
                totals.assign(row.totals.begin(), row.totals.end());
                std::for_each(totals.begin(), totals.end(), [&](std::uint64_t& total) { total *= work_.times; });
                moved.totals = totals;
            }
            require(stream(raw(id)).append(moved), to_.string() + ": no space");
        };
        handlers_.push_back(std::make_unique<RowHandler<Row, decltype(write)>>(write));
    }

    template <typename Row>
    static bool at_end(const Row& row) {
        if constexpr (std::same_as<Row, Task>) {
            return row.change == static_cast<std::uint64_t>(TaskChange::kExit);
        }
        return is_last<Row>;
    }

    const File& from_;
    const std::filesystem::path& to_;
    Work work_;
    std::uint64_t time_ = 0;  // done so far
    FileWriter writer_;
    std::map<std::uint32_t, std::unique_ptr<StreamWriter>> streams_;
    std::vector<std::unique_ptr<AnyHandler>> handlers_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4 || std::strtoull(argv[3], nullptr, 10) == 0) {
        std::fputs("usage: repeat_recording RECORDING NEW SAMPLES\n", stderr);
        return 2;
    }
    try {
        const Recording recording = take(Recording::open(argv[1]));
        const Work work = plan(recording, std::strtoull(argv[3], nullptr, 10));
        std::filesystem::create_directories(argv[2]);
        for (const File& file : recording.files()) {
            const std::filesystem::path path = std::filesystem::path(argv[2]) / file.path().filename();
            std::make_unique<Repeater>(file, path, work)->run();
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
