// Walks over the entries of an archive.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"

#include "format/kaldi/kaldi_probe.h"
#include "format/listed/list_entry.h"

namespace sheaf::kaldi {

/// The bytes that end a key, and that may surround other fields.
inline constexpr std::string_view kSpace = " \t\n\r\f\v";

/// The key before an object.
struct EntryKey {
  std::int64_t begin = 0;         // start of the key, counted from where the search began
  std::int64_t object_begin = 0;  // start of the object
  std::string_view key;
  const ErrorKind* fault = nullptr;  // set if there is no good key; `found` describes the bytes
  std::string found;
  bool is_end = false;  // only blanks remain in the archive
};

/// The largest size of a key.
inline constexpr std::int64_t kEntryKeyMax = std::int64_t{64} << 10;

/// Finds the next key. Skips blanks before the key, and the bytes of value 0 that Kaldi writes
/// after an empty compressed matrix. `is_all` says that the archive ends with `bytes`.
///
/// Pre:      `bytes` has more than kEntryKeyMax bytes after the blanks, or reaches the end of the
///           archive.
/// Lifetime: that of `bytes`.
[[nodiscard]] EntryKey find_key(std::span<const std::byte> bytes, bool is_all);

/// One entry of an archive.
struct Entry {
  std::int64_t begin = 0;  // start of the key
  std::int64_t object_begin = 0;
  std::string_view key;
  Probed object;
};

/// Walks over the entries of an archive.
class ArchiveScan {
 public:
  /// Begins at an offset, such as the offset of an entry.
  ///
  /// Lifetime: all arguments must outlive the scan.
  ArchiveScan(const ByteSource& archive, const ReadOptions& options, std::int64_t offset_bytes = 0)
      : archive_(archive), options_(options), at_(offset_bytes) {}

  /// Returns the next entry, or null at the end of the archive. An entry with a wrong key has a
  /// fault and an empty key. An entry with a fault is the last one, because the next entry cannot
  /// be found.
  ///
  /// Lifetime: the entry is valid until the next call.
  /// Throws:   IoError.
  [[nodiscard]] const Entry* next();

 private:
  [[nodiscard]] std::span<const std::byte> bytes_at(std::int64_t offset, std::int64_t size);

  const ByteSource& archive_;
  const ReadOptions& options_;
  std::int64_t at_;
  bool is_done_ = false;
  Entry entry_;
  std::string key_;
  std::vector<std::byte> block_;
  std::int64_t block_begin_ = 0;
};

/// Passes the entries of an archive to `take` until it returns false. Returns whether it took all.
/// An entry with a fault is not good, and has no samples.
///
/// Throws: DataError if a key must be a number and is not; IoError.
[[nodiscard]] bool scan_entries(const ByteSource& archive, const ReadOptions& options,
                                const std::function<bool(const internal::ListEntry& entry)>& take);

}  // namespace sheaf::kaldi
