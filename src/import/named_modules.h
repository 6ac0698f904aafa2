// The call paths of a profile with names, and the modules that they lead through: each becomes an image of its own.
//
// Not thread-safe. Cost: a frame two or three look-ups in hash tables.
#pragma once

#include "base/native.h"
#include "import/named/sample.h"
#include "import/names/named_image.h"
#include "import/process_log.h"
#include "recording/folder.h"
#include "recording/tables.h"

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kymo::import {

class NamedModules {
  public:
    static constexpr std::size_t kMostNodes = std::size_t{1} << 26U;
    static constexpr std::size_t kMostModules = std::size_t{1} << 16U;  // then all others are one

    // The number of this call path; 0: of none. `frames`: innermost first.
    std::uint32_t enter(std::span<const named::Frame> frames);
    bool is_full() const { return nodes_.size() >= kMostNodes; }

    // Innermost first; valid until the next call. Return addresses are as recordings have them.
    std::span<const Frame> frames_of(std::uint32_t path);

    // The path of the program that threads of this name run: the module of that name, or the one with `main`, or the
    // first. Empty: there is none.
    std::string program(std::string_view thread) const;

    // Writes the image files into the folder, and fixes where each lies. kNoSpace, kPermission.
    Result<void> write(const recording::Folder& folder);
    // Once written: their rows, without a time. Valid as long as this lives.
    const std::vector<recording::Image>& rows() const { return rows_; }

  private:
    struct Node {
        std::uint32_t parent = 0;
        std::uint32_t module = 0;  // index
        std::uint64_t offset = 0;
        bool operator==(const Node&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Node& node) const {
            std::uint64_t mixed = (node.offset + 1) * 0x9E3779B97F4A7C15ULL;
            mixed = (mixed ^ (mixed >> 29U) ^ node.parent) * 0xBF58476D1CE4E5B9ULL;
            mixed = (mixed ^ (mixed >> 32U) ^ node.module) * 0x94D049BB133111EBULL;
            return static_cast<std::size_t>(mixed ^ (mixed >> 31U));
        }
    };
    struct Module {
        std::string path;
        NamedImage image{processor::kMachine};
        std::string build_id = {};
        bool has_main = false;
    };

    std::uint32_t module_of(const named::Frame& frame);

    std::vector<Node> nodes_ = {Node{}};  // 0: no frame
    std::unordered_map<Node, std::uint32_t, Hash> numbers_;
    std::deque<Module> modules_;
    std::unordered_map<std::string, std::uint32_t> by_path_;
    std::vector<recording::Image> rows_;
    std::vector<Frame> frames_;
};

}  // namespace kymo::import
