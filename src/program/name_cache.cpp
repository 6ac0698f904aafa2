#include "program/name_cache.h"

#include "base/checksum.h"
#include "base/file_limit.h"
#include "base/varint.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace kymo::program {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "KYMONAME";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeadBytes = 16;  // magic, version, CRC-32C of what follows
constexpr const char* kFolder = "names";
constexpr const char* kSuffix = ".names";

class Encoder {
  public:
    void number(std::uint64_t value) {
        std::uint8_t buffer[kMaxVarintBytes];
        const std::uint8_t* const end = encode_varint(buffer, value);
        bytes_.append(reinterpret_cast<const char*>(buffer), static_cast<std::size_t>(end - buffer));
    }
    void text(std::string_view text) {
        number(text.size());
        bytes_ += text;
    }
    std::string take() { return std::move(bytes_); }

  private:
    std::string bytes_;
};

// Of bytes that may be anything: is_good() turns false for good where they end early or do not fit.
class Decoder {
  public:
    explicit Decoder(std::string_view bytes)
        : at_(reinterpret_cast<const std::uint8_t*>(bytes.data())), end_(at_ + bytes.size()) {}

    std::uint64_t number(std::uint64_t most) {
        std::uint64_t value = 0;
        if (is_good_ && (!decode_varint(&at_, end_, &value) || value > most)) {
            is_good_ = false;
        }
        return is_good_ ? value : 0;
    }
    std::uint32_t number32(std::uint64_t most = UINT32_MAX) { return static_cast<std::uint32_t>(number(most)); }
    // How many of something that has one byte at least each.
    std::size_t count() { return static_cast<std::size_t>(number(static_cast<std::uint64_t>(end_ - at_))); }
    std::string_view text() {
        const std::size_t size = count();
        const std::string_view text(reinterpret_cast<const char*>(at_), size);
        at_ += size;
        return text;
    }
    bool is_good() const { return is_good_; }
    bool is_at_end() const { return at_ == end_; }

  private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
    bool is_good_ = true;
};

// Places without a name are called by the file's own: "solver+0x1230". Stored without that.
bool is_by_module(const Function& function) {
    return function.source == NameSource::kFrame || function.source == NameSource::kAddress;
}

std::string_view stored_name(const Function& function) {
    std::string_view name = function.name;
    if (is_by_module(function) && name.starts_with(function.module)) {
        name.remove_prefix(function.module.size());
    }
    return name;
}

// A directory that only this user can write to.
bool is_own(const fs::path& folder) {
    struct stat facts{};
    return lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
           (facts.st_mode & 022U) == 0;
}

fs::path from_environment() {
    const auto value = [](const char* name) {
        const char* const text = std::getenv(name);
        return std::string(text == nullptr ? "" : text);
    };
    if (const std::string chosen = value("KYMO_CACHE"); !chosen.empty()) {
        return chosen == "off" || chosen.front() != '/' ? fs::path() : fs::path(chosen);
    }
    if (const std::string cache = value("XDG_CACHE_HOME"); cache.starts_with('/')) {
        return fs::path(cache) / "kymo";
    }
    const std::string home = value("HOME");
    return home.starts_with('/') ? fs::path(home) / ".cache" / "kymo" : fs::path();
}

struct CacheFile {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t bytes = 0;
};

std::vector<CacheFile> files_below(const fs::path& folder) {
    std::vector<CacheFile> files;
    std::error_code ignored;
    for (auto at = fs::recursive_directory_iterator(folder, ignored); at != fs::recursive_directory_iterator();
         at.increment(ignored)) {
        std::error_code error;
        if (at->path().extension() == kSuffix && fs::is_regular_file(at->symlink_status(error))) {
            files.push_back({at->path(), at->last_write_time(error), at->file_size(error)});
        }
    }
    return files;
}

// A file's bytes, of at most kMostFileBytes; empty: cannot be read.
std::string bytes_of(const fs::path& path) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (error || size > NameCache::kMostFileBytes) {
        return {};
    }
    std::string bytes(static_cast<std::size_t>(size), '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
    return bytes;
}

}  // namespace

NameCache NameCache::of_user() {
    NameCache cache(from_environment());
    std::error_code ignored;
    if (!cache.folder_.empty() && fs::exists(cache.folder_, ignored) && !is_own(cache.folder_)) {
        return {};
    }
    return cache;
}

fs::path NameCache::file_of(const std::string& build_id) const {
    constexpr std::size_t kMostIdBytes = 64;
    if (folder_.empty() || build_id.size() < 4 || build_id.size() > kMostIdBytes) {
        return {};
    }
    std::string digits;
    for (const char c : build_id) {
        constexpr const char* kDigits = "0123456789abcdef";
        digits += kDigits[static_cast<unsigned char>(c) >> 4U];
        digits += kDigits[static_cast<unsigned char>(c) & 15U];
    }
    return folder_ / kFolder / digits.substr(0, 2) / (digits.substr(2) + kSuffix);
}

std::string NameCache::encode(const std::string& build_id, const Image& image) {
    Encoder out;
    out.text(build_id);
    out.number(image.names.files().size());
    for (const std::string& file : image.names.files()) {
        out.text(file);
    }
    out.number(image.names.functions().size());
    for (const Function& function : image.names.functions()) {
        out.text(stored_name(function));
        out.number(function.file);
        out.number(function.line);
        out.number(static_cast<std::uint64_t>(function.source));
    }
    out.number(image.known.size());
    std::uint64_t before = 0;
    for (const Wanted& wanted : image.known) {
        out.number(wanted.offset - before);
        before = wanted.offset;
        out.number(wanted.frames.size());
        for (const Frame& frame : wanted.frames) {
            out.number(frame.function);
            out.number(frame.file);
            out.number(frame.line);
            out.number(frame.inlined ? 1 : 0);
        }
    }
    const std::string body = out.take();
    std::string bytes(kMagic);
    const std::uint32_t crc = crc32c(body.data(), body.size());
    bytes.append(reinterpret_cast<const char*>(&kVersion), sizeof kVersion);
    bytes.append(reinterpret_cast<const char*>(&crc), sizeof crc);
    return bytes + body;
}

