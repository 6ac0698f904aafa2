#include "spacetime/evidence/places.h"

#include "program/module_file.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

// Lines by file, and how many instructions each has.
class Lines {
  public:
    void add(std::uint32_t file, std::uint32_t line, std::int64_t weight = 1) {
        if (line == 0) {
            return;
        }
        File& at = files_[file];
        at.weight += weight;
        at.begin = at.begin == 0 ? line : std::min(at.begin, line);
        at.end = std::max(at.end, line);
    }
    void set(Place& place, const program::Symbols& symbols) const {
        const auto most = std::max_element(files_.begin(), files_.end(), [](const auto& a, const auto& b) {
            return a.second.weight < b.second.weight;
        });
        if (most != files_.end()) {
            place.file = symbols.files[most->first];
            place.line_begin = most->second.begin;
            place.line_end = most->second.end;
        }
    }
    bool empty() const { return files_.empty(); }

  private:
    struct File {
        std::int64_t weight = 0;
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };
    std::map<std::uint32_t, File> files_;
};

void set_image(Place& place, const Profile& profile, std::uint32_t image) {
    place.module = program::module_name(profile.images[image].path);
    place.build_id = profile.images[image].build_id;
}

}  // namespace

Place place_of(const Profile& profile, const Structure& structure, std::uint32_t node, const Names& names,
               const CodeMap& code) {
    const StructureNode& at = structure.nodes[node];
    const program::Symbols& symbols = names.symbols();
    const program::Function& function = symbols.functions[at.function];
    Place place;
    place.function = function.name;
    place.module = function.module;
    Lines lines;
    if (const CodeOfFunction* made = code.made(at.code)) {
        set_image(place, profile, made->image);
        const program::FlowGraph& graph = made->flow->graph;
        const auto& loops = made->flow->loops;
        for (const std::uint64_t address : telling_addresses(graph)) {
            const std::uint32_t block = graph.block_at(address);
            if (at.loop != kNone && !loops.contains(at.loop, block)) {
                continue;
            }
            const auto frames = names.at(made->image, address);
            if (at.inlined < frames.size() && frames[at.inlined].function == at.function) {
                lines.add(frames[at.inlined].file, frames[at.inlined].line);
                if (at.kind == SpaceKind::kInlined) {
                    const program::Block& in = graph.blocks[block];
                    place.ranges.push_back({address, graph.instruction_end(in, graph.instruction_at(in, address))});
                }
            }
        }
        if (at.loop != kNone) {
            place.ranges = made->hierarchy->nodes[at.loop + 1].ranges;
        } else if (at.kind == SpaceKind::kFunction) {
            for (const program::CodeExtent& part : code.code_of(at.code).parts) {
                place.ranges.push_back({part.begin, part.end});
            }
        }
        place.ranges = normalise(std::move(place.ranges));
    }
    if (lines.empty()) {
        for (const auto& [line, costs] : structure.lines[node]) {
            lines.add(line.first, line.second, processor_time(costs) + 1);
        }
    }
    lines.set(place, symbols);
    const bool is_function = at.kind == SpaceKind::kFunction || at.kind == SpaceKind::kInlined;
    if (is_function && function.line != 0 && function.file < symbols.files.size() &&
        (place.file.empty() || symbols.files[function.file] == place.file) &&
        (place.line_begin == 0 || function.line < place.line_begin)) {
        place.file = symbols.files[function.file];
        place.line_begin = function.line;
        place.line_end = std::max(place.line_end, function.line);
    }
    return place;
}

Place place_of_ranges(const Profile& profile, std::uint32_t image, std::span<const ByteRange> ranges,
                      const Names& names) {
    Place place;
    if (image >= profile.images.size()) {
        return place;
    }
    set_image(place, profile, image);
    place.ranges.assign(ranges.begin(), ranges.end());
    std::map<std::uint32_t, std::int64_t> functions;
    std::vector<program::Frame> leaves;
    for (const ByteRange& range : ranges) {
        names.each_in(image, range, [&](std::span<const program::Frame> frames) {
            if (!frames.empty()) {
                leaves.push_back(frames.back());
                ++functions[frames.back().function];
            }
        });
    }
    const auto most = std::max_element(functions.begin(), functions.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == functions.end()) {
        return place;
    }
    place.function = names.symbols().functions[most->first].name;
    Lines lines;
    for (const program::Frame& frame : leaves) {
        if (frame.function == most->first) {
            lines.add(frame.file, frame.line);
        }
    }
    lines.set(place, names.symbols());
    return place;
}

}  // namespace kymo::spacetime
