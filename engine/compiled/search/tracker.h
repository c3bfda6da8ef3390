// Where the search's table of constraint states (constraints.h) gets states and transitions from: the compiled automaton
// of phrases (phrases.h), or the tracker in Python for what that does not cover.
#pragma once

#include <cstdint>

#include "callbacks.h"

namespace pinpoint {

class Tracker {
 public:
  static constexpr int NUM_FLAGS = 11;  // of a record, before `pending` and `to_go` of each phrase

  // Questions and answers: (capacity,) except `completed` (capacity, P), `records` (capacity, NUM_FLAGS + 2 P).
  struct Buffers {
    int32_t *states, *pieces, *next, *completed, *records, *choices;
    int32_t capacity;
  };

  virtual ~Tracker() = default;
  virtual const Buffers& buffers() const = 0;
  virtual void follow(int32_t count) = 0;             // fills `next` and `completed` for `states` and `pieces`
  virtual void describe(int32_t count) = 0;           // fills `records` for `states`
  virtual int32_t forced(int32_t state) = 0;          // fills `choices` with (P, F) pieces, -1 as padding; returns P * F
  virtual int32_t prefix_pieces(int32_t state) = 0;   // fills `choices` with the pieces that continue the prefix
};

// Functions of Python over buffers that Python owns.
struct TrackerCallbacks {
  int32_t (*follow)(int32_t), (*describe)(int32_t), (*forced)(int32_t), (*prefix_pieces)(int32_t);
};

class PythonTracker : public Tracker {
 public:
  PythonTracker(const Buffers& buffers, const TrackerCallbacks& python) : buffers_(buffers), python_(python) {}
  const Buffers& buffers() const override { return buffers_; }
  void follow(int32_t count) override { checked(python_.follow(count)); }
  void describe(int32_t count) override { checked(python_.describe(count)); }
  int32_t forced(int32_t state) override { return checked(python_.forced(state)); }
  int32_t prefix_pieces(int32_t state) override { return checked(python_.prefix_pieces(state)); }

 private:
  Buffers buffers_;
  TrackerCallbacks python_;
};

}  // namespace pinpoint
