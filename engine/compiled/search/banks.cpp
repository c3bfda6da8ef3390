#include "banks.h"

#include <algorithm>
#include <stddef.h>
#include <cstdint>
#include <cstdlib>
#include <numeric>

namespace pinpoint {

namespace {

// Places in rounds, one to each bank with candidates left over; if a round has fewer places than such banks, they are
// evenly spaced and include the lowest and the topmost bank.
std::vector<int> spread(const std::vector<int>& waiting, int beam) {
  std::vector<int> given(waiting.size(), 0);
  int left = std::min<int64_t>(beam, std::accumulate(waiting.begin(), waiting.end(), int64_t{0}));
  while (left > 0) {
    std::vector<size_t> open;
    for (size_t bank = 0; bank < waiting.size(); bank++)
      if (given[bank] < waiting[bank]) open.push_back(bank);
    const int64_t num_open = open.size(), num_dealt = std::min<int64_t>(left, num_open);
    const int64_t steps = std::max<int64_t>(num_dealt - 1, 0), gaps = std::max<int64_t>(num_open - 1, 1);
    for (int64_t rank = 0; rank < num_open; rank++) {
      const bool is_next = num_dealt > 1 ? rank == 0 || rank * steps / gaps > (rank - 1) * steps / gaps
                                         : rank == num_open - 1;  // one place: the topmost
      if (is_next) given[open[rank]]++;
    }
    left -= num_dealt;
  }
  return given;
}

}  // namespace

std::vector<int> allocate(const std::vector<int>& waiting, int beam, bool spreads) {
  const int num_banks = waiting.size(), share = beam / num_banks;
  if (spreads && share == 0) return spread(waiting, beam);
  std::vector<int> given(num_banks), left(num_banks, share), spare(num_banks), givers, takers;
  left.back() = beam - share * (num_banks - 1);
  for (int bank = 0; bank < num_banks; bank++) {
    given[bank] = std::min(left[bank], waiting[bank]);
    left[bank] -= given[bank];
    spare[bank] = waiting[bank] - given[bank];
    if (left[bank] > 0) givers.push_back(bank);
    if (spare[bank] > 0) takers.push_back(bank);
  }
  std::vector<int> distances;
  for (int giver : givers)
    for (int taker : takers) distances.push_back(std::abs(giver - taker));
  std::sort(distances.begin(), distances.end());
  distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
  for (int distance : distances)
    for (int step : {distance, -distance})  // upwards first
      for (int giver : givers) {
        const int taker = giver + step;
        if (taker < 0 || taker >= num_banks) continue;
        const int moved = std::min(left[giver], spare[taker]);
        left[giver] -= moved;
        spare[taker] -= moved;
        given[taker] += moved;
      }
  return given;
}

}  // namespace pinpoint
