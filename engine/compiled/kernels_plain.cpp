// Kernels for every processor: plain C++, for which the compiler finds vector instructions (NEON, SSE2).
#define WIDTH 4
#include "float_kernels.h"

namespace pinpoint {
namespace {

void multiply(const PackedWeights& w, const int8_t* activations, const float* scale, const int32_t* sum, int num_rows,
              float* const* y) {
  for (int n = 0; n < w.num_outputs; n += COLUMNS) {
    const uint8_t* block = w.bytes + static_cast<size_t>(n) * w.num_inputs;
    for (int row = 0; row < num_rows; ++row) {
      const int8_t* a = activations + static_cast<size_t>(row) * w.num_inputs;
      uint32_t sums[COLUMNS];  // unsigned numbers may wrap around; the difference below is right again
      for (uint32_t& number : sums) number = 0;
      const uint8_t* group = block;
      for (int k = 0; k < w.num_inputs; k += GROUP, group += COLUMNS * GROUP) {
        for (int column = 0; column < COLUMNS; ++column) {
          int32_t part = 0;
          for (int i = 0; i < GROUP; ++i) part += group[column * GROUP + i] * a[k + i];
          sums[column] += static_cast<uint32_t>(part);
        }
      }
      const uint32_t excess = 128u * static_cast<uint32_t>(sum[row]);
      for (int column = 0; column < COLUMNS; ++column) {
        const float exact = static_cast<float>(static_cast<int32_t>(sums[column] - excess));
        y[row][n + column] = exact * scale[row] * w.scale[n + column] + w.bias[n + column];
      }
    }
  }
}

bool is_supported() { return true; }

}  // namespace

extern const Kernels plain_kernels;
const Kernels plain_kernels = {"plain", is_supported, quantise, multiply, multiply_floats, normalise, attend, recur, add, relu, swish, gelu, log_sum};

}  // namespace pinpoint
