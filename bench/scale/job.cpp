#include "job.h"

#include "base/hash.h"
#include "cells/standard.h"
#include "image/elf.h"
#include "job_program.h"
#include "parallel/loops.h"
#include "recording/bundle.h"
#include "recording/tables/metrics.h"
#include "writing.h"

#include <algorithm>
#include <array>
#include <climits>
#include <functional>
#include <iterator>
#include <link.h>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace kymo::bench {
namespace {

using namespace recording;

constexpr std::uint64_t kRunStart = 5'000'000'000;
constexpr std::uint64_t kPeriod = 1'000'000;
constexpr std::uint64_t kStart = kRunStart + kPeriod;  // of the first step
constexpr std::uint32_t kFirstPid = 10'000;
constexpr std::uint32_t kRanksPerHost = 64;
constexpr std::uint64_t kCompute = 60'000'000;  // ns a step, of the quickest rank
constexpr std::uint64_t kExchange = 2'000'000;
constexpr std::uint64_t kMessageBytes = 65'536;
constexpr std::uint64_t kNobody = ~std::uint64_t{0};
constexpr std::uint64_t kBytesPerSample = 22;
constexpr std::uint64_t kBytesPerFile = 65'536;

// ---- what the program does ----

// ns of rank `rank`'s computation in step `step`: 0, 1, … 9 % more than the quickest by its number, half as much
// again on the slow one, and up to 2 % by chance.
std::uint64_t compute_ns(const Job& job, std::uint32_t rank, std::uint64_t step) {
    const std::uint64_t base = kCompute + kCompute / 100 * (rank % 10);
    const std::uint64_t chance = mix(hash_of(job.seed << 32U | rank, step)) % (kCompute / 50);
    return base + chance + (job.has_ranks && rank == job.slow_rank ? kCompute / 2 : 0);
}

// A step ends when the last rank arrives, which is the slow one: half a computation is more than 11 %.
std::uint64_t step_ns(const Job& job, std::uint64_t step) {
    return compute_ns(job, job.slow_rank, step) + kExchange + kPeriod;
}

// ---- the program's code ----

struct OwnImage {
    std::string path;
    std::string build_id;
    std::uint64_t begin = ~std::uint64_t{0};
    std::uint64_t end = 0;
    std::uint64_t bias = 0;
};

int read_own(dl_phdr_info* info, std::size_t /*size*/, void* data) {
    auto& own = *static_cast<OwnImage*>(data);
    own.bias = info->dlpi_addr;
    for (const ElfW(Phdr) & segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
        const std::uint64_t begin = own.bias + segment.p_vaddr;
        if (segment.p_type == PT_LOAD) {
            own.begin = std::min(own.begin, begin);
            own.end = std::max(own.end, begin + segment.p_memsz);
        } else if (segment.p_type == PT_NOTE && own.build_id.empty()) {
            const auto id = image::find_build_id({reinterpret_cast<const std::uint8_t*>(begin), segment.p_memsz},
                                                 segment.p_align);
            own.build_id.assign(id.begin(), id.end());
        }
    }
    return 1;  // the program itself is the first
}

OwnImage own_image() {
    OwnImage own;
    ::dl_iterate_phdr(read_own, &own);
    std::array<char, PATH_MAX> path{};
    const ssize_t bytes = ::readlink("/proc/self/exe", path.data(), path.size());
    require(bytes > 0, "/proc/self/exe cannot be read");
    own.path.assign(path.data(), static_cast<std::size_t>(bytes));
    return own;
}

// The contexts of a thread, and which of them a sample may have.
struct CallPaths {
    std::vector<Context> rows;
    // By place and function: the context of its first sampled address; the others follow.
    std::vector<std::array<std::uint64_t, kKernels>> kernels;
    std::uint64_t waitall = 0;
    std::uint64_t allreduce = 0;

