#include "spacetime/branches/branches.h"

#include "program/module_file.h"
#include "program/symbolize.h"
#include "spacetime/branches/executed_code.h"
#include "spacetime/evidence/structure.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

struct BranchSum {
    rec::TakenBranch row;
    std::set<std::pair<std::uint32_t, std::uint64_t>> targets;
};
using BranchPlaceKey = std::pair<std::uint32_t, std::uint64_t>;  // image, offset
using BranchTable = std::map<BranchPlaceKey, BranchSum>;

struct SpaceOfImage {
    std::uint32_t image = 0;
    ExecutedSpace space;
};

struct FunctionSum {
    std::uint64_t instructions = 0;
    std::uint64_t spaces = 0;
    std::set<std::uint32_t> blocks;
};

BranchTable branches_of(const std::vector<BranchRows>& files, BranchImages& images) {
    BranchTable table;
    for (const BranchRows& file : files) {
        for (const rec::TakenBranch& row : file.branches) {
            const std::uint32_t image = images.of(file, row.image);
            const std::uint32_t to_image = images.of(file, row.to_image);
            if (image == kNone || to_image == kNone) {
                continue;
            }
            BranchSum& sum = table[{image, row.offset}];
            sum.row.taken += row.taken;
            sum.row.judged += row.judged;
            sum.row.mispredicted += row.mispredicted;
            sum.targets.emplace(to_image, row.to_offset);
        }
    }
    return table;
}

rec::BranchStacks account_of(const std::vector<BranchRows>& files) {
    rec::BranchStacks sum;
    for (const BranchRows& file : files) {
        sum.stacks += file.account.stacks;
        sum.branches += file.account.branches;
        sum.elsewhere += file.account.elsewhere;
        sum.unrelated += file.account.unrelated;
        sum.broken += file.account.broken;
        sum.without_room += file.account.without_room;
    }
    return sum;
}

template <typename Rows, typename Order>
void keep_first(Rows& rows, std::size_t most, const Order& order) {
    const auto kept = rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), most));
    std::partial_sort(rows.begin(), kept, rows.end(), order);
    rows.erase(kept, rows.end());
}

// What is asked for by its words, and looked up at once.
class BranchNames {
  public:
    explicit BranchNames(const std::vector<ImageInfo>& images) : requests_(images.size()) {
        for (std::size_t i = 0; i < images.size(); ++i) {
            requests_[i].image = {images[i].path, images[i].build_id, images[i].machine, images[i].content};
        }
    }
    void ask(std::uint32_t image, std::uint64_t offset) { requests_[image].offsets.push_back(ImageOffset{offset}); }
    void look_up() {
        program::sort_offsets(requests_);
        symbols_ = program::symbolize(requests_);
    }
    // The innermost frame's, inlined or not.
    program::SourcePlace at(std::uint32_t image, std::uint64_t offset) const {
        const auto frames = Names(requests_, symbols_).at(image, offset);
        return frames.empty() ? program::SourcePlace{} : symbols_.place_of(frames.back());
    }
    // Of the function itself.
    program::SourcePlace around(std::uint32_t image, std::uint64_t offset) const {
        const auto frames = Names(requests_, symbols_).at(image, offset);
        return frames.empty() ? program::SourcePlace{} : symbols_.place_of(frames.front());
    }

  private:
    std::vector<program::Request> requests_;
    program::Symbols symbols_;
};

// By image: where the code is that is decoded, ascending.
std::vector<std::vector<std::uint64_t>> wanted_code(std::size_t images, const CodeRanges& ranges) {
    std::vector<std::vector<std::uint64_t>> wanted(images);
    for (const auto& [key, range] : ranges) {
        wanted[key.first].push_back(range.first);  // ascending, as the keys are
    }
    return wanted;
}

// Code of interest by image, and what ran of it.
class Parts {
  public:
    Parts(const std::vector<ImageInfo>& images, const std::vector<CodeOfInterest>& interest)
        : in_image_(images.size()), sums_(interest.size()) {
        for (std::size_t i = 0; i < interest.size(); ++i) {
            for (std::size_t image = 0; image < images.size(); ++image) {
                std::vector<ByteRange> code;
                for (const Place* place : interest[i]) {
                    if (place->build_id == images[image].build_id &&
                        place->module == program::module_name(images[image].path)) {
                        code.insert(code.end(), place->ranges.begin(), place->ranges.end());
                    }
                }
                if (!code.empty()) {
                    in_image_[image].push_back({i, normalise(std::move(code))});
                }
            }
        }
    }
    void add(std::uint32_t image, const RangeOfFunction& range, std::uint64_t count) {
        for (const Part& part : in_image_[image]) {
            sums_[part.index].instructions += instructions_in(range, part.code) * count;
        }
    }
    void add(std::uint32_t image, std::uint64_t offset, const rec::TakenBranch& branch) {
        for (const Part& part : in_image_[image]) {
            const bool is_in = std::any_of(part.code.begin(), part.code.end(), [offset](const ByteRange& range) {
                return offset >= range.begin && offset < range.end;
            });
            sums_[part.index].judged += is_in ? branch.judged : 0;
            sums_[part.index].mispredicted += is_in ? branch.mispredicted : 0;
        }
    }
    std::vector<ExecutedPart> take() { return std::move(sums_); }

  private:
    struct Part {
        std::size_t index = 0;  // of sums_
        std::vector<ByteRange> code;
    };
    std::vector<std::vector<Part>> in_image_;
    std::vector<ExecutedPart> sums_;
};

