#include "gpu/report/program_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace kymo::gpu {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostKernels = 20;
constexpr std::size_t kMostFindings = 10;

struct KernelSum {
    std::string name;
    const Json* first = nullptr;
    std::size_t launches = 0;
    double time_us = 0;
    double waiting = 0;  // the largest of a launch
};

// Largest time first.
std::vector<KernelSum> by_name(const std::vector<const Json*>& kernels) {
    std::map<std::string, KernelSum> sums;
    for (const Json* kernel : kernels) {
        KernelSum& sum = sums[(*kernel)["name"].get<std::string>()];
        sum.name = (*kernel)["name"].get<std::string>();
        sum.first = sum.first == nullptr ? kernel : sum.first;
        ++sum.launches;
        sum.time_us += (*kernel)["time_us"].get<double>();
        sum.waiting = std::max(sum.waiting, (*kernel)["waiting_share"].get<double>());
    }
    std::vector<KernelSum> list;
    list.reserve(sums.size());
    for (auto& [name, sum] : sums) {
        list.push_back(sum);
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const KernelSum& a, const KernelSum& b) { return a.time_us > b.time_us; });
    return list;
}

// 0: not known.
unsigned line_of(const Json& place) {
    const Json& line = place["line_begin"];
    return line.is_null() ? 0 : line.get<unsigned>();
}

std::string where(const Json& finding) {
    const Json& place = finding["place"];
    const unsigned line = line_of(place);
    const std::string file = place.contains("file") ? place["file"].get<std::string>() : "";
    const std::string short_file = file.substr(file.rfind('/') + 1);
    return line == 0 ? "" : fmt::format(" at {}:{}", short_file.empty() ? "line" : short_file, line);
}

// The same finding of several launches is one: its seconds are their sum, all else is that of the worst launch.
Json merged(std::vector<Json> findings, double total_us) {
    std::map<std::tuple<std::string, std::string, std::string, unsigned>, Json> by_place;
    for (Json& finding : findings) {
        const Json& place = finding["place"];
        const std::tuple key(finding["kind"].get<std::string>(), place["function"].get<std::string>(),
                             place.contains("file") ? place["file"].get<std::string>() : "", line_of(place));
        const auto seconds = finding["seconds"].get<double>();
        const auto found = by_place.find(key);
        if (found == by_place.end()) {
            finding["launches"] = 1;
            finding["worst"] = seconds;
            by_place.emplace(key, std::move(finding));
            continue;
        }
        Json& kept = found->second;
        const double sum = kept["seconds"].get<double>() + seconds;
        const int launches = kept["launches"].get<int>() + 1;
        if (seconds > kept["worst"].get<double>()) {
            kept = std::move(finding);
            kept["worst"] = seconds;
        }
        kept["seconds"] = sum;
        kept["launches"] = launches;
    }
    std::vector<Json> list;
    for (auto& [key, finding] : by_place) {
        finding.erase("worst");
        finding["share"] = total_us > 0 ? finding["seconds"].get<double>() * 1e6 / total_us : 0;
        list.push_back(std::move(finding));
    }
    std::stable_sort(list.begin(), list.end(), [](const Json& a, const Json& b) {
        return a["seconds"].get<double>() > b["seconds"].get<double>();
    });
    return list;
}

}  // namespace

std::string waiting_words(double share) {
    return fmt::format(
        "up to {:.0f} % of the instructions are of loops that wait for other threads. How often these\n"
        "iterate on a GPU is unknown, and so is the time",
        100 * share);
}

ProgramReport::ProgramReport(const ProgramRun& run) : run_(run) {
    std::vector<Json> findings;
    for (const Json& line : run.lines) {
        if (!line.contains("kernel")) {
            continue;
        }
        kernels_.push_back(&line["kernel"]);
        total_us_ += line["kernel"]["time_us"].get<double>();
        for (const Json& finding : line["findings"]) {
            findings.push_back(finding);
        }
    }
    findings_ = merged(std::move(findings), total_us_);
}

