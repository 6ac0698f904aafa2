// Sunway sw_64: the compact rule of link_register/rule.h.
#pragma once

#include "unwind/link_register/rule.h"
#include "unwind/sw_64/registers.h"

namespace kymo::unwind::sw_64 {

using Rules = link_register::Rules<Numbers>;
using RulePacker = link_register::RulePacker<Numbers>;

}  // namespace kymo::unwind::sw_64