std::optional<NameCache::Image> NameCache::decode(std::string_view bytes, const std::string& build_id,
                                                  std::string_view module) {
    std::uint32_t version = 0;
    std::uint32_t crc = 0;
    if (bytes.size() < kHeadBytes || !bytes.starts_with(kMagic)) {
        return std::nullopt;
    }
    std::memcpy(&version, bytes.data() + kMagic.size(), sizeof version);
    std::memcpy(&crc, bytes.data() + kMagic.size() + sizeof version, sizeof crc);
    bytes.remove_prefix(kHeadBytes);
    if (version != kVersion || crc != crc32c(bytes.data(), bytes.size())) {
        return std::nullopt;
    }
    Decoder in(bytes);
    if (in.text() != build_id) {
        return std::nullopt;
    }
    // By their numbers in the file: names that look the same when shown share a number.
    Image image;
    std::vector<std::uint32_t> files;
    for (std::size_t left = in.count(); left != 0 && in.is_good(); --left) {
        files.push_back(image.names.file(in.text()));
    }
    std::vector<std::uint32_t> functions;
    for (std::size_t left = in.count(); left != 0 && in.is_good(); --left) {
        Function function;
        function.name = in.text();
        const std::size_t file = in.number32();
        function.line = in.number32();
        function.source = static_cast<NameSource>(in.number(static_cast<std::uint64_t>(NameSource::kAddress)));
        if (file >= files.size()) {
            return std::nullopt;
        }
        function.file = files[file];
        function.module = module;
        if (is_by_module(function)) {
            function.name.insert(0, module);
        }
        functions.push_back(functions.empty() ? 0 : image.names.function(std::move(function)));
    }
    std::uint64_t offset = 0;
    for (std::size_t left = in.count(); left != 0 && in.is_good(); --left) {
        Wanted wanted;
        const std::uint64_t step = in.number(UINT64_MAX - offset);
        offset += step;
        wanted.offset = offset;
        if (step == 0 && !image.known.empty()) {
            return std::nullopt;  // offsets ascend
        }
        for (std::size_t frames = in.count(); frames != 0 && in.is_good(); --frames) {
            const std::size_t function = in.number32();
            const std::size_t file = in.number32();
            const std::uint32_t line = in.number32();
            const bool is_inlined = in.number(1) != 0;
            if (function >= functions.size() || file >= files.size()) {
                return std::nullopt;
            }
            wanted.frames.push_back({functions[function], files[file], line, is_inlined});
        }
        if (wanted.frames.empty()) {
            return std::nullopt;
        }
        image.known.push_back(std::move(wanted));
    }
    return in.is_good() && in.is_at_end() ? std::optional(std::move(image)) : std::nullopt;
}

std::optional<NameCache::Image> NameCache::read(const std::string& build_id, std::string_view module) const {
    const fs::path path = file_of(build_id);
    if (path.empty()) {
        return std::nullopt;
    }
    const std::string bytes = bytes_of(path);
    auto image = decode(bytes, build_id, module);
    if (image) {
        utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);  // used now
    }
    return image;
}

void NameCache::write(const std::string& build_id, const Image& image) const {
    const fs::path path = file_of(build_id);
    if (path.empty()) {
        return;
    }
    const std::string bytes = encode(build_id, image);
    // Beyond the limit on file sizes the kernel kills instead of refusing.
    if (bytes.size() > kMostFileBytes || !within_file_limit(bytes.size())) {
        return;
    }
    std::error_code error;
    fs::create_directories(folder_.parent_path(), error);
    if (::mkdir(folder_.c_str(), 0700) != 0 && !is_own(folder_)) {
        return;
    }
    fs::create_directories(path.parent_path(), error);
    // Complete or absent.
    std::string part = path.string() + ".XXXXXX" + kSuffix;  // one that is left behind is found, and goes in time
    const int file = mkstemps(part.data(), static_cast<int>(std::strlen(kSuffix)));
    if (file < 0) {
        return;
    }
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t put = ::write(file, bytes.data() + done, bytes.size() - done);
        if (put <= 0) {
            break;
        }
        done += static_cast<std::size_t>(put);
    }
    const bool is_written = ::close(file) == 0 && done == bytes.size();
    if (!is_written || ::rename(part.c_str(), path.c_str()) != 0) {
        ::unlink(part.c_str());
    }
    keep_bound();
}

void NameCache::keep_bound() const {
    std::vector<CacheFile> files = files_below(folder_ / kFolder);
    std::sort(files.begin(), files.end(), [](const CacheFile& a, const CacheFile& b) { return a.used > b.used; });
    std::uint64_t bytes = 0;
    for (const CacheFile& file : files) {
        bytes += file.bytes;
        std::error_code ignored;
        if (bytes > kMostBytes) {
            fs::remove(file.path, ignored);
        }
    }
}

NameCache::Contents NameCache::contents() const {
    Contents all;
    if (!folder_.empty()) {
        for (const CacheFile& file : files_below(folder_ / kFolder)) {
            ++all.images;
            all.bytes += file.bytes;
        }
    }
    return all;
}

bool NameCache::clear() const {
    std::error_code error;
    if (!folder_.empty()) {
        fs::remove_all(folder_ / kFolder, error);
    }
    return !error;
}

}  // namespace kymo::program
