#include "pass.h"

#include <algorithm>

namespace pinpoint {

Pass::Pass(const Model& model, int num_rows, int widest)
    : model_(model),
      num_rows_(num_rows),
      size_(static_cast<size_t>(model.config.model_size)),
      x_(num_rows * size_),
      normal_(num_rows * size_),
      mixed_(num_rows * size_),
      wide_(static_cast<size_t>(num_rows) * round_up(widest, COLUMNS)),
      narrow_(static_cast<size_t>(num_rows) * round_up(model.config.model_size, COLUMNS)),
      pointers_(num_rows) {}

float* const* Pass::pointers(float* first, size_t stride) {
  for (int row = 0; row < num_rows_; ++row) pointers_[row] = first + row * stride;
  return pointers_.data();
}

const float* Pass::read(const Norm& norm, const Linear& linear) {
  const float* normal = x_.data();
  if (!norm.is_identity) {
    float* to = model_.config.is_post_norm ? x_.data() : normal_.data();
    for (int row = 0; row < num_rows_; ++row) {
      model_.kernels.normalise(x(row), static_cast<int>(size_), norm.gain.data(), norm.bias.data(), to + row * size_);
    }
    normal = to;
  }
  linear.quantise(model_.kernels, normal, size_, num_rows_, quantised_);
  linear.multiply(model_.kernels, quantised_, num_rows_, pointers(wide_.data(), linear.stride()));
  return wide_.data();
}

void Pass::add_product(const Linear& linear, const float* input, size_t stride) {
  linear.quantise(model_.kernels, input, stride, num_rows_, quantised_);
  float* const* y = pointers(narrow_.data(), linear.stride());
  linear.multiply(model_.kernels, quantised_, num_rows_, y);
  for (int row = 0; row < num_rows_; ++row) model_.kernels.add(x(row), y[row], static_cast<int>(size_));
}

void Pass::feed_forward(const FeedForward& layer) {
  read(layer.norm, layer.inner);
  const Kernels& kernels = model_.kernels;
  const auto activate = model_.config.activation == RELU   ? kernels.relu
                        : model_.config.activation == GELU ? kernels.gelu
                                                           : kernels.swish;
  const int stride = layer.inner.stride();
  activate(wide_.data(), num_rows_ * stride);
  add_product(layer.outer, wide_.data(), stride);
}

void Pass::finish(const Norm& norm) {
  for (int row = 0; row < num_rows_; ++row) {
    model_.kernels.normalise(x(row), static_cast<int>(size_), norm.gain.data(), norm.bias.data(), x(row));
  }
}

void Pass::project(const Linear& linear, const std::vector<int>& rows, float* const* y) {
  for (size_t i = 0; i < rows.size(); ++i) std::copy_n(x(rows[i]), size_, normal_.data() + i * size_);
  linear.quantise(model_.kernels, normal_.data(), size_, static_cast<int>(rows.size()), quantised_);
  linear.multiply(model_.kernels, quantised_, static_cast<int>(rows.size()), y);
}

}  // namespace pinpoint