    CallPaths(const ProgramCode& code, std::uint64_t bias, std::uint32_t places) : kernels(places) {
        const auto add = [&](std::uint64_t parent, std::uint64_t address) {
            rows.push_back({.context = rows.size() + 1, .parent = parent, .image = 1, .offset = address - bias});
            return rows.size();
        };
        const auto sampled = [&](std::uint64_t parent, std::uint64_t function) {
            const std::uint64_t first = rows.size() + 1;
            for (std::uint64_t i = 0; i < kAddressesEach; ++i) {
                add(parent, function + (i + 1) * kAddressStep);
            }
            return first;
        };
        const std::uint64_t top = add(0, code.main + kAddressStep);
        for (std::uint64_t place = 0; place < places; ++place) {
            const std::uint64_t advance = add(top, code.advance + 2 + place);
            const std::uint64_t solve = add(advance, code.solve + 1);
            for (std::size_t i = 0; i < kKernels; ++i) {
                kernels[place][i] = sampled(solve, code.kernels[i]);
            }
        }
        const std::uint64_t advance = add(top, code.advance + 1);
        waitall = sampled(add(advance, code.exchange + 1), code.waitall);
        allreduce = sampled(add(advance, code.reduce + 1), code.allreduce);
    }
};

std::string kernel_name(std::size_t number) {
    return "double job::(anonymous namespace)::kernel<" + std::to_string(number) + ">(double)";
}

// ---- its files ----

struct RankSums {
    std::uint64_t samples = 0;
    std::array<std::uint64_t, kKernels> kernels{};  // samples
    std::uint64_t waitall = 0;
    std::uint64_t allreduce = 0;
    std::uint64_t blocked_ns = 0;
};

class JobWriter {
  public:
    JobWriter(std::filesystem::path folder, const Job& job)
        : folder_(std::move(folder)),
          job_(job),
          image_(own_image()),
          paths_(program_code(), image_.bias, job.places),
          steps_(std::max<std::uint64_t>(1, job.samples / job.ranks * kPeriod / step_ns(job, 0))) {
        step_begins_.push_back(kStart);
        for (std::uint64_t step = 0; step < steps_; ++step) {
            step_begins_.push_back(step_begins_.back() + step_ns(job, step));
        }
    }

    JobTruth write() {
        std::vector<RankSums> sums(job_.ranks);
        std::mutex mutex;
        std::optional<std::string> problem;
        parallel::for_each_index(job_.ranks, [&](std::uint32_t rank) {
            try {
                sums[rank] = write_process(rank);
                if (job_.has_ranks) {
                    write_launch(rank, sums[rank]);
                }
            } catch (const std::exception& error) {
                const std::scoped_lock lock(mutex);
                problem = error.what();
            }
        });
        require(!problem, problem.value_or(""));
        if (!job_.has_ranks) {
            write_launch(0, {});
        }
        if (job_.has_bundles) {
            make_bundles();
        }
        return truth(sums);
    }

  private:
    std::string process_file(std::uint32_t rank) const {
        const std::string of_rank = job_.has_ranks ? "-rank-" + std::to_string(rank) : "";
        return "process-" + std::to_string(pid(rank)) + "-0" + of_rank + ".krec";
    }
    std::string launch_file(std::uint32_t rank) const {
        return job_.has_ranks ? "launch-" + std::to_string(rank) + ".krec" : "launch.krec";
    }

    void make_bundles() const {
        const auto folder = recording::Folder::open(folder_);
        require(static_cast<bool>(folder), folder_.string() + ": cannot be opened");
        const std::uint32_t step = job_.has_ranks ? kRanksPerHost : job_.ranks;
        for (std::uint32_t first = 0; first < job_.ranks; first += step) {
            std::vector<std::string> names;
            for (std::uint32_t rank = first; rank < std::min(first + step, job_.ranks); ++rank) {
                names.push_back(process_file(rank));
                if (job_.has_ranks || rank == 0) {
                    names.push_back(launch_file(rank));
                }
            }
            const std::string bundle = job_.has_ranks ? "ranks-" + std::to_string(first / step) : "processes";
            const auto moved =
                recording::move_into_bundle(*folder, names, *folder, bundle + recording::kBundleSuffix, UINT64_MAX);
            require(moved && *moved == names.size(), folder_.string() + ": not all files could be bundled");
        }
    }

    std::uint32_t pid(std::uint32_t rank) const { return kFirstPid + rank; }
    std::string host(std::uint32_t rank) const {
        return "node-" + std::to_string(job_.has_ranks ? rank / kRanksPerHost : 0);
    }
    // Where the recording has no ranks, processes begin a millisecond after one another.
    std::uint64_t begin(std::uint32_t rank) const { return kStart + (job_.has_ranks ? 0 : rank * kPeriod); }
    std::uint64_t shift(std::uint32_t rank) const { return begin(rank) - kStart; }
    // A rank's clock has a phase of its own, so that samples of all ranks are at different times.
    std::uint64_t first_sample(std::uint32_t rank) const {
        return begin(rank) + mix(hash_of(job_.seed, rank)) % kPeriod;
    }
    std::uint64_t end() const { return step_begins_.back() + shift(job_.ranks - 1) + kPeriod; }

    bool write_rank(StreamWriter& own, std::uint32_t rank) const {
        return !job_.has_ranks || own.append(Rank{.rank = rank, .size = job_.ranks, .host = host(rank)});
    }

