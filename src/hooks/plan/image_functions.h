// The functions of one image's file, and whether each can be hooked at its entry; the image's source lines and
// places.
#pragma once

#include "hooks/plan/places.h"
#include "hooks/plan_file.h"
#include "program/code/image_code.h"
#include "program/line_table.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::hooks {

struct NamedFunction {
    std::string name;  // linkage name
    std::uint64_t offset = 0;
    bool is_indirect = false;  // IFUNC: what is at `offset` chooses the function
};

// A part of the file that is mapped as code.
struct CodeSegment {
    std::uint64_t begin = 0;  // image offset
    std::uint64_t bytes = 0;
    std::uint64_t in_file = 0;
};

class ImageFunctions {
  public:
    explicit ImageFunctions(const std::filesystem::path& path);

    // Empty: readable. Otherwise the reason.
    const std::string& problem() const { return problem_; }
    const std::filesystem::path& path() const { return path_; }
    std::string file_name() const { return path_.filename().string(); }
    const std::string& build_id() const { return build_id_; }
    // The C library's own images; Kymo itself may be inside their functions.
    bool is_c_library() const;

    const std::vector<NamedFunction>& functions() const {
        return functions_;
    }  // by offset; aliases beside each other
    const std::vector<std::string>& imports() const { return imports_; }  // called through linkage slots; sorted

    // Empty: `entry` has the plan. Otherwise why the function cannot be hooked at its entry, in words that follow
    // its name.
    std::string plan_entry(std::uint64_t offset, PlanEntry* entry);
    // Where the function around an offset is entered; the offset itself where none is known.
    std::uint64_t entry_of(std::uint64_t offset) const;
    // Empty: the time of calls can be taken. Otherwise why not, likewise: the code shows that a call takes less
    // than a hook.
    std::string check_duration(std::uint64_t offset);
    // Empty: `offset` is a function's first instruction, and control reaches it by calls. Otherwise why not,
    // likewise.
    std::string check_calls(std::uint64_t offset);
    // Empty: `returns` are the function's ways out. Otherwise why it has others, likewise.
    std::string find_returns(std::uint64_t offset, std::vector<std::uint64_t>* returns);
    // Empty: the kernel can emulate the instruction at an offset. Otherwise why not, likewise.
    std::string check_probe(std::uint64_t offset) const;
    // The file offset of the code at an offset; none: not code of the file.
    std::optional<std::uint64_t> file_offset(std::uint64_t offset) const;

    // Read and made at the first use.
    const program::LineTable& lines();
    Places& places();

  private:
    void read_file();
    void find_targets();
    std::string check_entry(std::uint64_t offset) const;

    std::filesystem::path path_;
    std::string build_id_;
    std::string problem_;
    program::ImageCode code_;
    std::vector<NamedFunction> functions_;
    std::vector<std::string> imports_;
    std::vector<CodeSegment> segments_;
    bool has_targets_ = false;
    std::vector<std::uint64_t> targets_;  // of all direct jumps and calls of the image, and what symbols name; sorted
    std::unique_ptr<program::LineTable> lines_;
    std::unique_ptr<Places> places_;
};

// Raw bytes; empty: it has none.
std::string build_id_of(const std::filesystem::path& path);

// Why a function must not be followed to its exit, whatever its code; empty: it may. Linkage name.
std::string_view why_not_followed(std::string_view name);

}  // namespace kymo::hooks
