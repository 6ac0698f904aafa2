// Who gets the samples of a profile with names.
#pragma once

#include "base/result.h"
#include "import/named/facts.h"
#include "import/named/sample.h"

#include <functional>

namespace kymo::import::named {

// What is not overridden is passed over.
class Visitor {
  public:
    virtual ~Visitor() = default;

    // Once, before all samples. An error ends the reading and becomes its result. The facts live as long as the
    // reading and grow meanwhile: of text, events are added to them.
    virtual Result<void> begin(const Facts&) { return {}; }
    virtual void sample(const Sample&) {}

    // Asked now and then; true ends the reading without an error.
    virtual bool enough() const { return false; }
};

// Called now and then with the share that is done, 0 to 1; of a pipe never.
using Progress = std::function<void(double)>;

}  // namespace kymo::import::named
