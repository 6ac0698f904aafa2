// What `kymo hunt` tells on a terminal while the program runs: each find as it comes.
//
// look() reads the hunt's rows of the growing recording (a hunt keeps hardly any samples, so that is little) and
// tells those that are new, a line each. The place is looked up where the image is small enough for that to take no
// time worth speaking of; otherwise image and offset say it, and the report at the end says the rest.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace kymo::cli {

class HuntProgress {
  public:
    // Lines for the finds not told yet, each with its end of line; empty where there is none, or where the recording
    // cannot be read just now.
    std::string look(const std::filesystem::path& recording);

  private:
    std::size_t told_ = 0;
};

}  // namespace kymo::cli
