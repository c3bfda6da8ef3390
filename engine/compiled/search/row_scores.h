// The masked log-probabilities of one row's next piece, best first. Masks do not renormalise.
#pragma once

#include <stddef.h>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "../steps.h"
#include "vocabulary.h"

namespace pinpoint {

constexpr float NO_LOG_PROB = -std::numeric_limits<float>::infinity();

// What a row may write, besides the pieces that no row may write.
struct Mask {
  enum Kind { FREE_ROW, ONLY, CLOSING } kind = FREE_ROW;
  std::vector<int32_t> only;  // ascending; for ONLY
  bool may_end = true;
};

class RowScores {
 public:
  struct Scored {
    float log_prob;
    int32_t piece;
  };

  // `steps` and `vocabulary` must live as long as this.
  RowScores(const Steps& steps, int node, const Vocabulary& vocabulary, Mask mask);

  // -infinity for masked pieces.
  float at(int32_t piece) const;
  // The piece of this rank, the likeliest first, equal ones by number; false behind the last one that is not masked.
  bool ranked(size_t rank, Scored& found);
  // True if a score is not a number.
  bool is_failed() const { return is_failed_; }

 private:
  int num_blocks() const { return (vocabulary_.size + BLOCK - 1) / BLOCK; }
  void add_layer(float low);
  void add_pieces(int block, float above);

  const float* logits_;
  float log_sum_;
  const Vocabulary& vocabulary_;
  Mask mask_;
  uint8_t banned_;
  bool is_failed_;
  const float* maxima_ = nullptr;  // of blocks; null: all pieces are opened
  float low_ = NO_LOG_PROB;        // nothing below it has been added
  float layer_ = 2;                // nats
  std::vector<std::pair<float, int>> blocks_;  // a heap of bounds on unopened blocks
  std::vector<int> opened_blocks_;
  std::vector<Scored> opened_;                 // a heap of pieces of opened blocks
  std::vector<Scored> ranked_;
};

}  // namespace pinpoint
