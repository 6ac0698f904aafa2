#include "analysis/dealt_files.h"

#include "parallel/deal.h"

#include <string>

namespace kymo::analysis {
Result<DealtFiles> deal_files(const recording::Recording& recording, team::Team* team) {
    DealtFiles dealt;
    if (team::share_of(team).size == 1) {
        return dealt;
    }
    std::vector<std::string> names;
    std::vector<std::uint64_t> bytes;
    for (const recording::File& file : recording.files()) {
        names.push_back(file.path().filename().string());
        bytes.push_back(file.bytes());
    }
    std::vector<std::string> of_first = names;
    team::broadcast(team, of_first);
    const Result<void> same =
        of_first == names
            ? Result<void>()
            : Error{ErrorKind::kNotFound,
                    "process " + std::to_string(team->rank()) + " of the analysis sees " +
                        std::to_string(names.size()) + " files in the recording, the first " +
                        std::to_string(of_first.size()),
                    "the recording must lie on a file system that all processes see, and its run must be over"};
    if (const auto agreed = team::agree(team, same); !agreed) {
        return agreed.error();
    }
    team::broadcast(team, bytes);
    dealt.team = team;
    dealt.owner = parallel::deal(bytes, team->size());
    return dealt;
}

}  // namespace kymo::analysis
