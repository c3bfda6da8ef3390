#include "pass.h"

#include <algorithm>
#include <utility>

namespace pinpoint {

thread_local Pass::Buffers Pass::spare_;

Pass::Pass(const Model& model, int num_rows, int widest)
    : model_(model), num_rows_(num_rows), size_(model.config.model_size), buffers_(std::move(spare_)) {
  const auto make_room = [&](auto& buffer, size_t row_size) {
    if (buffer.size() < num_rows * row_size) buffer.resize(num_rows * row_size);
  };
  for (std::vector<float>* buffer : {&buffers_.x, &buffers_.normal, &buffers_.mixed}) make_room(*buffer, size_);
  make_room(buffers_.wide, round_up(widest, COLUMNS));
  make_room(buffers_.narrow, round_up(model.config.model_size, COLUMNS));
  make_room(buffers_.pointers, 1);
}

Pass::~Pass() {
  constexpr int MOST_ROWS = 64;  // the memory of more is given back
  if (num_rows_ <= MOST_ROWS) spare_ = std::move(buffers_);
}

float* const* Pass::pointers(float* first, size_t stride) {
  for (int row = 0; row < num_rows_; ++row) buffers_.pointers[row] = first + row * stride;
  return buffers_.pointers.data();
}

const float* Pass::read(const Norm& norm, const Linear& linear) {
  const float* normal = buffers_.x.data();
  if (!norm.is_identity) {
    float* to = model_.config.is_post_norm ? buffers_.x.data() : buffers_.normal.data();
    for (int row = 0; row < num_rows_; ++row) {
      model_.kernels.normalise(x(row), static_cast<int>(size_), norm.gain.data(), norm.bias.data(), to + row * size_);
    }
    normal = to;
  }
  linear.quantise(model_.kernels, normal, size_, num_rows_, buffers_.quantised);
  linear.multiply(model_.kernels, buffers_.quantised, num_rows_, pointers(buffers_.wide.data(), linear.stride()));
  return buffers_.wide.data();
}

void Pass::add_product(const Linear& linear, const float* input, size_t stride) {
  linear.quantise(model_.kernels, input, stride, num_rows_, buffers_.quantised);
  float* const* y = pointers(buffers_.narrow.data(), linear.stride());
  linear.multiply(model_.kernels, buffers_.quantised, num_rows_, y);
  for (int row = 0; row < num_rows_; ++row) model_.kernels.add(x(row), y[row], static_cast<int>(size_));
}

void Pass::feed_forward(const FeedForward& layer) {
  read(layer.norm, layer.inner);
  const Kernels& kernels = model_.kernels;
  const auto activate = model_.config.activation == RELU   ? kernels.relu
                        : model_.config.activation == GELU ? kernels.gelu
                                                           : kernels.swish;
  const int stride = layer.inner.stride();
  activate(buffers_.wide.data(), num_rows_ * stride);
  add_product(layer.outer, buffers_.wide.data(), stride);
}

void Pass::finish(const Norm& norm) {
  for (int row = 0; row < num_rows_; ++row) {
    model_.kernels.normalise(x(row), static_cast<int>(size_), norm.gain.data(), norm.bias.data(), x(row));
  }
}

void Pass::project(const Linear& linear, const std::vector<int>& rows, float* const* y) {
  for (size_t i = 0; i < rows.size(); ++i) std::copy_n(x(rows[i]), size_, buffers_.normal.data() + i * size_);
  linear.quantise(model_.kernels, buffers_.normal.data(), size_, static_cast<int>(rows.size()), buffers_.quantised);
  linear.multiply(model_.kernels, buffers_.quantised, static_cast<int>(rows.size()), y);
}

}  // namespace pinpoint
