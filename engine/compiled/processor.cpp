#include "processor.h"

#if defined(__x86_64__)

#include <cpuid.h>

namespace pinpoint {

namespace {

struct Features {
  unsigned basic = 0;                 // leaf 1, ECX
  unsigned extended = 0, vector = 0;  // leaf 7, EBX and ECX
  unsigned saved = 0;                 // the registers that the operating system saves: XCR0
};

bool has(unsigned flags, unsigned wanted) { return (flags & wanted) == wanted; }

Features features() {
  Features found;
  unsigned a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d)) found.basic = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    found.extended = b;
    found.vector = c;
  }
  if (has(found.basic, 1u << 27)) {  // OSXSAVE: the next instruction is there
    __asm__("xgetbv" : "=a"(found.saved), "=d"(d) : "c"(0));
  }
  return found;
}

}  // namespace

bool has_avx2() {
  const Features found = features();
  const unsigned fma_avx = 1u << 12 | 1u << 28;
  return has(found.basic, fma_avx) && has(found.extended, 1u << 5) && has(found.saved, 0x6);
}

bool has_avx512_vnni() {
  const Features found = features();
  const unsigned f_dq_bw_vl = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
  return has_avx2() && has(found.extended, f_dq_bw_vl) && has(found.vector, 1u << 11) && has(found.saved, 0xe6);
}

}  // namespace pinpoint

#else

namespace pinpoint {
bool has_avx2() { return false; }
bool has_avx512_vnni() { return false; }
}  // namespace pinpoint

#endif
