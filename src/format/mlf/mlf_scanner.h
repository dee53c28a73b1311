// Finds the utterances of a master label file.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "sheaf/extend/byte_source.h"

#include "format/mlf/mlf_options.h"
#include "format/text/scanned_chunk.h"
#include "format/text/scanned_index.h"

namespace sheaf::mlf {

/// The location of an utterance in files that are read one after the other.
struct UtteranceLocation {
  std::int64_t file = 0;    // number of the file
  std::int64_t offset = 0;  // in the file

  friend auto operator<=>(const UtteranceLocation&,
                          const UtteranceLocation&) = default;  // NOLINT: no null
};

/// The first location of each key.
///
/// Cost:    about 45 bytes for each key.
/// Threads: safe.
class FirstLocations {
 public:
  /// Notes a sequence. Returns whether no earlier sequence has the key.
  ///
  /// Pre: all earlier sequences were noted.
  bool add(const SequenceKey& key, const UtteranceLocation& location);

  [[nodiscard]] std::int64_t memory_bytes() const;

 private:
  struct Noted {
    SequenceKey key;
    UtteranceLocation location;
  };

  [[nodiscard]] std::size_t entry_of(const SequenceKey& key) const noexcept;
  void grow();

  mutable std::mutex mutex_;
  std::deque<Noted> noted_;             // guarded by the mutex, as is the next one
  std::vector<std::uint32_t> entries_;  // entries of a hash table: numbers of noted_ from 1, or 0
                                        // if free; at most half are taken
};

/// Returns a scanner. The length of an utterance is the end of its last range.
///
/// `file` is the number of the file in `locations`.
///
/// Lifetime: the arguments must outlive the scanner.
[[nodiscard]] std::unique_ptr<internal::Scanner> make_scanner(
    const ByteSource& source, const internal::TextSchema& schema, const Options& options,
    FirstLocations& locations, std::int64_t file, const internal::ScanPart& part);

}  // namespace sheaf::mlf
