#include "program/code/image_code.h"

#include "base/last_at_most.h"
#include "program/elf_sections.h"
#include "program/flow/make_flow_graph.h"
#include "program/flow/no_return.h"
#include "program/frame_starts.h"
#include "program/go_names.h"
#include "program/plt_names.h"

#include <algorithm>
#include <elf.h>

namespace kymo::program {
namespace {

// A callee is looked into for whether it returns as far as this; beyond, it is taken to.
constexpr unsigned kMaxDepth = 6;
constexpr std::uint64_t kMaxCalleeBytes = 1U << 14U;

struct Symbol {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;  // 0: none is given (assembly)
    const char* name = nullptr;
    int rank = 0;
};

bool is_function(const GElf_Sym& symbol, const char* name) {
    const unsigned type = GELF_ST_TYPE(symbol.st_info);
    return symbol.st_shndx != SHN_UNDEF && name != nullptr && *name != '\0' &&
           (type == STT_FUNC || type == STT_GNU_IFUNC);
}

// What may begin where a function without a size ends: another symbol of code or data, no mark of the assembler's
// ("$x").
bool is_label(const GElf_Sym& symbol, const char* name) {
    const unsigned type = GELF_ST_TYPE(symbol.st_info);
    return symbol.st_shndx != SHN_UNDEF && name != nullptr && *name != '\0' && *name != '$' &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE || type == STT_OBJECT);
}

// Functions without a size extend to the next label, or to the end of their call-frame information. `begins` and
// `described` are sorted.
void give_sizes(std::vector<Symbol>& symbols, const std::vector<std::uint64_t>& begins,
                const std::vector<FrameExtent>& described) {
    for (Symbol& symbol : symbols) {
        if (symbol.size != 0) {
            continue;
        }
        const auto next = std::upper_bound(begins.begin(), begins.end(), symbol.begin);
        symbol.size = next == begins.end() ? ~symbol.begin : *next - symbol.begin;
        const auto frame = std::lower_bound(described.begin(), described.end(), symbol.begin,
                                            [](const FrameExtent& f, std::uint64_t at) { return f.begin < at; });
        if (frame != described.end()) {
            const std::uint64_t end = frame->begin == symbol.begin ? frame->end : frame->begin;
            symbol.size = std::min(symbol.size, end - symbol.begin);
        }
    }
}

std::vector<Symbol> symbols_of(Dwfl_Module* module, const std::vector<FrameExtent>& described) {
    std::vector<Symbol> symbols;
    std::vector<std::uint64_t> begins;
    const int count = dwfl_module_getsymtab(module);
    for (int i = 1; i < count; ++i) {
        GElf_Sym symbol;
        GElf_Addr begin = 0;
        const char* name = dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr);
        if (is_function(symbol, name)) {
            symbols.push_back({begin, symbol.st_size, name, GELF_ST_BIND(symbol.st_info) == STB_GLOBAL ? 1 : 0});
        }
        if (is_label(symbol, name)) {
            begins.push_back(begin);
        }
    }
    std::sort(begins.begin(), begins.end());
    give_sizes(symbols, begins, described);
    // Of several names of one extent the global one, then the first by letters.
    std::sort(symbols.begin(), symbols.end(), [](const Symbol& a, const Symbol& b) {
        return std::tuple(a.begin, b.size, b.rank, std::string_view(a.name)) <
               std::tuple(b.begin, a.size, a.rank, std::string_view(b.name));
    });
    return symbols;
}

}  // namespace

