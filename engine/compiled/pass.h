// Rows on their way through the layers of a model: what encoder and decoder have in common.
#pragma once

#include <vector>

#include "model.h"

namespace pinpoint {

// A sublayer reads the normalised stream, and what it writes is added to the stream. With post-norm, the stream itself
// becomes its normalised form.
class Pass {
 public:
  // `widest` is the largest number of outputs that is read.
  Pass(const Model& model, int num_rows, int widest);

  int num_rows() const { return num_rows_; }
  float* x(int row) { return x_.data() + static_cast<size_t>(row) * size_; }
  // The outputs of a product of the stream, one row after the other, `linear.stride()` apart; valid until the next call.
  const float* read(const Norm& norm, const Linear& linear);
  // Where an attention leaves its result for `write`.
  float* mixed(int row) { return mixed_.data() + static_cast<size_t>(row) * size_; }
  // Adds a product of the attention's results to the stream.
  void write(const Linear& linear) { add_product(linear, mixed_.data(), size_); }
  void feed_forward(const FeedForward& layer);
  // Normalises the stream for the last time.
  void finish(const Norm& norm);
  // A product of the finished stream for some of its rows.
  void project(const Linear& linear, const std::vector<int>& rows, float* const* y);

 private:
  void add_product(const Linear& linear, const float* input, size_t stride);
  float* const* pointers(float* first, size_t stride);

  const Model& model_;
  const int num_rows_;
  const size_t size_;
  std::vector<float> x_, normal_, mixed_, wide_, narrow_;
  std::vector<float*> pointers_;
  QuantisedRows quantised_;
};

}  // namespace pinpoint
