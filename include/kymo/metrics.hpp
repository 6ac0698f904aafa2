// <kymo/metrics.h> for C++: cells and timers as values, scopes as control points. Header only, C++11 and later.
//
//   static const kymo::Counter sent("sent", "bytes");
//   static const kymo::Gauge in_foo("in_foo");
//   static const kymo::Timer sending(0, "sending");
//
//   void foo() {
//       const kymo::Counted inside(in_foo);             // adds 1, and subtracts it however the scope is left
//       ...
//   }
//   void send(const Message& message) {
//       const kymo::Timed time(sending, in_foo.get() > 0);   // runs for the scope, if the condition held at its start
//       sent.add(message.size());
//   }
//
// A thing made before main is looked up then: under the monitor that is early enough. Costs, threads and signals as in
// <kymo/metrics.h>.
#ifndef KYMO_METRICS_HPP
#define KYMO_METRICS_HPP

#include <cstdint>
#include <kymo/metrics.h>

namespace kymo {

class Cell {
  public:
    explicit constexpr Cell(kymo_cell cell) : cell_(cell) {}
    void set(std::uint64_t value) const { kymo_set_counter(cell_, value); }
    void add(std::uint64_t value = 1) const { kymo_add_counter(cell_, value); }
    void subtract(std::uint64_t value = 1) const { kymo_sub_counter(cell_, value); }
    std::uint64_t get() const { return kymo_get_counter(cell_); }  // the calling thread's
    kymo_cell number() const { return cell_; }

  protected:
    kymo_cell cell_;
};

class Counter : public Cell {
  public:
    explicit Counter(const char* name, const char* unit = "") : Cell(kymo_counter(name, unit)) {}
    explicit Counter(unsigned index) : Cell(kymo_indexed(index)) {}
};

class Gauge : public Cell {
  public:
    explicit Gauge(const char* name, const char* unit = "") : Cell(kymo_gauge(name, unit)) {}
};

class Maximum : public Cell {
  public:
    explicit Maximum(const char* name, const char* unit = "") : Cell(kymo_maximum(name, unit)) {}
    void raise(std::uint64_t value) const { kymo_raise_counter(cell_, value); }
};

class Timer {
  public:
    // Its time is added to the counter `name`, or to `cell`.
    Timer(kymo_timer number, const char* name) : Timer(number, Counter(name, "ns")) {}
    Timer(kymo_timer number, const Cell& cell) : number_(number) { kymo_set_timer(number, cell.number()); }
    void start() const { kymo_start_timer(number_); }
    void stop() const { kymo_stop_timer(number_); }

  private:
    kymo_timer number_;
};

class Counted {
  public:
    explicit Counted(const Cell& cell, std::uint64_t value = 1) : cell_(cell), value_(value) { cell_.add(value_); }
    ~Counted() { cell_.subtract(value_); }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

  private:
    const Cell cell_;
    std::uint64_t value_;
};

class Timed {
  public:
    explicit Timed(const Timer& timer, bool when = true) : timer_(timer), runs_(when) {
        if (runs_) {
            timer_.start();
        }
    }
    ~Timed() {
        if (runs_) {
            timer_.stop();
        }
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

  private:
    const Timer timer_;
    bool runs_;
};

}  // namespace kymo

#endif
