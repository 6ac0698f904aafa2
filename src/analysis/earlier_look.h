// The earlier recording of a second look (`kymo record --for REC.kymo`): where it is now, and what it kept.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "spacetime/evidence/evidence.h"
#include "spacetime/look/second_look.h"

#include <optional>
#include <string>

namespace kymo::analysis {

class EarlierLook {
  public:
    EarlierLook() = default;
    // `asked`: what `recording` was made for. `options`: as for its own evidence.
    static EarlierLook of(const recording::Recording& recording, spacetime::LookedFor asked,
                          const spacetime::EvidenceOptions& options);

    // The earlier recording's evidence; nullptr: there is none.
    const spacetime::Evidence* evidence() const { return evidence_ ? &*evidence_ : nullptr; }
    // `evidence`: the later recording's, made with EvidenceOptions::looked_at = evidence().
    spacetime::SecondLook join(const spacetime::Evidence& evidence) const;

  private:
    spacetime::LookedFor asked_;
    std::optional<spacetime::Evidence> evidence_;
    std::string problem_;
};

}  // namespace kymo::analysis
