// What is said of single occurrences must be true, whatever the program: thousands of random ones, sampled as threads
// are, with everything that they did known.
//
// A program does rounds of one to three phases, each a function of its own, of 0.05 to 50 sampling periods, with some
// of its own code between them and, in some programs, waits that are recorded exactly. Each phase takes as long every
// time, to 3 %, but in half of the programs a few times, when it takes five to fifty times as long. A claim that some
// occurrences are slow is true where occurrences of a phase, or of a round with its wait, were longer than usual at
// the times that it names, and at least half of what it says is at stake is theirs.
#include "findings/judge.h"
#include "findings/statistics/robust.h"
#include "made_recording.h"
#include "spacetime/evidence/make_evidence.h"
#include "spacetime/profile/make_profile.h"
#include "statistics/series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string_view>

namespace kymo::findings {
namespace {

namespace rec = recording;
using kymo::testing::MadeFile;

constexpr double kPeriod = 1e6;  // ns
constexpr std::uint64_t kMainContext = 1;
constexpr std::uint64_t kWaitContext = 2;
constexpr std::uint64_t kFirstPhase = 3;

struct Phase {
    double ns = 0;
    double inner = 0;  // part of it that a function of its own takes, at its end
};

struct Shape {
    std::vector<Phase> phases;
    double between_ns = 0;  // main's own code before each phase
    double uneven = 0;      // standard deviation of a logarithm
    std::size_t rounds = 0;
    std::size_t wait_every = 0;  // rounds; 0: it never waits
    double wait_ns = 0;
    std::set<std::size_t> slow_rounds;
    std::size_t slow_phase = 0;
    double slower = 1;

