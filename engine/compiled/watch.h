// Whether the caller wants the running call to end.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>

namespace pinpoint {

// Thrown where the caller wants a call to end; all objects stay usable. `answer` is what its function returned.
struct Stopped : std::exception {
  explicit Stopped(int32_t answer) : answer(answer) {}
  const char* what() const noexcept override { return "the caller ended the call"; }
  int32_t answer;
};

// A function of the caller, which may wait for Python's lock. Null: nobody ends the call.
class Watch {
 public:
  using Look = int32_t (*)();  // 0: go on

  explicit Watch(Look look = nullptr) : look_(look) {}
  // Asks now.
  void look() const {
    if (look_ == nullptr) return;
    latest_ = Clock::now();
    if (const int32_t answer = look_()) throw Stopped(answer);
  }
  // Asks if two milliseconds have passed since the last time: for the inner loops.
  void glance() const {
    if (look_ != nullptr && Clock::now() - latest_ > std::chrono::milliseconds(2)) look();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Look look_;
  mutable Clock::time_point latest_{};  // long ago
};

}  // namespace pinpoint
