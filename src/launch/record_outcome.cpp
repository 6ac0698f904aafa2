#include "launch/record_outcome.h"

#include <sys/wait.h>

namespace kymo::launch {

int RecordOutcome::exit_status() const {
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace kymo::launch
