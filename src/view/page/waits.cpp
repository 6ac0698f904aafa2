#include "view/page/waits.h"

#include "spacetime/profile/wait_table.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kymo::view {
namespace {

using namespace spacetime;

// Threads by process and thread id. Ids are reused: the one that lived at the time.
class Holders {
  public:
    explicit Holders(const Profile& profile) : profile_(profile) {
        for (std::uint32_t thread = 0; thread < profile.threads.size(); ++thread) {
            by_id_[{profile.threads[thread].process, profile.threads[thread].tid}].push_back(thread);
        }
    }
    std::uint32_t find(std::uint32_t process, std::uint64_t tid, const ThreadWait& wait) const {
        const auto found = by_id_.find({process, tid});
        if (tid == 0 || found == by_id_.end()) {
            return kNone;
        }
        for (const std::uint32_t thread : found->second) {
            if (profile_.threads[thread].begin <= wait.end && wait.begin <= profile_.threads[thread].end) {
                return thread;
            }
        }
        return kNone;
    }

  private:
    const Profile& profile_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::uint32_t>> by_id_;
};

}  // namespace

void write_waits(const Profile& profile, const Leaves& leaves, const TimeRange& range, std::size_t most, Blob& blob) {
    struct Row {
        std::uint32_t thread;
        std::uint32_t index;
        std::uint64_t begin;
        std::uint64_t end;
    };
    std::vector<Row> rows;
    for (std::uint32_t thread = 0; thread < profile.threads.size(); ++thread) {
        const auto& waits = profile.threads[thread].waits;
        for (std::uint32_t i = 0; i < waits.size(); ++i) {
            const auto since = [&](std::uint64_t time) { return time < profile.begin ? 0 : time - profile.begin; };
            const std::uint64_t begin = std::max(since(waits[i].begin), range.begin);
            const std::uint64_t end = std::min(since(waits[i].end), range.end);
            if (begin < end) {
                rows.push_back({thread, i, begin, end});
            }
        }
    }
    const std::size_t all = rows.size();
    if (rows.size() > most) {
        std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end(),
                         [](const Row& a, const Row& b) { return a.end - a.begin > b.end - b.begin; });
        rows.resize(most);
    }
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        return std::tie(a.thread, a.begin, a.index) < std::tie(b.thread, b.begin, b.index);
    });
    const Holders holders(profile);
    std::map<std::tuple<std::uint32_t, std::uint8_t, std::uint64_t>, std::uint32_t> objects;
    nlohmann::ordered_json object_names = nlohmann::ordered_json::array();
    std::vector<std::uint32_t> thread;
    std::vector<std::uint32_t> object;
    std::vector<std::uint32_t> holder;
    std::vector<std::uint32_t> leaf;
    std::vector<std::uint32_t> number;
    std::vector<std::uint64_t> begin;
    std::vector<std::uint64_t> length;
    for (const Row& row : rows) {
        const ProfileThread& of = profile.threads[row.thread];
        const ThreadWait& wait = of.waits[row.index];
        const auto [entry, is_new] =
            objects.try_emplace({of.process, static_cast<std::uint8_t>(wait.kind), wait.object},
                                static_cast<std::uint32_t>(objects.size()));
        if (is_new) {
            object_names.push_back(
                {wait_words(wait.kind, wait.object),
                 std::to_string(is_synchronisation(wait.kind) ? wait.object : recording::descriptor_of(wait.object)),
                 of.process, is_synchronisation(wait.kind)});
        }
        const std::uint32_t who = holders.find(of.process, wait.holder_tid, wait);
        thread.push_back(row.thread);
        number.push_back(row.index + 1);
        object.push_back(entry->second);
        holder.push_back(who == kNone ? 0 : who + 1);
        leaf.push_back(wait.context == 0 ? 0 : leaves.leaf_of[wait.context]);
        begin.push_back(row.begin);
        length.push_back(row.end - row.begin);
    }
    blob.json["waits"] = {{"all", all}, {"kept", rows.size()}, {"objects", std::move(object_names)}};
    blob.varints("wait.thread", thread);
    blob.varints("wait.number", number);
    blob.varints("wait.object", object);
    blob.varints("wait.holder", holder);
    blob.varints("wait.leaf", leaf);
    blob.deltas("wait.begin", begin);
    blob.varints("wait.length", length);
}

}  // namespace kymo::view
