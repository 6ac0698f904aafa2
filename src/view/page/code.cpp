#include "view/page/code.h"

#include "program/image_search.h"
#include "program/listing.h"
#include "spacetime/profile/own_code.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostFileBytes = 4U << 20U;
constexpr std::size_t kLongestLine = 400;
constexpr std::uint32_t kAround = 9;  // lines before and after a sampled one

constexpr std::array<std::string_view, 36> kEndings = {
    ".c",   ".cc",  ".cpp", ".cxx", ".c++", ".C",   ".h",  ".hh",  ".hpp", ".hxx",  ".h++", ".inl",
    ".ipp", ".tcc", ".icc", ".def", ".inc", ".S",   ".s",  ".asm", ".f",   ".F",    ".f90", ".F90",
    ".f95", ".for", ".rs",  ".go",  ".d",   ".zig", ".cu", ".cuh", ".cl",  ".ispc", ".py",  ".nim"};

struct Heat {
    std::int64_t ns = 0;
    std::uint32_t file = 0;
    std::uint32_t line = 0;
};

}  // namespace

// Compilers write paths relative to their working directory, which is mostly the build folder, near the
// program.
std::vector<std::string> source_places(const Profile& profile, const std::string& path) {
    std::vector<std::string> own;
    if (path.starts_with('/')) {
        own.push_back(path);
    } else if (!profile.directory.empty()) {
        own.push_back(profile.directory + "/" + path);
    }
    for (const ProfileProcess& process : profile.processes) {
        std::string folder = process.executable;
        for (int level = 0; level < 3 && !path.starts_with('/') && own.size() < 64; ++level) {
            if (folder.rfind('/') == std::string::npos) {
                break;
            }
            folder.resize(folder.rfind('/'));
            own.push_back(fmt::format("{}/{}", folder, path));
        }
    }
    // A packed recording has its sources among its images, at their paths.
    std::vector<std::string> all;
    for (const std::string& directory : program::image_search().directories) {
        for (const std::string& place : own) {
            all.push_back(fmt::format("{}{}{}", directory, place.starts_with('/') ? "" : "/", place));
        }
    }
    if (!program::image_search().only) {
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

namespace {

std::vector<std::string> find_source(const Profile& profile, const std::string& path) {
    for (const std::string& candidate : source_places(profile, path)) {
        auto lines = read_source(candidate);
        if (!lines.empty()) {
            return lines;
        }
    }
    return {};
}

// Sampled lines, hottest first; and where functions with samples begin, as warm as their hottest line.
std::vector<Heat> hot_lines(const Profile& profile, const CallTree& tree, const Leaves& leaves,
                            const std::vector<OwnLine>& own) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> lines;
    for (std::uint32_t node = 0; node < profile.nodes.size(); ++node) {
        const LeafLine& line = leaves.lines[leaves.leaves[leaves.leaf_of[node]].line];
        if (line.line == 0) {
            continue;
        }
        const std::int64_t ns = wall_time(profile.self[node]);
        lines[{line.file, line.line}] += ns;
        const program::Function& function = tree.symbols.functions[line.function];
        if (function.file == line.file && function.line != 0) {
            std::int64_t& begin = lines[{function.file, function.line}];
            begin = std::max(begin, lines[{line.file, line.line}]);
        }
    }
    for (const OwnLine& one : own) {
        const LeafLine& line = leaves.lines[one.line];
        lines[{line.file, line.line}] += one.ns;
    }
    std::vector<Heat> hot;
    for (const auto& [place, ns] : lines) {
        if (ns > 0) {
            hot.push_back({ns, place.first, place.second});
        }
    }
    std::stable_sort(hot.begin(), hot.end(), [](const Heat& a, const Heat& b) { return a.ns > b.ns; });
    return hot;
}

std::size_t size_of(const std::vector<std::string>& lines) {
    std::size_t size = 0;
    for (const std::string& line : lines) {
        size += line.size() + 3;
    }
    return size;
}

// By file of the tree's symbols: whether functions of own code are in it.
std::vector<bool> own_files(const Profile& profile, const CallTree& tree) {
    const std::vector<bool> is_own = own_functions(profile, tree.symbols);
    std::vector<bool> files(tree.symbols.files.size());
    for (std::size_t function = 0; function < is_own.size(); ++function) {
        if (is_own[function]) {
            files[tree.symbols.functions[function].file] = true;
        }
    }
    return files;
}

void write_sources(const Profile& profile, const CallTree& tree, const Leaves& leaves, NameTable& names,
                   const std::vector<OwnLine>& own, const CodeLimits& limits, Json& sources) {
    const std::size_t bytes = limits.bytes / 2;
    const std::vector<bool> is_own = own_files(profile, tree);
    std::size_t whole = 0;
    std::map<std::uint32_t, std::vector<std::string>> texts;
    std::map<std::uint32_t, std::set<std::uint32_t>> wanted;  // by file: numbers of lines, from 1
    std::size_t used = 0;
    for (const Heat& heat : hot_lines(profile, tree, leaves, own)) {
        const auto [entry, is_new] = texts.try_emplace(heat.file);
        if (is_new && is_source_name(tree.symbols.files[heat.file])) {
            entry->second = find_source(profile, tree.symbols.files[heat.file]);
        }
        const auto& text = entry->second;
        if (is_new && is_own[heat.file] && whole + size_of(text) <= limits.whole_file_bytes) {
            whole += size_of(text);
            for (std::uint32_t line = 1; line <= text.size(); ++line) {
                wanted[heat.file].insert(line);
            }
        }
        const std::uint32_t first = heat.line > kAround ? heat.line - kAround : 1;
        for (std::uint32_t line = first; line <= heat.line + kAround && line <= text.size(); ++line) {
            if (used + text[line - 1].size() + 3 <= bytes && wanted[heat.file].insert(line).second) {
                used += text[line - 1].size() + 3;
            }
        }
        if (used + kLongestLine > bytes && limits.whole_file_bytes == 0) {
            break;
        }
    }
    for (const auto& [file, lines] : wanted) {
        std::uint32_t last = 0;
        for (const std::uint32_t line : lines) {
            if (last == 0 || line != last + 1) {
                sources.push_back({{"file", names.file(file)}, {"first", line}, {"lines", Json::array()}});
            }
            sources.back()["lines"].push_back(texts[file][line - 1]);
            last = line;
        }
    }
}

struct Spot {
    std::int64_t ns = 0;
    std::uint32_t line = 0;
    std::uint32_t function = 0;  // innermost, of CallTree::symbols
};

void write_listings(const Profile& profile, const Leaves& leaves, NameTable& names, std::size_t bytes,
                    Json& listings) {
    std::vector<std::map<std::uint64_t, Spot>> spots(profile.images.size());
    for (std::uint32_t node = 0; node < profile.nodes.size(); ++node) {
        const std::int64_t ns = processor_time(profile.self[node]);
        if (profile.nodes[node].kind == NodeKind::kFrame && ns > 0) {
            const LeafLine& line = leaves.lines[leaves.leaves[leaves.leaf_of[node]].line];
            Spot& spot = spots[profile.nodes[node].image][profile.nodes[node].offset];
            spot = {spot.ns + ns, line.line, line.function};
        }
    }
    struct Made {
        std::int64_t ns = 0;
        std::uint32_t image = 0;
        program::Listing listing;
    };
    std::vector<Made> made;
    for (std::uint32_t image = 0; image < profile.images.size(); ++image) {
        std::vector<ImageOffset> offsets;
        for (const auto& [offset, spot] : spots[image]) {
            offsets.push_back(ImageOffset{offset});
        }
        const ImageInfo& info = profile.images[image];
        for (program::Listing& listing :
             program::list_instructions({info.path, info.build_id, info.machine}, offsets)) {
            Made one{0, image, std::move(listing)};
            for (auto at = spots[image].lower_bound(one.listing.begin);
                 at != spots[image].end() && at->first < one.listing.end; ++at) {
                one.ns += at->second.ns;
            }
            made.push_back(std::move(one));
        }
    }
    std::stable_sort(made.begin(), made.end(), [](const Made& a, const Made& b) { return a.ns > b.ns; });
    std::size_t used = 0;
    for (const Made& one : made) {
        if (used > bytes) {
            break;
        }
        Json rows = Json::array();
        std::set<std::uint32_t> functions;
        for (const program::ListedInstruction& instruction : one.listing.instructions) {
            const auto spot = spots[one.image].find(instruction.offset);
            const bool is_hot = spot != spots[one.image].end();
            if (is_hot) {
                functions.insert(names.function(spot->second.function));
            }
            rows.push_back(
                {instruction.offset, is_hot ? spot->second.line : 0, is_hot ? spot->second.ns : 0, instruction.text});
            used += instruction.text.size() + 16;
        }
        listings.push_back({{"fns", functions}, {"image", one.image}, {"rows", std::move(rows)}});
    }
}

}  // namespace

bool is_source_name(std::string_view path) {
    return std::any_of(kEndings.begin(), kEndings.end(),
                       [&](std::string_view ending) { return path.ends_with(ending); });
}

std::vector<std::string> read_source(const std::string& path) {
    std::vector<std::string> lines;
    // Not blocking: the path may by now be a pipe.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return lines;
    }
    struct stat status{};
    std::string text;
    if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
        static_cast<std::uint64_t>(status.st_size) <= kMostFileBytes) {
        text.resize(static_cast<std::size_t>(status.st_size));
        std::size_t done = 0;
        for (ssize_t got = 1; got > 0 && done < text.size();) {
            got = ::read(descriptor, text.data() + done, text.size() - done);
            done += got > 0 ? static_cast<std::size_t>(got) : 0;
        }
        text.resize(done);
    }
    ::close(descriptor);
    if (text.find('\0') != std::string::npos) {
        return lines;
    }
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, std::min(end - begin, kLongestLine)));
        if (!lines.back().empty() && lines.back().back() == '\r') {
            lines.back().pop_back();
        }
        begin = end + 1;
    }
    return lines;
}

Blob make_code(const Profile& profile, const CallTree& tree, const Leaves& leaves, const std::vector<OwnLine>& own,
               NameTable& names, const CodeLimits& limits) {
    Blob blob;
    Json sources = Json::array();
    Json listings = Json::array();
    write_sources(profile, tree, leaves, names, own, limits, sources);
    write_listings(profile, leaves, names, limits.bytes, listings);
    blob.json["sources"] = std::move(sources);
    blob.json["listings"] = std::move(listings);
    return blob;
}

}  // namespace kymo::view
