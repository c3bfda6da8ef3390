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
  ~Pass();
  Pass(const Pass&) = delete;

  int num_rows() const { return num_rows_; }
  float* x(int row) { return buffers_.x.data() + static_cast<size_t>(row) * size_; }
  // The outputs of a product of the stream, one row after the other, `linear.stride()` apart; valid until the next call.
  const float* read(const Norm& norm, const Linear& linear);
  // Where an attention leaves its result for `write`.
  float* mixed(int row) { return buffers_.mixed.data() + static_cast<size_t>(row) * size_; }
  // Adds a product of the attention's results to the stream.
  void write(const Linear& linear) { add_product(linear, buffers_.mixed.data(), size_); }
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

  // The memory of a pass, which the next one of the thread uses again.
  struct Buffers {
    std::vector<float> x, normal, mixed, wide, narrow;
    std::vector<float*> pointers;
    QuantisedRows quantised;
  };
  static thread_local Buffers spare_;
  Buffers buffers_;
};

}  // namespace pinpoint
