#include "cli/team.h"

#include "cli/verbs.h"
#include "team/mpi.h"

#include <cstdlib>

namespace kymo::cli {

CommandTeam::CommandTeam() {
    auto joined = team::join_mpi_job();
    if (!joined) {
        std::exit(cli::fail(joined.error()));
    }
    team_ = std::move(*joined);
}

int CommandTeam::fail(const Error& error) const {
    return is_first() ? cli::fail(error) : static_cast<int>(error.kind);
}

}  // namespace kymo::cli