    std::string words() const {
        std::string text = fmt::format("{} rounds of", rounds);
        for (const Phase& phase : phases) {
            text += fmt::format(" {:.2f} ({:.1f} inside)", phase.ns / kPeriod, phase.inner);
        }
        text += fmt::format(" periods, {:.3f} between, uneven by {}", between_ns / kPeriod, uneven);
        text += wait_every == 0 ? "" : fmt::format(", waits {:.2f} ms every {}", wait_ns / 1e6, wait_every);
        text += slow_rounds.empty() ? ", none slow"
                                    : fmt::format(", phase {} {:.0f} times slower in {} rounds, the first {}",
                                                  slow_phase, slower, slow_rounds.size(), *slow_rounds.begin());
        return text;
    }
};

double between(Random* random, double low, double high) {
    return low * std::pow(high / low, random->uniform());
}

Shape random_shape(Random* random) {
    Shape shape;
    double round = 0;
    const std::size_t phases = 1 + random->below(3);
    for (std::size_t i = 0; i < phases; ++i) {
        shape.phases.push_back(
            {between(random, 0.05, 50) * kPeriod, random->below(3) == 0 ? between(random, 0.1, 0.9) : 0});
        round += shape.phases.back().ns;
    }
    shape.between_ns = random->below(4) == 0 ? 0 : between(random, 0.002, 3) * kPeriod;
    round += shape.between_ns * static_cast<double>(phases);
    shape.uneven = random->below(2) == 0 ? 0.001 : 0.03;
    const double samples = between(random, 200, 2500);
    shape.rounds = static_cast<std::size_t>(std::clamp(samples * kPeriod / round, 8.0, 20'000.0));
    if (random->below(5) < 2) {
        shape.wait_every = 1 + random->below(8);
        shape.wait_ns = between(random, 0.05, 100) * 1e6;
        if (static_cast<double>(shape.rounds) / static_cast<double>(shape.wait_every) * shape.wait_ns > 60e9) {
            shape.wait_ns = 1e6;
        }
    }
    if (random->below(2) == 0) {
        const std::size_t slow = 1 + random->below(3);
        for (std::size_t i = 0; i < slow; ++i) {
            shape.slow_rounds.insert(random->below(shape.rounds));
        }
        shape.slow_phase = random->below(phases);
        shape.slower = between(random, 5, 50);
    }
    return shape;
}

// Runs a shape and samples it.
class SampledRun {
  public:
    SampledRun(const Shape& shape, Random* random)
        : shape_(shape), random_(random), next_(random->uniform() * kPeriod) {}

    spacetime::Evidence evidence() {
        MadeFile launch(folder_.path() / "launch.krec", 99);
        rec::Run run;
        run.command = std::string_view("./app\0", 6);
        run.processors = 2;
        launch.own().append(run);
        {
            MadeFile file(folder_.path() / "process-100-0.krec", 100);
            file_ = &file;
            write();
        }
        rec::RunEnd end;
        end.time = static_cast<std::uint64_t>(now_);
        launch.own().append(end);
        launch.close();
        const auto recording = rec::Recording::open(folder_.path());
        const auto profile = spacetime::load_profile(*recording);
        spacetime::NamedRun named = spacetime::name_run(*profile);
        auto evidence = spacetime::make_evidence(*recording, *profile, named);
        return std::move(*evidence);
    }
    // Occurrences, a list each: of the rounds, then of each phase.
    const std::vector<std::vector<TimeRange>>& occurrences() const { return occurrences_; }
    double samples_of_slowest() const { return longest_slow_ / kPeriod; }

  private:
    void write() {
        rec::Process process;
        process.pid = 100;
        process.executable = "/opt/app";
        process.mechanism = static_cast<std::uint64_t>(rec::Mechanism::kPerfEvents);
        file_->own().append(process);
        file_->event(0, "task-clock", "ns", rec::EventMode::kPeriod, static_cast<std::uint64_t>(kPeriod));
        rec::Image image;
        image.image = 1;
        image.path = "/nonexistent/app";
        image.build_id = "0123";
        file_->own().append(image);
        file_->begin_stream(1, 0, 100, "app");
        file_->context(1, kMainContext, 0, 1, 0x10);
        file_->context(1, kWaitContext, kMainContext, 1, 0x20);
        for (std::size_t i = 0; i < shape_.phases.size(); ++i) {
            file_->context(1, kFirstPhase + 2 * i, kMainContext, 1, 0x100 + 0x100 * i);
            file_->context(1, kFirstPhase + 2 * i + 1, kFirstPhase + 2 * i, 1, 0x800 + 0x100 * i);
        }
        occurrences_.resize(1 + shape_.phases.size());
        for (std::size_t round = 0; round < shape_.rounds; ++round) {
            const double begin = now_;
            do_round(round);
            happened(0, begin);
        }
        file_->end_stream(1, static_cast<std::uint64_t>(now_), {static_cast<std::uint64_t>(clock_)});
        rec::ProcessEnd end;
        end.time = static_cast<std::uint64_t>(now_);
        file_->own().append(end);
        file_->close();
    }

    void do_round(std::size_t round) {
        for (std::size_t i = 0; i < shape_.phases.size(); ++i) {
            compute(kMainContext, shape_.between_ns);
            const bool is_slow = i == shape_.slow_phase && shape_.slow_rounds.contains(round);
            const Phase& phase = shape_.phases[i];
            const double ns = phase.ns * (is_slow ? shape_.slower : 1) * std::exp(shape_.uneven * normal(random_));
            const double begin = now_;
            compute(kFirstPhase + 2 * i, ns * (1 - phase.inner));
            compute(kFirstPhase + 2 * i + 1, ns * phase.inner);
            happened(1 + i, begin);
            longest_slow_ = is_slow ? std::max(longest_slow_, ns) : longest_slow_;
        }
        if (shape_.wait_every != 0 && round % shape_.wait_every == shape_.wait_every - 1) {
            rec::Wait wait;
            wait.time = static_cast<std::uint64_t>(now_);
            wait.duration = static_cast<std::uint64_t>(shape_.wait_ns);
            wait.kind = static_cast<std::uint64_t>(rec::WaitKind::kSleep);
            wait.context = kWaitContext;
            file_->stream(1).append(wait);
            now_ += shape_.wait_ns;
        }
    }

    void happened(std::size_t what, double begin) {
        occurrences_[what].push_back({static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(now_)});
    }

    // The clock takes a sample each period, which finds the program a little later.
    void compute(std::uint64_t context, double ns) {
        while (next_ < clock_ + ns) {
            const double late = std::min(20e3 * -std::log(1 - random_->uniform()), 200e3);
            const double at = std::max(clock_, std::min(next_ + late, clock_ + ns));
            now_ += at - clock_;
            ns -= at - clock_;
            clock_ = at;
            file_->sample(1, static_cast<std::uint64_t>(now_), context,
                          {static_cast<std::uint64_t>(clock_) - last_clock_});
            last_clock_ = static_cast<std::uint64_t>(clock_);
            next_ += kPeriod;
        }
        clock_ += ns;
        now_ += ns;
    }

    const Shape& shape_;
    Random* random_;
    kymo::testing::TemporaryFolder folder_;
    MadeFile* file_ = nullptr;
    double now_ = 0;    // wall time, ns
    double clock_ = 0;  // processor time
    double next_;       // sample, by that clock
    std::uint64_t last_clock_ = 0;
    std::vector<std::vector<TimeRange>> occurrences_;
    double longest_slow_ = 0;
};

bool claims_slowness(const Finding& finding) {
    constexpr std::array<std::string_view, 4> kKinds{"slow-instance", "more-work", "cold-start", "slow-neighbour"};
    return std::find(kKinds.begin(), kKinds.end(), finding.kind) != kKinds.end();
}

double ns_of(const TimeRange& range) {
    return static_cast<double>(range.end - range.begin);
}

// How much longer than usual occurrences within a range were, all together.
double excess_in(const TimeRange& range, const std::vector<TimeRange>& occurrences) {
    constexpr double kLonger = 1.2;  // what a claim says at least
    std::vector<double> lengths;
    std::transform(occurrences.begin(), occurrences.end(), std::back_inserter(lengths), ns_of);
    std::sort(lengths.begin(), lengths.end());
    const double usual = quantile(lengths, 0.3);  // every other round may wait
    double excess = 0;
    for (const TimeRange& truth : occurrences) {
        if (truth.begin < range.end && range.begin < truth.end && ns_of(truth) > kLonger * usual) {
            excess += ns_of(truth) - usual;
        }
    }
    return excess;
}

bool is_true(const Finding& finding, const SampledRun& run) {
    return std::any_of(run.occurrences().begin(), run.occurrences().end(), [&](const auto& occurrences) {
        double excess = 0;
        for (const TimeRange& claimed : finding.when) {
            excess += excess_in(claimed, occurrences);
        }
        return 2 * excess > finding.seconds * 1e9;
    });
}

// A few times a phase takes much longer than usual, and something lies between its occurrences that is seen each
// time.
bool is_clearly_slow(const Shape& shape) {
    bool is_apart = false;
    for (std::size_t i = 0; i < shape.phases.size(); ++i) {
        is_apart = is_apart || (i != shape.slow_phase && shape.phases[i].ns >= 3 * kPeriod);
    }
    return shape.slow_rounds.size() == 3 && shape.rounds >= 40 && is_apart &&
           shape.phases[shape.slow_phase].ns >= 3 * kPeriod && shape.slower >= 8;
}

TEST(RandomPrograms, ClaimsOfSlowOccurrencesAreTrue) {
    // Others than those that are always tried: KYMO_RANDOM_FIRST is the number of the first.
    const auto number = [](const char* variable, int usual) {
        const char* given = std::getenv(variable);
        return given != nullptr ? std::atoi(given) : usual;
    };
    const int programs = number("KYMO_RANDOM_PROGRAMS", 5000);
    const int first = number("KYMO_RANDOM_FIRST", 0);
    int wrong = 0;
    int clear = 0;  // a slow occurrence that sampling cannot overlook
    int told = 0;
    for (int i = first; i < first + programs; ++i) {
        Random random(static_cast<std::uint64_t>(i) * 7919 + 1);
        const Shape shape = random_shape(&random);
        SampledRun run(shape, &random);
        const spacetime::Evidence evidence = run.evidence();
        const Judgement judgement = judge(evidence, {.rounds = 0});
        bool is_told = false;
        for (const Finding& finding : judgement.findings) {
            if (!claims_slowness(finding)) {
                continue;
            }
            const bool fits = is_true(finding, run);
            is_told = is_told || fits;
            if (!fits) {
                ++wrong;
                std::fprintf(stderr, "program %d: %s\n    %s: %s\n", i, shape.words().c_str(), finding.kind.c_str(),
                             finding.title.c_str());
            }
        }
        const bool is_clear = is_clearly_slow(shape) && run.samples_of_slowest() >= 30;
        clear += is_clear ? 1 : 0;
        told += is_clear && is_told ? 1 : 0;
        if (is_clear && !is_told) {
            std::fprintf(stderr, "program %d, not told: %s\n", i, shape.words().c_str());
        }
    }
    std::fprintf(stderr, "%d programs: %d claims wrong; %d of %d clear ones told\n", programs, wrong, told, clear);
    EXPECT_LE(wrong * 1000, programs);
    EXPECT_GE(told * 10, clear * 9);
}

}  // namespace
}  // namespace kymo::findings
