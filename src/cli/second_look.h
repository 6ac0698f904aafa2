// `kymo record --for REC.kymo`: what an earlier recording kept, as plain data for the launcher. The only place where
// an analysis meets a producer.
#pragma once

#include "base/result.h"
#include "events/session.h"
#include "launch/record.h"
#include "spacetime/evidence/evidence.h"
#include "spacetime/look/second_look.h"

#include <optional>
#include <string>
#include <vector>

namespace kymo::cli {

// Fills in the command (where none is given: the earlier recording's own) and what is written beside the session.
// The earlier recording is analysed only after the program was found and the events were settled. Errors: it is not
// there or no recording; no event is asked for; another program's, or another build's; nothing was kept.
std::optional<Error> look_for(const std::string& earlier, launch::RecordOptions& options);

// Of a recording made so: the options that evidence is to be made with, and the join with the earlier one.
class EarlierLook {
  public:
    // Reads what `recording` was made for. Error: the system cannot read a file of it.
    static Result<EarlierLook> of(const recording::Recording& recording, const spacetime::EvidenceOptions& options);

    bool is_look() const { return asked_.is_look; }
    // The earlier recording's evidence; nullptr: there is none.
    const spacetime::Evidence* evidence() const { return evidence_ ? &*evidence_ : nullptr; }
    spacetime::SecondLook join(const spacetime::Evidence& evidence) const;

  private:
    spacetime::LookedFor asked_;
    std::optional<spacetime::Evidence> evidence_;
    std::string problem_;
};

}  // namespace kymo::cli
