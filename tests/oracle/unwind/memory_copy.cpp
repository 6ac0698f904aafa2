#include "memory_copy.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/uio.h>

namespace kymo::oracle {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kRedZone = 128;

}  // namespace

std::vector<Mapping> read_mappings(pid_t process) {
    std::vector<Mapping> mappings;
    std::ifstream file("/proc/" + std::to_string(process) + "/maps");
    for (std::string line; std::getline(file, line);) {
        Mapping mapping;
        char rights[5] = {};
        int path_at = 0;
        if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &mapping.begin,
                        &mapping.end, rights, &mapping.file_offset, &path_at) < 4) {
            continue;
        }
        mapping.readable = rights[0] == 'r';
        mapping.executable = rights[2] == 'x';
        if (path_at > 0) {
            mapping.path = line.substr(static_cast<std::size_t>(path_at));
        }
        mappings.push_back(std::move(mapping));
    }
    return mappings;
}

const Mapping* MemoryCopy::mapping_of(std::uint64_t address) const {
    const auto after = std::upper_bound(mappings_.begin(), mappings_.end(), address,
                                        [](std::uint64_t a, const Mapping& m) { return a < m.begin; });
    if (after == mappings_.begin()) {
        return nullptr;
    }
    const Mapping& mapping = *std::prev(after);
    return address < mapping.end ? &mapping : nullptr;
}

void MemoryCopy::stop_at(std::uint64_t sp) {
    pages_.clear();
    stack_ = copy_stack(sp, stack_begin_);
}

std::vector<std::byte> MemoryCopy::copy_stack(std::uint64_t sp, std::uint64_t& begin) {
    const Mapping* mapping = mapping_of(sp);
    if (mapping == nullptr) {  // the stack has grown, or there is a new one
        refresh_mappings();
        mapping = mapping_of(sp);
    }
    begin = mapping == nullptr ? 0 : std::max(mapping->begin, (sp - kRedZone) & ~std::uint64_t{7});
    std::vector<std::byte> stack(mapping == nullptr ? 0 : std::min<std::uint64_t>(mapping->end - begin, kMaxStack));
    stack.resize(copy_out(begin, stack));
    return stack;
}

std::size_t MemoryCopy::copy_out(std::uint64_t address, std::span<std::byte> into) const {
    iovec local{into.data(), into.size()};
    iovec remote{reinterpret_cast<void*>(address), into.size()};
    const ssize_t got = process_vm_readv(process_, &local, 1, &remote, 1, 0);
    return got < 0 ? 0 : static_cast<std::size_t>(got);
}

const std::vector<std::byte>* MemoryCopy::page(std::uint64_t base) {
    auto [at, is_new] = pages_.try_emplace(base);
    if (is_new) {
        at->second.resize(kPage);
        if (copy_out(base, at->second) != kPage) {
            at->second.clear();
        }
    }
    return at->second.empty() ? nullptr : &at->second;
}

bool MemoryCopy::read(std::uint64_t address, std::span<std::byte> into) {
    if (address >= stack_begin_ && address - stack_begin_ < stack_.size() &&
        into.size() <= stack_.size() - (address - stack_begin_)) {
        std::memcpy(into.data(), stack_.data() + (address - stack_begin_), into.size());
        return true;
    }
    while (!into.empty()) {
        const std::uint64_t base = address & ~(kPage - 1);
        const std::size_t part = std::min<std::size_t>(into.size(), base + kPage - address);
        const std::vector<std::byte>* bytes = page(base);
        if (bytes == nullptr) {
            return false;
        }
        std::memcpy(into.data(), bytes->data() + (address - base), part);
        into = into.subspan(part);
        address += part;
    }
    return true;
}

bool MemoryCopy::read_word(std::uint64_t address, std::uint64_t& word) {
    return read(address, std::as_writable_bytes(std::span{&word, 1}));
}

}  // namespace kymo::oracle