    bool write_process_rows(StreamWriter& own, std::uint32_t rank) const {
        using namespace std::literals;
        bool good = write_schemas(own) &&
                    own.append(recording::Process{.time = begin(rank),
                                                  .pid = pid(rank),
                                                  .parent_pid = 1,
                                                  .executable = image_.path,
                                                  .command = "solver\0"sv,
                                                  .mechanism = static_cast<std::uint64_t>(Mechanism::kPerfEvents)}) &&
                    write_rank(own, rank);
        const char* const names[] = {"task-clock", "page-faults", "context-switches", "instructions"};
        for (std::uint64_t i = 0; i < std::size(names); ++i) {
            const EventMode mode = i == 0 ? EventMode::kPeriod : EventMode::kCount;
            good = good && own.append(Event{.index = i,
                                            .name = names[i],
                                            .unit = i == 0 ? "ns" : "",
                                            .mode = static_cast<std::uint64_t>(mode),
                                            .value = i == 0 ? kPeriod : 0,
                                            .user_only = 1});
        }
        return good &&
               own.append(Image{.time = begin(rank),
                                .image = 1,
                                .begin = image_.begin,
                                .end = image_.end,
                                .bias = image_.bias,
                                .path = RawText{image_.path},
                                .build_id = image_.build_id}) &&
               own.append(Stream{.time = first_sample(rank) - kPeriod, .stream = 1, .tid = pid(rank)});
    }

    RankSums write_process(std::uint32_t rank) const {
        const auto path = folder_ / process_file(rank);
        const auto writer = std::make_unique<FileWriter>();
        create(*writer, path, pid(rank));
        StreamWriter own;
        StreamWriter thread;
        own.open(*writer, StreamId{0});
        thread.open(*writer, StreamId{1});
        bool good = write_process_rows(own, rank);
        for (const Context& row : paths_.rows) {
            good = good && thread.append(row);
        }
        require(good, path.string() + ": no space");
        RankSums sums;
        std::uint64_t time = first_sample(rank) - shift(rank);
        std::array<std::uint64_t, 4> totals{};
        for (std::uint64_t step = 0; step < steps_; ++step) {
            const std::uint64_t computes = compute_ns(job_, rank, step);
            sums.blocked_ns += step_begins_[step + 1] - step_begins_[step] - computes - kExchange;
            for (; time < step_begins_[step + 1]; time += kPeriod) {
                const std::uint64_t chance = mix(time ^ rank);
                const std::uint64_t context =
                    context_at(time - step_begins_[step], computes, step, chance % kAddressesEach, sums);
                const std::uint64_t deltas[] = {kPeriod, chance >> 8U & 1U, 0,
                                                kPeriod * 2 + (chance >> 16U & 0xFFFFU)};
                std::transform(totals.begin(), totals.end(), std::begin(deltas), totals.begin(), std::plus());
                require(thread.append(Sample{.time = time + shift(rank), .context = context, .deltas = deltas}),
                        path.string() + ": no space");
                ++sums.samples;
            }
        }
        // No time behind the last sample.
        const std::uint64_t end = time - kPeriod + shift(rank);
        require(own.append(StreamEnd{.time = end, .stream = 1, .totals = totals, .user_ns = totals[0]}) &&
                    own.append(ProcessEnd{.time = end}),
                path.string() + ": no space");
        thread.release();
        own.release();  // otherwise its chunk stays mapped
        finish(*writer, path);
        return sums;
    }

    std::uint64_t context_at(std::uint64_t at, std::uint64_t computes, std::uint64_t step, std::uint64_t address,
                             RankSums& sums) const {
        if (at < computes) {
            const std::uint64_t kernel = at * kKernels / computes;
            ++sums.kernels[kernel];
            return paths_.kernels[step % job_.places][kernel] + address;
        }
        if (at < computes + kExchange) {
            ++sums.waitall;
            return paths_.waitall + address;
        }
        ++sums.allreduce;
        return paths_.allreduce + address;
    }

    void write_launch(std::uint32_t rank, const RankSums& sums) const {
        const auto path = folder_ / launch_file(rank);
        FileWriter writer;
        create(writer, path, 1);
        StreamWriter own;
        own.open(writer, StreamId{0});
        using namespace std::literals;
        const std::string on = host(rank);
        require(
            write_schemas(own) &&
                own.append(Run{.time = kRunStart,
                               .command = "solver\0"sv,
                               .host = on,
                               .directory = RawText{"/"},
                               .kernel = "Linux",
                               .producer = "kymo generator",
                               .processors = kRanksPerHost}) &&
                own.append(ClockPair{.monotonic = kRunStart, .realtime = 1'700'000'000'000'000'000, .error = 100}) &&
                write_rank(own, rank) && (!job_.has_ranks || write_channels(own, rank, sums)) &&
                own.append(RunEnd{.time = end(), .user_ns = sums.samples * kPeriod}),
            path.string() + ": no space");
        own.release();
        finish(writer, path);
    }

