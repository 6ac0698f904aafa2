// Merges the streams of one process into the profile's tree: each of their contexts becomes a node of it.
//
// A thread's tree is below the call path that created it, unless that is not wanted; contexts that represent a
// place of another stream (joins) are there; paths whose root end is missing are below a node of their own.
// Contexts are followed with a list, not by recursion, so that no depth is too deep; cycles are cut and
// counted.
#pragma once

#include "base/hash.h"
#include "base/tables/number_table.h"
#include "spacetime/load/file_data.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace kymo::spacetime {

struct NodeKey {
    std::uint32_t parent;
    NodeKind kind;
    std::uint32_t image;
    std::uint64_t offset;
    bool operator==(const NodeKey&) const = default;
};

struct NodeHash {
    std::size_t operator()(const NodeKey& key) const {
        const auto kind = static_cast<std::uint64_t>(key.kind) << 56U;
        return hash_of(key.offset ^ kind, std::uint64_t{key.parent} << 32U | key.image);
    }
};

// The nodes and images of a profile, each once. The profile must outlive this.
class ProfileTree {
  public:
    explicit ProfileTree(Profile& profile) : profile_(profile) {}

    // The node of that key, made if new.
    std::uint32_t add(const NodeKey& key);
    // Images' numbers are those of one process, and so are all nodes but the root: call paths of another one are
    // below another node.
    void begin_process() {
        image_indices_.clear();
        index_ = {};
    }
    // Index of Profile::images. Image 0 is generated code: offsets are process addresses.
    std::uint32_t image_index(std::uint64_t id, const FileData& file);

  private:
    Profile& profile_;
    NumberTable<NodeKey, NodeHash> index_;
    std::map<ImageInfo, std::uint32_t> images_;
    std::unordered_map<std::uint64_t, std::uint32_t> image_indices_;  // of the current process
};

struct MergedStream {
    const StreamData* data = nullptr;
    std::uint32_t thread = kNone;      // index of Profile::threads
    std::vector<std::uint32_t> nodes;  // by ContextId
    std::vector<bool> is_sampled;      // by ContextId: there are samples at it or below
    MergedStream* creator = nullptr;   // these form no circle
    bool is_placed = false;            // among creators: `creator` is final
    bool is_busy = false;              // being placed: a creator further up would be its own ancestor
};

class StreamMerge {
  public:
    // All must outlive this. `process_node`: the node above streams without a creator.
    StreamMerge(Profile& profile, ProfileTree& tree, const FileData& file, std::uint32_t process_node,
                bool below_creators)
        : profile_(profile), tree_(tree), file_(file), process_node_(process_node), below_creators_(below_creators) {}

    // `thread`: its index of Profile::threads.
    void add(const StreamData& stream, std::uint32_t thread);
    // After all were added: fills in their nodes, and the creators of their threads. Returns how many contexts would
    // have been below themselves.
    std::size_t merge();

    std::map<std::uint32_t, MergedStream>& all() { return streams_; }
    const MergedStream& of(std::uint32_t id) const { return streams_.at(id); }

  private:
    struct ContextOf {
        MergedStream* stream = nullptr;  // nullptr: the process
        std::uint32_t context = 0;
    };

    void place_creators(MergedStream& stream);
    void merge_contexts(MergedStream& stream);
    ContextOf outward_of(const ContextOf& of);
    std::uint32_t node_of(const ContextOf& of);
    std::uint32_t node_below(const ContextOf& of, std::uint32_t outward);

    Profile& profile_;
    ProfileTree& tree_;
    const FileData& file_;
    std::uint32_t process_node_;
    bool below_creators_;
    std::map<std::uint32_t, MergedStream> streams_;
    std::vector<ContextOf> chain_;  // node_of()'s
    std::size_t circles_ = 0;
};

}  // namespace kymo::spacetime
