// Kernels for x86-64 processors with AVX-512 and its 8-bit products (VNNI).
#define WIDTH 16
#include <immintrin.h>

#if !defined(__clang__)  // GCC 12 takes the intrinsics' undefined registers for mistakes of ours
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "float_kernels.h"
#include "processor.h"

namespace pinpoint {
namespace {

constexpr int MOST_ROWS = 12;     // of a tile: its 24 registers of sums, and those of weights, fit into 32
constexpr int AHEAD = 2048;       // bytes of weights that are fetched in advance

template <int ROWS>
inline void tile(const PackedWeights& w, int first, const int8_t* activations, const float* scale, const int32_t* sum,
                 float* const* y) {
  const uint8_t* bytes = w.bytes + static_cast<size_t>(first) * w.num_inputs;
  __m512i low[ROWS], high[ROWS];
#pragma GCC unroll 16
  for (int row = 0; row < ROWS; ++row) low[row] = high[row] = _mm512_setzero_si512();
  for (int k = 0; k < w.num_inputs; k += GROUP, bytes += COLUMNS * GROUP) {
    _mm_prefetch(reinterpret_cast<const char*>(bytes) + AHEAD, _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(bytes) + AHEAD + 64, _MM_HINT_T0);
    const __m512i w0 = _mm512_load_si512(bytes), w1 = _mm512_load_si512(bytes + 64);
#pragma GCC unroll 16
    for (int row = 0; row < ROWS; ++row) {
      typedef int32_t Four __attribute__((may_alias, aligned(1)));
      const Four& four = *reinterpret_cast<const Four*>(activations + static_cast<size_t>(row) * w.num_inputs + k);
      // With the intrinsic, GCC 12 loads the activations into registers of their own and spills sums.
      __asm__("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(low[row]) : "v"(w0), "m"(four));
      __asm__("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(high[row]) : "v"(w1), "m"(four));
    }
  }
  const Vector scale0 = load(w.scale + first), scale1 = load(w.scale + first + WIDTH);
  const Vector bias0 = load(w.bias + first), bias1 = load(w.bias + first + WIDTH);
#pragma GCC unroll 16
  for (int row = 0; row < ROWS; ++row) {
    const uint32_t excess = 128u * static_cast<uint32_t>(sum[row]);  // of unsigned weights; it may wrap around
    const Vector y0 = __builtin_convertvector(reinterpret_cast<Integers>(reinterpret_cast<Wrapping>(low[row]) - excess), Vector);
    const Vector y1 = __builtin_convertvector(reinterpret_cast<Integers>(reinterpret_cast<Wrapping>(high[row]) - excess), Vector);
    store(y[row] + first, y0 * scale[row] * scale0 + bias0);
    store(y[row] + first + WIDTH, y1 * scale[row] * scale1 + bias1);
  }
}

void multiply(const PackedWeights& w, const int8_t* activations, const float* scale, const int32_t* sum, int num_rows,
              float* const* y) {
  for (int n = 0; n < w.num_outputs; n += COLUMNS) {  // each weight is read from memory once
    for (int row = 0; row < num_rows;) {
      const int left = num_rows - row, num_tiles = (left + MOST_ROWS - 1) / MOST_ROWS;
      const int rows = (left + num_tiles - 1) / num_tiles;  // tiles of nearly the same size
      const int8_t* a = activations + static_cast<size_t>(row) * w.num_inputs;
      switch (rows) {
#define TILE(ROWS) \
  case ROWS: tile<ROWS>(w, n, a, scale + row, sum + row, y + row); break;
        TILE(1) TILE(2) TILE(3) TILE(4) TILE(5) TILE(6) TILE(7) TILE(8) TILE(9) TILE(10) TILE(11) TILE(12)
#undef TILE
      }
      row += rows;
    }
  }
}

}  // namespace

extern const Kernels avx512_kernels;
const Kernels avx512_kernels = {"avx512vnni", has_avx512_vnni, quantise, multiply, multiply_floats, normalise, attend, recur,
                                add, relu, swish, gelu, log_sum};

}  // namespace pinpoint