std::string ProgramReport::text() const {
    std::string out;
    if (!kernels_.empty()) {
        const std::vector<KernelSum> sums = by_name(kernels_);
        out += fmt::format("{} launch{} of {} kernel{} on {}: {:.3f} us modelled\n\n", kernels_.size(),
                           kernels_.size() == 1 ? "" : "es", sums.size(), sums.size() == 1 ? "" : "s",
                           (*kernels_.front())["gpu"].get<std::string>(), total_us_);
        out += fmt::format("{:>14} {:>6} {:>9} {:>12} {:>10}  {:<8} kernel\n", "time us", "share", "launches",
                           "mean us", "occupancy", "bound by");
        for (std::size_t i = 0; i < sums.size() && i < kMostKernels; ++i) {
            const KernelSum& sum = sums[i];
            const Json& first = *sum.first;
            out += fmt::format("{:>14.3f} {:>4.0f} % {:>9} {:>12.3f} {:>8.0f} %  {:<8} {}\n", sum.time_us,
                               total_us_ > 0 ? 100 * sum.time_us / total_us_ : 0, sum.launches,
                               sum.time_us / static_cast<double>(sum.launches),
                               100 * first["occupancy"]["achieved_share"].get<double>(),
                               first["roofline"]["bound"].get<std::string>(), sum.name);
        }
        if (sums.size() > kMostKernels) {
            out += fmt::format("{:>14} more kernels\n", sums.size() - kMostKernels);
        }
        for (const KernelSum& sum : sums) {
            if (sum.waiting >= 0.005) {
                out += fmt::format("\n{}: {}\n", sum.name, waiting_words(sum.waiting));
            }
        }
    }
    for (std::size_t i = 0; i < findings_.size() && i < kMostFindings; ++i) {
        const Json& finding = findings_[i];
        out += fmt::format("{}{:>4.0f} %  {}{} in {}: {}\n          {}\n", i == 0 ? "\nfindings\n" : "",
                           100 * finding["share"].get<double>(), finding["kind"].get<std::string>(), where(finding),
                           finding["place"]["function"].get<std::string>(), finding["title"].get<std::string>(),
                           finding["direction"].get<std::string>());
    }
    return out;
}

std::vector<RecordedLaunch> ProgramReport::recorded() const {
    std::vector<RecordedLaunch> list;
    for (const Json& line : run_.lines) {
        if (line.contains("recording")) {
            list.push_back({line["samples"].get<std::uint64_t>(), line["kernel"]["name"].get<std::string>(),
                            line["recording"].get<std::string>()});
        }
    }
    return list;
}

Json ProgramReport::json() const {
    Json json = {{"exit_status", run_.exit_status},
                 {"time_us", total_us_},
                 {"kernels", Json::array()},
                 {"findings", findings_},
                 {"problems", Json::array()}};
    for (const Json* kernel : kernels_) {
        json["kernels"].push_back(*kernel);
    }
    for (const Json& line : run_.lines) {
        if (line.contains("problem")) {
            json["problems"].push_back({{"what", line["problem"]["what"]}, {"next", line["problem"]["next"]}});
        }
    }
    for (const std::string& launch : run_.left) {
        json["problems"].push_back(
            {{"what", fmt::format("ended in the middle of a kernel: {}", launch)}, {"next", ""}});
    }
    return json;
}

std::vector<Error> ProgramReport::problems(const std::string& program) const {
    std::vector<Error> list;
    for (const Json& line : run_.lines) {
        if (line.contains("problem")) {
            const Json& problem = line["problem"];
            list.push_back({static_cast<ErrorKind>(problem["kind"].get<int>()), problem["what"].get<std::string>(),
                            problem["next"].get<std::string>()});
        }
    }
    for (const std::string& launch : run_.left) {
        list.push_back({ErrorKind::kNotRunnable,
                        fmt::format("{} was ended in the middle of a kernel: {}", program, launch),
                        "the results above are of the other launches; the time of this one is unknown"});
    }
    if (list.empty() && run_.lines.empty()) {
        list.push_back(
            {ErrorKind::kNotRunnable, program + " has launched no kernel under Kymo's CUDA runtime",
             "is it built with nvcc -cudart shared? Programs of the driver's interface (cuLaunchKernel) are not "
             "served"});
    }
    return list;
}

}  // namespace kymo::gpu
