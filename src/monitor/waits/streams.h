// Reading and writing by the C library's streams (stdio), whose calls never leave the library: they are recorded
// as waits and messages like any other.
//
// GNU's C library calls both through tables of functions, one for each kind of stream, in its part that is
// read-only after relocation. At the program's start the two functions are replaced by wrappers in all of these
// tables; the streams themselves, and the tables' addresses, do not change. With another C library, or one whose
// memory cannot be made writable for the moment, the functions are not replaced and streams are not recorded.
#pragma once

#include "monitor/part.h"

namespace kymo::monitor {

class Streams : public Part {
  public:
    static bool begin();
};

extern Streams streams;

}  // namespace kymo::monitor
