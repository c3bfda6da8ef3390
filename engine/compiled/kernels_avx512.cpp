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
constexpr int MOST_ROWS_WIDE = 6;  // of a wide tile, for the same reason
constexpr size_t MOST_BYTES_WIDE = size_t{4} << 20;  // of weights: larger ones come from memory, one after the other
constexpr int AHEAD = 2048;       // bytes of weights that are fetched in advance

// The products of some rows and WIDTH outputs from their sums.
template <int ROWS>
inline void finish(const PackedWeights& w, int first, const __m512i* sums, const float* scale, const int32_t* sum,
                   float* const* y) {
  const Vector own_scale = load(w.scale + first), bias = load(w.bias + first);
#pragma GCC unroll 16
  for (int row = 0; row < ROWS; ++row) {
    const uint32_t excess = 128u * static_cast<uint32_t>(sum[row]);  // of unsigned weights; it may wrap around
    const Wrapping rest = reinterpret_cast<Wrapping>(sums[row]) - excess;
    const Vector product = __builtin_convertvector(reinterpret_cast<Integers>(rest), Vector);
    store(y[row] + first, product * scale[row] * own_scale + bias);
  }
}

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
  finish<ROWS>(w, first, low, scale, sum, y);
  finish<ROWS>(w, first + WIDTH, high, scale, sum, y);
}

// Twice the outputs of `tile`, which halves the loads of activations: 10 % less time with ten rows.
template <int ROWS>
inline void wide_tile(const PackedWeights& w, int first, const int8_t* activations, const float* scale,
                      const int32_t* sum, float* const* y) {
  const uint8_t* bytes = w.bytes + static_cast<size_t>(first) * w.num_inputs;
  const uint8_t* others = bytes + static_cast<size_t>(COLUMNS) * w.num_inputs;
  __m512i sums[4][ROWS];
#pragma GCC unroll 16
  for (int row = 0; row < ROWS; ++row) sums[0][row] = sums[1][row] = sums[2][row] = sums[3][row] = _mm512_setzero_si512();
  for (int k = 0; k < w.num_inputs; k += GROUP, bytes += COLUMNS * GROUP, others += COLUMNS * GROUP) {
    _mm_prefetch(reinterpret_cast<const char*>(bytes) + AHEAD, _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(bytes) + AHEAD + 64, _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(others) + AHEAD, _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(others) + AHEAD + 64, _MM_HINT_T0);
    const __m512i w0 = _mm512_load_si512(bytes), w1 = _mm512_load_si512(bytes + 64);
    const __m512i w2 = _mm512_load_si512(others), w3 = _mm512_load_si512(others + 64);
#pragma GCC unroll 16
    for (int row = 0; row < ROWS; ++row) {
      typedef int32_t Four __attribute__((may_alias, aligned(1)));
      const __m512i four =
          _mm512_set1_epi32(*reinterpret_cast<const Four*>(activations + static_cast<size_t>(row) * w.num_inputs + k));
      __asm__("vpdpbusd %2, %1, %0" : "+v"(sums[0][row]) : "v"(w0), "v"(four));
      __asm__("vpdpbusd %2, %1, %0" : "+v"(sums[1][row]) : "v"(w1), "v"(four));
      __asm__("vpdpbusd %2, %1, %0" : "+v"(sums[2][row]) : "v"(w2), "v"(four));
      __asm__("vpdpbusd %2, %1, %0" : "+v"(sums[3][row]) : "v"(w3), "v"(four));
    }
  }
#pragma GCC unroll 16
  for (int part = 0; part < 4; ++part) finish<ROWS>(w, first + part * WIDTH, sums[part], scale, sum, y);
}

template <int BLOCKS>
void multiply_blocks(const PackedWeights& w, int first, const int8_t* activations, const float* scale,
                     const int32_t* sum, int num_rows, float* const* y) {
  constexpr int MOST = BLOCKS == 2 ? MOST_ROWS_WIDE : MOST_ROWS;
  for (int row = 0; row < num_rows;) {
    const int left = num_rows - row, num_tiles = (left + MOST - 1) / MOST;
    const int rows = (left + num_tiles - 1) / num_tiles;  // tiles of nearly the same size
    const int8_t* a = activations + static_cast<size_t>(row) * w.num_inputs;
    switch (rows) {
#define TILE(ROWS)                                                                           \
  case ROWS:                                                                                 \
    if constexpr (BLOCKS == 1) tile<ROWS>(w, first, a, scale + row, sum + row, y + row);     \
    else if constexpr (ROWS <= MOST) wide_tile<ROWS>(w, first, a, scale + row, sum + row, y + row); \
    break;
      TILE(1) TILE(2) TILE(3) TILE(4) TILE(5) TILE(6) TILE(7) TILE(8) TILE(9) TILE(10) TILE(11) TILE(12)
#undef TILE
    }
    row += rows;
  }
}

void multiply(const PackedWeights& w, const int8_t* activations, const float* scale, const int32_t* sum, int num_rows,
              float* const* y) {
  const bool is_small = static_cast<size_t>(w.num_outputs) * w.num_inputs <= MOST_BYTES_WIDE;
  const bool is_wide = is_small && num_rows >= 4 && num_rows != 7;  // 7 would be wide tiles of 4 and 3, which are slower
  int first = 0;  // each weight is read from memory once
  for (; is_wide && first + 2 * COLUMNS <= w.num_outputs; first += 2 * COLUMNS) {
    multiply_blocks<2>(w, first, activations, scale, sum, num_rows, y);
  }
  for (; first < w.num_outputs; first += COLUMNS) {
    multiply_blocks<1>(w, first, activations, scale, sum, num_rows, y);
  }
}

}  // namespace

extern const Kernels avx512_kernels;
const Kernels avx512_kernels = {"avx512vnni", has_avx512_vnni, quantise, multiply, multiply_floats, normalise, attend, recur,
                                add, relu, swish, gelu, log_sum};

}  // namespace pinpoint
