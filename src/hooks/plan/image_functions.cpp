#include "hooks/plan/image_functions.h"

#include "hooks/plan/relocate.h"
#include "image/elf.h"
#include "program/flow/decode.h"

#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <fstream>
#include <tuple>

namespace kymo::hooks {
namespace {

constexpr const char* kUnknownJumps = "its jumps are not known";
constexpr const char* kLoopAtEntry = "a loop leads back to its first instruction: turns would count as calls";

std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string build_id_of(std::span<const std::uint8_t> bytes) {
    image::ElfFile file;
    if (image::ElfFile::parse(bytes, &file) != image::ElfError::kNone) {
        return {};
    }
    const auto id = file.build_id();
    return {reinterpret_cast<const char*>(id.data()), id.size()};
}

// A record at an index of a table; false: it is not all there.
template <typename T>
bool record_at(std::span<const std::uint8_t> table, std::uint64_t index, T* out) {
    if (index >= table.size() / sizeof(T)) {
        return false;
    }
    std::memcpy(out, table.data() + index * sizeof(T), sizeof(T));
    return true;
}

std::string_view text_at(std::span<const std::uint8_t> table, std::uint64_t offset) {
    if (offset >= table.size()) {
        return {};
    }
    const auto* begin = reinterpret_cast<const char*>(table.data()) + offset;
    return {begin, strnlen(begin, table.size() - offset)};
}

// The names behind the relocations of the file's linkage table.
std::vector<std::string> imports_of(const image::ElfFile& file) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < file.section_count(); ++i) {
        const Elf64_Shdr section = file.section(i);
        if (section.sh_type != SHT_RELA || section.sh_link >= file.section_count()) {
            continue;
        }
        const Elf64_Shdr symbols = file.section(section.sh_link);
        if (symbols.sh_type != SHT_DYNSYM || symbols.sh_link >= file.section_count()) {
            continue;
        }
        const auto relocations = file.contents(section);
        const auto table = file.contents(symbols);
        const auto text = file.contents(file.section(symbols.sh_link));
        Elf64_Rela relocation;
        for (std::uint64_t k = 0; record_at(relocations, k, &relocation); ++k) {
            Elf64_Sym symbol;
            if (ELF64_R_TYPE(relocation.r_info) == R_X86_64_JUMP_SLOT &&
                record_at(table, ELF64_R_SYM(relocation.r_info), &symbol)) {
                if (const std::string_view name = text_at(text, symbol.st_name); !name.empty()) {
                    names.emplace_back(name);
                }
            }
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

}  // namespace

std::string build_id_of(const std::filesystem::path& path) {
    return build_id_of(read_bytes(path));
}

ImageFunctions::ImageFunctions(const std::filesystem::path& path)
    : path_(path), build_id_(build_id_of(path)), code_(program::ImageName{path.string(), build_id_, 0}) {
    problem_ = code_.problem();
    if (problem_.empty() && code_.decoder() != &program::x86_64_decoder()) {
        problem_ = path.string() + ": is not x86-64 code, and hooks are made for that alone";
    }
    if (problem_.empty()) {
        read_file();
    }
}

void ImageFunctions::read_file() {
    const std::vector<std::uint8_t> bytes = read_bytes(path_);
    image::ElfFile file;
    if (image::ElfFile::parse(bytes, &file) == image::ElfError::kNone) {
        imports_ = imports_of(file);
        for (std::size_t i = 0; i < file.segment_count(); ++i) {
            if (const Elf64_Phdr part = file.segment(i); part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0) {
                segments_.push_back({part.p_vaddr, part.p_filesz, part.p_offset});
            }
        }
    }
    for (program::FunctionName& name : code_.names()) {
        functions_.push_back({std::move(name.name), name.offset, name.is_indirect});
    }
    // Code without a symbol gets the name that reports give it.
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        if (const program::CodeFunction& function = code_.function(i); function.linkage_name.empty()) {
            functions_.push_back({fmt::format("{}+{:#x}", file_name(), function.entry()), function.entry(), false});
        }
    }
    std::sort(functions_.begin(), functions_.end(), [](const NamedFunction& a, const NamedFunction& b) {
        return std::tie(a.offset, a.name) < std::tie(b.offset, b.name);
    });
}

bool ImageFunctions::is_c_library() const {
    constexpr std::string_view kNames[] = {"libc.so",    "libc-",        "ld-linux", "ld-2",
                                           "libpthread", "libdl.so",     "librt.so", "libgcc_s.so",
                                           "libanl.so",  "libthread_db", "libnss_",  "libutil.so"};
    const std::string name = file_name();
    return std::any_of(std::begin(kNames), std::end(kNames),
                       [&](std::string_view known) { return name.starts_with(known); });
}

void ImageFunctions::find_targets() {
    has_targets_ = true;
    for (const NamedFunction& function : functions_) {
        targets_.push_back(function.offset);
    }
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        for (const program::CodeExtent& part : code_.function(i).parts) {
            const auto bytes = code_.bytes_at(part.begin);
            const std::uint64_t size = std::min<std::uint64_t>(bytes.size(), part.end - part.begin);
            for (std::uint64_t at = 0; at < size;) {
                program::Instruction instruction;
                if (!code_.decoder()->decode_flow(bytes.subspan(at, size - at), part.begin + at, &instruction)) {
                    at += code_.decoder()->alignment();
                    continue;
                }
                if (instruction.has_target && instruction.kind != program::InstructionKind::kPlain) {
                    targets_.push_back(instruction.target);
                }
                at += instruction.length;
            }
        }
    }
    std::sort(targets_.begin(), targets_.end());
    targets_.erase(std::unique(targets_.begin(), targets_.end()), targets_.end());
}