// Cycles that the code took longer behind mispredicted branches than it would have taken behind predicted ones; below
// 0: it took less.
double excess_of(const rec::ExecutedRange& range) {
    return range.timed == 0 || range.late == 0
               ? 0
               : static_cast<double>(range.late_cycles) - static_cast<double>(range.late) *
                                                              static_cast<double>(range.cycles) /
                                                              static_cast<double>(range.timed);
}

// Sums of foreign files may be of any size.
std::uint64_t whole_cycles(double cycles) {
    constexpr double kMostCycles = 9e18;
    return cycles > 0 ? static_cast<std::uint64_t>(std::llround(std::min(cycles, kMostCycles))) : 0;
}

}  // namespace

LateCode late_code(const std::vector<BranchRows>& files) {
    LateCode code;
    BranchImages images;
    for (const auto& [key, range] : ranges_of(files, images)) {
        const double excess = excess_of(range);
        const bool is_known = range.timed >= kLeastRuns && range.late >= kLeastRuns && excess > 0;
        code[images.all()[key.first]].push_back({.first = range.first,
                                                 .last = range.last,
                                                 .cycles = range.cycles + range.late_cycles,
                                                 .excess = is_known ? whole_cycles(excess) : 0});
    }
    return code;
}

Branches make_branches(const std::vector<BranchRows>& files, const std::vector<CodeOfInterest>& interest) {
    Branches made;
    made.account = account_of(files);
    if (!made.is_known()) {
        return made;
    }
    BranchImages images;
    const CodeRanges ranges = ranges_of(files, images);
    const BranchTable table = branches_of(files, images);
    CodeMap code(images.all(), wanted_code(images.all().size(), ranges));

    Parts parts(images.all(), interest);
    std::vector<SpaceOfImage> spaces;
    std::map<std::uint32_t, FunctionSum> functions;
    CodeRanges sound;
    double late = 0;
    for (const auto& [key, range] : ranges) {
        const RangeOfFunction found = in_function(code, key.first, range);
        if (found.is_broken) {
            made.account.broken += range.count;
            continue;
        }
        sound.emplace(key, range);
        made.cycles += range.cycles + range.late_cycles;
        late += excess_of(range);
        if (found.instructions == 0) {
            made.undecoded += range.count;
            continue;
        }
        made.instructions += found.instructions * range.count;
        parts.add(key.first, found, range.count);
        spaces.push_back({key.first,
                          {.first_place = {},
                           .last_place = {},
                           .first = range.first,
                           .last = range.last,
                           .count = range.count,
                           .instructions = found.instructions}});
        FunctionSum& sum = functions[found.function];
        sum.instructions += found.instructions * range.count;
        ++sum.spaces;
        sum.blocks.insert(found.blocks.begin(), found.blocks.end());
    }
    made.late_cycles = whole_cycles(late);

    std::vector<std::pair<std::uint32_t, BranchOfCode>> branches;
    std::map<std::uint32_t, PassedCounts> passed;
    for (const auto& [key, sum] : table) {
        const auto& counts = passed.try_emplace(key.first, sound, key.first).first->second;
        made.taken += sum.row.taken;
        made.judged += sum.row.judged;
        made.mispredicted += sum.row.mispredicted;
        parts.add(key.first, key.second, sum.row);
        branches.push_back({key.first,
                            {.place = {},
                             .offset = key.second,
                             .taken = sum.row.taken,
                             .judged = sum.row.judged,
                             .mispredicted = sum.row.mispredicted,
                             .passed = counts.at(key.second),
                             .targets = sum.targets.size()}});
    }
    made.of_interest = parts.take();
    std::vector<std::pair<std::uint32_t, FunctionSum>> of_functions(functions.begin(), functions.end());
    made.all_branches = branches.size();
    made.all_spaces = spaces.size();
    made.all_functions = of_functions.size();
    keep_first(branches, Branches::kMostKept, [](const auto& a, const auto& b) {
        return std::tuple(b.second.mispredicted, b.second.taken, a.first, a.second.offset) <
               std::tuple(a.second.mispredicted, a.second.taken, b.first, b.second.offset);
    });
    keep_first(spaces, Branches::kMostKept, [](const SpaceOfImage& a, const SpaceOfImage& b) {
        return std::tuple(b.space.weight(), a.image, a.space.first, a.space.last) <
               std::tuple(a.space.weight(), b.image, b.space.first, b.space.last);
    });
    keep_first(of_functions, Branches::kMostKept, [](const auto& a, const auto& b) {
        return std::tuple(b.second.instructions, a.first) < std::tuple(a.second.instructions, b.first);
    });

    BranchNames names(images.all());
    for (const auto& [image, branch] : branches) {
        names.ask(image, branch.offset);
    }
    for (const SpaceOfImage& each : spaces) {
        names.ask(each.image, each.space.first);
        names.ask(each.image, each.space.last);
    }
    for (const auto& [function, sum] : of_functions) {
        names.ask(code.image_of(function), code.code_of(function).entry());
    }
    names.look_up();
    for (auto& [image, branch] : branches) {
        branch.place = names.at(image, branch.offset);
        made.branches.push_back(std::move(branch));
    }
    for (SpaceOfImage& each : spaces) {
        each.space.first_place = names.at(each.image, each.space.first);
        each.space.last_place = names.at(each.image, each.space.last);
        made.spaces.push_back(std::move(each.space));
    }
    for (const auto& [function, sum] : of_functions) {
        made.functions.push_back(
            {.place = names.around(code.image_of(function), code.code_of(function).entry()),
             .instructions = sum.instructions,
             .spaces = sum.spaces,
             .blocks = static_cast<std::uint32_t>(code.made(function)->flow->graph.blocks.size()),
             .executed_blocks = static_cast<std::uint32_t>(sum.blocks.size())});
    }
    return made;
}

}  // namespace kymo::spacetime
