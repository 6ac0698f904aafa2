#include "spacetime/evidence/occurrences/occurrence_table.h"

namespace kymo::spacetime {

TimeTerms& TimeTerms::operator+=(const TimeTerms& more) {
    user += more.user;
    spinning += more.spinning;
    system += more.system;
    run_queue += more.run_queue;
    waiting += more.waiting;
    other += more.other;
    return *this;
}

}  // namespace kymo::spacetime
