#include "spacetime/profile/stream_merge.h"

namespace kymo::spacetime {
namespace {

// A node that is not known yet is kNone, and one that is being found:
constexpr std::uint32_t kBusy = kNone - 1;

void prepare(MergedStream& stream) {
    const StreamData& data = *stream.data;
    stream.nodes.assign(data.contexts.size(), kNone);
    // Paths without any sample are creation contexts: it is not known whether they are partial.
    stream.is_sampled.resize(data.contexts.size());
    for (std::size_t i = data.contexts.size() - 1; i > 0; --i) {
        stream.is_sampled[i] = stream.is_sampled[i] || data.costs[i][kSamples] != 0;
        if (stream.is_sampled[i]) {
            stream.is_sampled[data.contexts[i].parent] = true;
        }
    }
}

}  // namespace

std::uint32_t ProfileTree::add(const NodeKey& key) {
    const auto [node, is_new] = index_.try_emplace(key, profile_.nodes.size());
    if (is_new) {
        profile_.nodes.push_back({key.parent, key.kind, key.image, key.offset});
    }
    return node;
}

std::uint32_t ProfileTree::image_index(std::uint64_t id, const FileData& file) {
    const auto known = image_indices_.find(id);
    if (known != image_indices_.end()) {
        return known->second;
    }
    const auto found = file.images.find(id);
    const ImageInfo info = found == file.images.end() ? ImageInfo{{}, {}, file.machine} : found->second;
    const auto [entry, is_new] = images_.try_emplace(info, static_cast<std::uint32_t>(profile_.images.size()));
    if (is_new) {
        profile_.images.push_back(info);
    }
    return image_indices_[id] = entry->second;
}

void StreamMerge::add(const StreamData& stream, std::uint32_t thread) {
    MergedStream& merged = streams_[stream.id];
    merged.data = &stream;
    merged.thread = thread;
}

std::size_t StreamMerge::merge() {
    for (auto& [id, stream] : streams_) {
        place_creators(stream);
        prepare(stream);
    }
    for (auto& [id, stream] : streams_) {
        merge_contexts(stream);
    }
    return circles_;
}

// Chains of creators are as deep as threads create threads. A link that would close a circle is left out.
void StreamMerge::place_creators(MergedStream& stream) {
    std::vector<MergedStream*> chain;
    for (MergedStream* at = &stream; at != nullptr && !at->is_placed && !at->is_busy;) {
        at->is_busy = true;
        chain.push_back(at);
        const auto creator = streams_.find(at->data->creator_stream);
        at = creator == streams_.end() || at->data->creator_stream == 0 ? nullptr : &creator->second;
    }
    for (auto next = chain.rbegin(); next != chain.rend(); ++next) {
        MergedStream& at = **next;
        const auto creator = streams_.find(at.data->creator_stream);
        if (at.data->creator_stream != 0 && creator != streams_.end() && creator->second.is_placed) {
            at.creator = &creator->second;
        }
        at.is_placed = true;
    }
}

void StreamMerge::merge_contexts(MergedStream& stream) {
    if (stream.creator != nullptr) {
        ProfileThread& thread = profile_.threads[stream.thread];
        thread.creator = stream.creator->thread;
        if (stream.data->creator_context != 0 &&
            stream.data->creator_context < stream.creator->data->contexts.size()) {
            thread.creation_node = ProfileNodeIndex(node_of({stream.creator, stream.data->creator_context}));
        }
    }
    for (std::uint32_t i = 0; i < stream.data->contexts.size(); ++i) {
        node_of({&stream, i});
    }
}

// The context's parent, or the one that it represents. Each has one, so that following them needs no more than a
// list, however deep they go; streams may join each other both ways, for regions of different times.
StreamMerge::ContextOf StreamMerge::outward_of(const ContextOf& of) {
    const StreamData& data = *of.stream->data;
    if (of.context == 0) {
        const bool hangs = below_creators_ && of.stream->creator != nullptr && data.creator_context != 0 &&
                           data.creator_context < of.stream->creator->data->contexts.size();
        return hangs ? ContextOf{of.stream->creator, data.creator_context} : ContextOf{};
    }
    const auto join = data.joins.find(of.context);
    if (join == data.joins.end()) {
        return {of.stream, data.contexts[of.context].parent};
    }
    const auto [id, context] = join->second;
    const auto found = streams_.find(id);
    const bool is_known = found != streams_.end() && context < found->second.data->contexts.size();
    return is_known ? ContextOf{&found->second, context} : ContextOf{};
}

std::uint32_t StreamMerge::node_of(const ContextOf& of) {
    std::vector<ContextOf>& chain = chain_;
    chain.clear();
    ContextOf at = of;
    while (at.stream != nullptr && at.stream->nodes[at.context] == kNone) {
        at.stream->nodes[at.context] = kBusy;
        chain.push_back(at);
        at = outward_of(at);
    }
    std::uint32_t node = at.stream == nullptr ? process_node_ : at.stream->nodes[at.context];
    if (node == kBusy) {
        ++circles_;
        node = process_node_;
    }
    for (auto next = chain.rbegin(); next != chain.rend(); ++next) {
        node = next->stream->nodes[next->context] = node_below(*next, node);
    }
    return node;
}

std::uint32_t StreamMerge::node_below(const ContextOf& of, std::uint32_t outward) {
    const StreamData& data = *of.stream->data;
    const bool is_own_work = of.context < data.own_contexts.size() && data.own_contexts[of.context];
    if (of.context == 0 || is_own_work || data.joins.contains(of.context)) {
        return outward;
    }
    const ContextInfo& context = data.contexts[of.context];
    if (data.outer_dropped.contains(of.context)) {
        outward = tree_.add({process_node_, NodeKind::kDropped, 0, 0});
    } else if (context.parent == 0 && !data.is_complete[of.context] && of.stream->is_sampled[of.context]) {
        outward = tree_.add({process_node_, NodeKind::kPartial, 0, 0});
    }
    return tree_.add({outward, NodeKind::kFrame, tree_.image_index(context.image, file_), context.offset});
}

}  // namespace kymo::spacetime