    // The ring of neighbours that the program exchanges with, and its collective operation.
    bool write_channels(StreamWriter& own, std::uint32_t rank, const RankSums& sums) const {
        constexpr std::uint64_t kChannelKind = 3;
        constexpr std::uint64_t kStandard = 1;
        bool good = write_schema<MetricRow>(own) && write_schema<MetricObject>(own) && write_schema<MetricValue>(own);
        std::map<std::string_view, std::uint64_t> numbers;
        for (const cells::StandardMetric& metric : cells::kStandardMetrics) {
            if (metric.kind == cells::ResourceKind::kChannel && metric.cell <= index(cells::ChannelCell::kBlocked)) {
                const std::uint64_t number = numbers.size() + 1;
                numbers[metric.name] = number;
                good = good && own.append(MetricRow{.number = number,
                                                    .kind = kChannelKind,
                                                    .name = metric.name,
                                                    .unit = metric.unit,
                                                    .type = static_cast<std::uint64_t>(metric.type),
                                                    .origin = kStandard,
                                                    .description = metric.description});
            }
        }
        std::uint64_t object = 0;
        const auto channel = [&](cells::ChannelDirection direction, std::uint64_t peer, std::uint64_t bytes,
                                 std::uint64_t blocked) {
            ++object;
            good = good && own.append(MetricObject{.object = object,
                                                   .kind = kChannelKind,
                                                   .pid = pid(rank),
                                                   .number = object,
                                                   .peer = peer,
                                                   .direction = static_cast<std::uint64_t>(direction),
                                                   .begin = kStart,
                                                   .thread = pid(rank)});
            const auto value = [&](std::string_view metric, std::uint64_t is) {
                good = good &&
                       own.append(MetricValue{
                           .time = step_begins_.back(), .metric = numbers.at(metric), .object = object, .value = is});
            };
            value("messages", steps_);
            value("bytes", steps_ * bytes);
            value("blocked", blocked);
        };
        const std::uint64_t exchanged = steps_ * kExchange / 4;
        for (const std::uint32_t peer : {(rank + job_.ranks - 1) % job_.ranks, (rank + 1) % job_.ranks}) {
            channel(cells::ChannelDirection::kSend, peer, kMessageBytes, exchanged);
            channel(cells::ChannelDirection::kReceive, peer, kMessageBytes, exchanged);
        }
        channel(cells::ChannelDirection::kCollective, kNobody, sizeof(double), sums.blocked_ns);
        return good;
    }

    JobTruth truth(std::span<const RankSums> sums) const {
        JobTruth truth;
        truth.steps = steps_;
        for (std::uint32_t rank = 0; rank < sums.size(); ++rank) {
            truth.samples += sums[rank].samples;
            for (std::size_t i = 0; i < kKernels; ++i) {
                truth.functions[kernel_name(i)] += sums[rank].kernels[i] * kPeriod;
            }
            truth.functions["MPI_Waitall"] += sums[rank].waitall * kPeriod;
            truth.functions["MPI_Allreduce"] += sums[rank].allreduce * kPeriod;
        }
        return truth;
    }

    std::filesystem::path folder_;
    const Job& job_;
    OwnImage image_;
    CallPaths paths_;
    std::uint64_t steps_;
    std::vector<std::uint64_t> step_begins_;
};

}  // namespace

JobTruth generate_job(const std::filesystem::path& folder, const Job& job) {
    require(job.ranks != 0 && job.samples / job.ranks != 0, "every rank has at least one sample");
    require(job.places >= 1 && job.places <= kMostPlaces, "places are 1 to " + std::to_string(kMostPlaces));
    require(!job.has_ranks || job.slow_rank < job.ranks, "the slow rank is none of the job");
    std::filesystem::create_directories(folder);
    const std::uint64_t needed = job.samples * kBytesPerSample + job.ranks * kBytesPerFile;
    const std::uint64_t free = std::filesystem::space(folder).available;
    require(free > needed + needed / 10, folder.string() + ": the job needs some " + std::to_string(needed >> 20U) +
                                             " MiB, and there are " + std::to_string(free >> 20U));
    return JobWriter(folder, job).write();
}

}  // namespace kymo::bench
