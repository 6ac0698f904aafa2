// aarch64: the compact rule of link_register/rule.h.
#pragma once

#include "unwind/aarch64/registers.h"
#include "unwind/link_register/rule.h"

namespace kymo::unwind::aarch64 {

using Rules = link_register::Rules<Numbers>;
using RulePacker = link_register::RulePacker<Numbers>;

}  // namespace kymo::unwind::aarch64
