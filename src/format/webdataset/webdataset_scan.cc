// Consecutive entries with the same key make a sequence. Only headers are read. So the time of a
// scan depends on the number of entries, and not on the sizes of images.

#include "format/webdataset/webdataset_scan.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

#include "base/saturated.h"
#include "base/text.h"
#include "core/numeric_key.h"
#include "format/images/pixel_count.h"
#include "format/webdataset/webdataset_errors.h"

namespace sheaf::webdataset {
namespace {

constexpr std::size_t kSuffixesMax = 1000;

/// Fills a ShardScan.
class Scan {
 public:
  Scan(const ByteSource& source, const ScanRules& rules) : source_(source), rules_(rules) {}

  [[nodiscard]] ShardScan run() {
    EntryWalker entries(internal::TarWalker(source_, rules_.read_size_bytes), rules_.joins_frames);
    try {
      while (std::optional<DataEntry> entry = entries.next()) take(*entry);
    } catch (const internal::TarDamage& damage) {
      throw DataError({location_in_shard(source_, kDamaged, damage.offset_bytes(), damage.why())});
    }
    end_sequence();
    result_.no_suffix_count = entries.no_suffix_count();
    result_.first_without_suffix = entries.first_without_suffix();
    result_.link_count = entries.link_count();
    result_.first_link = entries.first_link();
    return std::move(result_);
  }

 private:
  void take(const DataEntry& entry) {
    if (!is_open_ || entry.key != key_) begin_sequence(entry);
    pattern_.push_back(suffix_number(entry));
    if (is_image_suffix(entry.suffix)) {
      ++sequence_.image_count;
      if (rules_.reads_images) {
        const std::int64_t count = internal::pixel_count_of(
            source_, entry.offset_bytes, entry.size_bytes, rules_.read_size_bytes);
        sequence_.pixel_count = internal::saturated_sum(sequence_.pixel_count, count);
      }
    }
    sequence_.end_bytes = entry.end_bytes();
  }

  void begin_sequence(const DataEntry& entry) {
    end_sequence();
    check_interruption();
    is_open_ = true;
    key_ = entry.key;
    sequence_ = {.key = key_of(entry), .begin_bytes = entry.begin_bytes};
  }

  void end_sequence() {
    if (!is_open_) return;
    std::ranges::sort(pattern_);
    pattern_.erase(std::unique(pattern_.begin(), pattern_.end()), pattern_.end());
    const auto [found_entry, is_new] =
        pattern_numbers_.emplace(pattern_, std::ssize(result_.patterns));
    if (is_new) result_.patterns.push_back(pattern_);
    sequence_.pattern = found_entry->second;
    result_.sequences.push_back(sequence_);
    pattern_.clear();
    is_open_ = false;
  }

  [[nodiscard]] SequenceKey key_of(const DataEntry& entry) const {
    if (rules_.has_text_keys) return key_of_text(entry.key);
    if (const std::optional<SequenceKey> key = internal::numeric_key_of(entry.key)) return *key;
    Diagnostic diagnostic =
        location_in_shard(source_, kNumericKey, entry.begin_bytes, quoted(entry.key));
    diagnostic.hint = internal::kTextKeysHint;
    throw DataError({std::move(diagnostic)});
  }

  [[nodiscard]] std::int32_t suffix_number(const DataEntry& entry) {
    const auto known = suffix_numbers_.find(entry.suffix);
    if (known != suffix_numbers_.end()) return known->second;
    const bool is_printable =
        std::ranges::all_of(entry.suffix, [](char c) { return c > ' ' && c <= '~'; });
    if (!is_printable) {
      throw DataError({location_in_shard(source_, kSuffix, entry.begin_bytes, quoted(entry.name))});
    }
    if (result_.suffixes.size() == kSuffixesMax) {
      Diagnostic diagnostic =
          location_in_shard(source_, kSuffixCount, entry.begin_bytes, quoted(entry.name));
      diagnostic.hint =
          "webdataset.frames=true takes numbered images, such as clip.000.jpg, as the samples of "
          "one sequence";
      throw DataError({std::move(diagnostic)});
    }
    const auto number = static_cast<std::int32_t>(result_.suffixes.size());
    result_.suffixes.push_back(entry.suffix);
    suffix_numbers_.emplace(entry.suffix, number);
    return number;
  }

  const ByteSource& source_;
  const ScanRules& rules_;
  ShardScan result_;
  std::map<std::string, std::int32_t, std::less<>> suffix_numbers_;
  std::map<Pattern, std::int64_t> pattern_numbers_;

  // Members about the current sequence.
  bool is_open_ = false;
  std::string key_;
  Pattern pattern_;
  ScannedSequence sequence_;
};

}  // namespace

std::optional<DataEntry> EntryWalker::next() {
  while (std::optional<internal::TarEntry> tar = walker_.next()) {
    const EntryName name = split_entry_name(tar->entry.name);
    if (name.kind == EntryKind::no_suffix) {
      if (no_suffix_count_++ == 0) first_without_suffix_ = tar->entry.name;
    }
    if (name.kind != EntryKind::data) continue;
    DataEntry entry{.key = std::string(name.key),
                    .suffix = lower_case(name.suffix),
                    .name = {},
                    .begin_bytes = tar->begin_bytes,
                    .offset_bytes = tar->entry.offset_bytes,
                    .size_bytes = tar->entry.size_bytes};
    const std::optional<FrameSuffix> frame =
        joins_frames_ ? split_frame_suffix(entry.suffix) : std::nullopt;
    if (frame) {
      entry.frame = frame->number;
      entry.suffix = std::string(frame->suffix);
    }
    entry.name = std::move(tar->entry.name);
    return entry;
  }
  return std::nullopt;
}

ShardScan scan_shard(const ByteSource& source, const ScanRules& rules) {
  return Scan(source, rules).run();
}

Diagnostic location_in_shard(const ByteSource& shard, const internal::ErrorKind& kind,
                             std::int64_t byte_offset, std::string found) {
  Diagnostic diagnostic;
  diagnostic.path = shard.name();
  diagnostic.byte_offset = byte_offset;
  diagnostic.code = kind.code;
  diagnostic.expected = kind.expected;
  diagnostic.found = std::move(found);
  return diagnostic;
}

}  // namespace sheaf::webdataset
