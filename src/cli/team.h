// The processes that `mpirun` started to do one command together.
#pragma once

#include "base/result.h"
#include "team/team.h"

namespace kymo::cli {

class CommandTeam {
  public:
    // Ends the program where MPI cannot be used, with the reason.
    CommandTeam();

    team::Team* get() const { return team_.get(); }
    // The one that prints and writes.
    bool is_first() const { return team::is_first(team_.get()); }
    // The same in all: the error of the first process that has one.
    Result<void> agree(const Result<void>& own) const { return team::agree(team_.get(), own); }
    template <typename T>
    Result<void> agree(const Result<T>& own) const {
        return agree(own ? Result<void>() : Result<void>(own.error()));
    }
    // An error that all have: only one prints it. Returns the exit status.
    int fail(const Error& error) const;

  private:
    std::unique_ptr<team::Team> team_;
};

}  // namespace kymo::cli
