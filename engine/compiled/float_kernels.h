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

inline Vector load(const float* from) {
  Vector v;
  memcpy(&v, from, sizeof v);
  return v;
}

inline void store(float* to, Vector v) { memcpy(to, &v, sizeof v); }

inline Vector all(float number) { return Vector{} + number; }

inline Vector larger(Vector a, Vector b) { return a > b ? a : b; }

inline Vector magnitude(Vector v) { return reinterpret_cast<Vector>(reinterpret_cast<Integers>(v) & 0x7fffffff); }

#if WIDTH > 8
typedef float Vector8 __attribute__((vector_size(32)));
#endif
#if WIDTH > 4
typedef float Vector4 __attribute__((vector_size(16)));
#endif

// Both reductions fold a register in halves: `fold(first half, second half)`.
template <class Fold>
inline float reduce(Vector v, Fold fold) {
#if WIDTH > 8
  Vector8 low8, high8;
  memcpy(&low8, &v, 32);
  memcpy(&high8, reinterpret_cast<const char*>(&v) + 32, 32);
  Vector8 v8 = fold(low8, high8);
#elif WIDTH > 4
  Vector v8 = v;
#endif
#if WIDTH > 4
  Vector4 low4, high4;
  memcpy(&low4, &v8, 16);
  memcpy(&high4, reinterpret_cast<const char*>(&v8) + 16, 16);
  Vector4 v4 = fold(low4, high4);
#else
  Vector v4 = v;
#endif
  return fold(fold(v4[0], v4[2]), fold(v4[1], v4[3]));
}

inline float total(Vector v) {
  return reduce(v, [](auto a, auto b) { return a + b; });
}

inline float largest(Vector v) {
  return reduce(v, [](auto a, auto b) { return a > b ? a : b; });
}

// Rounds to the nearest whole number, halves to even, if the magnitude is below 2^22.
inline Vector nearest(Vector v) {
  const Vector shift = all(12582912.0f);  // 1.5 * 2^23: behind its point there is no place
  return (v + shift) - shift;
}

// e^x to within 2 units in the last place for -87 <= x <= 88; smaller x count as -87. A NaN stays.
// The polynomial is the one of Cephes (Moshier 1989), expf.
inline Vector exponential(Vector x) {
  x = x < all(-87.0f) ? all(-87.0f) : x;
  const Vector n = nearest(x * 1.44269504088896341f);
  Vector f = x - n * 0.693359375f;
  f = f - n * -2.12194440e-4f;
  Vector p = f * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * f + 8.3334519073e-3f;
  p = p * f + 4.1665795894e-2f;
  p = p * f + 1.6666665459e-1f;
  p = p * f + 5.0000001201e-1f;
  p = p * f * f + f + 1.0f;
  const Vector bits = n + 12582912.0f + 127.0f;  // n + 127 in the lowest bits
  return p * reinterpret_cast<Vector>(reinterpret_cast<Integers>(bits) << 23);
}

// Calls `whole(place)` for each whole register of a row and `single(place)` for each number behind the last one.
template <class Whole, class Single>
inline void each(int size, Whole whole, Single single) {
  int place = 0;
  for (; place + WIDTH <= size; place += WIDTH) whole(place);
  for (; place < size; ++place) single(place);
}

// The exponential of one number, the same as in a register.
inline float exponential1(float x) { return exponential(all(x))[0]; }

