#include "spacetime/load/tails.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kymo::spacetime {
namespace {

constexpr double kSigmas = 3;

// `whole` in parts that are to each other as the amounts given one after the other, which add up to `all`.
class Shares {
  public:
    Shares(std::int64_t whole, std::int64_t all) : whole_(whole), all_(all) {}
    std::int64_t next(std::int64_t amount) {
        upto_ += amount;
        const std::int64_t until =
            upto_ >= all_
                ? whole_
                : std::llround(static_cast<double>(whole_) * static_cast<double>(upto_) / static_cast<double>(all_));
        const std::int64_t part = std::clamp<std::int64_t>(until - given_, 0, whole_ - given_);
        given_ += part;
        return part;
    }

  private:
    std::int64_t whole_;
    std::int64_t all_;
    std::int64_t upto_ = 0;
    std::int64_t given_ = 0;
};

// Places one after the other, each for so long.
class Places {
  public:
    void add(const TailPlace& place, std::int64_t ns) {
        if (ns > 0) {
            places_.push_back({ns, place});
        }
    }
    // The next `ns` of them, into `out`.
    void take(std::int64_t ns, bool is_system, std::vector<TailPart>& out) {
        while (ns > 0) {
            const bool is_over = at_ == places_.size();
            const std::int64_t part = is_over ? ns : std::min(ns, places_[at_].ns);
            out.push_back({part, is_system, is_over ? TailPlace{} : places_[at_].place});
            ns -= part;
            if (!is_over) {
                places_[at_].ns -= part;
                at_ += places_[at_].ns == 0 ? 1 : 0;
            }
        }
    }

  private:
    struct Place {
        std::int64_t ns = 0;
        TailPlace place;
    };
    std::vector<Place> places_;
    std::size_t at_ = 0;
};

void sort_by_time(std::vector<FirstSample>& firsts) {
    std::sort(firsts.begin(), firsts.end(),
              [](const FirstSample& a, const FirstSample& b) { return a.time < b.time; });
}

// How far the number of first samples, a matter of chance, may be off, in time: what each lacks lies anywhere below a
// period.
double chance_of(std::size_t firsts, std::int64_t period) {
    return kSigmas * static_cast<double>(period) * std::sqrt(static_cast<double>(firsts) / 3.0);
}

// Sums of all tails: time outside of waits and in them; and which parts of these are known.
struct Sums {
    std::int64_t outside = 0;
    std::int64_t in_waits = 0;
    std::int64_t user = 0;             // of `outside`
    std::int64_t system_outside = 0;   // of `outside`
    std::int64_t system_in_waits = 0;  // of `in_waits`
};

Sums sums_of(std::span<const Tail> tails) {
    Sums sums;
    for (const Tail& tail : tails) {
        sums.outside += tail.user;
        sums.in_waits += tail.in_waits;
    }
    return sums;
}

// To each tail its part of the sums, and to that its places, in the order of the threads' ends.
std::vector<TailPlan> deal(std::span<const Tail> tails, const Sums& sums, Places& of_users, Places& of_system) {
    std::vector<std::size_t> order(tails.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return tails[a].end < tails[b].end; });
    Shares system_of(sums.system_outside, sums.outside);
    Shares in_waits_of(sums.system_in_waits, sums.in_waits);
    Shares user_of(sums.user, sums.outside - sums.system_outside);
    std::vector<TailPlan> plans(tails.size());
    for (const std::size_t i : order) {
        const Tail& tail = tails[i];
        TailPlan& plan = plans[i];
        plan.system_in_waits = std::min(tail.in_waits, in_waits_of.next(tail.in_waits));
        const std::int64_t of_kernel = std::min(tail.user, system_of.next(tail.user));
        const std::int64_t of_program = tail.user - of_kernel;
        const std::int64_t known = std::min(of_program, user_of.next(of_program));
        of_users.take(known, false, plan.parts);
        if (of_program > known) {
            plan.parts.push_back({of_program - known, false, {}});
        }
        of_system.take(of_kernel, true, plan.parts);
    }
    return plans;
}

}  // namespace

std::vector<TailPlan> plan_tails(std::span<const Tail> tails, std::vector<FirstSample> firsts,
                                 std::vector<TailLook> looks, std::int64_t period) {
    Sums sums = sums_of(tails);
    std::int64_t missing = 0;
    for (const FirstSample& first : firsts) {
        missing += first.missing;
    }
    const std::int64_t all = sums.outside + sums.in_waits;
    const std::int64_t beyond = all - missing;
    const std::int64_t system =
        !firsts.empty() && static_cast<double>(beyond) > chance_of(firsts.size(), period) ? std::min(beyond, all) : 0;
    sums.system_in_waits = std::min(system, sums.in_waits);
    sums.system_outside = system - sums.system_in_waits;
    sums.user = std::min(sums.outside - sums.system_outside, missing);

    sort_by_time(firsts);
    std::sort(looks.begin(), looks.end(), [](const TailLook& a, const TailLook& b) { return a.time < b.time; });
    Places of_users;
    Shares user_shares(sums.user, missing);
    for (const FirstSample& first : firsts) {
        of_users.add(first.place, user_shares.next(first.missing));
    }
    Places of_system;
    const auto count = static_cast<std::int64_t>(looks.size());
    const std::int64_t placed = count == 0                                  ? 0
                                : sums.system_outside / kMostOfTick < count ? sums.system_outside
                                                                            : count * kMostOfTick;
    Shares look_shares(placed, count);
    for (const TailLook& look : looks) {
        of_system.add(look.place, look_shares.next(1));
    }
    return deal(tails, sums, of_users, of_system);
}

std::vector<TailPlan> plan_tails_at_ticks(std::span<const Tail> tails, std::vector<FirstSample> firsts,
                                          std::int64_t tick) {
    Sums sums = sums_of(tails);
    std::int64_t missing = 0;
    std::int64_t of_kernel = 0;
    for (const FirstSample& first : firsts) {
        missing += first.missing;
        of_kernel += first.is_system ? first.missing : 0;
    }
    const double most = static_cast<double>(missing) + chance_of(firsts.size(), tick);
    const std::int64_t known = static_cast<double>(sums.outside) > most ? missing : sums.outside;
    Shares shares(known, missing);
    sums.system_outside = missing == 0 ? 0 : shares.next(of_kernel);
    sums.user = missing == 0 ? 0 : known - sums.system_outside;
    sort_by_time(firsts);
    Places of_users;
    Places of_system;
    Shares user_shares(sums.user, missing - of_kernel);
    Shares system_shares(sums.system_outside, of_kernel);
    for (const FirstSample& first : firsts) {
        (first.is_system ? of_system : of_users)
            .add(first.place, (first.is_system ? system_shares : user_shares).next(first.missing));
    }
    return deal(tails, sums, of_users, of_system);
}

}  // namespace kymo::spacetime
