// What to say when the kernel will not take an eBPF program, or what it is to be run by.
#pragma once

#include "base/result.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace kymo {

// `what` was refused with `error` (errno). Next steps: where rights are lacking, and where something else is.
inline Error refused_by_kernel(const std::string& what, int error, const char* with_rights, const char* otherwise) {
    const bool rights = error == EPERM || error == EACCES;
    return {rights ? ErrorKind::kPermission : ErrorKind::kUnsupported, what + ": " + std::strerror(error),
            rights ? with_rights : otherwise};
}

}  // namespace kymo
