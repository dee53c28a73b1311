// The utterances of a master label file.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "sheaf/extend/byte_source.h"

#include "format/mlf/mlf_options.h"
#include "format/text/scanned_chunk.h"
#include "format/text/scanned_index.h"

namespace sheaf::mlf {

/// Where an utterance begins, in files that are read one after the other.
struct Place {
  std::int64_t file = 0;    // number of the file
  std::int64_t offset = 0;  // in the file

  friend auto operator<=>(const Place&, const Place&) = default;  // NOLINT: no null
};

/// Where each key was found first.
///
/// Threads: safe.
class FirstPlaces {
 public:
  /// Notes a sequence. Returns whether no sequence before has the key.
  ///
  /// Pre: all sequences before were noted.
  bool add(const SequenceKey& key, const Place& place) {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = places_.emplace(key, place);
    return is_new || place <= found->second;
  }

 private:
  struct Hash {
    std::size_t operator()(const SequenceKey& key) const noexcept {
      return static_cast<std::size_t>(key.low ^ key.high);  // keys are hashes themselves
    }
  };

  std::mutex mutex_;
  std::unordered_map<SequenceKey, Place, Hash> places_;
};

/// The length of an utterance is the end of its last range.
///
/// `file` is the number of the file in `places`.
///
/// Lifetime: the arguments must outlive the scanner.
[[nodiscard]] std::unique_ptr<internal::Scanner> make_scanner(
    const ByteSource& source, const internal::TextSchema& schema, const Options& options,
    FirstPlaces& places, std::int64_t file, const internal::ScanPart& part);

}  // namespace sheaf::mlf