// Reasons against a hook or a probe at a function's entry, whatever its code.
std::string ImageFunctions::check_entry(std::uint64_t offset) const {
    const std::uint32_t index = code_.function_at(offset);
    if (index == kNone || code_.function(index).entry() != offset) {
        return "lies inside another function";
    }
    const program::EntryFrame frame = code_.frame_at_entry(offset);
    if (frame == program::EntryFrame::kOther ||
        (frame == program::EntryFrame::kUnknown && code_.function(index).linkage_name.empty())) {
        return "is not entered by calls: a part of another function, or linkage code";
    }
    return {};
}

std::uint64_t ImageFunctions::entry_of(std::uint64_t offset) const {
    const std::uint32_t index = code_.function_at(offset);
    return index == kNone ? offset : code_.function(index).entry();
}

std::string ImageFunctions::check_duration(std::uint64_t offset) {
    constexpr std::size_t kBrief = 24;
    const std::uint32_t index = code_.function_at(offset);
    const program::FlowGraph* graph = index == kNone ? nullptr : code_.flow(index);
    if (graph == nullptr || graph->instructions.empty() || graph->instructions.size() > kBrief ||
        !graph->unresolved.empty()) {
        return {};
    }
    for (std::uint32_t block = 0; block < graph->blocks.size(); ++block) {
        for (const program::BlockEdge& edge : graph->edges_of(block)) {
            if (edge.to <= block) {
                return {};  // a loop may take any time
            }
        }
    }
    for (const std::uint64_t at : graph->instructions) {
        program::Instruction instruction;
        const bool is_known = code_.decoder()->decode_flow(code_.bytes_at(at), at, &instruction);
        const bool is_call = instruction.kind == program::InstructionKind::kCall ||
                             instruction.kind == program::InstructionKind::kIndirectCall;
        const bool is_elsewhere = instruction.kind == program::InstructionKind::kJump && instruction.has_target &&
                                  entry_of(instruction.target) != offset;
        if (!is_known || is_call || is_elsewhere) {
            return {};  // so may what it calls
        }
    }
    return fmt::format("is so short ({} instructions, no loop, no call) that a hook costs more than a call",
                       graph->instructions.size());
}

std::string ImageFunctions::check_calls(std::uint64_t offset) {
    if (std::string reason = check_entry(offset); !reason.empty()) {
        return reason;
    }
    const program::FlowGraph* graph = code_.flow(code_.function_at(offset));
    if (graph == nullptr || graph->too_large) {
        return kUnknownJumps;
    }
    const auto leads_back = [&](const program::BlockEdge& edge) { return graph->blocks[edge.to].begin == offset; };
    return std::any_of(graph->edges.begin(), graph->edges.end(), leads_back) ? kLoopAtEntry : std::string();
}

std::string ImageFunctions::find_returns(std::uint64_t offset, std::vector<std::uint64_t>* returns) {
    const std::uint32_t index = code_.function_at(offset);
    const program::FlowGraph* graph = index == kNone ? nullptr : code_.flow(index);
    if (graph == nullptr || graph->too_large || !graph->unresolved.empty()) {
        return kUnknownJumps;
    }
    for (const program::Block& block : graph->blocks) {
        if (block.how == program::BlockEnd::kReturn) {
            returns->push_back(graph->last_instruction(block));
        } else if (block.leaves) {
            return "may end in a jump to another function";
        }
    }
    return {};
}

