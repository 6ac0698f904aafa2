// Every rule there is; each is in the file of its name.
#pragma once

#include "findings/rule.h"

namespace kymo::findings {

extern const Rule kSlowInstance;

}  // namespace kymo::findings
