#include "ratios.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Median {
    std::string name;
    double per;  // ns a unit

    bool is_ours() const { return name.starts_with("kymo"); }
    std::string group() const { return name.substr(name.rfind('_') + 1); }
};

class Ratios : public benchmark::ConsoleReporter {
  public:
    explicit Ratios(const char* unit) : ConsoleReporter(OO_Tabular), unit_(unit) {}

    void ReportRuns(const std::vector<Run>& runs) override {
        ConsoleReporter::ReportRuns(runs);
        for (const Run& run : runs) {
            const auto counter = run.counters.find("ns_each");
            if (run.aggregate_name == "median" && counter != run.counters.end()) {
                medians_.push_back({run.run_name.function_name, counter->second.value * 1e9});
            }
        }
    }

    // Ours first in each group; a group is what the names say behind their last underscore ("warm", "libc").
    void Finalize() override {
        std::stable_sort(medians_.begin(), medians_.end(), [](const Median& left, const Median& right) {
            return std::pair(left.group(), !left.is_ours()) < std::pair(right.group(), !right.is_ours());
        });
        const Median* ours = nullptr;
        for (const Median& median : medians_) {
            ours = median.is_ours() ? &median : ours;
            std::printf("%-24s %9.2f ns a %s", median.name.c_str(), median.per, unit_.c_str());
            if (ours != nullptr && ours != &median && ours->group() == median.group()) {
                std::printf("   %6.1f times ours", median.per / ours->per);
            }
            std::printf("\n");
        }
    }

  private:
    std::string unit_;
    std::vector<Median> medians_;
};

}  // namespace

int run_and_compare(int argc, char** argv, const char* unit) {
    std::string defaults[] = {argv[0], "--benchmark_repetitions=9", "--benchmark_enable_random_interleaving=true",
                              "--benchmark_report_aggregates_only=true", "--benchmark_min_time=0.05"};
    std::vector<char*> arguments;
    for (std::string& argument : defaults) {
        arguments.push_back(argument.data());
    }
    arguments.insert(arguments.end(), argv + 1, argv + argc);
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) {
        return 2;
    }
    Ratios reporter(unit);
    benchmark::RunSpecifiedBenchmarks(&reporter);
    return 0;
}
