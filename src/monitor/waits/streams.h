// Reading and writing by the C library's streams (stdio), whose calls never leave the library: they are waits and
// messages like any other.
//
// GNU's C library calls both through tables of functions, one for each kind of stream, which lie in the part of it
// that is read-only once it is relocated. At the program's start the two functions are exchanged for wrappers in all
// of these tables; the streams themselves, and the tables' addresses, stay as they are. Another C library, or one
// whose memory may not be made writable for the moment, keeps its functions, and then streams are not seen.
#pragma once

#include "monitor/part.h"

namespace kymo::monitor {

class Streams : public Part {
  public:
    static bool begin();
};

extern Streams streams;

}  // namespace kymo::monitor
