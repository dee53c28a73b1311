/// \file
/// Memory for the arrays of minibatches, cut from slabs that the program provides.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory_resource>
#include <mutex>
#include <vector>

namespace sheaf {

/// A memory resource for RunOptions::minibatch_memory that cuts arrays from slabs. A slab is memory
/// of a special kind, such as page-locked memory, that the program provides. Each slab serves once,
/// and holds the arrays of one or several minibatches. A program that still copies from a slab to a
/// device, while the arrays are gone already, can so decide by itself when the slab is free.
///
/// The program calls turn() about once for each minibatch, adds the slabs that are wanted, and
/// takes back the slabs that are spent. An array that no slab has room for gets default_memory().
/// Nothing waits for a slab.
///
/// Threads: all calls are safe from any number of threads. Memory is given back without a lock, so
///          that a forked process can do so.
class SlabMemory final : public std::pmr::memory_resource {
 public:
  static constexpr std::int64_t kSlabBytesMin = std::int64_t{1} << 20;

  /// What turn() asks of the program.
  struct Turn {
    std::vector<std::byte*> spent;  // slabs that are the program's again: where they begin
    std::int64_t slab_bytes = 0;    // the size of each slab to add, a power of two
    std::int64_t slabs_wanted = 0;  // how many
  };

  /// Makes a memory that never has more than `bytes_max` bytes of slabs at once.
  ///
  /// Pre: bytes_max >= 0.
  explicit SlabMemory(std::int64_t bytes_max) noexcept;
  SlabMemory(const SlabMemory&) = delete;
  SlabMemory& operator=(const SlabMemory&) = delete;

  /// Pre: no array is left. The slabs are the program's again.
  ~SlabMemory() override;

  /// Returns the slabs whose arrays are gone, and what new slabs are wanted. A slab that arrays are
  /// still cut from is not spent.
  [[nodiscard]] Turn turn();

  /// Adds a slab.
  ///
  /// Pre:      `slab` is aligned to Buffer::kAlignment.
  /// Lifetime: until turn() returns the slab, or until the end of this memory.
  void add(std::byte* slab, std::int64_t size_bytes);

  /// Returns how many bytes all slabs have.
  [[nodiscard]] std::int64_t slab_bytes() const;

  /// Returns how many arrays got default_memory().
  [[nodiscard]] std::int64_t ordinary_count() const;

 private:
  struct Slab {
    Slab(std::byte* slab, std::int64_t bytes) noexcept : begin(slab), size_bytes(bytes) {}

    std::byte* begin;
    std::int64_t size_bytes;
    std::int64_t used_bytes = 0;
    std::atomic<std::int64_t> array_count = 0;
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* array, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  [[nodiscard]] Slab* with_room(std::int64_t bytes) noexcept;

  const std::int64_t bytes_max_;

  mutable std::mutex mutex_;
  // Under the mutex.
  std::list<Slab> slabs_;
  Slab* current_ = nullptr;  // what arrays are cut from; null where no slab has been needed yet
  std::int64_t total_bytes_ = 0;
  std::int64_t wanted_bytes_ = kSlabBytesMin;  // of the next slab
  std::int64_t spares_wanted_ = 2;             // unused slabs that shall be there after a turn
  std::int64_t missing_count_ = 0;             // arrays since the last turn that found no slab
  std::int64_t ordinary_count_ = 0;
};

}  // namespace sheaf