ImageCode::ImageCode(const ImageName& image) : file_(ModuleFile::open(image)) {
    if (file_.module() == nullptr) {
        problem_ = file_.problem().empty() ? image.path + ": no code can be read" : file_.problem();
        return;
    }
    std::vector<CodeRange> text;
    std::vector<CodeRange> data;
    GElf_Addr bias = 0;
    Elf* elf = dwfl_module_getelf(file_.module(), &bias);
    for (Elf_Scn* section = elf == nullptr ? nullptr : elf_nextscn(elf, nullptr); section != nullptr;
         section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || (header.sh_flags & SHF_ALLOC) == 0 ||
            header.sh_type == SHT_NOBITS) {
            continue;
        }
        const Elf_Data* bytes = elf_rawdata(section, nullptr);
        if (bytes == nullptr || bytes->d_buf == nullptr) {
            continue;
        }
        const CodeRange range{header.sh_addr, {static_cast<const std::uint8_t*>(bytes->d_buf), bytes->d_size}};
        if ((header.sh_flags & SHF_EXECINSTR) != 0) {
            text.push_back(range);
        } else if ((header.sh_flags & SHF_WRITE) == 0) {
            data.push_back(range);
        }
    }
    text_ = CodeBytes(std::move(text));
    data_ = CodeBytes(std::move(data));
    decoder_ = decoder_for(file_.machine());
    if (text_.ranges().empty()) {
        problem_ = image.path + ": its file holds no code";
        return;
    }
    read_functions();
}

ImageCode::ImageCode(ImageCode&&) noexcept = default;
ImageCode& ImageCode::operator=(ImageCode&&) noexcept = default;
ImageCode::~ImageCode() = default;

