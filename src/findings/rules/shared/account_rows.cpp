#include "findings/rules/shared/account_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kymo::findings {

using namespace spacetime;

double main_part_ns(const Evidence& evidence) {
    constexpr std::int64_t kMuchWork = 10;  // its inverse: a thread with this part of the processor time
    std::vector<std::int64_t> start_end(evidence.run.threads.size());
    for (const AccountRow& row : evidence.account.rows) {
        for (const AccountTime& part : row.threads) {
            start_end[part.thread] += row.time_class == TimeClass::kStartEnd ? part.ns : 0;
        }
    }
    std::optional<std::int64_t> least;
    for (std::size_t i = 0; i < start_end.size(); ++i) {
        if (kMuchWork * processor(evidence.run.threads[i].total) >= processor(evidence.run.total)) {
            least = std::min(start_end[i], least.value_or(start_end[i]));
        }
    }
    return std::max(0.0, duration_ns(evidence) - static_cast<double>(least.value_or(0)));
}

double least_ns(const Evidence& evidence) {
    constexpr double kLeast = 0.1;
    return kLeast * main_part_ns(evidence);
}

std::vector<AccountSums> sums_by_function(const Account& account, const AccountFilter& is_one) {
    std::map<std::pair<std::string, std::string>, AccountSums> sums;
    for (const AccountRow& row : account.rows) {
        if (row.place.function.empty() || !is_one(row)) {
            continue;
        }
        AccountSums& own = sums[{row.place.module, row.place.function}];
        own.ns += row.ns;
        own.shorter_ns += row.shorter_ns;
        for (const AccountTime& part : row.threads) {
            own.threads[part.thread] += static_cast<double>(part.ns);
        }
        if (own.most == nullptr || row.ns > own.most->ns) {
            own.most = &row;
        }
    }
    std::vector<AccountSums> result;
    for (auto& [function, own] : sums) {
        result.push_back(std::move(own));
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const AccountSums& a, const AccountSums& b) { return a.shorter_ns > b.shorter_ns; });
    return result;
}

Claim claim_of(const Evidence& evidence, const AccountSums& sums, TermSet terms) {
    Claim claim;
    claim.node = node_of(evidence, sums.most->place);
    claim.place = to_place(sums.most->place);
    claim.own = at_most(sums.threads, duration_ns(evidence));
    claim.own_terms = terms;
    claim.shorter_ns = static_cast<double>(sums.shorter_ns);
    claim.threads = main_threads(sums.threads);
    return claim;
}

const program::SourcePlace* main_place(const Account& account, const AccountFilter& is_one) {
    std::int64_t all = 0;
    for (const AccountRow& row : account.rows) {
        all += is_one(row) ? row.ns : 0;
    }
    const std::vector<AccountSums> sums = sums_by_function(account, is_one);
    const auto most = std::max_element(sums.begin(), sums.end(),
                                       [](const AccountSums& a, const AccountSums& b) { return a.ns < b.ns; });
    return most == sums.end() || most->ns * 5 < all * 3 ? nullptr : &most->most->place;
}

bool is_child_call(const AccountRow& row) {
    constexpr std::array<std::string_view, 4> kCalls = {"wait", "waitpid", "wait4", "waitid"};
    return row.time_class == TimeClass::kSystemCall &&
           std::find(kCalls.begin(), kCalls.end(), row.detail) != kCalls.end();
}

bool is_meeting(const AccountRow& row) {
    return row.time_class == TimeClass::kBarrierWait ||
           (row.time_class == TimeClass::kSpinning &&
            (row.detail.find("barrier") != std::string::npos || row.detail.find("latch") != std::string::npos));
}

bool is_timed_call(const AccountRow& row) {
    return row.time_class == TimeClass::kRunTime && row.family == TaxFamily::kTasks &&
           (row.detail.ends_with("::wait_for") || row.detail.ends_with("::wait_until") ||
            row.detail == "pthread_tryjoin_np");
}

bool is_processor_time(const AccountRow& row) {
    switch (row.time_class) {
        case TimeClass::kWork:
        case TimeClass::kRunTime:
        case TimeClass::kSystemCall:
        case TimeClass::kPageFaults:
        case TimeClass::kKernel:
        case TimeClass::kInterrupts:
        case TimeClass::kSpinning:
            return true;
        default:
            return false;
    }
}

std::int64_t processor_ns(const Account& account) {
    std::int64_t ns = 0;
    for (const AccountRow& row : account.rows) {
        ns += is_processor_time(row) ? row.ns : 0;
    }
    return ns;
}

std::vector<std::uint32_t> targets_at(const Evidence& evidence, const program::SourcePlace& place,
                                      const std::function<bool(recording::WaitKind)>& is_one) {
    std::vector<std::uint32_t> targets;
    for (std::uint32_t i = 0; i < evidence.wait_targets.size(); ++i) {
        const WaitTarget& target = evidence.wait_targets[i];
        if (target.place.function == place.function && target.place.module == place.module && is_one(target.kind)) {
            targets.push_back(i);
        }
    }
    return targets;
}

}  // namespace kymo::findings
