#include "spacetime/evidence/holder_places.h"

#include "spacetime/profile/own_code.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kymo::spacetime {
namespace {

using recording::WaitKind;

class Places {
  public:
    Places(const Profile& profile, const Names& names) : names_(names) {
        for (const ImageInfo& image : profile.waits.images) {
            const auto at = std::find(profile.images.begin(), profile.images.end(), image);
            images_.push_back(at == profile.images.end() ? kNone
                                                         : static_cast<std::uint32_t>(at - profile.images.begin()));
        }
    }

    // The innermost frame that is the program's own.
    program::SourcePlace of(const WaitPath& path, bool is_running) const {
        program::SourcePlace innermost;
        for (const WaitFrame& frame : path) {
            if (images_[frame.image] == kNone) {
                continue;
            }
            const auto frames = names_.at(images_[frame.image], frame.offset);
            for (auto at = frames.rbegin(); at != frames.rend(); ++at) {
                const program::Function& function = names_.symbols().functions[at->function];
                const std::string& file = names_.symbols().files[at->file];
                if (!(is_running && at->inlined) && !is_runtime(function, file)) {
                    return names_.symbols().place_of(*at);
                }
                if (innermost.function.empty()) {
                    innermost = names_.symbols().place_of(*at);
                }
            }
        }
        return innermost;
    }

  private:
    const Names& names_;
    std::vector<std::uint32_t> images_;  // Waits' → Profile's
};

using HolderMeanwhile = std::map<std::pair<WaitKind, program::SourcePlace>, std::int64_t>;

HolderStay longest_stay(const HolderMeanwhile& meanwhile) {
    HolderStay longest;
    std::map<std::tuple<WaitKind, std::string, std::string>, std::int64_t> functions;
    for (const auto& [where, ns] : meanwhile) {
        functions[{where.first, where.second.module, where.second.function}] += ns;
    }
    std::pair<std::int64_t, std::int64_t> most{0, 0};  // in the function, at the line
    for (const auto& [where, ns] : meanwhile) {
        const std::int64_t all = functions[{where.first, where.second.module, where.second.function}];
        if (std::pair(all, ns) > most) {
            most = {all, ns};
            longest = {where.first, where.second};
        }
    }
    return longest;
}

}  // namespace

std::map<std::uint32_t, HolderStay> holder_stays(const Profile& profile, const Names& names,
                                                 const std::vector<WaitTarget>& wait_targets) {
    const Waits& waits = profile.waits;
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::uint32_t> threads;  // ids are reused
    for (std::uint32_t i = 0; i < profile.threads.size(); ++i) {
        const ProfileThread& thread = profile.threads[i];
        threads.try_emplace({profile.processes[thread.process].pid, thread.tid, thread.begin}, i);
    }
    const auto thread_of = [&](WaitThreadIndex of_waits) -> std::uint32_t {
        const WaitThread& thread = of_waits.in(waits.threads);
        const auto found = threads.find({thread.pid, thread.tid, thread.begin});
        return found == threads.end() ? kNone : found->second;
    };
    std::map<WaitTarget, std::uint32_t> targets;
    for (std::uint32_t i = 0; i < wait_targets.size(); ++i) {
        targets.emplace(wait_targets[i], i);
    }
    const Places places(profile, names);
    std::map<std::uint32_t, HolderMeanwhile> meanwhile;  // by target
    for (const auto& [key, group] : waits.groups) {
        const std::uint32_t waiter = thread_of(key.thread);
        const std::uint32_t holder = key.holder == kNone ? kNone : thread_of(key.holder);
        if (waiter == kNone || holder == kNone) {
            continue;
        }
        const auto target = targets.find({.process = profile.threads[waiter].process,
                                          .kind = key.kind,
                                          .object = key.object,
                                          .place = places.of(key.path, false),
                                          .holder = holder});
        if (target == targets.end()) {
            continue;
        }
        for (const auto& [what, ns] : group.meanwhile) {
            meanwhile[target->second][{what.kind, places.of(what.path, what.kind == WaitKind{})}] += ns;
        }
    }
    std::map<std::uint32_t, HolderStay> stays;
    for (const auto& [target, seen] : meanwhile) {
        stays.emplace(target, longest_stay(seen));
    }
    return stays;
}

}  // namespace kymo::spacetime
