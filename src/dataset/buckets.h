// Groups records into buckets, on disk if there are many.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "io/temporary_file.h"

namespace sheaf::internal {

/// Takes records one by one, each for a bucket, and returns them bucket by bucket.
///
/// Memory: at most `extent_records` records for each bucket, and 8 bytes for each extent of that
///         many records on disk, in a temporary file without a name.
template <typename Record>
class Buckets {
 public:
  static_assert(std::is_trivially_copyable_v<Record>);

  /// Pre: both arguments are positive.
  Buckets(std::int64_t bucket_count, std::int64_t extent_records)
      : extent_records_(static_cast<std::size_t>(extent_records)),
        buckets_(static_cast<std::size_t>(bucket_count)) {}

  [[nodiscard]] std::int64_t bucket_count() const noexcept { return std::ssize(buckets_); }

  /// Pre:    0 <= bucket < bucket_count(), also in take().
  /// Throws: IoError if the temporary file cannot be written.
  void put(std::int64_t bucket, const Record& record) {
    Bucket& into = buckets_[static_cast<std::size_t>(bucket)];
    into.pending.push_back(record);
    if (into.pending.size() == extent_records_) write(into);
  }

  /// Returns the records of a bucket, in the order of put(), and empties the bucket.
  ///
  /// Throws: IoError.
  [[nodiscard]] std::vector<Record> take(std::int64_t bucket) {
    Bucket& from = buckets_[static_cast<std::size_t>(bucket)];
    std::vector<Record> records(from.extents.size() * extent_records_ + from.pending.size());
    std::span<Record> rest(records);
    for (const std::int64_t offset : from.extents) {
      file_->read_at(offset, std::as_writable_bytes(rest.first(extent_records_)));
      rest = rest.subspan(extent_records_);
    }
    std::ranges::copy(from.pending, rest.begin());
    from = {};
    return records;
  }

 private:
  struct Bucket {
    std::vector<Record> pending;        // records of the last extent
    std::vector<std::int64_t> extents;  // offsets of the extents in the file
  };

  void write(Bucket& bucket) {
    if (!file_) file_ = std::make_unique<TemporaryFile>();
    const auto bytes = std::as_bytes(std::span<const Record>(bucket.pending));
    file_->write_at(file_size_, bytes);
    bucket.extents.push_back(file_size_);
    file_size_ += static_cast<std::int64_t>(bytes.size());
    bucket.pending.clear();
  }

  std::size_t extent_records_;
  std::vector<Bucket> buckets_;
  std::unique_ptr<TemporaryFile> file_;
  std::int64_t file_size_ = 0;
};

}  // namespace sheaf::internal
