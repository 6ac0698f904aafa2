#include "findings/rules/shared/interpreter.h"

namespace kymo::findings {

bool is_interpreter_lock(const spacetime::WaitTarget& target) {
    return target.kind == recording::WaitKind::kCondition && target.is_pythons;
}

}  // namespace kymo::findings
