// A process may fork while other threads allocate. The child does not have these threads, so a
// mutex held by one of them would stay locked. Therefore the forking thread holds the mutex during
// the fork, and the memory is made before there are threads.
//
// A thread keeps the small blocks that it gave back for its next requests. Most arrays of a
// minibatch are small, and for each, a lock and a call of the allocator would take longer than
// filling the array. The child of a fork loses the small blocks of the threads that it does not
// have.

#include "base/block_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include <pthread.h>
#include <sys/mman.h>

namespace sheaf::internal {
namespace {

constexpr std::size_t kBlockMin = 64;
// Blocks of this size and above are mapped from the system, which gets them back as soon as they
// are not kept. The heap would hold on to them beyond any limit.
constexpr std::size_t kMappedMin = std::size_t{512} << 10;
constexpr std::size_t kHugeMin = std::size_t{4} << 20;  // in huge pages
// Blocks of this size and above are never kept.
constexpr std::size_t kOwnMin = std::size_t{16} << 20;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kKeptMax = std::size_t{16} << 20;      // of blocks below kHugeMin together
constexpr std::size_t kHugeKeptMax = std::size_t{24} << 20;  // of larger blocks together

// The arrays of minibatches differ in size, so a block that was given back seldom has exactly the
// size of the next request. Therefore a mapped block serves requests of up to this many classes
// below its own, which wastes at most a third. The bytes beyond the request count as kept.
constexpr std::size_t kLentClassesMax = 8;
constexpr std::size_t kLentMax = 32;  // blocks

#if defined(__has_feature)
#define SHEAF_HAS_FEATURE(name) __has_feature(name)
#else
#define SHEAF_HAS_FEATURE(name) 0
#endif
// Under the address sanitizer, each block has exactly the requested size and none is kept. So the
// sanitizer finds any use behind the end of a block, or after it was given back.
#if defined(__SANITIZE_ADDRESS__) || SHEAF_HAS_FEATURE(address_sanitizer)
constexpr bool kIsWatched = true;
#else
constexpr bool kIsWatched = false;
#endif

/// The sizes of blocks: 16 steps for each power of two, so at most a 16th is wasted.
struct SizeClass {
  static constexpr int kMinShift = static_cast<int>(std::bit_width(kBlockMin)) - 5;

  std::size_t number;
  std::size_t bytes;

  static constexpr SizeClass of(std::size_t bytes) noexcept {
    const std::size_t least = std::max(bytes, kBlockMin + 1);  // smaller ones share a class
    const int shift = static_cast<int>(std::bit_width(least - 1)) - 5;
    const std::size_t steps = ((least - 1) >> shift) + 1;  // 17 .. 32
    return {static_cast<std::size_t>(shift - kMinShift) * 16 + steps - 17, steps << shift};
  }

