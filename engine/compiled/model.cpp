#include "model.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace pinpoint {

namespace {

constexpr size_t ALIGNMENT = 64, HUGE_PAGE = size_t{2} << 20;
constexpr int MOST_INPUTS = 1 << 17;  // 127 * 127 for each of them fits into 32 bits

template <class Part>
Part& find(const std::map<std::string, Part*>& parts, const std::string& name) {
  const auto found = parts.find(name);
  if (found == parts.end()) throw std::invalid_argument("the model has no part " + name);
  return *found->second;
}

void check_size(const std::string& name, int size, int expected) {
  if (size != expected) {
    throw std::invalid_argument(name + " has the size " + std::to_string(size) + " instead of " + std::to_string(expected));
  }
}

}  // namespace

void* allocate(size_t size) {
  const size_t step = size < HUGE_PAGE ? ALIGNMENT : HUGE_PAGE;
  void* block = std::malloc(size + step);
  if (block == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  if (step == HUGE_PAGE) {
    const uintptr_t first = (reinterpret_cast<uintptr_t>(block) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    madvise(reinterpret_cast<void*>(first), size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
  }
#endif
  return block;
}

void* aligned(void* block) {
  return reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

void Linear::set(const float* weights, const float* bias, const float* weight_steps, float input_step) {
  const int num_columns = stride(), num_inputs = round_up(num_inputs_, GROUP);
  const size_t size = static_cast<size_t>(num_columns) * num_inputs;
  Aligned<uint8_t> bytes(size);
  std::fill_n(bytes.data(), size, uint8_t{128});
  std::vector<float> scale(num_columns, 0.0f), biases(num_columns, 0.0f);
  for (int n = 0; n < num_outputs_; ++n) {
    const float* row = weights + static_cast<size_t>(n) * num_inputs_;
    float largest = 1e-12f;
    for (int k = 0; k < num_inputs_; ++k) {
      if (!std::isfinite(row[k])) throw std::invalid_argument("a weight is not a finite number");
      largest = std::max(largest, std::fabs(row[k]));
    }
    scale[n] = weight_steps != nullptr ? weight_steps[n] : largest / 127;
    if (!(scale[n] > 0)) throw std::invalid_argument("a step of the weights is not positive");
    if (bias != nullptr) biases[n] = bias[n];
    uint8_t* block = bytes.data() + static_cast<size_t>(n / COLUMNS) * COLUMNS * num_inputs + n % COLUMNS * GROUP;
    for (int k = 0; k < num_inputs_; ++k) {
      const long rounded = std::lrint(std::min(127.0f, std::max(-127.0f, row[k] / scale[n])));
      block[static_cast<size_t>(k / GROUP) * COLUMNS * GROUP + k % GROUP] = static_cast<uint8_t>(128 + rounded);
    }
  }
  input_step_ = input_step;
  bytes_ = std::move(bytes);
  scale_ = std::move(scale);
  bias_ = std::move(biases);
}

void Linear::pad_with(float number) { std::fill(bias_.begin() + num_outputs_, bias_.end(), number); }

void Linear::quantise(const Kernels& kernels, const float* x, size_t stride, int num_rows, QuantisedRows& rows) const {
  const size_t num_inputs = static_cast<size_t>(round_up(num_inputs_, GROUP));
  rows.numbers.resize(std::max(rows.numbers.size(), num_inputs * num_rows));
  rows.scale.resize(std::max<size_t>(rows.scale.size(), num_rows));
  rows.sum.resize(rows.scale.size());
  for (int row = 0; row < num_rows; ++row) {
    kernels.quantise(x + row * stride, num_inputs_, input_step_, rows.numbers.data() + row * num_inputs, &rows.scale[row],
                     &rows.sum[row]);
  }
}

void Linear::multiply(const Kernels& kernels, const QuantisedRows& rows, int num_rows, float* const* y) const {
  const PackedWeights packed = {bytes_.data(), scale_.data(), bias_.data(), stride(), round_up(num_inputs_, GROUP)};
  kernels.multiply(packed, rows.numbers.data(), rows.scale.data(), rows.sum.data(), num_rows, y);
}

Model::Model(const Config& config, const float* embedding, const float* source_embedding, const float* positions,
             const Kernels& kernels)
    : config(config),
      kernels(kernels),
      embedding(embedding),
      source_embedding(source_embedding),
      positions(positions),
      encoder(config.encoder_layers),
      decoder_layers(config.decoder_layers),
      output(config.vocabulary_size, config.model_size) {
  const int size = config.model_size;
  if (config.num_heads < 1 || size % config.num_heads != 0) throw std::invalid_argument("heads of unequal size");
  const auto add_norm = [&](const std::string& name, Norm& norm) { norms_[name] = &norm; };
  const auto add_linear = [&](const std::string& name, Linear& linear, int num_outputs, int num_inputs) {
    if (num_inputs > MOST_INPUTS) throw std::invalid_argument(name + " has too many inputs");
    linear = Linear(num_outputs, num_inputs);
    linears_[name] = &linear;
  };
  const auto add_attention = [&](const std::string& name, SelfAttention& attention, bool is_first) {
    attention.norm.is_identity = is_first && config.is_post_norm;
    if (!attention.norm.is_identity) add_norm(name + ".norm", attention.norm);
    add_linear(name + ".qkv", attention.qkv, 3 * size, size);
    add_linear(name + ".out", attention.out, size, size);
  };
  const auto add_feed_forward = [&](const std::string& name, FeedForward& feed_forward, int inner_size) {
    add_norm(name + ".norm", feed_forward.norm);
    add_linear(name + ".inner", feed_forward.inner, inner_size, size);
    add_linear(name + ".outer", feed_forward.outer, size, inner_size);
  };
  for (int i = 0; i < config.encoder_layers; ++i) {
    const std::string name = "encoder." + std::to_string(i);
    add_attention(name + ".attention", encoder[i].attention, i == 0);
    add_feed_forward(name + ".feed_forward", encoder[i].feed_forward, config.encoder_feed_forward_size);
  }
  for (int i = 0; i < config.decoder_layers; ++i) {
    const std::string name = "decoder_layers." + std::to_string(i);
    DecoderLayer& layer = decoder_layers[i];
    if (config.is_recurrent) {
      layer.recurrence.norm.is_identity = i == 0 && config.is_post_norm;
      if (!layer.recurrence.norm.is_identity) add_norm(name + ".recurrence.norm", layer.recurrence.norm);
      add_linear(name + ".recurrence.gates", layer.recurrence.gates, 2 * size, size);
    } else {
      add_attention(name + ".attention", layer.attention, i == 0);
    }
    add_norm(name + ".cross.norm", layer.cross.norm);
    add_linear(name + ".cross.q", layer.cross.q, size, size);
    add_linear(name + ".cross.kv", layer.cross.kv, 2 * size, size);
    add_linear(name + ".cross.out", layer.cross.out, size, size);
    add_feed_forward(name + ".feed_forward", layer.feed_forward, config.decoder_feed_forward_size);
  }
  add_norm("encoder_norm", encoder_norm);
  add_norm("decoder_norm", decoder_norm);
  linears_["output"] = &output;
}

void Model::set_linear(const std::string& name, const float* weights, const float* bias, int num_outputs,
                       int num_inputs, const float* weight_steps, float input_step) {
  Linear& linear = find(linears_, name);
  check_size(name, num_outputs, linear.num_outputs());
  check_size(name, num_inputs, linear.num_inputs());
  linear.set(weights, bias, weight_steps, input_step);
  if (&linear == &output) output.pad_with(-INFINITY);  // what is behind the last piece is never chosen
}

void Model::set_norm(const std::string& name, const float* gain, const float* bias, int size) {
  Norm& norm = find(norms_, name);
  check_size(name, size, config.model_size);
  norm.gain.assign(gain, gain + size);
  norm.bias.assign(bias, bias + size);
}

void Model::check() const {
  for (const auto& [name, linear] : linears_) {
    if (!linear->is_set()) throw std::invalid_argument(name + " is not set");
  }
  for (const auto& [name, norm] : norms_) {
    if (norm->gain.empty()) throw std::invalid_argument(name + " is not set");
  }
}

void Model::embed(const float* table, int32_t piece, int position, float* x) const {
  const int size = config.model_size;
  const float factor = std::sqrt(static_cast<float>(size));
  const float *row = table + static_cast<size_t>(piece) * size, *place = positions + static_cast<size_t>(position) * size;
  for (int i = 0; i < size; ++i) x[i] = place[i] + factor * row[i];
}

}  // namespace pinpoint
