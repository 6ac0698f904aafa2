#include "spacetime/accesses/accesses.h"

#include "program/symbolize.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kymo::spacetime {
namespace {

// The names of all instructions, by file and image.
class AccessNames {
  public:
    void ask(const AccessRows& file, std::uint64_t image, std::uint64_t offset) {
        if (const auto named = file.images.find(image); named != file.images.end()) {
            const auto [known, is_new] = index_.try_emplace(named->second, requests_.size());
            if (is_new) {
                const ImageInfo& info = named->second;
                requests_.push_back({{info.path, info.build_id, info.machine, info.content}, {}});
            }
            requests_[known->second].offsets.push_back(ImageOffset{offset});
        }
    }
    void look_up() {
        program::sort_offsets(requests_);
        symbols_ = program::symbolize(requests_);
    }
    // The innermost frame's, and the function that it is inlined into.
    std::pair<program::SourcePlace, std::string> at(const AccessRows& file, std::uint64_t image,
                                                    std::uint64_t offset) const {
        const auto named = file.images.find(image);
        if (named == file.images.end()) {
            return {};
        }
        const std::size_t request = index_.at(named->second);
        const auto& offsets = requests_[request].offsets;
        const auto at = std::lower_bound(offsets.begin(), offsets.end(), ImageOffset{offset});
        const auto frames = symbols_.images[request].at(static_cast<std::size_t>(at - offsets.begin()));
        if (frames.empty()) {
            return {};
        }
        return {symbols_.place_of(frames.back()),
                frames.back().inlined ? symbols_.functions[frames.front().function].name : std::string()};
    }

  private:
    std::map<ImageInfo, std::size_t> index_;
    std::vector<program::Request> requests_;
    program::Symbols symbols_;
};

template <typename Rows, typename Order>
void keep_greatest(Rows& rows, std::size_t most, const Order& order) {
    const auto kept = rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), most));
    std::partial_sort(rows.begin(), kept, rows.end(), order);
    rows.erase(kept, rows.end());
}

std::vector<AccessPlace> places_of(const std::vector<AccessRows>& files, const AccessNames& names) {
    std::map<std::pair<program::SourcePlace, std::string>, AccessesOfCode> by_place;
    for (const AccessRows& file : files) {
        for (const auto& [where, accesses] : file.code) {
            AccessesOfCode& sum = by_place[names.at(file, where.first, where.second)];
            for (std::size_t level = 0; level < kMemoryLevels; ++level) {
                sum.levels.at(level) += accesses.levels.at(level);
            }
            add_pages(sum.data_pages, accesses.data_pages);
        }
    }
    std::vector<AccessPlace> places;
    for (const auto& [place, accesses] : by_place) {
        places.push_back({place.first, place.second, accesses});
    }
    return places;
}

}  // namespace

MemoryAccesses make_memory_accesses(const std::vector<AccessRows>& files) {
    MemoryAccesses made;
    AccessNames names;
    for (const AccessRows& file : files) {
        for (std::size_t level = 0; level < kMemoryLevels; ++level) {
            made.levels.at(level) += file.levels.at(level);
            made.all += file.levels.at(level);
        }
        add_pages(made.data_pages, file.data_pages);
        add_pages(made.code_pages, file.code_pages);
        made.without_code += file.without_code;
        made.without_line += file.without_line;
        for (const auto& [where, accesses] : file.code) {
            names.ask(file, where.first, where.second);
        }
        for (const auto& [number, line] : file.lines) {
            names.ask(file, line.first_code.first, line.first_code.second);
        }
    }
    if (!made.is_known()) {
        return made;
    }
    names.look_up();
    made.places = places_of(files, names);
    made.all_places = made.places.size();
    keep_greatest(made.places, MemoryAccesses::kMostKept, [](const AccessPlace& a, const AccessPlace& b) {
        const AccessSum of_a = a.accesses.all();
        const AccessSum of_b = b.accesses.all();
        return std::tuple(of_b.cycles, of_b.accesses, a.place, a.inlined_into) <
               std::tuple(of_a.cycles, of_a.accesses, b.place, b.inlined_into);
    });
    for (const AccessRows& file : files) {
        for (const auto& [number, line] : file.lines) {
            made.lines.push_back({.pid = file.pid,
                                  .address = number * kAccessLineBytes,
                                  .sum = line.sum,
                                  .threads = line.threads.size(),
                                  .place = names.at(file, line.first_code.first, line.first_code.second).first});
        }
    }
    made.all_lines = made.lines.size();
    keep_greatest(made.lines, MemoryAccesses::kMostKept, [](const UsedLine& a, const UsedLine& b) {
        return std::tuple(b.sum.modified_elsewhere, b.sum.cycles, b.sum.accesses, a.pid, a.address) <
               std::tuple(a.sum.modified_elsewhere, a.sum.cycles, a.sum.accesses, b.pid, b.address);
    });
    return made;
}

}  // namespace kymo::spacetime
