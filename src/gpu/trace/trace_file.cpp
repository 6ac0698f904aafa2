#include "gpu/trace/trace_file.h"

#include "gpu/trace/compact_trace.h"
#include "gpu/trace/text_trace.h"
#include "gpu/trace/tracez_input.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fstream>

namespace kymo::gpu {
namespace {

bool parse(std::string_view word, std::uint64_t& value, int base) {
    if (base == 16 && (word.starts_with("0x") || word.starts_with("0X"))) {
        word.remove_prefix(2);
    }
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc() && end == word.data() + word.size() && !word.empty();
}

// "MemcpyHtoD,0x00007fc841500000,1024"
bool copy_command(std::string_view line, ListCommand& command) {
    const std::size_t first = line.find(',');
    const std::size_t second = line.find(',', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) {
        return false;
    }
    command.kind = ListCommand::Kind::kCopyToDevice;
    return parse(line.substr(first + 1, second - first - 1), command.address, 16) &&
           parse(line.substr(second + 1), command.bytes, 10);
}

// "cudaMalloc,0x00007fc841500000,1024": other lines that tracers write between the kernels.
bool is_passed_over(std::string_view line) {
    const std::size_t name = std::min(line.find(','), line.size());
    const bool is_word = std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(name),
                                     [](unsigned char letter) { return std::isalnum(letter) != 0; });
    return is_word && (line.starts_with("Memcpy") || line.starts_with("Memset") || line.starts_with("cuda"));
}

Result<std::unique_ptr<KernelSource>> open_as_written(const std::filesystem::path& path) {
    auto bytes = open_bytes(path);
    if (!bytes) {
        return bytes.error();
    }
    auto first = (*bytes)->read();
    if (!first) {
        return first.error();
    }
    if (first->empty()) {
        return Error{ErrorKind::kMalformed, path.string() + ": is empty", "trace the kernel again"};
    }
    const bool compact = first->size() >= 8 && std::memcmp(first->data(), kCompactMagic, 8) == 0;
    const bool by_warp = is_tracez(*first);
    if (auto back = (*bytes)->rewind(); !back) {
        return back.error();
    }
    if (by_warp) {
        bytes = open_tracez(std::make_unique<std::ifstream>(path, std::ios::binary), path.string());
        if (!bytes) {
            return bytes.error();
        }
    }
    if (compact) {
        auto trace = CompactTrace::open(std::move(*bytes), path.string());
        if (!trace) {
            return trace.error();
        }
        return std::unique_ptr<KernelSource>(std::move(*trace));
    }
    auto trace = TextTrace::open(std::move(*bytes), path.string());
    if (!trace) {
        return trace.error();
    }
    return std::unique_ptr<KernelSource>(std::move(*trace));
}

}  // namespace

Result<std::unique_ptr<KernelSource>> open_kernel(const std::filesystem::path& path, Extent extent) {
    auto trace = open_as_written(path);
    if (!trace || extent == Extent::kAsWritten) {
        return trace;
    }
    return std::unique_ptr<KernelSource>(
        std::make_unique<WholeLaunch>(std::move(*trace), path.string(), extent == Extent::kPartial));
}

Result<std::vector<ListCommand>> open_list(const std::filesystem::path& path) {
    std::vector<ListCommand> commands;
    if (!path.filename().string().starts_with("kernelslist")) {
        commands.push_back({ListCommand::Kind::kKernel, path, 0, 0});
        return commands;
    }
    auto bytes = open_bytes(path);
    if (!bytes) {
        return bytes.error();
    }
    LineInput lines(std::move(*bytes), path.string());
    std::string_view line;
    for (;;) {
        auto more = lines.next(line);
        if (!more) {
            return more.error();
        }
        if (!*more) {
            return commands;
        }
        while (!line.empty() && line.back() == ' ') {
            line.remove_suffix(1);
        }
        if (line.empty() || line.starts_with("#")) {
            continue;
        }
        ListCommand command;
        if (line.starts_with("MemcpyHtoD")) {
            if (!copy_command(line, command)) {
                return lines.malformed("\"MemcpyHtoD,ADDRESS,BYTES\"");
            }
        } else if (is_passed_over(line)) {
            continue;
        } else if (line.find(".trace") != std::string_view::npos || line.ends_with(".kgt")) {
            command.kernel = path.parent_path() / line;
        } else {
            return lines.malformed("a kernel's trace file, a copy, or a call of the run time");
        }
        commands.push_back(std::move(command));
        if (commands.size() > 10'000'000) {
            return lines.malformed("at most 10000000 commands");
        }
    }
}

}  // namespace kymo::gpu
