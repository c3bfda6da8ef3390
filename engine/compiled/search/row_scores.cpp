#include "row_scores.h"

#include <algorithm>
#include <cmath>

namespace pinpoint {

namespace {

// The order of a heap of pieces: the likeliest first, equal ones by number.
struct IsWorse {
  bool operator()(const RowScores::Scored& a, const RowScores::Scored& b) const {
    return a.log_prob != b.log_prob ? a.log_prob < b.log_prob : a.piece > b.piece;
  }
};

// Layers of so many nats are added, each twice the one before: a search rarely looks below the first.
constexpr float LAST_LAYER = 32;

}  // namespace

RowScores::RowScores(const Steps& steps, int node, const Vocabulary& vocabulary, Mask mask)
    : logits_(steps.logits(node)), log_sum_(steps.log_sum(node)), vocabulary_(vocabulary), mask_(std::move(mask)),
      banned_(NEVER | (mask_.kind == Mask::FREE_ROW ? NOT_FIRST : 0) | (mask_.kind == Mask::CLOSING ? NOT_CLOSING : 0)),
      is_failed_(!std::isfinite(log_sum_)) {
  if (is_failed_) return;
  if (mask_.kind == Mask::ONLY) {
    for (int32_t piece : mask_.only)
      if (const float log_prob = at(piece); log_prob > NO_LOG_PROB) opened_.push_back({log_prob, piece});
    std::make_heap(opened_.begin(), opened_.end(), IsWorse());
    return;
  }
  maxima_ = steps.block_maxima(node);
  float greatest = maxima_[0];
  for (int block = 0; block < num_blocks(); block++) {
    greatest = std::max(greatest, maxima_[block]);
    is_failed_ |= maxima_[block] != maxima_[block];
  }
  blocks_.reserve(BLOCK);
  opened_.reserve(BLOCK);
  low_ = std::numeric_limits<float>::infinity();
  add_layer(greatest - log_sum_ - layer_);
}

// Adds what is at least `low` to what has been added: blocks by their bounds, and pieces of opened blocks.
void RowScores::add_layer(float low) {
  for (int block = 0; block < num_blocks(); block++)
    if (const float bound = maxima_[block] - log_sum_; low <= bound && bound < low_) blocks_.emplace_back(bound, block);
  std::make_heap(blocks_.begin(), blocks_.end());
  const float above = std::exchange(low_, low);
  for (const int block : opened_blocks_) add_pieces(block, above);
}

float RowScores::at(int32_t piece) const {
  if (vocabulary_.bans[piece] & banned_ || (piece == vocabulary_.end && !mask_.may_end)) return NO_LOG_PROB;
  if (mask_.kind == Mask::ONLY && !std::binary_search(mask_.only.begin(), mask_.only.end(), piece)) return NO_LOG_PROB;
  return logits_[piece] - log_sum_;
}

// Adds the pieces of a block from `low_` to below `above`.
void RowScores::add_pieces(int block, float above) {
  const int first = block * BLOCK, last = std::min(first + BLOCK, vocabulary_.size);
  for (int piece = first; piece < last; piece++) {
    const float log_prob = logits_[piece] - log_sum_;
    if (log_prob < low_ || log_prob >= above || !(at(piece) > NO_LOG_PROB)) continue;
    opened_.push_back({log_prob, piece});
    std::push_heap(opened_.begin(), opened_.end(), IsWorse());
  }
}

bool RowScores::ranked(size_t rank, Scored& found) {
  while (ranked_.size() <= rank) {
    // a block whose bound equals the best opened score may have an equal piece with a smaller number
    while (!blocks_.empty() && (opened_.empty() || blocks_.front().first >= opened_.front().log_prob)) {
      std::pop_heap(blocks_.begin(), blocks_.end());
      const int block = blocks_.back().second;
      blocks_.pop_back();
      opened_blocks_.push_back(block);
      add_pieces(block, std::numeric_limits<float>::infinity());
    }
    if (opened_.empty()) {
      if (!(low_ > NO_LOG_PROB)) return false;
      layer_ *= 2;
      add_layer(layer_ <= LAST_LAYER ? low_ - layer_ : NO_LOG_PROB);
      continue;
    }
    std::pop_heap(opened_.begin(), opened_.end(), IsWorse());
    ranked_.push_back(opened_.back());
    opened_.pop_back();
  }
  found = ranked_[rank];
  return true;
}

}  // namespace pinpoint
