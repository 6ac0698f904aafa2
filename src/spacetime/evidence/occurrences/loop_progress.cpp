#include "spacetime/evidence/occurrences/loop_progress.h"

#include "spacetime/profile/sample_pass.h"

#include <algorithm>
#include <map>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kLeastPairs = 8;
constexpr std::uint64_t kMostRoundsPerNs = 8;  // at a round a cycle; what counts faster does not count rounds

struct LoopSums {
    std::uint64_t known = 0;  // pairs of samples
    std::uint64_t left = 0;
    // Whole numbers, which add up exactly in any order.
    double rounds = 0;
    double user = 0;
};

void add_loops(std::vector<LoopSums>& to, const std::vector<LoopSums>& more) {
    for (std::size_t loop = 0; loop < to.size(); ++loop) {
        to[loop].known += more[loop].known;
        to[loop].left += more[loop].left;
        to[loop].rounds += more[loop].rounds;
        to[loop].user += more[loop].user;
    }
}

class LoopsOfFunctions {
  public:
    explicit LoopsOfFunctions(CodeMap& code) : code_(code) {}

    CountedLoop at(std::uint32_t image, std::uint64_t offset) {
        const std::uint32_t function = code_.function_at(image, offset);
        CodeOfFunction* made = function == kNone ? nullptr : code_.flow_of(function);
        if (made == nullptr) {
            return {};
        }
        const std::uint32_t block = made->flow->graph.block_at(offset);
        if (block == kNone) {
            return {};
        }
        CountedLoop outermost;
        const auto& loops = made->flow->loops;
        for (std::uint32_t loop = loops.loop_of[block]; loop != kNone; loop = loops.loops[loop].parent) {
            const CountedLoop& counted = loop_of(function, loop);
            outermost = counted.loop != kNone ? counted : outermost;
        }
        return outermost;
    }
    std::uint32_t size() const { return loops_; }

  private:
    const CountedLoop& loop_of(std::uint32_t function, std::uint32_t loop) {
        const auto [known, is_new] = known_.try_emplace({function, loop});
        if (is_new) {
            const auto registers = code_.inductions(function, loop);
            if (!registers.empty()) {
                known->second = {loops_++, registers.front()};
            }
        }
        return known->second;
    }

    CodeMap& code_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, CountedLoop> known_;
    std::uint32_t loops_ = 0;
};

// One stream: the sums of its loops' rounds.
class RoundsVisitor final : public StreamVisitor {
  public:
    RoundsVisitor(const SampledAddresses& addresses, const CountedLoops& loops, std::vector<LoopSums>& sums)
        : addresses_(addresses), progress_(loops), sums_(sums) {}

    void piece(const StateInterval& interval, std::uint32_t, std::uint32_t) override {
        if (interval.state == ThreadState::kSpinning || interval.state == ThreadState::kUser) {
            user_ += static_cast<std::int64_t>(interval.end - interval.begin);
        }
    }
    void sample(const recording::Sample& row, std::uint32_t node, std::span<const std::int64_t>) override {
        progress_.sample(node == kNone ? kNone : addresses_.of_node[node], user_,
                         (row.flags & recording::kAfterPause) != 0);
        user_ = 0;
    }
    void registers(const recording::SampleRegisters& row) override {
        const auto between = progress_.registers(row.values);
        if (!between) {
            return;
        }
        LoopSums& sums = sums_[between->loop];
        if (!between->rounds) {
            ++sums.left;
            return;
        }
        ++sums.known;
        sums.rounds += static_cast<double>(*between->rounds);
        sums.user += static_cast<double>(between->user);
    }

  private:
    const SampledAddresses& addresses_;
    StreamProgress progress_;
    std::vector<LoopSums>& sums_;
    std::int64_t user_ = 0;
};

}  // namespace

void StreamProgress::sample(std::uint32_t address, std::int64_t user, bool is_cut) {
    last_ = is_cut ? At{} : now_;
    now_ = {address == kNone ? CountedLoop{} : loops_.of_address[address], std::nullopt};
    user_ = user;
}

std::optional<StreamProgress::Rounds> StreamProgress::registers(std::span<const std::uint64_t> values) {
    if (now_.loop.loop == kNone || now_.loop.steps.reg >= values.size()) {
        return std::nullopt;
    }
    now_.value = values[now_.loop.steps.reg];
    if (last_.loop.loop != now_.loop.loop || !last_.value) {
        return std::nullopt;
    }
    Rounds between{now_.loop.loop, now_.loop.steps.rounds(*last_.value, *now_.value), user_};
    if (between.rounds &&
        *between.rounds > kMostRoundsPerNs * static_cast<std::uint64_t>(std::max<std::int64_t>(user_, 0))) {
        between.rounds.reset();
    }
    return between;
}

Result<CountedLoops> count_loops(const recording::Recording& recording, const Profile& profile,
                                 const SampledAddresses& addresses, CodeMap& code, team::Team* team) {
    CountedLoops loops;
    loops.of_address.resize(addresses.places.size());
    if (!profile.has_registers) {
        return loops;
    }
    LoopsOfFunctions functions(code);
    for (std::size_t i = 0; i < addresses.places.size(); ++i) {
        loops.of_address[i] = functions.at(addresses.places[i].first, addresses.places[i].second);
    }
    std::vector<std::vector<LoopSums>> sums(pass_workers(recording, profile),
                                            std::vector<LoopSums>(functions.size()));
    const auto done = run_pass(recording, profile,
                               {.workers = static_cast<std::uint32_t>(sums.size()),
                                .make = [&](std::uint32_t worker, std::uint32_t) -> std::unique_ptr<StreamVisitor> {
                                    return std::make_unique<RoundsVisitor>(addresses, loops, sums[worker]);
                                },
                                .team = team});
    if (!done) {
        return done.error();
    }
    std::vector<LoopSums> total(functions.size());
    for (const std::vector<LoopSums>& worker : sums) {
        add_loops(total, worker);
    }
    team::reduce(team, total, add_loops);
    team::broadcast(team, total);
    for (const LoopSums& all : total) {
        const bool is_measured = all.known >= kLeastPairs && all.left * 4 <= all.known + all.left && all.rounds > 0;
        loops.usual_ns.push_back(is_measured ? all.user / all.rounds : 0);
    }
    return loops;
}

}  // namespace kymo::spacetime
