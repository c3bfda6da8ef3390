#include "blocks.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace pinpoint {

namespace {

constexpr size_t ALIGNMENT = 64, CHUNK = size_t{512} << 10;
constexpr size_t MOST_SPARE = 72;  // chunks that no tree uses: 36 MB, as many as the trees of sources may need

void* new_chunk(size_t size) {
#if defined(__linux__)  // not from the heap, which rarely gives memory back
  void* chunk = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (chunk == MAP_FAILED) throw std::bad_alloc();
#else
  void* chunk = std::malloc(size);
  if (chunk == nullptr) throw std::bad_alloc();
#endif
  return chunk;
}

void free_chunk(void* chunk, size_t size) {
#if defined(__linux__)
  munmap(chunk, size);
#else
  (void)size;
  std::free(chunk);
#endif
}

// The chunks that no tree uses now.
class Spare {
 public:
  void* take() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!chunks_.empty()) {
        void* chunk = chunks_.back();
        chunks_.pop_back();
        return chunk;
      }
    }
    return new_chunk(CHUNK);
  }
  void give_back(void* chunk) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (chunks_.size() < MOST_SPARE) return chunks_.push_back(chunk);
    }
    free_chunk(chunk, CHUNK);
  }

 private:
  std::mutex mutex_;
  std::vector<void*> chunks_;
};

Spare& spare() {
  static Spare* chunks = new Spare;  // never ends: a tree may end after all static objects have
  return *chunks;
}

size_t chunk_size(size_t block_size) { return std::max(CHUNK, block_size + ALIGNMENT); }

}  // namespace

Blocks::Blocks(size_t count) : size_((count * sizeof(float) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT) {}

Blocks::~Blocks() {
  for (void* chunk : chunks_) {
    if (chunk_size(size_) == CHUNK) {
      spare().give_back(chunk);
    } else {
      free_chunk(chunk, chunk_size(size_));
    }
  }
}

float* Blocks::take() {
  if (free_.empty()) {
    const size_t size = chunk_size(size_), num_blocks = (size - ALIGNMENT) / size_;
    chunks_.reserve(chunks_.size() + 1);
    free_.reserve(free_.size() + num_blocks);
    chunks_.push_back(size == CHUNK ? spare().take() : new_chunk(size));
    char* first = static_cast<char*>(chunks_.back());
    first += (ALIGNMENT - reinterpret_cast<size_t>(first) % ALIGNMENT) % ALIGNMENT;
    for (size_t i = num_blocks; i-- > 0;) free_.push_back(reinterpret_cast<float*>(first + i * size_));
  }
  float* block = free_.back();
  free_.pop_back();
  return block;
}

}  // namespace pinpoint
