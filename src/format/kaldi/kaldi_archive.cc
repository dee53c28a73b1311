#include "format/kaldi/kaldi_archive.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "sheaf/error.h"

#include "base/text.h"
#include "core/numeric_key.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/listed/list_scan.h"
#include "format/listed/source_bytes.h"

namespace sheaf::kaldi {
EntryKey find_key(std::span<const std::byte> bytes, bool is_all) {
  constexpr std::string_view kBefore(" \t\n\r\f\v\0", 7);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EntryKey found;
  const std::size_t begin = text.find_first_not_of(kBefore);
  if (begin == std::string_view::npos) {
    found.is_end = is_all;
    found.begin = found.object_begin = std::ssize(text);
    return found;
  }
  const auto fail = [&](std::string what) {
    found.fault = &kEntryKey;
    found.found = std::move(what);
    return found;
  };
  found.begin = found.object_begin = static_cast<std::int64_t>(begin);
  const std::string_view rest = text.substr(begin);
  const std::size_t size = rest.find_first_of(kSpace);
  const std::string_view key = rest.substr(0, size);
  if (std::ssize(key) > kEntryKeyMax) return fail(formatted("more than {} bytes", kEntryKeyMax));
  if (key.find('\0') != std::string_view::npos) return fail("a byte of value 0");
  if (size == std::string_view::npos) return fail("the end of the archive");
  found.key = key;
  const bool is_blank = rest[size] == ' ' || rest[size] == '\t';
  found.object_begin = static_cast<std::int64_t>(begin + size + (is_blank ? 1 : 0));
  return found;
}

// Returns at least `size` bytes, or all bytes up to the end of the archive. Reads small blocks if
// objects are large, because only their heads are needed.
std::span<const std::byte> ArchiveScan::bytes_at(std::int64_t offset, std::int64_t size) {
  constexpr std::int64_t kThroughMax = std::int64_t{64} << 10;  // smaller gaps are read, too
  constexpr std::int64_t kSmallBlock = std::int64_t{4} << 10;
  const std::int64_t end = block_begin_ + std::ssize(block_);
  const std::int64_t wanted_end = std::min(offset + size, archive_.size());
  if (offset >= block_begin_ && wanted_end <= end) {
    return std::span<const std::byte>(block_).subspan(
        static_cast<std::size_t>(offset - block_begin_));
  }
  const bool is_near = offset - end <= kThroughMax;
  const std::int64_t block = std::max(size, is_near ? options_.read_size_bytes : kSmallBlock);
  block_begin_ = offset;
  block_.resize(
      static_cast<std::size_t>(std::clamp<std::int64_t>(archive_.size() - offset, 0, block)));
  internal::read_bytes(archive_, offset, block_, options_.read_size_bytes);
  return block_;
}

const Entry* ArchiveScan::next() {
  if (is_done_) return nullptr;
  EntryKey found;
  // Blanks may fill any number of blocks.
  for (std::int64_t size = 256;; size = kEntryKeyMax + 256) {
    const std::span<const std::byte> bytes = bytes_at(at_, size);
    const bool is_all = at_ + std::ssize(bytes) >= archive_.size();
    found = find_key(bytes, is_all);
    const bool is_blank = found.fault == nullptr && found.key.empty();
    if (found.is_end) return nullptr;
    if (is_blank) {
      at_ += found.begin;
      continue;
    }
    if (found.fault == nullptr || is_all || size > kEntryKeyMax) break;
  }
  entry_.begin = at_ + found.begin;
  entry_.object_begin = at_ + found.object_begin;
  key_ = found.key;
  entry_.key = key_;
  if (found.fault != nullptr) {
    entry_.object = KaldiFault{found.fault, 0, std::move(found.found)};
    is_done_ = true;
    return &entry_;
  }
  const std::int64_t begin = entry_.object_begin;
  entry_.object = probe_object(
      [&](std::int64_t position) { return bytes_at(begin + position, internal::kKaldiHeadSize); },
      archive_.size() - begin, options_);
  const auto* const object = std::get_if<ProbedObject>(&entry_.object);
  is_done_ = object == nullptr;
  if (object != nullptr) at_ = begin + object->size_bytes;
  return &entry_;
}

bool scan_entries(const ByteSource& archive, const ReadOptions& options,
                  const std::function<bool(const internal::ListEntry& entry)>& take) {
  ArchiveScan scan(archive, options);
  std::uint32_t number = 0;
  while (const Entry* const entry = scan.next()) {
    // Even a wrong key has at least one byte.
    const std::int64_t key_size = std::max<std::int64_t>(1, entry->object_begin - entry->begin);
    internal::ListEntry taken{.offset = entry->begin,
                              .location = entry->object_begin,
                              .size = static_cast<std::uint32_t>(key_size),
                              .line = number,
                              .count = 0};
    if (entry->key.empty()) {
      taken.key = {};  // the entry's own fault is more specific
    } else if (options.has_text_keys) {
      taken.key = key_of_text(entry->key);
    } else if (const auto key = internal::numeric_key_of(entry->key)) {
      taken.key = *key;
    } else {
      Diagnostic diagnostic = internal::location_in_list(archive, kNumericKey, 0, entry->begin);
      diagnostic.found = quoted(entry->key);
      diagnostic.hint = internal::kTextKeysHint;
      throw DataError({std::move(diagnostic)});
    }
    if (const auto* const object = std::get_if<ProbedObject>(&entry->object)) {
      taken.is_good = true;
      taken.stored_bytes = object->size_bytes;
      taken.count = static_cast<std::uint32_t>(object->sample_count);
    }
    if (!take(taken)) return false;
    ++number;
  }
  return true;
}

}  // namespace sheaf::kaldi
