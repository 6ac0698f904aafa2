// The output for many hosts at every sample without a screen: text, or a line of JSON.
#pragma once

#include "live/host_detail.h"
#include "live/request.h"
#include "live/ring_view.h"
#include "view/text.h"

#include <string>
#include <vector>

namespace kymo::live {

// `host`: the host whose rows are also requested; empty: none. `detail`: its rows; null: no agent of that name is
// known.
std::string ring_text(const view::Style& style, const RingView& view, const std::vector<Asked>& asked,
                      const std::string& host, const DetailView* detail);
std::string ring_json_line(const RingView& view, const std::vector<Asked>& asked, const std::string& host,
                           const DetailView* detail);

}  // namespace kymo::live
