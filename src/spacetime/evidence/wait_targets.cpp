#include "spacetime/evidence/wait_targets.h"

#include "spacetime/profile/own_code.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kymo::spacetime {
namespace {

// The thread of that number in the process, alive at the time; kNone: none.
class ThreadIds {
  public:
    explicit ThreadIds(const Profile& profile) : profile_(profile) {
        for (std::uint32_t thread = 0; thread < profile.threads.size(); ++thread) {
            const ProfileThread& facts = profile.threads[thread];
            threads_[{facts.process, facts.own_tid != 0 ? facts.own_tid : facts.tid}].push_back(thread);
        }
    }
    std::uint32_t at(std::uint32_t process, std::uint64_t tid, std::uint64_t time) const {
        const auto known = tid == 0 ? threads_.end() : threads_.find({process, tid});
        if (known == threads_.end()) {
            return kNone;
        }
        for (const std::uint32_t thread : known->second) {
            if (profile_.threads[thread].begin <= time && time <= profile_.threads[thread].end) {
                return thread;
            }
        }
        return known->second.front();
    }

  private:
    const Profile& profile_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::uint32_t>> threads_;
};

// Whether the function that called the C library's is CPython's.
bool is_pythons_wait(const Profile& profile, std::uint32_t profile_node, const Names& names) {
    const auto& functions = names.symbols().functions;
    for (std::uint32_t at = profile_node; at != 0; at = profile.nodes[at].parent) {
        const ProfileNode& node = profile.nodes[at];
        const auto frames =
            node.kind == NodeKind::kFrame ? names.at(node.image, node.offset) : std::span<const program::Frame>();
        if (frames.empty()) {
            continue;
        }
        const program::Function& function = functions[frames.back().function];
        if (is_python(function.module)) {
            return true;
        }
        if (!is_runtime(function, {})) {
            return false;
        }
    }
    return false;
}

}  // namespace

program::SourcePlace own_place(const Profile& profile, std::uint32_t profile_node, const Names& names) {
    const auto& symbols = names.symbols();
    std::optional<program::SourcePlace> innermost;
    for (std::uint32_t at = profile_node; at != 0; at = profile.nodes[at].parent) {
        const ProfileNode& node = profile.nodes[at];
        if (node.kind != NodeKind::kFrame) {
            continue;
        }
        const auto frames = names.at(node.image, node.offset);
        for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
            const program::Function& function = symbols.functions[frame->function];
            program::SourcePlace place = symbols.place_of(*frame);
            if (!is_runtime(function, place.file)) {
                return place;
            }
            if (!innermost) {
                innermost = std::move(place);
            }
        }
    }
    return innermost.value_or(program::SourcePlace{});
}

WaitTargets make_wait_targets(const Profile& profile, const Names& names) {
    WaitTargets result;
    result.of_thread.resize(profile.threads.size());
    const ThreadIds ids(profile);
    struct Where {
        program::SourcePlace place;
        bool is_pythons = false;
    };
    std::map<std::uint32_t, Where> places;  // by profile node
    std::map<WaitTarget, std::uint32_t> known;
    for (std::uint32_t t = 0; t < profile.threads.size(); ++t) {
        const ProfileThread& thread = profile.threads[t];
        for (const ThreadWait& wait : thread.waits) {
            const auto [place, is_new_place] = places.try_emplace(wait.context);
            if (is_new_place && wait.context != 0) {
                place->second = {own_place(profile, wait.context, names),
                                 is_pythons_wait(profile, wait.context, names)};
            }
            const WaitTarget target{.process = thread.process,
                                    .kind = wait.kind,
                                    .object = wait.object,
                                    .place = place->second.place,
                                    .holder = ids.at(thread.process, wait.holder_tid, wait.begin),
                                    .is_pythons = place->second.is_pythons};
            const auto [entry, is_new] = known.try_emplace(target, static_cast<std::uint32_t>(result.targets.size()));
            if (is_new) {
                result.targets.push_back(target);
            }
            result.of_thread[t].push_back(entry->second);
        }
    }
    return result;
}

}  // namespace kymo::spacetime
