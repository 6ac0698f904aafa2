// The page's tables: the run, its processes and threads, the call tree, lines and leaves, as JSON and columns.
#pragma once

#include "base/index.h"
#include "spacetime/evidence/structure.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"
#include "view/page/blob.h"
#include "view/page/leaves.h"
#include "view/page/own_lines.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kymo::view {

// Functions, files and images that the page names, with numbers of the page's own; [0] is the unknown one.
class NameTable {
  public:
    explicit NameTable(const spacetime::CallTree& tree, const spacetime::Profile& profile)
        : tree_(tree),
          profile_(profile),
          functions_(tree.symbols.functions.size()),
          files_(tree.symbols.files.size()) {
        function(0);
        file(0);
    }

    std::uint32_t function(std::uint32_t index);  // of CallTree::symbols.functions
    std::uint32_t file(std::uint32_t index);      // of CallTree::symbols.files
    std::uint32_t ranks();                        // what the one node of all ranks is called, as a function
    const std::vector<std::uint32_t>& files() const { return file_order_; }

    void write(Blob& blob) const;

  private:
    struct Slot {
        std::uint32_t number = kNone;
    };
    const spacetime::CallTree& tree_;
    const spacetime::Profile& profile_;
    std::vector<Slot> functions_;
    std::vector<Slot> files_;
    std::vector<std::uint32_t> function_order_;
    std::vector<std::uint32_t> file_order_;
};

// A text as the page shows it: valid UTF-8 is the blob's job; what is longer than 2,000 bytes is cut in its middle.
std::string shown_text(std::string_view text);

void write_run(const spacetime::Profile& profile, const spacetime::CallTree& tree, Blob& blob);
void write_threads(const spacetime::Profile& profile, const spacetime::CallTree& tree, const spacetime::Names& names,
                   Blob& blob);
void write_own_lines(const std::vector<OwnLine>& own, Blob& blob);
void write_tree(const spacetime::CallTree& tree, const Leaves& leaves, NameTable& names, Blob& blob);

}  // namespace kymo::view
