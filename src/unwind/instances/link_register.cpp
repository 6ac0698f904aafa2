// The walk over each architecture with a link register, so that all of their files are compiled wherever Kymo is,
// and a file that does not meet arch.h's requirements breaks the build. Programs that do not use one do not link
// it.
#include "unwind/aarch64/arch.h"
#include "unwind/loongarch64/arch.h"
#include "unwind/riscv64/arch.h"
#include "unwind/sw_64/arch.h"
#include "unwind/walker.h"

namespace kymo::unwind {

template class Walker<aarch64::Arch>;
template class Walker<loongarch64::Arch>;
template class Walker<riscv64::Arch>;
template class Walker<sw_64::Arch>;

}  // namespace kymo::unwind
