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

/// A memory resource for RunOptions::minibatch_memory that allocates arrays in slabs. A slab is
/// special memory, such as page-locked memory, that the program provides. Each slab is used once
/// and holds the arrays of one or several minibatches. The program decides when a slab is free, so
/// it may still copy from the slab to a device after the arrays are gone.
///
/// The program calls turn() about once for each minibatch, adds the wanted slabs, and takes back
/// the spent slabs. An array that does not fit into a slab gets default_memory(). No allocation
/// waits for a slab.
///
/// Threads: all calls are safe from any number of threads. Deallocation takes no lock, so a forked
///          process can deallocate.
class SlabMemory final : public std::pmr::memory_resource {
 public:
  static constexpr std::int64_t kSlabBytesMin = std::int64_t{1} << 20;

  /// The result of turn().
  struct Turn {
    std::vector<std::byte*> spent;  // the first bytes of the slabs that belong to the program again
    std::int64_t slab_bytes = 0;    // the size of each wanted slab, a power of two
    std::int64_t slabs_wanted = 0;  // how many slabs to add
  };

  /// Makes a resource that never has more than `bytes_max` bytes of slabs at once.
  ///
  /// Pre: bytes_max >= 0.
  explicit SlabMemory(std::int64_t bytes_max) noexcept;
  SlabMemory(const SlabMemory&) = delete;
  SlabMemory& operator=(const SlabMemory&) = delete;

  /// Pre: all arrays have been deallocated. The slabs belong to the program again.
  ~SlabMemory() override;

  /// Returns the slabs whose arrays are gone, and the number and size of wanted slabs. A slab in
  /// which arrays may still be allocated is not spent.
  [[nodiscard]] Turn turn();

  /// Adds a slab.
  ///
  /// Pre:      `slab` is aligned to Buffer::kAlignment.
  /// Lifetime: the slab must live until turn() returns it or until this resource is destroyed.
  void add(std::byte* slab, std::int64_t size_bytes);

  /// Returns the total size of all slabs.
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
  Slab* current_ = nullptr;  // the slab for new arrays; null if no slab has been needed yet
  std::int64_t total_bytes_ = 0;
  std::int64_t wanted_bytes_ = kSlabBytesMin;  // of the next slab
  std::int64_t spares_wanted_ = 2;             // the target for unused slabs after turn()
  std::int64_t missing_count_ = 0;             // arrays without a slab since the last turn()
  std::int64_t ordinary_count_ = 0;
};

}  // namespace sheaf
