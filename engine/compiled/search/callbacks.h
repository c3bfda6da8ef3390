// What the compiled search asks Python: texts of hypotheses, and interruptions.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <stdexcept>

#include "../watch.h"
#include "task.h"

namespace pinpoint {

// A Python function raised an exception, which the caller of the search raises again.
struct CallbackFailed : std::runtime_error {
  CallbackFailed() : std::runtime_error("a Python callback failed") {}
};

// Negative results of callbacks.
enum Answer : int32_t { FAILED_ANSWER = -1, CANCELLED_ANSWER = -2, DEADLINE_ANSWER = -3 };

inline int32_t checked(int32_t answer) {
  if (answer == FAILED_ANSWER) throw CallbackFailed();
  if (answer == CANCELLED_ANSWER || answer == DEADLINE_ANSWER) throw Stopped(answer);
  return answer;
}

// Functions of `engine/search/compiled.py`. They read and write buffers that both sides know.
struct Callbacks {
  int32_t (*interrupted)();                                // 0, CANCELLED_ANSWER or DEADLINE_ANSWER; may be null
  int32_t (*text_number)(const int32_t* pieces, int32_t);  // equal for pieces that write the same text
};

}  // namespace pinpoint