// The kernel examines only an instruction's opcode, and takes those of AVX (VEX, EVEX) for others with the same
// byte: vxorps for a push, vpbroadcastb for a jump (Linux, arch/x86/kernel/uprobes.c; seen with 6.18). The program
// would malfunction.
std::string ImageFunctions::check_probe(std::uint64_t offset) const {
    constexpr std::uint8_t kPrefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x67};  // segments, address size
    constexpr std::uint8_t kVector[] = {0x62, 0xc4, 0xc5};                            // in 64-bit code
    const auto bytes = code_.bytes_at(offset);
    const auto first = std::find_if(bytes.begin(), bytes.end(), [&](std::uint8_t byte) {
        return std::find(std::begin(kPrefixes), std::end(kPrefixes), byte) == std::end(kPrefixes);
    });
    const bool is_vector =
        first != bytes.end() && std::find(std::begin(kVector), std::end(kVector), *first) != std::end(kVector);
    return is_vector ? "begins with an instruction of AVX, which the kernel's probes take for another" : "";
}

std::optional<std::uint64_t> ImageFunctions::file_offset(std::uint64_t offset) const {
    for (const CodeSegment& segment : segments_) {
        if (offset - segment.begin < segment.bytes) {
            return offset - segment.begin + segment.in_file;
        }
    }
    return std::nullopt;
}

std::string ImageFunctions::plan_entry(std::uint64_t offset, PlanEntry* entry) {
    if (!has_targets_) {
        find_targets();
    }
    if (std::string reason = check_entry(offset); !reason.empty()) {
        return reason;
    }
    const std::uint32_t index = code_.function_at(offset);
    const program::CodeExtent extent = code_.function(index).parts.front();
    if (std::string refusal = relocate_entry(code_.bytes_at(offset), offset, extent.end - offset, entry);
        !refusal.empty()) {
        return refusal;
    }
    const std::uint64_t end = offset + entry->original_bytes;
    const auto target = std::upper_bound(targets_.begin(), targets_.end(), offset);
    if (target != targets_.end() && *target < end) {
        return "jumps lead past its first instruction, where the hook would be";
    }
    if (end > extent.end) {
        const std::uint32_t next = code_.function_at(end - 1);
        if (next != kNone) {
            return "it is shorter than a jump, and another function follows";
        }
    }
    const program::FlowGraph* graph = code_.flow(index);
    if (graph == nullptr || graph->too_large) {
        return kUnknownJumps;
    }
    for (const program::BlockEdge& edge : graph->edges) {
        const std::uint64_t to = graph->blocks[edge.to].begin;
        if (to == offset) {
            return kLoopAtEntry;
        }
        if (to > offset && to < end && edge.kind != program::EdgeKind::kFallThrough) {
            return "jumps lead past its first instruction, where the hook would be";
        }
    }
    return {};
}

const program::LineTable& ImageFunctions::lines() {
    if (lines_ == nullptr) {
        lines_ = std::make_unique<program::LineTable>(
            program::LineTable::read(program::ImageName{path_.string(), build_id_, 0}));
    }
    return *lines_;
}

Places& ImageFunctions::places() {
    if (places_ == nullptr) {
        if (!has_targets_) {
            find_targets();
        }
        places_ = std::make_unique<Places>(code_, targets_);
    }
    return *places_;
}

std::string_view why_not_followed(std::string_view name) {
    constexpr std::string_view kTwice[] = {"setjmp",      "_setjmp",      "__sigsetjmp", "sigsetjmp",
                                           "__setjmp",    "vfork",        "__vfork",     "getcontext",
                                           "swapcontext", "__getcontext", "savectx",     "returns_twice"};
    constexpr std::string_view kCaller[] = {"dlopen", "dlmopen", "dlsym",      "dlvsym",
                                            "mcount", "_mcount", "__fentry__", "__libc_dlopen_mode"};
    constexpr std::string_view kStart[] = {
        "_start", "_init", "_fini", "__libc_start_main", "_dl_start", "_dl_runtime_resolve"};
    const auto is_one = [name](const auto& list) {
        return std::find(std::begin(list), std::end(list), name) != std::end(list);
    };
    if (is_one(kTwice)) {
        return "returns more than once";
    }
    if (is_one(kCaller)) {
        return "goes by the address that it returns to";
    }
    if (is_one(kStart)) {
        return "is not called like a function";
    }
    if (name.starts_with("_Unwind_") || name == "__gxx_personality_v0" || name == "__gcc_personality_v0") {
        return "is part of unwinding the stack itself";
    }
    return {};
}

}  // namespace kymo::hooks
