// The weights of a translation model: the layers of engine/model/layers.py and transformer.py, by the same names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels.h"

namespace pinpoint {

enum Activation { RELU, GELU, SWISH };

struct Config {
  int vocabulary_size, source_vocabulary_size, model_size, num_heads, encoder_feed_forward_size,
      decoder_feed_forward_size, encoder_layers, decoder_layers, num_positions;
  bool is_post_norm;
  Activation activation;
  bool is_recurrent;          // SSRU layers in the decoder in place of self-attention
  bool has_guided_alignment;  // the first head of the decoder's last attention to the source is a word alignment
  int head_size() const { return model_size / num_heads; }
};

// Memory with room behind it for `aligned`; large blocks lie on huge pages, where the system has them: the largest
// products gain, as the processor looks up fewer addresses. Throws std::bad_alloc.
void* allocate(size_t size);
void* aligned(void* block);

// A block of numbers whose beginning suits the widest registers; not set to anything. Throws std::bad_alloc.
template <class T>
class Aligned {
 public:
  Aligned() = default;
  explicit Aligned(size_t count) : block_(allocate(count * sizeof(T))), memory_(static_cast<T*>(aligned(block_))) {}
  ~Aligned() { std::free(block_); }
  Aligned(Aligned&& other) noexcept { swap(other); }
  Aligned& operator=(Aligned&& other) noexcept {
    Aligned(std::move(other)).swap(*this);
    return *this;
  }
  T* data() { return memory_; }
  const T* data() const { return memory_; }
  explicit operator bool() const { return block_ != nullptr; }

 private:
  void swap(Aligned& other) {
    std::swap(block_, other.block_);
    std::swap(memory_, other.memory_);
  }
  void* block_ = nullptr;
  T* memory_ = nullptr;
};

// Rows of activations in 8 bits.
struct QuantisedRows {
  std::vector<int8_t> numbers;
  std::vector<float> scale;
  std::vector<int32_t> sum;
};

// y = x W^T + b, in 8 bits.
class Linear {
 public:
  Linear() = default;
  Linear(int num_outputs, int num_inputs) : num_outputs_(num_outputs), num_inputs_(num_inputs) {}
  // Rounds weights (outputs, inputs); `bias` may be null. A model that was made in 8 bits has `weight_steps`, the scale of
  // each output's weights, and `input_step`, that of its inputs; otherwise null and 0: each output and row has its own.
  void set(const float* weights, const float* bias, const float* weight_steps = nullptr, float input_step = 0);
  // Numbers from one row of outputs to the next: the outputs, padded.
  int stride() const { return round_up(num_outputs_, COLUMNS); }
  int num_outputs() const { return num_outputs_; }
  int num_inputs() const { return num_inputs_; }
  // Gives the outputs of the padding this value.
  void pad_with(float number);
  bool is_set() const { return static_cast<bool>(bytes_); }
  // Rounds `num_rows` rows of x, which are `stride` numbers apart.
  void quantise(const Kernels& kernels, const float* x, size_t stride, int num_rows, QuantisedRows& rows) const;
  void multiply(const Kernels& kernels, const QuantisedRows& rows, int num_rows, float* const* y) const;

 private:
  int num_outputs_ = 0, num_inputs_ = 0;
  float input_step_ = 0;
  Aligned<uint8_t> bytes_;
  std::vector<float> scale_, bias_;
};

struct Norm {
  bool is_identity = false;  // as the first one of a stack is with post-norm
  std::vector<float> gain, bias;
};

struct SelfAttention {
  Norm norm;
  Linear qkv, out;
};

// SSRU (Kim et al. 2019, section 3.1); the gates are candidates, and behind them how much is kept of the cells.
struct Recurrence {
  Norm norm;
  Linear gates;
};

struct CrossAttention {
  Norm norm;
  Linear q, kv, out;
};

struct FeedForward {
  Norm norm;
  Linear inner, outer;
};

struct EncoderLayer {
  SelfAttention attention;
  FeedForward feed_forward;
};

struct DecoderLayer {
  SelfAttention attention;  // one of the two
  Recurrence recurrence;
  CrossAttention cross;
  FeedForward feed_forward;
};

class Model {
 public:
  // `embedding` (V, E), `source_embedding` (its V, E) and `positions` (num_positions, E) are not copied.
  Model(const Config& config, const float* embedding, const float* source_embedding, const float* positions,
        const Kernels& kernels);
  Model(const Model&) = delete;

  // The parts by their names in the state of the PyTorch model, such as "encoder.0.attention.qkv"; "output" is the
  // product with the vocabulary. Throw std::invalid_argument for an unknown name or another shape.
  void set_linear(const std::string& name, const float* weights, const float* bias, int num_outputs, int num_inputs,
                  const float* weight_steps, float input_step);
  void set_norm(const std::string& name, const float* gain, const float* bias, int size);
  // Throws std::invalid_argument if a part is not set.
  void check() const;

  const Config config;
  const Kernels& kernels;
  const float* const embedding;
  const float* const source_embedding;
  const float* const positions;
  std::vector<EncoderLayer> encoder;
  Norm encoder_norm;
  std::vector<DecoderLayer> decoder_layers;
  Norm decoder_norm;
  Linear output;

  // Writes the embedding of a piece of `table` at a position, as the first layer reads it.
  void embed(const float* table, int32_t piece, int position, float* x) const;

 private:
  std::map<std::string, Linear*> linears_;
  std::map<std::string, Norm*> norms_;
};

}  // namespace pinpoint
