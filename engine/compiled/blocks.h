// The memory of prefix trees: blocks of one size, cut from chunks that all trees of the process share.
//
// A tree that ends gives its chunks to the next one, which finds them warm, or back to the system. On the heap, the blocks of
// several threads left holes of half their size behind.
#pragma once

#include <cstddef>
#include <vector>

namespace pinpoint {

class Blocks {
 public:
  explicit Blocks(size_t count);  // numbers of a block
  ~Blocks();
  Blocks(const Blocks&) = delete;

  // A block whose beginning suits the widest registers, not set to anything. Throws std::bad_alloc.
  float* take();
  void give_back(float* block) { free_.push_back(block); }

 private:
  size_t size_;  // bytes of a block
  std::vector<void*> chunks_;
  std::vector<float*> free_;
};

}  // namespace pinpoint
