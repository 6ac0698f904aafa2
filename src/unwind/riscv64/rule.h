// RISC-V, 64 bits: the compact rule of link_register/rule.h.
#pragma once

#include "unwind/link_register/rule.h"
#include "unwind/riscv64/registers.h"

namespace kymo::unwind::riscv64 {

using Rules = link_register::Rules<Numbers>;
using RulePacker = link_register::RulePacker<Numbers>;

}  // namespace kymo::unwind::riscv64
