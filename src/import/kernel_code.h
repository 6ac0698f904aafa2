// The kernel's functions, by the addresses of its part of call paths.
//
// Not thread-safe. Memory: some 60 bytes a function of the kernel, from the first look-up on.
#pragma once

#include "base/result.h"
#include "import/names/named_image.h"
#include "recording/folder.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::import {

inline constexpr std::string_view kKernelPath = "[kernel.kallsyms]";  // of its image, as perf calls it

class KernelCode {
  public:
    // `symbols`: a file as /proc/kallsyms; empty: the kernel's functions are not known.
    explicit KernelCode(std::filesystem::path symbols);

    // The offset of the function at this address in the kernel's image, which has its functions' names alone. None:
    // it is not known; where the system hides the kernel's addresses none is. Cost: a binary search and a look-up.
    std::optional<std::uint64_t> offset_at(std::uint64_t address);

    // Begins to read the symbols in another thread, since the system takes tens of ms to print its own. Once, before
    // the first look-up.
    void read_ahead();

    // What a recording says: the address of a symbol when it was made. The kernel may lie elsewhere by now; functions
    // of its modules then are not known. Before the first look-up.
    void set_reference(std::string_view symbol, std::uint64_t address);

    // Where the image lies in every process, in the kernel's half of addresses, and its build id.
    static constexpr std::uint64_t kBegin = 0xffff'8000'0000'0000;
    static constexpr std::uint64_t kEnd =
        kBegin + NamedImage::kFirstOffset + NamedImage::kMostNames * NamedImage::kStep;
    std::string build_id() const { return {build_id_.begin(), build_id_.end()}; }

    // The image's file, below the folder's images; nothing if no function was found.
    Result<void> write(const recording::Folder& folder) const;

  private:
    struct Function {
        std::uint64_t begin = 0;
        std::uint32_t name = 0;  // in names_
        std::uint32_t name_bytes = 0;
    };
    struct Functions {  // in the file's order
        std::string names;
        std::vector<Function> all;
        std::size_t modules = 0;  // of `all`, from here on
    };
    static Functions read_functions(const std::filesystem::path& symbols);
    void read();

    std::filesystem::path symbols_;
    std::string reference_;  // a symbol
    std::uint64_t reference_at_ = 0;
    bool is_read_ = false;
    std::future<Functions> ahead_;
    std::string names_;
    std::vector<Function> functions_;  // by begin
    NamedImage image_;
    NamedImage::BuildId build_id_;
};

// The symbols of the kernel with this build id: the running one's, or those that perf keeps in its cache
// (~/.debug/[kernel.kallsyms]). Empty: they are not here.
std::filesystem::path symbols_of_kernel(const std::string& build_id);

// Whether the running kernel's addresses may be read by this user.
bool shows_kernel_addresses(const std::filesystem::path& symbols = "/proc/kallsyms");

}  // namespace kymo::import
