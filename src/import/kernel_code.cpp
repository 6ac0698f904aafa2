#include "import/kernel_code.h"

#include "base/native.h"
#include "image/build_id_path.h"
#include "recording/format.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <random>
#include <system_error>

namespace kymo::import {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFunctions = std::size_t{1} << 22U;
constexpr std::size_t kMostNameBytes = std::size_t{1} << 28U;
constexpr std::uint64_t kMostFunctionBytes = std::uint64_t{1} << 20U;  // the last one of a part reaches no farther

struct KernelSymbol {
    std::uint64_t address = 0;
    char type = 0;
    std::string_view name;    // with what follows it
    std::string_view module;  // empty: the kernel's own
};

// "ffffffff81000000 T _text", or "ffffffffc0000000 t f\t[module]".
std::optional<KernelSymbol> parse_symbol(std::string_view line) {
    KernelSymbol symbol;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), symbol.address, 16);
    const auto read = static_cast<std::size_t>(rest - line.data());
    if (error != std::errc{} || line.size() < read + 4 || line[read] != ' ' || line[read + 2] != ' ') {
        return std::nullopt;
    }
    symbol.type = line[read + 1];
    symbol.name = line.substr(read + 3);
    if (const std::size_t tab = symbol.name.find('\t'); tab != std::string_view::npos) {
        symbol.module = symbol.name.substr(tab + 1);
        symbol.name = symbol.name.substr(0, tab);
    }
    return symbol;
}

// Each symbol of such a file, until `take` says that it has enough.
template <typename Take>
void for_each_symbol(const fs::path& symbols, const Take& take) {
    constexpr std::size_t kBuffer = std::size_t{64} << 10U;
    constexpr std::size_t kMostLine = 4096;  // a longer one is none
    std::ifstream file(symbols, std::ios::binary);
    std::string text;
    while (file) {
        const std::size_t before = text.size();
        text.resize(before + kBuffer);
        file.read(text.data() + before, static_cast<std::streamsize>(kBuffer));
        text.resize(before + static_cast<std::size_t>(file.gcount()));
        std::size_t begin = 0;
        for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
            const auto symbol = parse_symbol(std::string_view(text).substr(begin, end - begin));
            if (symbol && !take(*symbol)) {
                return;
            }
            begin = end + 1;
        }
        text.erase(0, text.size() - begin > kMostLine ? text.size() : begin);
    }
    if (const auto symbol = parse_symbol(text)) {
        take(*symbol);
    }
}

// Not safe against guessing: it only tells this recording's image from others.
NamedImage::BuildId random_build_id() {
    NamedImage::BuildId id{};
    std::random_device random;
    std::generate(id.begin(), id.end(), [&] { return static_cast<std::uint8_t>(random()); });
    return id;
}

}  // namespace

fs::path symbols_of_kernel(const std::string& build_id) {
    if (build_id.empty()) {
        return {};
    }
    // A note's header, "GNU" and the build id.
    std::ifstream file("/sys/kernel/notes", std::ios::binary);
    const std::string notes{std::istreambuf_iterator<char>(file), {}};
    const std::string own = std::string("GNU\0", 4) + build_id;
    if (notes.find(own) != std::string::npos && shows_kernel_addresses()) {
        return "/proc/kallsyms";
    }
    const char* const home = std::getenv("HOME");
    if (home == nullptr) {
        return {};
    }
    std::string digits;
    for (const char byte : build_id) {
        digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    const fs::path kept = fs::path(home) / ".debug" / kKernelPath / digits / "kallsyms";
    std::error_code error;
    return fs::is_regular_file(kept, error) ? kept : fs::path();
}

bool shows_kernel_addresses(const fs::path& symbols) {
    std::ifstream file(symbols);
    std::string line;
    while (std::getline(file, line)) {
        const auto symbol = parse_symbol(line);
        if (symbol && symbol->address != 0) {
            return true;
        }
        if (!symbol || (symbol->type | 0x20) == 't') {
            return false;  // functions at 0: hidden
        }
    }
    return false;
}

KernelCode::KernelCode(fs::path symbols)
    : symbols_(std::move(symbols)), image_(processor::kMachine), build_id_(random_build_id()) {}

KernelCode::Functions KernelCode::read_functions(const fs::path& symbols) {
    Functions made;
    for_each_symbol(symbols, [&made](const KernelSymbol& symbol) {
        const bool is_function = (symbol.type | 0x20) == 't' || (symbol.type | 0x20) == 'w';
        if (is_function && symbol.address >= kBegin >> 1U) {
            made.modules += symbol.module.empty() ? 1 : 0;
            const std::size_t begin = made.names.size();
            made.names += symbol.name;
            if (!symbol.module.empty()) {
                made.names += ' ';
                made.names += symbol.module;
            }
            made.all.push_back({symbol.address, static_cast<std::uint32_t>(begin),
                                static_cast<std::uint32_t>(made.names.size() - begin)});
        }
        return made.all.size() < kMostFunctions && made.names.size() < kMostNameBytes;
    });
    return made;
}

void KernelCode::read_ahead() {
    if (!is_read_ && !ahead_.valid()) {
        ahead_ = std::async(std::launch::async, read_functions, symbols_);
    }
}

void KernelCode::read() {
    is_read_ = true;
    Functions made = ahead_.valid() ? ahead_.get() : read_functions(symbols_);
    names_ = std::move(made.names);
    functions_ = std::move(made.all);
    std::uint64_t moved = 0;
    if (!reference_.empty()) {
        for_each_symbol(symbols_, [&](const KernelSymbol& symbol) {
            const bool is_it = symbol.name == reference_ && symbol.module.empty();
            moved = is_it ? reference_at_ - symbol.address : 0;
            return !is_it;
        });
    }
    // The list has the modules behind the kernel itself. They move on their own.
    if (moved != 0) {
        functions_.resize(std::min(functions_.size(), made.modules));
        for (Function& function : functions_) {
            function.begin += moved;
        }
    }
    const auto is_before = [](const Function& a, const Function& b) { return a.begin < b.begin; };
    if (!std::is_sorted(functions_.begin(), functions_.end(), is_before)) {
        std::stable_sort(functions_.begin(), functions_.end(), is_before);
    }
}

void KernelCode::set_reference(std::string_view symbol, std::uint64_t address) {
    if (reference_.empty()) {
        reference_ = symbol;
        reference_at_ = address;
    }
}

std::optional<std::uint64_t> KernelCode::offset_at(std::uint64_t address) {
    if (!is_read_) {
        read();
    }
    const auto next =
        std::upper_bound(functions_.begin(), functions_.end(), address,
                         [](std::uint64_t at, const Function& function) { return at < function.begin; });
    if (next == functions_.begin() || address - std::prev(next)->begin > kMostFunctionBytes) {
        return std::nullopt;
    }
    const Function& function = *std::prev(next);
    return image_.offset_of(std::string_view(names_).substr(function.name, function.name_bytes));
}

Result<void> KernelCode::write(const recording::Folder& folder) const {
    if (image_.empty()) {
        return {};
    }
    const fs::path to = folder.path() / recording::kImagesFolder / build_id_path(build_id());
    std::error_code failed;
    fs::create_directories(to.parent_path(), failed);
    const auto written = image_.write(to, build_id_);
    return written ? Result<void>() : Result<void>(written.error());
}

}  // namespace kymo::import
