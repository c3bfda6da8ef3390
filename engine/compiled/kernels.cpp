// The families of kernels of this build, and the choice of one.
#include "kernels.h"

namespace pinpoint {

extern const Kernels plain_kernels;
#if defined(__x86_64__)
extern const Kernels avx2_kernels, avx512_kernels;
static const Kernels* const ALL[] = {&avx512_kernels, &avx2_kernels, &plain_kernels};
#else
static const Kernels* const ALL[] = {&plain_kernels};
#endif

const Kernels* const* all_kernels(int* count) {
  *count = static_cast<int>(sizeof ALL / sizeof *ALL);
  return ALL;
}

const Kernels& best_kernels() {
  for (const Kernels* kernels : ALL) {
    if (kernels->is_supported()) return *kernels;
  }
  return plain_kernels;
}

}  // namespace pinpoint
