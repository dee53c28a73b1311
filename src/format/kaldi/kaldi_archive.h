// The entries of an archive, from front to back.

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

/// What ends a key, and may surround other fields.
inline constexpr std::string_view kSpace = " \t\n\r\f\v";

/// The key in front of an object.
struct EntryKey {
  std::int64_t begin = 0;         // of the key, from where the search began
  std::int64_t object_begin = 0;  // of the object
  std::string_view key;
  const ErrorKind* fault = nullptr;  // where there is no good key; `found` says what there is
  std::string found;
  bool is_end = false;  // nothing but blanks up to the end of the archive
};

/// Most bytes of a key.
inline constexpr std::int64_t kEntryKeyMax = std::int64_t{64} << 10;

/// Finds the next key. Blanks before a key do not count, nor do the bytes of value 0 that Kaldi
/// writes behind an empty compressed matrix. `is_all` says that the archive ends with `bytes`.
///
/// Pre:      `bytes` has more than kEntryKeyMax bytes behind blanks, or is all.
/// Lifetime: that of `bytes`.
[[nodiscard]] EntryKey find_key(std::span<const std::byte> bytes, bool is_all);

/// One entry of an archive.
struct Entry {
  std::int64_t begin = 0;  // of the key
  std::int64_t object_begin = 0;
  std::string_view key;
  Probed object;
};

/// Goes over the entries of an archive.
class ArchiveScan {
 public:
  /// Begins at an offset, such as that of an entry.
  ///
  /// Lifetime: all must outlive the object.
  ArchiveScan(const ByteSource& archive, const ReadOptions& options, std::int64_t offset_bytes = 0)
      : archive_(archive), options_(options), at_(offset_bytes) {}

  /// Goes to the next entry. Returns null at the end of the archive. An entry with a wrong key is
  /// an entry with a fault and an empty key. The entry behind a fault cannot be found: such an
  /// entry is the last one.
  ///
  /// Lifetime: of the entry until the next call.
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

/// Goes over the entries of an archive, until `take` returns false. Returns whether all were taken.
/// An entry with a fault is not good, and has no samples.
///
/// Throws: DataError where a key must be a number and is none; IoError.
[[nodiscard]] bool scan_entries(const ByteSource& archive, const ReadOptions& options,
                                const std::function<bool(const internal::ListEntry& entry)>& take);

}  // namespace sheaf::kaldi