void ImageCode::read_functions() {
    auto described = frame_extents(file_.module());
    const auto of_go = go_extents(file_.module());
    if (!of_go.empty()) {
        const auto middle = described.insert(described.end(), of_go.begin(), of_go.end());
        std::inplace_merge(described.begin(), middle, described.end(),
                           [](const FrameExtent& a, const FrameExtent& b) { return a.begin < b.begin; });
    }
    std::uint64_t covered = 0;
    for (const Symbol& symbol : symbols_of(file_.module(), described)) {
        const auto bytes = text_.from(symbol.begin);
        if (bytes.empty() || symbol.begin < covered) {
            continue;  // of nested ones the outermost
        }
        const std::uint64_t end = symbol.begin + std::min<std::uint64_t>(symbol.size, bytes.size());
        functions_.push_back({symbol.name, {{symbol.begin, end}}});
        covered = end;
    }
    // What is between the symbols, by call-frame information and by Go's function table.
    const std::size_t named = functions_.size();
    const auto next_named = [&](std::uint64_t at) {
        const auto next =
            std::upper_bound(functions_.begin(), functions_.begin() + static_cast<std::ptrdiff_t>(named), at,
                             [](std::uint64_t value, const CodeFunction& f) { return value < f.entry(); });
        return next - functions_.begin();
    };
    for (const FrameExtent& one : described) {
        const auto bytes = text_.from(one.begin);
        const auto next = next_named(one.begin);
        if (bytes.empty() || (next > 0 && functions_[static_cast<std::size_t>(next) - 1].parts[0].end > one.begin)) {
            continue;
        }
        std::uint64_t end = std::min(one.end, one.begin + bytes.size());
        if (static_cast<std::size_t>(next) < named) {
            end = std::min(end, functions_[static_cast<std::size_t>(next)].entry());
        }
        if (end > one.begin) {
            functions_.push_back({{}, {{one.begin, end}}});
        }
    }
    join_cold_parts();
    for (std::uint32_t index = 0; index < functions_.size(); ++index) {
        for (const CodeExtent& part : functions_[index].parts) {
            extents_.push_back({part, index});
        }
    }
    std::sort(extents_.begin(), extents_.end(),
              [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
}

std::vector<FunctionName> ImageCode::names() const {
    std::vector<FunctionName> names;
    const int count = file_.module() == nullptr ? 0 : dwfl_module_getsymtab(file_.module());
    for (int i = 1; i < count; ++i) {
        GElf_Sym symbol;
        GElf_Addr begin = 0;
        const char* name = dwfl_module_getsym_info(file_.module(), i, &symbol, &begin, nullptr, nullptr, nullptr);
        if (is_function(symbol, name)) {
            names.push_back({name, begin, GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC});
        }
    }
    return names;
}

// A part belongs to the function of its name, where only one has it (static functions may share names).
void ImageCode::join_cold_parts() {
    std::unordered_map<std::string_view, std::uint32_t> by_name;
    for (std::uint32_t index = 0; index < functions_.size(); ++index) {
        const auto [known, is_new] = by_name.try_emplace(functions_[index].linkage_name, index);
        if (!is_new) {
            known->second = kNone;
        }
    }
    std::vector<bool> is_part(functions_.size());
    for (std::uint32_t index = 0; index < functions_.size(); ++index) {
        const std::string_view name = functions_[index].linkage_name;
        const std::size_t cold = name.find(".cold");
        if (cold == std::string_view::npos || cold == 0) {
            continue;
        }
        const auto whole = by_name.find(name.substr(0, cold));
        if (whole != by_name.end() && whole->second != kNone && by_name[name] == index) {
            functions_[whole->second].parts.push_back(functions_[index].parts.front());
            is_part[index] = true;
        }
    }
    std::vector<CodeFunction> kept;
    for (std::uint32_t index = 0; index < functions_.size(); ++index) {
        if (!is_part[index]) {
            kept.push_back(std::move(functions_[index]));
        }
    }
    functions_ = std::move(kept);
}

std::uint32_t ImageCode::function_at(std::uint64_t offset) const {
    const auto* const part = last_at_most(extents_, offset, [](const auto& each) { return each.first.begin; });
    return part == nullptr || part->first.end <= offset ? kNone : part->second;
}

const std::string& ImageCode::name_of_plt(std::uint64_t target) {
    const auto [known, is_new] = plt_names_.try_emplace(target);
    if (is_new) {
        CodeNames names;
        Wanted wanted[] = {{.offset = target, .frames = {}}};
        name_by_plt(file_.module(), "", wanted, names);
        if (!wanted[0].frames.empty()) {
            known->second = names.functions()[wanted[0].frames[0].function].name;
        }
    }
    return known->second;
}

bool ImageCode::does_not_return(std::uint64_t target) {
    const auto known = no_return_.find(target);
    if (known != no_return_.end()) {
        return known->second;
    }
    bool answer = false;
    const std::uint32_t index = function_at(target);
    if (index == kNone || functions_[index].linkage_name.empty()) {
        answer = is_no_return_name(name_of_plt(target));
    } else if (functions_[index].entry() == target) {
        const CodeFunction& callee = functions_[index];
        answer = is_no_return_name(callee.linkage_name);
        if (!answer && depth_ < kMaxDepth && callee.parts[0].end - callee.parts[0].begin <= kMaxCalleeBytes &&
            !flows_[index].is_being_made) {
            ++depth_;
            const FlowGraph* graph = flow(index);
            answer = graph != nullptr && !can_return(*graph);
            --depth_;
        }
    }
    return no_return_[target] = answer;
}

FlowGraph ImageCode::make_flow(std::uint32_t index) {
    std::vector<CodeRange> ranges;
    for (const CodeExtent& part : functions_[index].parts) {
        const auto bytes = text_.from(part.begin);
        ranges.push_back({part.begin, bytes.first(std::min<std::uint64_t>(bytes.size(), part.end - part.begin))});
    }
    return make_flow_graph(*decoder_, {.code = CodeBytes(std::move(ranges)), .entry = functions_[index].entry()},
                           data_, [this](std::uint64_t target) { return does_not_return(target); });
}

const FlowGraph* ImageCode::flow(std::uint32_t index) {
    if (decoder_ == nullptr || index >= functions_.size()) {
        return nullptr;
    }
    Made& made = flows_[index];
    if (made.graph == nullptr && !made.is_being_made) {
        made.is_being_made = true;
        auto graph = std::make_unique<FlowGraph>(make_flow(index));
        Made& again = flows_[index];  // the map may have moved meanwhile
        again.is_being_made = false;
        again.graph = std::move(graph);
        return again.graph.get();
    }
    return made.graph.get();
}

}  // namespace kymo::program
