// The machine code of an image's functions: which bytes are one function, and its control-flow graph.
//
// A function is the range of a symbol with a size; its cold part ("f.cold") belongs to it. Code without a symbol
// is cut at the starts in call-frame information and in Go's function table. Without any, nothing is known.
//
// Never throws for what a file contains. Not thread-safe: one per worker, as libdw's handles are. Cost: opening
// reads the symbols once; a graph is about 100 ns an instruction, made once per function.
#pragma once

#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/flow_graph.h"
#include "program/frame_starts.h"
#include "program/module_file.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kymo::program {

struct CodeExtent {
    std::uint64_t begin = 0;  // image offsets
    std::uint64_t end = 0;
};

struct CodeFunction {
    std::string linkage_name;       // empty: known by call-frame information or Go's table alone
    std::vector<CodeExtent> parts;  // the entry's first
    std::uint64_t entry() const { return parts.front().begin; }
};

// A function symbol of the file. Several may name one address.
struct FunctionName {
    std::string name;
    std::uint64_t offset = 0;
    bool is_indirect = false;  // IFUNC: the code at `offset` chooses the function when it is loaded
};

class ImageCode {
  public:
    explicit ImageCode(const ImageName& image);
    ImageCode(ImageCode&&) noexcept;
    ImageCode& operator=(ImageCode&&) noexcept;
    ~ImageCode();

    // Empty: the code can be read. Otherwise why not, in one line.
    const std::string& problem() const { return problem_; }

    // The function that holds an offset; kNone where none does. Cost: binary search.
    std::uint32_t function_at(std::uint64_t offset) const;
    std::size_t size() const { return functions_.size(); }
    const CodeFunction& function(std::uint32_t index) const { return functions_[index]; }

    // All function symbols, in the file's order. Cost: one pass over them.
    std::vector<FunctionName> names() const;

    // Null where the machine has no decoder, or the function's bytes are not in the file. Valid as long as this.
    const FlowGraph* flow(std::uint32_t index);

    // The symbol that an entry of the linkage table jumps to, with "@plt"; empty: there is no such entry. Cost: the
    // first time, a search in the table.
    const std::string& name_of_plt(std::uint64_t target);

    // The stack at an offset by call-frame information. Cost: about 1 µs.
    EntryFrame frame_at_entry(std::uint64_t offset) const { return program::frame_at_entry(file_.module(), offset); }

    const Decoder* decoder() const { return decoder_; }
    const CodeBytes& constants() const { return data_; }  // data that the program does not change
    std::uint16_t machine() const { return file_.machine(); }
    // From `offset` to the end of its section; empty if there is no such section.
    std::span<const std::uint8_t> bytes_at(std::uint64_t offset) const { return text_.from(offset); }

  private:
    void read_functions();
    void join_cold_parts();
    bool does_not_return(std::uint64_t target);
    FlowGraph make_flow(std::uint32_t index);

    struct Made {
        bool is_being_made = false;
        std::unique_ptr<FlowGraph> graph;
    };
    ModuleFile file_;
    std::string problem_;
    const Decoder* decoder_ = nullptr;
    CodeBytes text_;
    CodeBytes data_;
    std::vector<CodeFunction> functions_;
    std::vector<std::pair<CodeExtent, std::uint32_t>> extents_;  // by address: part → function
    std::unordered_map<std::uint32_t, Made> flows_;
    std::unordered_map<std::uint64_t, bool> no_return_;
    std::unordered_map<std::uint64_t, std::string> plt_names_;
    unsigned depth_ = 0;  // of callees looked into for whether they return
};

}  // namespace kymo::program