void quantise(const float* row, int size, float step, int8_t* quantised, float* scale, int32_t* sum) {
  Vector most = all(0), spoilt = all(0);
  float most1 = 0, spoilt1 = 0;
  each(
      size,
      [&](int i) {
        const Vector v = load(row + i);
        most = larger(magnitude(v), most);
        spoilt += v - v;  // NaN for a NaN or an infinity
      },
      [&](int i) {
        const float v = row[i];
        most1 = fabsf(v) > most1 ? fabsf(v) : most1;
        spoilt1 += v - v;
      });
  const float of_whole = largest(most), defect = total(spoilt) + spoilt1;
  float highest = of_whole > most1 ? of_whole : most1;
  highest = highest > 1e-30f ? highest : 1e-30f;
  *scale = (step > 0 ? step : highest / 127) + defect;
  const int padded = (size + GROUP - 1) / GROUP * GROUP;
  if (defect != 0) {  // that is, NaN
    memset(quantised, 0, static_cast<size_t>(padded));
    *sum = 0;
    return;
  }
  const float factor = step > 0 ? 1 / step : 127 / highest;
  const Vector most_steps = all(127.0f), least_steps = all(-127.0f);  // a row may go beyond a given scale
  const Vector shift = all(12582912.0f);
  Integers sums{};
  int32_t sum1 = 0;
  each(
      size,
      [&](int i) {
        Vector steps = load(row + i) * factor;
        steps = steps > most_steps ? most_steps : steps;
        steps = steps < least_steps ? least_steps : steps;
        const Integers whole = (reinterpret_cast<Integers>(steps + shift) & 0x7fffff) - 0x400000;
        sums += whole;
        typedef int8_t Bytes __attribute__((vector_size(WIDTH)));
        const Bytes bytes = __builtin_convertvector(whole, Bytes);
        memcpy(quantised + i, &bytes, sizeof bytes);
      },
      [&](int i) {
        float steps = row[i] * factor;
        steps = steps > 127 ? 127 : steps < -127 ? -127 : steps;
        const int32_t whole = static_cast<int32_t>((steps + 12582912.0f) - 12582912.0f);
        sum1 += whole;
        quantised[i] = static_cast<int8_t>(whole);
      });
  for (int i = size; i < padded; ++i) quantised[i] = 0;
  for (int i = 0; i < WIDTH; ++i) sum1 += sums[i];
  *sum = sum1;
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
  constexpr int ROWS = WIDTH / 4;  // of a tile
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
  Vector sums = all(0);
  float sum1 = 0;
  each(size, [&](int i) { sums += load(row + i); }, [&](int i) { sum1 += row[i]; });
  const float mean = (total(sums) + sum1) / static_cast<float>(size);
  Vector squares = all(0);
  float square1 = 0;
  each(
      size,
      [&](int i) {
        const Vector d = load(row + i) - mean;
        squares += d * d;
      },
      [&](int i) { square1 += (row[i] - mean) * (row[i] - mean); });
  const float factor = 1 / sqrtf((total(squares) + square1) / static_cast<float>(size) + 1e-5f);
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

// Turns scores into weights with the sum 1.
inline void softmax(float* scores, int size) {
  float highest = -INFINITY;
  for (int i = 0; i < size; ++i) highest = scores[i] > highest ? scores[i] : highest;
  Vector sums = all(0);
  float sum1 = 0;
  each(
      size,
      [&](int i) {
        const Vector e = exponential(load(scores + i) - highest);
        sums += e;
        store(scores + i, e);
      },
      [&](int i) { sum1 += scores[i] = exponential1(scores[i] - highest); });
  const float factor = 1 / (total(sums) + sum1);
  for (int i = 0; i < size; ++i) scores[i] *= factor;
}

void attend(const float* query, const float* const* keys, ptrdiff_t to_value, int num_places, int num_heads,
            int head_size, float* weights, float* mixed) {
  const float factor = 1 / sqrtf(static_cast<float>(head_size));
  for (int head = 0; head < num_heads; ++head) {
    const int first = head * head_size;
    for (int s = 0; s < num_places; ++s) weights[s] = dot(query + first, keys[s] + first, head_size) * factor;
    softmax(weights, num_places);
    const ptrdiff_t value = to_value + first;
    each(
        head_size,
        [&](int i) {
          Vector sums = all(0);
          for (int s = 0; s < num_places; ++s) sums += weights[s] * load(keys[s] + value + i);
          store(mixed + first + i, sums);
        },
        [&](int i) {
          float sum1 = 0;
          for (int s = 0; s < num_places; ++s) sum1 += weights[s] * keys[s][value + i];
          mixed[first + i] = sum1;
        });
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
  Vector most = all(-INFINITY);
  for (int block = 0; block < size; block += COLUMNS) {
    Vector own = load(logits + block);
    for (int i = WIDTH; i < COLUMNS; i += WIDTH) own = larger(own, load(logits + block + i));
    most = larger(most, own);
    block_maxima[block / COLUMNS] = largest(own);
  }
  const float highest = largest(most);
  Vector sums = all(0);
  for (int i = 0; i < size; i += WIDTH) sums += exponential(load(logits + i) - highest);
  return highest + logf(total(sums));
}

}  // namespace
}  // namespace pinpoint
