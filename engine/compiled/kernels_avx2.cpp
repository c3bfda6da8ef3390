// Kernels for x86-64 processors with AVX2.
//
// The product of unsigned and signed bytes adds pairs into 16 bits, where 255 * 127 * 2 would not fit. The weights are
// therefore taken with the sign of the activation, and multiplied by its magnitude: 127 * 127 * 2 fits, and the sums are
// exact.
#define WIDTH 8
#include <immintrin.h>

#include "float_kernels.h"
#include "processor.h"

namespace pinpoint {
namespace {

constexpr int MOST_ROWS = 4;         // of a tile: its sums stay in registers
constexpr int TILE_COLUMNS = 16;     // two registers of 8 sums
constexpr int TILE_BYTES = TILE_COLUMNS * GROUP;

template <int ROWS>
inline void tile(const PackedWeights& w, int first, const int8_t* activations, const float* scale, float* const* y) {
  const size_t block = static_cast<size_t>(first / COLUMNS) * COLUMNS * w.num_inputs;
  const uint8_t* bytes = w.bytes + block + (first % COLUMNS) * GROUP;
  const __m256i middle = _mm256_set1_epi8(-128), ones = _mm256_set1_epi16(1);
  __m256i sums[ROWS][2];
  for (int row = 0; row < ROWS; ++row) sums[row][0] = sums[row][1] = _mm256_setzero_si256();
  for (int k = 0; k < w.num_inputs; k += GROUP, bytes += COLUMNS * GROUP) {
    const __m256i* at = reinterpret_cast<const __m256i*>(bytes);
    const __m256i w0 = _mm256_xor_si256(_mm256_loadu_si256(at), middle);  // as signed numbers
    const __m256i w1 = _mm256_xor_si256(_mm256_loadu_si256(at + 1), middle);
    for (int row = 0; row < ROWS; ++row) {
      int32_t four;
      memcpy(&four, activations + static_cast<size_t>(row) * w.num_inputs + k, sizeof four);
      const __m256i a = _mm256_set1_epi32(four), magnitudes = _mm256_abs_epi8(a);
      const __m256i p0 = _mm256_maddubs_epi16(magnitudes, _mm256_sign_epi8(w0, a));
      const __m256i p1 = _mm256_maddubs_epi16(magnitudes, _mm256_sign_epi8(w1, a));
      sums[row][0] = _mm256_add_epi32(sums[row][0], _mm256_madd_epi16(p0, ones));
      sums[row][1] = _mm256_add_epi32(sums[row][1], _mm256_madd_epi16(p1, ones));
    }
  }
  for (int row = 0; row < ROWS; ++row) {
    for (int half = 0; half < 2; ++half) {
      const int n = first + half * 8;
      const __m256 exact = _mm256_cvtepi32_ps(sums[row][half]);
      const __m256 scaled = _mm256_mul_ps(_mm256_mul_ps(exact, _mm256_set1_ps(scale[row])), _mm256_loadu_ps(w.scale + n));
      _mm256_storeu_ps(y[row] + n, _mm256_add_ps(scaled, _mm256_loadu_ps(w.bias + n)));
    }
  }
}

void multiply(const PackedWeights& w, const int8_t* activations, const float* scale, const int32_t*, int num_rows,
              float* const* y) {
  for (int n = 0; n < w.num_outputs; n += TILE_COLUMNS) {  // each weight is read from memory once
    for (int row = 0; row < num_rows; row += MOST_ROWS) {
      const int8_t* a = activations + static_cast<size_t>(row) * w.num_inputs;
      switch (num_rows - row) {
        case 1: tile<1>(w, n, a, scale + row, y + row); break;
        case 2: tile<2>(w, n, a, scale + row, y + row); break;
        case 3: tile<3>(w, n, a, scale + row, y + row); break;
        default: tile<4>(w, n, a, scale + row, y + row); break;
      }
    }
  }
}

}  // namespace

extern const Kernels avx2_kernels;
const Kernels avx2_kernels = {"avx2", has_avx2, quantise, multiply, multiply_floats, normalise, attend, recur, add, relu, swish, gelu, log_sum};

}  // namespace pinpoint
