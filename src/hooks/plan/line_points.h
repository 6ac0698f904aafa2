// Source lines as instrumentation points: which files and lines are meant, and the places at which their
// statements begin.
//
// A line is hooked at all its places or not at all, since its count would be wrong otherwise. Places that one jump
// covers share it, and one within a hooked function's entry joins that, in the order of their addresses.
//
// Use: find() for every image, then settle(), then add() for every image. Not thread-safe.
#pragma once

#include "hooks/plan/image_functions.h"
#include "hooks/plan/request.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kymo::hooks {

// A hook while it is planned.
struct Site {
    PlanEntry entry;
    std::vector<cells::Step> entry_steps;
    std::vector<cells::Step> exit_steps;
    std::uint32_t calls = 0;  // number of a counted function; 0: none
    std::uint64_t end() const { return entry.offset + entry.original_bytes; }
};

class LinePoints {
  public:
    LinePoints(std::span<const Request> requests, std::vector<Outcome>& outcomes)
        : requests_(requests), outcomes_(outcomes), meant_(requests.size()) {}

    void find(ImageFunctions& image);
    void settle();
    // Between settle() and add(): where a request's line is.
    std::vector<std::pair<const ImageFunctions*, std::uint64_t>> places_of(std::size_t request) const;
    // The steps there, instead of the request's.
    void set_steps(std::size_t request, std::vector<cells::Step> steps);
    void drop(std::size_t request) { meant_[request].places.clear(); }
    const std::vector<cells::Step>& steps(std::size_t request) const { return meant_[request].steps; }
    // `sites`: the image's other hooks, ascending; the lines' are added.
    void add(ImageFunctions& image, std::vector<Site>& sites);
    // Instead of add(): the places in the image with their requests, ascending.
    std::vector<std::pair<std::uint64_t, std::size_t>> places_in(const ImageFunctions& image) const;
    // Reports that a place cannot be hooked.
    void refuse(ImageFunctions& image, std::uint64_t place, std::size_t request, const std::string& reason);

  private:
    struct Meant {
        bool has_tables = false;
        std::set<std::string> paths;
        std::set<std::uint32_t> lines;
        std::set<std::string> files;  // all files, without folders, if none matches
        std::map<const ImageFunctions*, std::vector<std::uint64_t>> places;
        std::vector<cells::Step> steps;
    };
    std::string join(ImageFunctions& image, Site& site, std::uint64_t place, std::size_t request) const;
    std::string add_place(ImageFunctions& image, std::vector<Site>& sites, std::uint64_t place,
                          std::size_t request) const;

    std::span<const Request> requests_;
    std::vector<Outcome>& outcomes_;
    std::vector<Meant> meant_;  // by request
};

}  // namespace kymo::hooks
