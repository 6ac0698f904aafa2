#include "spacetime/evidence/visit_table.h"

namespace kymo::spacetime {

TimeTerms& TimeTerms::operator+=(const TimeTerms& more) {
    user += more.user;
    system += more.system;
    run_queue += more.run_queue;
    waiting += more.waiting;
    other += more.other;
    return *this;
}

}  // namespace kymo::spacetime
