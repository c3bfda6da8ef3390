// What this processor can do. (`__builtin_cpu_supports` is not linked into a shared library by every compiler.)
#pragma once

namespace pinpoint {

bool has_avx2();         // with FMA
bool has_avx512_vnni();  // with the parts of AVX-512 that the kernels use: F, BW, DQ, VL

}  // namespace pinpoint