  static constexpr SizeClass at(std::size_t number) noexcept {
    const int shift = static_cast<int>(number / 16) + kMinShift;
    return {number, (number % 16 + 17) << shift};
  }
};

constexpr std::size_t kClassCount = std::size_t{16} * 19;  // up to kOwnMin
static_assert(SizeClass::of(kOwnMin).number < kClassCount);
static_assert(SizeClass::at(SizeClass::of(100'000).number).bytes == SizeClass::of(100'000).bytes);

constexpr std::size_t kHugeClass = SizeClass::of(kHugeMin).number;
static_assert(SizeClass::at(kHugeClass).bytes == kHugeMin);

/// Counts of the bytes in blocks of some classes that are kept, or lent beyond a request.
///
/// The limit of lent bytes leaves room for the largest block. So dropping kept blocks always makes
/// enough room.
struct Shelf {
  std::size_t first_class;
  std::size_t end_class;
  std::size_t bytes_max;
  std::size_t lent_bytes_max;
  std::size_t kept_bytes = 0;
  std::size_t lent_bytes = 0;
  std::size_t victim = first_class;  // class that made room last
};
constexpr Shelf kBlocks{.first_class = 0,
                        .end_class = kHugeClass,
                        .bytes_max = kKeptMax,
                        .lent_bytes_max = kKeptMax / 4};
constexpr Shelf kHugeBlocks{.first_class = kHugeClass,
                            .end_class = kClassCount,
                            .bytes_max = kHugeKeptMax,
                            .lent_bytes_max = kHugeKeptMax / 4};
static_assert(kHugeMin + kBlocks.lent_bytes_max <= kBlocks.bytes_max);
static_assert(kOwnMin + kHugeBlocks.lent_bytes_max <= kHugeBlocks.bytes_max);

// The limits of the blocks that a thread keeps for itself. A block takes at most a quarter of the
// total.
constexpr std::size_t kThreadKeptMax = std::size_t{128} << 10;
constexpr std::size_t kThreadBlockMax = kThreadKeptMax / 4;
constexpr std::size_t kAheadMax = 7;  // shared blocks that a thread takes in advance
constexpr std::size_t kThreadClassCount = SizeClass::of(kThreadBlockMax).number + 1;
static_assert(SizeClass::at(kThreadClassCount - 1).bytes == kThreadBlockMax);

constexpr std::size_t kSmallPage = 4096;

std::size_t mapped_size(std::size_t bytes) noexcept {
  return (bytes + kSmallPage - 1) / kSmallPage * kSmallPage;
}

void* map(std::size_t bytes) {
  void* const address =
      mmap(nullptr, mapped_size(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  return address;
}

void unmap(void* block, std::size_t bytes) noexcept { munmap(block, mapped_size(bytes)); }

void* map_huge(std::size_t bytes) {
  const std::size_t size = mapped_size(bytes);
  auto* const all = static_cast<std::byte*>(map(size + kHugePage));
  const std::size_t before =
      (kHugePage - reinterpret_cast<std::uintptr_t>(all) % kHugePage) % kHugePage;
  if (before > 0) munmap(all, before);
  std::byte* const block = all + before;
  if (before < kHugePage) munmap(block + size, kHugePage - before);
  // The last part of a huge page stays in small pages. A whole huge page would take more memory
  // than requested.
  madvise(block, size / kHugePage * kHugePage, MADV_HUGEPAGE);
  return block;
}

/// The header of a free block, stored in the block itself.
struct FreeBlock {
  FreeBlock* next;
  std::size_t class_number;
};
static_assert(sizeof(FreeBlock) <= kBlockMin);

/// The small blocks that a thread gave back.
///
/// The list has no destructor, since objects that a thread destroys last may still ask for blocks.
/// ThreadEnd empties the list.
struct ThreadBlocks {
  enum class State : std::uint8_t { unused, open, over };

  std::array<FreeBlock*, kThreadClassCount> free;
  std::size_t bytes;
  State state;

  /// Returns a block of the class, or null if the list has no such block.
  void* take(SizeClass size) noexcept {
    FreeBlock* const block = free[size.number];
    if (block == nullptr) return nullptr;
    free[size.number] = block->next;
    bytes -= size.bytes;
    return block;
  }

  void add(FreeBlock* block, SizeClass size) noexcept {
    block->next = std::exchange(free[size.number], block);
    bytes += size.bytes;
  }

  /// Returns how many blocks of the class to take in advance.
  [[nodiscard]] std::size_t room(SizeClass size) const noexcept {
    return std::min(kAheadMax, (kThreadKeptMax - bytes) / 4 / size.bytes);
  }

  /// Empties the list and returns its blocks, chained.
  FreeBlock* take_all() noexcept {
    FreeBlock* all = nullptr;
    for (FreeBlock*& first : free) {
      while (first != nullptr) {
        FreeBlock* const block = std::exchange(first, first->next);
        block->next = std::exchange(all, block);
      }
    }
    bytes = 0;
    return all;
  }
};

constinit thread_local ThreadBlocks thread_blocks{};

/// Gives back the blocks of a thread when it ends.
struct ThreadEnd {
  ThreadEnd() noexcept { thread_blocks.state = ThreadBlocks::State::open; }
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;
  ~ThreadEnd();
};

class BlockMemory final : public std::pmr::memory_resource {
 public:
  static constexpr std::align_val_t kAlignment{64};

  /// Takes a chain of free blocks and keeps them. Drops other blocks to make room.
  void give(FreeBlock* blocks) noexcept {
    FreeBlock* victims = nullptr;
    {
      const std::scoped_lock lock(mutex_);
      while (blocks != nullptr) {
        FreeBlock* const block = std::exchange(blocks, blocks->next);
        const SizeClass size = end_loan(block);
        Shelf& shelf = shelf_of(size);
        make_room(shelf, size.bytes, victims);
        block->next = std::exchange(kept_[size.number], block);
        shelf.kept_bytes += size.bytes;
      }
    }
    while (victims != nullptr) {  // after unlocking: the system may take a while
      const FreeBlock victim = *victims;
      release(std::exchange(victims, victim.next), SizeClass::at(victim.class_number));
    }
  }

  // Surround a fork. The forking thread calls lock() before it, and unlock() after it in both
  // processes.
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (!is_block(alignment)) return ::operator new (bytes, std::align_val_t{alignment});
    if (bytes >= kOwnMin) return map_huge(bytes);
    const SizeClass size = SizeClass::of(bytes);
    const bool is_small = size.number < kThreadClassCount;
    if (is_small) {
      if (void* const block = thread_blocks.take(size); block != nullptr) return block;
    }
    if (size.bytes >= kMappedMin) {
      if (void* const block = take_mapped(size); block != nullptr) return block;
      return size.bytes >= kHugeMin ? map_huge(size.bytes) : map(size.bytes);
    }
    const std::size_t more = is_small ? thread_blocks.room(size) : 0;
    if (FreeBlock* const block = take_kept(size, 1 + more); block != nullptr) {
      keep_in_thread(block->next);
      return block;
    }
    return ::operator new(size.bytes, kAlignment);
  }

  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    if (!is_block(alignment)) {
      ::operator delete (block, std::align_val_t{alignment});
      return;
    }
    if (bytes >= kOwnMin) {
      unmap(block, bytes);
      return;
    }
    const SizeClass size = SizeClass::of(bytes);
    auto* const free = new (block) FreeBlock{nullptr, size.number};
    if (size.number < kThreadClassCount) {
      ThreadBlocks& blocks = thread_blocks;
      const bool has_room = blocks.bytes + size.bytes <= kThreadKeptMax;
      if (blocks.state == ThreadBlocks::State::open && has_room) {
        blocks.add(free, size);
        return;
      }
      keep_in_thread(free);
    } else {
      give(free);
    }
  }

  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  static bool is_block(std::size_t alignment) noexcept {
    return !kIsWatched && alignment <= static_cast<std::size_t>(kAlignment);
  }

  static void release(void* block, SizeClass size) noexcept {
    if (size.bytes >= kMappedMin) {
      unmap(block, size.bytes);
    } else {
      ::operator delete(block, kAlignment);
    }
  }

  // Takes up to `count` blocks of a class, as a chain. Returns null if there are none.
  FreeBlock* take_kept(SizeClass size, std::size_t count) noexcept {
    const std::scoped_lock lock(mutex_);
    FreeBlock*& kept = kept_[size.number];
    FreeBlock* const first = kept;
    FreeBlock* last = nullptr;
    Shelf& shelf = shelf_of(size);
    for (; kept != nullptr && count > 0; --count) {
      last = std::exchange(kept, kept->next);
      shelf.kept_bytes -= size.bytes;
    }
    if (last != nullptr) last->next = nullptr;
    return first;
  }

  // Takes a kept block of the class, or of one of the next kLentClassesMax classes. Returns null if
  // there is no such block.
  void* take_mapped(SizeClass size) noexcept {
    const std::scoped_lock lock(mutex_);
    Shelf& shelf = shelf_of(size);
    const std::size_t end = std::min(shelf.end_class, size.number + 1 + kLentClassesMax);
    for (std::size_t number = size.number; number < end; ++number) {
      FreeBlock* const block = kept_[number];
      if (block == nullptr) continue;
      const SizeClass own = SizeClass::at(number);
      if (number != size.number && !begin_loan(block, own, own.bytes - size.bytes)) return nullptr;
      kept_[number] = block->next;
      shelf.kept_bytes -= own.bytes;
      return block;
    }
    return nullptr;
  }

  // A block that serves a smaller request.
  struct Loan {
    const void* block = nullptr;
    SizeClass own = {};
    std::size_t too_much = 0;  // bytes
  };

  // Records that a block serves a smaller request. Returns false if there are too many such blocks.
  //
  // Pre: the mutex is held, also for the functions below.
  bool begin_loan(const void* block, SizeClass own, std::size_t too_much) noexcept {
    Shelf& shelf = shelf_of(own);
    const auto free = std::ranges::find(loans_, nullptr, &Loan::block);
    if (free == loans_.end() || shelf.lent_bytes + too_much > shelf.lent_bytes_max) return false;
    *free = {block, own, too_much};
    shelf.lent_bytes += too_much;
    return true;
  }

  // Returns the own class of the block, and stores it in the block.
  SizeClass end_loan(FreeBlock* block) noexcept {
    const SizeClass size = SizeClass::at(block->class_number);
    Shelf& shelf = shelf_of(size);
    if (size.bytes < kMappedMin || shelf.lent_bytes == 0) return size;
    const auto loan = std::ranges::find(loans_, static_cast<const void*>(block), &Loan::block);
    if (loan == loans_.end()) return size;
    const SizeClass own = loan->own;
    shelf.lent_bytes -= loan->too_much;
    *loan = {};
    block->class_number = own.number;
    return own;
  }

  // Keeps a chain of blocks of one small class in this thread. If the thread has too many blocks,
  // it gives all of them to the other threads. Otherwise its list would fill up with sizes that it
  // no longer asks for.
  void keep_in_thread(FreeBlock* chain) noexcept {
    ThreadBlocks& blocks = thread_blocks;
    if (chain == nullptr) return;
    if (blocks.state == ThreadBlocks::State::unused) {
      static thread_local const ThreadEnd end;
      static_cast<void>(end);
    }
    if (blocks.state == ThreadBlocks::State::over) {
      give(chain);
      return;
    }
    const SizeClass size = SizeClass::at(chain->class_number);
    while (chain != nullptr) {
      FreeBlock* const block = std::exchange(chain, chain->next);
      if (blocks.bytes + size.bytes > kThreadKeptMax) give(blocks.take_all());
      blocks.add(block, size);
    }
  }

  // Drops kept blocks class by class, so that sizes that are no longer in use make room.
  void make_room(Shelf& shelf, std::size_t bytes, FreeBlock*& victims) noexcept {
    while (shelf.kept_bytes + shelf.lent_bytes + bytes > shelf.bytes_max) {
      if (++shelf.victim == shelf.end_class) shelf.victim = shelf.first_class;
      FreeBlock*& kept = kept_[shelf.victim];
      if (kept == nullptr) continue;
      FreeBlock* const block = std::exchange(kept, kept->next);
      block->next = std::exchange(victims, block);
      shelf.kept_bytes -= SizeClass::at(shelf.victim).bytes;
    }
  }

  [[nodiscard]] Shelf& shelf_of(SizeClass size) noexcept {
    return size.number < kHugeClass ? blocks_ : huge_blocks_;
  }

  std::mutex mutex_;
  std::array<FreeBlock*, kClassCount> kept_{};
  Shelf blocks_ = kBlocks;
  Shelf huge_blocks_ = kHugeBlocks;
  std::array<Loan, kLentMax> loans_{};
};

// The memory is never destroyed, since objects destroyed later may give back blocks.
BlockMemory& the_memory() noexcept {
  static BlockMemory& memory = *new BlockMemory;  // NOLINT: nothing works without it
  return memory;
}

ThreadEnd::~ThreadEnd() {
  thread_blocks.state = ThreadBlocks::State::over;
  the_memory().give(thread_blocks.take_all());
}

// Called before there are threads. If the system has no memory to register the handlers, a child
// may wait forever, which cannot be helped.
int get_ready_to_fork() noexcept {
  static_cast<void>(the_memory());
  return pthread_atfork([] { the_memory().lock(); }, [] { the_memory().unlock(); },
                        [] { the_memory().unlock(); });
}

[[maybe_unused]] const int is_ready_to_fork = get_ready_to_fork();

}  // namespace

std::pmr::memory_resource& block_memory() noexcept { return the_memory(); }

}  // namespace sheaf::internal
