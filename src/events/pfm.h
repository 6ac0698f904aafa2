// Event names of processor manuals through libpfm: INST_RETIRED:ANY_P, skx::L2_RQSTS:MISS, …
//
// Its tables end at Sapphire Rapids and Zen 4 (version 4.13): newer processors need raw codes or the kernel's own
// names. Not for several threads at once (libpfm is initialised on first use).
#pragma once

#include "events/session.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::events {

// An event of this processor; none if libpfm does not know it here.
std::optional<SessionEvent> pfm_event(std::string_view name);

// The processors whose manuals have an event of this name, where this processor's does not; empty: none at all.
std::string pfm_other_processor(std::string_view name);

// Event names (without unit masks) of the processors present. Hundreds to thousands; a millisecond or so.
std::vector<std::string> pfm_event_names();

}  // namespace kymo::events
