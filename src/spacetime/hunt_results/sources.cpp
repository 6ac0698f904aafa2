#include "spacetime/hunt_results/sources.h"

#include "program/code/image_code.h"
#include "spacetime/hunt_results/place_names.h"

#include <array>
#include <map>
#include <memory>

namespace kymo::spacetime {
namespace {

using recording::HuntKey;

// What a key stands for; its first number says what the others mean.
using Meaning = std::array<std::uint64_t, 3>;
enum : std::uint64_t { kInstructions, kBlocks, kLines, kFunctions, kImages };

class Keys {
  public:
    std::uint64_t of(const Meaning& meaning) { return keys_.emplace(meaning, keys_.size() + 1).first->second; }

  private:
    std::map<Meaning, std::uint64_t> keys_;
};

// The innermost place of the program's own image; the leaf where there is none.
HuntContext call_site(const FileHunt& file, const std::string& executable, const PathPlace& place) {
    const std::vector<HuntContext> path = file.path_of(place.first, place.second);
    for (std::size_t i = path.size(); i-- > 0;) {
        const auto image = file.images.find(path[i].image);
        if (image != file.images.end() && image->second.path == executable) {
            return path[i];
        }
    }
    return path.back();
}

// The first byte of the basic block that holds an offset.
class Blocks {
  public:
    std::optional<std::uint64_t> begin_of(const program::ImageName& name, std::uint64_t offset) {
        std::unique_ptr<program::ImageCode>& code = codes_[{name.path, name.build_id}];
        if (code == nullptr) {
            code = std::make_unique<program::ImageCode>(name);
        }
        const std::uint32_t function = code->problem().empty() ? code->function_at(offset) : kNone;
        const program::FlowGraph* flow = function == kNone ? nullptr : code->flow(function);
        const std::uint32_t block = flow == nullptr ? kNone : flow->block_at(offset);
        if (block == kNone) {
            return std::nullopt;
        }
        return flow->blocks[block].begin;
    }

  private:
    std::map<std::pair<std::string, std::string>, std::unique_ptr<program::ImageCode>> codes_;
};

bool needs_names(HuntKey key) {
    return key == HuntKey::kFunction || key == HuntKey::kLine;
}

class KeyMaker {
  public:
    KeyMaker(const FileHunt& file, HuntKey key, const PlaceNames& names) : file_(file), key_(key), names_(names) {}

    void complete(Source& source) {
        const Meaning instruction = {kInstructions, source.image, source.offset};
        const std::optional<Meaning> meaning = meaning_of(source);
        source.key = keys_.of(meaning.value_or(instruction));
        source.exact = meaning.has_value();
    }

  private:
    std::optional<Meaning> meaning_of(const Source& source) {
        if (key_ == HuntKey::kImage) {
            return Meaning{kImages, source.image, 0};
        }
        if (key_ == HuntKey::kBlock) {
            const auto begin = blocks_.begin_of(file_.name_of(source.image), source.offset);
            return begin ? std::optional(Meaning{kBlocks, source.image, *begin}) : std::nullopt;
        }
        if (needs_names(key_)) {
            const auto frames = names_.frames_at(file_.name_of(source.image), source.offset);
            const program::Frame frame = frames.empty() ? program::Frame{} : frames.back();
            if (key_ == HuntKey::kLine) {
                return frame.line != 0 ? std::optional(Meaning{kLines, frame.file, frame.line}) : std::nullopt;
            }
            const bool is_known = names_.symbols().functions[frame.function].source != program::NameSource::kAddress;
            return is_known ? std::optional(Meaning{kFunctions, frame.function, 0}) : std::nullopt;
        }
        return Meaning{kInstructions, source.image, source.offset};
    }

    const FileHunt& file_;
    HuntKey key_;
    const PlaceNames& names_;
    Keys keys_;
    Blocks blocks_;
};

}  // namespace

std::vector<Source> sources_of(const FileHunt& file, const std::string& executable, HuntKey key,
                               const std::vector<PathPlace>& paths) {
    std::vector<Source> sources(paths.size());
    std::vector<bool> is_known(paths.size());
    PlaceNames names;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const auto leaf = file.contexts.find(paths[i]);
        is_known[i] = paths[i].second != 0 && leaf != file.contexts.end();
        if (!is_known[i]) {
            continue;
        }
        const HuntContext place = key == HuntKey::kCallSite ? call_site(file, executable, paths[i]) : leaf->second;
        sources[i].image = place.image;
        sources[i].offset = place.offset;
        if (needs_names(key)) {
            names.ask(file.name_of(place.image), place.offset);
        }
    }
    names.look_up();
    KeyMaker maker(file, key, names);
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (is_known[i]) {
            maker.complete(sources[i]);
        }
    }
    return sources;
}

}  // namespace kymo::spacetime
