// Dynamic beam allocation (Post & Vilar 2018, section 3.2): the twin of `engine/search/banks.py`, for one sentence.
#pragma once

#include <vector>

namespace pinpoint {

// Places for each bank, never more than the bank has candidates: `waiting[i]` counts those of bank i.
// `spreads`: a beam with fewer places than banks is spread over the banks.
std::vector<int> allocate(const std::vector<int>& waiting, int beam, bool spreads);

}  // namespace pinpoint
