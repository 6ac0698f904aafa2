// Error texts for an eBPF program, or its trigger, that the kernel refuses.
#pragma once

#include "base/result.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace kymo {

// `what` was refused with `error` (errno). Next steps: for missing rights, and for other causes.
inline Error refused_by_kernel(const std::string& what, int error, const char* with_rights, const char* otherwise) {
    const bool rights = error == EPERM || error == EACCES;
    return {rights ? ErrorKind::kPermission : ErrorKind::kUnsupported, what + ": " + std::strerror(error),
            rights ? with_rights : otherwise};
}

}  // namespace kymo
