// The arithmetic of the compiled model, once for each family of processors; which one runs is chosen when it is loaded.
//
// A product has weights of 8 bits, scaled by output, and activations of 8 bits, scaled by row. Its sums are of whole
// numbers and exact, so that all families give the same sums, and a row does not depend on the rows beside it.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace pinpoint {

constexpr int COLUMNS = 32;  // outputs of a block of weights
constexpr int GROUP = 4;     // inputs that lie side by side in it
constexpr int PLACES = 16;   // weights of an attention are computed by so many: the numbers of the widest register

inline int round_up(int number, int step) { return (number + step - 1) / step * step; }

// Weights as the kernels read them: unsigned bytes, 128 above the weight, in blocks [outputs / COLUMNS]
// [inputs / GROUP][COLUMNS][GROUP]. Outputs and inputs are padded with weights of zero.
struct PackedWeights {
  const uint8_t* bytes;
  const float* scale;  // of each output
  const float* bias;
  int num_outputs;  // a multiple of COLUMNS
  int num_inputs;   // a multiple of GROUP
};

// Weights in 32 bits, in blocks [outputs / COLUMNS][inputs][COLUMNS]. Outputs are padded with weights of zero.
struct FloatWeights {
  const float* numbers;
  const float* bias;
  int num_outputs;  // a multiple of COLUMNS
  int num_inputs;
};

struct Kernels {
  const char* name;
  bool (*is_supported)();

  // Rounds a row to whole numbers from -127 to 127 that are multiples of `scale`; `sum` is their sum. The scale is `step`
  // or, if that is 0, the smallest that suits the row. The place behind the row, up to a multiple of GROUP, becomes zero.
  // The scale of a row with an infinity or a NaN is NaN.
  void (*quantise)(const float* row, int size, float step, int8_t* quantised, float* scale, int32_t* sum);

  // y[row][output] = scale[row] * w.scale[output] * (sum over inputs of activation * weight) + w.bias[output].
  // `activations` has `num_inputs` bytes a row.
  void (*multiply)(const PackedWeights& w, const int8_t* activations, const float* scale, const int32_t* sum,
                   int num_rows, float* const* y);

  // y (rows, outputs) = x (rows, inputs) times the weights, plus the bias.
  void (*multiply_floats)(const FloatWeights& w, const float* x, int num_rows, float* y);

  // Layer norm of a row; `normal` may be the row itself.
  void (*normalise)(const float* row, int size, const float* gain, const float* bias, float* normal);

  // Attention of one query, all heads: `keys[place]` is a key of all heads, and its value lies `to_value` behind it.
  // `weights` has room for `num_places` numbers, rounded up to a multiple of PLACES.
  void (*attend)(const float* query, const float* const* keys, ptrdiff_t to_value, int num_places, int num_heads,
                 int head_size, float* weights, float* mixed);

  // A step of a recurrence (SSRU): cell = f * before + (1 - f) * candidate, f the sigmoid of `forget`; adds the cell, or
  // zero where that is negative, to the stream.
  void (*recur)(const float* candidate, const float* forget, const float* before, int size, float* cell, float* stream);

  void (*add)(float* to, const float* summand, int size);
  void (*relu)(float* numbers, int size);
  void (*swish)(float* numbers, int size);
  void (*gelu)(float* numbers, int size);

  // The log of the sum of the exponentials of logits, and the largest one of each block of COLUMNS; `size` is a multiple
  // of COLUMNS.
  float (*log_sum)(const float* logits, int size, float* block_maxima);
};

// The families of this build, best first, whether or not this processor supports them.
const Kernels* const* all_kernels(int* count);
// The best family that this processor supports.
const Kernels& best_kernels();

}  // namespace pinpoint
