// What a hunt has found so far, from its growing recording: each result once, as a line of text and of JSON.
//
// A look costs a scan of the recording's rows, few in a hunt, as it keeps hardly any samples. The place is looked up
// if the image is small enough for that to take no noticeable time; otherwise the lines have image and offset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <tuple>

namespace kymo::live {

struct HuntLines {
    bool text = false;
    bool json = false;
};

class HuntFound {
  public:
    // Receives a result in words, without a mark or an end of line, and as a JSON object in one line (docs/hunt.md);
    // empty: not wanted.
    using Take = std::function<void(const std::string& text, const std::string& json)>;

    // Calls `take` for each new result, by time; for none if the recording cannot be read just now.
    void look(const std::filesystem::path& recording, HuntLines wanted, const Take& take);

  private:
    // By process, number and time: a process that becomes another program begins its numbers again.
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> told_;
};

}  // namespace kymo::live
