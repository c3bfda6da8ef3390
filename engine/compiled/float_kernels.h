// The kernels with 32-bit numbers. Each family of processors compiles this file with its own instructions, after it has
// set WIDTH, the numbers in a vector register; the compiler's vector types do the rest on every processor.
//
// Nothing here may be visible to other files or come from a header of the standard library's templates: the linker
// would keep one copy of an inline function, perhaps one with instructions that another processor lacks.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels.h"

namespace pinpoint {
namespace {

typedef float Vector __attribute__((vector_size(4 * WIDTH)));
typedef int32_t Integers __attribute__((vector_size(4 * WIDTH)));
typedef uint32_t Wrapping __attribute__((vector_size(4 * WIDTH)));

inline Vector load(const float* from) {
  Vector v;
  memcpy(&v, from, sizeof v);
  return v;
}

inline void store(float* to, Vector v) { memcpy(to, &v, sizeof v); }

inline Vector all(float number) { return Vector{} + number; }

inline Vector larger(Vector a, Vector b) { return a > b ? a : b; }

typedef float Vector4 __attribute__((vector_size(16)));

// The four numbers that are left of a register when it is folded in halves: `fold(first half, second half)`. Through memory,
// GCC would keep the register there.
template <class Fold>
inline Vector4 four_of(Vector v, [[maybe_unused]] Fold fold) {
#if WIDTH == 16
  const __m256 eight = fold(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
#elif WIDTH == 8
  const __m256 eight = v;
#endif
#if WIDTH > 4
  return fold(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
#else
  return v;
#endif
}

template <class Fold>
inline float reduce(Vector v, Fold fold) {
  const Vector4 v4 = four_of(v, fold);
  return fold(fold(v4[0], v4[2]), fold(v4[1], v4[3]));
}

// The numbers of two registers by their places, those of the second one from 4 on.
#if defined(__clang__)
#define CHOOSE(one, other, ...) __builtin_shufflevector(one, other, __VA_ARGS__)
#else
#define CHOOSE(one, other, ...) __builtin_shuffle(one, other, Integers4{__VA_ARGS__})
typedef int32_t Integers4 __attribute__((vector_size(16)));
#endif

// What `reduce` makes of each of four registers.
template <class Fold>
inline Vector4 reduce_four(Vector a, Vector b, Vector c, Vector d, Fold fold) {
  const Vector4 a4 = four_of(a, fold), b4 = four_of(b, fold), c4 = four_of(c, fold), d4 = four_of(d, fold);
  const Vector4 ab = fold(CHOOSE(a4, b4, 0, 4, 1, 5), CHOOSE(a4, b4, 2, 6, 3, 7));
  const Vector4 cd = fold(CHOOSE(c4, d4, 0, 4, 1, 5), CHOOSE(c4, d4, 2, 6, 3, 7));
  return fold(CHOOSE(ab, cd, 0, 1, 4, 5), CHOOSE(ab, cd, 2, 3, 6, 7));
}
#undef CHOOSE

struct Sum {
  template <class Numbers>
  Numbers operator()(Numbers a, Numbers b) const { return a + b; }
};

struct Maximum {
  template <class Numbers>
  Numbers operator()(Numbers a, Numbers b) const { return a > b ? a : b; }
};

inline float total(Vector v) { return reduce(v, Sum()); }

inline float largest(Vector v) { return reduce(v, Maximum()); }

constexpr float SHIFT = 12582912.0f;  // 1.5 * 2^23: a number below 2^22 that is added to it is rounded to a whole one

// e^x for x <= 88, to within 3e-7 of it for -2 <= x <= 2 and 4e-6 everywhere; x below -86.6 count as -86.6. A NaN stays.
// 2 to the power of the fraction is a polynomial, fitted so that its largest relative error is least.
inline Vector exponential(Vector x) {
  Vector y = x * 1.44269504088896341f;
  y = all(-125.0f) > y ? all(-125.0f) : y;
  const Vector shifted = y + SHIFT;
  const Vector f = y - (shifted - SHIFT);
  Vector p = f * 1.3264727214e-3f + 9.6715128126e-3f;
  p = p * f + 5.5507337448e-2f;
  p = p * f + 2.4022242083e-1f;
  p = p * f + 6.9314697760e-1f;
  p = p * f + 1.0f;
  return reinterpret_cast<Vector>(reinterpret_cast<Integers>(p) + (reinterpret_cast<Integers>(shifted) << 23));
}

// Calls `whole(place)` for each whole register of a row and `single(place)` for each number behind the last one.
template <class Whole, class Single>
inline void each(int size, Whole whole, Single single) {
  int place = 0;
  for (; place + WIDTH <= size; place += WIDTH) whole(place);
  for (; place < size; ++place) single(place);
}

// The sum of what `whole` and `single` give for a row, in four registers, as an addition takes several cycles.
template <class Whole, class Single>
inline float sum_of(int size, Whole whole, Single single) {
  Vector sums[4] = {all(0), all(0), all(0), all(0)};
  int place = 0;
  for (; place + 4 * WIDTH <= size; place += 4 * WIDTH) {
    for (int part = 0; part < 4; ++part) sums[part] += whole(place + part * WIDTH);
  }
  for (; place + WIDTH <= size; place += WIDTH) sums[0] += whole(place);
  float sum1 = 0;
  for (; place < size; ++place) sum1 += single(place);
  return total((sums[0] + sums[1]) + (sums[2] + sums[3])) + sum1;
}

// The exponential of one number, the same as in a register.
inline float exponential1(float x) { return exponential(all(x))[0]; }

// Stores the lowest byte of each number. GCC 12 would convert a vector number by number.
inline void store_bytes(int8_t* to, Wrapping numbers) {
#if WIDTH == 16
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(reinterpret_cast<__m512i>(numbers)));
#elif WIDTH == 8
  const __m256i low = reinterpret_cast<__m256i>(numbers & 0xff);
  const __m128i pairs = _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(pairs, pairs));
#else
  for (int i = 0; i < WIDTH; ++i) to[i] = static_cast<int8_t>(numbers[i]);
#endif
}

void quantise(const float* row, int size, float step, int8_t* quantised, float* scale, int32_t* sum) {
  constexpr int32_t INFINITE = 0x7f800000;  // the bits of an infinity; those of a NaN are greater
  Integers most{};                          // bits of positive numbers are in their order
  int32_t most1 = 0;
  each(
      size,
      [&](int i) {
        const Integers bits = reinterpret_cast<Integers>(load(row + i)) & 0x7fffffff;
        most = bits > most ? bits : most;
      },
      [&](int i) {
        int32_t bits;
        memcpy(&bits, row + i, sizeof bits);
        bits &= 0x7fffffff;
        most1 = bits > most1 ? bits : most1;
      });
  for (int i = 0; i < WIDTH; ++i) most1 = most[i] > most1 ? most[i] : most1;
  const int padded = (size + GROUP - 1) / GROUP * GROUP;
  if (most1 >= INFINITE) {
    memset(quantised, 0, static_cast<size_t>(padded));
    *sum = 0;
    *scale = NAN;
    return;
  }
  float highest;
  memcpy(&highest, &most1, sizeof highest);
  highest = highest > 1e-30f ? highest : 1e-30f;
  *scale = step > 0 ? step : highest / 127;
  const float factor = step > 0 ? 1 / step : 127 / highest;
  Wrapping sums{};
  int32_t sum1 = 0;
  each(
      size,
      [&](int i) {
        Vector steps = load(row + i) * factor;
        steps = steps < all(127.0f) ? steps : all(127.0f);  // a row may go beyond a given scale
        steps = steps > all(-127.0f) ? steps : all(-127.0f);
        const Wrapping whole = reinterpret_cast<Wrapping>(steps + SHIFT);  // its lowest byte is the rounded number
        sums += whole;
        store_bytes(quantised + i, whole);
      },
      [&](int i) {
        float steps = row[i] * factor;
        steps = steps > 127 ? 127 : steps < -127 ? -127 : steps;
        const int32_t whole = static_cast<int32_t>((steps + SHIFT) - SHIFT);
        sum1 += whole;
        quantised[i] = static_cast<int8_t>(whole);
      });
  for (int i = size; i < padded; ++i) quantised[i] = 0;
  const uint32_t excess = static_cast<uint32_t>(size / WIDTH * WIDTH) * 0x4b400000u;  // the bits of SHIFT
  uint32_t all_sums = static_cast<uint32_t>(sum1) - excess;
  for (int i = 0; i < WIDTH; ++i) all_sums += sums[i];
  *sum = static_cast<int32_t>(all_sums);
}

// A tile of a product in 32 bits: ROWS rows and COLUMNS outputs, whose sums stay in registers.
template <int ROWS>
inline void float_tile(const FloatWeights& w, int first, const float* x, float* y) {
  constexpr int PARTS = COLUMNS / WIDTH;
  const float* weights = w.numbers + static_cast<size_t>(first) * w.num_inputs;
  Vector sums[ROWS][PARTS];
  for (int row = 0; row < ROWS; ++row) {
    for (int part = 0; part < PARTS; ++part) sums[row][part] = load(w.bias + first + part * WIDTH);
  }
  for (int k = 0; k < w.num_inputs; ++k, weights += COLUMNS) {
    for (int part = 0; part < PARTS; ++part) {
      const Vector own = load(weights + part * WIDTH);
      for (int row = 0; row < ROWS; ++row) sums[row][part] += x[static_cast<size_t>(row) * w.num_inputs + k] * own;
    }
  }
  for (int row = 0; row < ROWS; ++row) {
    float* to = y + static_cast<size_t>(row) * w.num_outputs + first;
    for (int part = 0; part < PARTS; ++part) store(to + part * WIDTH, sums[row][part]);
  }
}

void multiply_floats(const FloatWeights& w, const float* x, int num_rows, float* y) {
  constexpr int ROWS = WIDTH == 16 ? 8 : WIDTH / 4;  // of a tile
  for (int first = 0; first < w.num_outputs; first += COLUMNS) {
    int row = 0;
    for (; row + ROWS <= num_rows; row += ROWS) {
      float_tile<ROWS>(w, first, x + static_cast<size_t>(row) * w.num_inputs, y + static_cast<size_t>(row) * w.num_outputs);
    }
    for (; row < num_rows; ++row) {
      float_tile<1>(w, first, x + static_cast<size_t>(row) * w.num_inputs, y + static_cast<size_t>(row) * w.num_outputs);
    }
  }
}

void normalise(const float* row, int size, const float* gain, const float* bias, float* normal) {
  const float mean = sum_of(size, [&](int i) { return load(row + i); }, [&](int i) { return row[i]; }) / static_cast<float>(size);
  const float squares = sum_of(
      size,
      [&](int i) {
        const Vector d = load(row + i) - mean;
        return d * d;
      },
      [&](int i) { return (row[i] - mean) * (row[i] - mean); });
  const float factor = 1 / sqrtf(squares / static_cast<float>(size) + 1e-5f);
  each(
      size, [&](int i) { store(normal + i, (load(row + i) - mean) * factor * load(gain + i) + load(bias + i)); },
      [&](int i) { normal[i] = (row[i] - mean) * factor * gain[i] + bias[i]; });
}

inline float dot(const float* a, const float* b, int size) {
  Vector sums = all(0);
  float sum1 = 0;
  each(size, [&](int i) { sums += load(a + i) * load(b + i); }, [&](int i) { sum1 += a[i] * b[i]; });
  return total(sums) + sum1;
}

// Turns scores into weights with the sum 1; the places behind them, up to a multiple of WIDTH, get weights near 0.
inline void softmax(float* scores, int size) {
  const int padded = round_up(size, WIDTH);
  for (int i = size; i < padded; ++i) scores[i] = -INFINITY;
  Vector most = load(scores);
  for (int i = WIDTH; i < padded; i += WIDTH) most = larger(load(scores + i), most);
  const float highest = largest(most);
  Vector sums = all(0);
  for (int i = 0; i < padded; i += WIDTH) {
    const Vector e = exponential(load(scores + i) - highest);
    sums += e;
    store(scores + i, e);
  }
  const float factor = 1 / total(sums);
  for (int i = 0; i < padded; i += WIDTH) store(scores + i, load(scores + i) * factor);
}

// The weighted sum of COUNT registers of the values at all places.
template <int COUNT>
inline void mix(const float* const* keys, ptrdiff_t to_value, int num_places, const float* weights, float* mixed) {
  Vector sums[COUNT];
  for (int i = 0; i < COUNT; ++i) sums[i] = all(0);
  for (int s = 0; s < num_places; ++s) {
    const float* value = keys[s] + to_value;
    for (int i = 0; i < COUNT; ++i) sums[i] += weights[s] * load(value + i * WIDTH);
  }
  for (int i = 0; i < COUNT; ++i) store(mixed + i * WIDTH, sums[i]);
}

void attend(const float* query, const float* const* keys, ptrdiff_t to_value, int num_places, int num_heads,
            int head_size, float* weights, float* mixed) {
  const float factor = 1 / sqrtf(static_cast<float>(head_size));
  for (int head = 0; head < num_heads; ++head, query += head_size, mixed += head_size) {
    const ptrdiff_t first = static_cast<ptrdiff_t>(head) * head_size, value = to_value + first;
    int s = 0;
    for (; head_size % WIDTH == 0 && s + 4 <= num_places; s += 4) {
      Vector sums[4] = {all(0), all(0), all(0), all(0)};
      for (int i = 0; i < head_size; i += WIDTH) {
        const Vector own = load(query + i);
        for (int part = 0; part < 4; ++part) sums[part] += own * load(keys[s + part] + first + i);
      }
      const Vector4 scores = reduce_four(sums[0], sums[1], sums[2], sums[3], Sum()) * factor;
      memcpy(weights + s, &scores, sizeof scores);
    }
    for (; s < num_places; ++s) weights[s] = dot(query, keys[s] + first, head_size) * factor;
    softmax(weights, num_places);
    int i = 0;
    for (; i + 4 * WIDTH <= head_size; i += 4 * WIDTH) mix<4>(keys, value + i, num_places, weights, mixed + i);
    for (; i + WIDTH <= head_size; i += WIDTH) mix<1>(keys, value + i, num_places, weights, mixed + i);
    for (; i < head_size; ++i) {
      float sum1 = 0;
      for (int place = 0; place < num_places; ++place) sum1 += weights[place] * keys[place][value + i];
      mixed[i] = sum1;
    }
  }
}

void recur(const float* candidate, const float* forget, const float* before, int size, float* cell, float* stream) {
  each(
      size,
      [&](int i) {
        const Vector own = load(candidate + i);
        const Vector f = 1.0f / (1.0f + exponential(-larger(load(forget + i), all(-87.0f))));
        const Vector now = own + f * (load(before + i) - own);
        store(cell + i, now);
        store(stream + i, load(stream + i) + (now < all(0) ? all(0) : now));
      },
      [&](int i) {
        const float f = 1 / (1 + exponential1(-(forget[i] > -87 ? forget[i] : -87)));
        const float now = candidate[i] + f * (before[i] - candidate[i]);
        cell[i] = now;
        stream[i] += now < 0 ? 0 : now;
      });
}

void add(float* to, const float* summand, int size) {
  each(size, [&](int i) { store(to + i, load(to + i) + load(summand + i)); }, [&](int i) { to[i] += summand[i]; });
}

void relu(float* numbers, int size) {  // a NaN stays
  each(
      size,
      [&](int i) {
        const Vector v = load(numbers + i);
        store(numbers + i, v < all(0) ? all(0) : v);
      },
      [&](int i) { numbers[i] = numbers[i] < 0 ? 0 : numbers[i]; });
}

void swish(float* numbers, int size) {
  each(
      size,
      [&](int i) {
        const Vector v = load(numbers + i);
        store(numbers + i, v / (1.0f + exponential(-larger(v, all(-87.0f)))));
      },
      [&](int i) {
        const float v = numbers[i];
        numbers[i] = v / (1 + exponential1(-(v > -87 ? v : -87)));
      });
}

void gelu(float* numbers, int size) {
  for (int i = 0; i < size; ++i) numbers[i] *= 0.5f * (1 + erff(numbers[i] * 0.70710678f));
}

float log_sum(const float* logits, int size, float* block_maxima) {
  const auto of_block = [&](int first) {
    Vector own = load(logits + first);
    for (int i = WIDTH; i < COLUMNS; i += WIDTH) own = larger(own, load(logits + first + i));
    return own;
  };
  Vector most = all(-INFINITY);
  int block = 0;
  for (; block + 4 * COLUMNS <= size; block += 4 * COLUMNS) {
    const Vector a = of_block(block), b = of_block(block + COLUMNS);
    const Vector c = of_block(block + 2 * COLUMNS), d = of_block(block + 3 * COLUMNS);
    most = larger(larger(larger(a, b), larger(c, d)), most);
    const Vector4 maxima = reduce_four(a, b, c, d, Maximum());
    memcpy(block_maxima + block / COLUMNS, &maxima, sizeof maxima);
  }
  for (; block < size; block += COLUMNS) {
    most = larger(of_block(block), most);
    block_maxima[block / COLUMNS] = largest(of_block(block));
  }
  const float highest = largest(most);
  Vector sums = all(0), others = all(0);
  for (int i = 0; i < size; i += COLUMNS) {
    for (int part = 0; part < COLUMNS; part += 2 * WIDTH) {
      sums += exponential(load(logits + i + part) - highest);
      others += exponential(load(logits + i + part + WIDTH) - highest);
    }
  }
  return highest + logf(total(sums + others));
}

}  // namespace
}  // namespace pinpoint
