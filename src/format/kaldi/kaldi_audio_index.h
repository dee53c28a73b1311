// The utterances of a data set of recordings: their keys, lengths and locations.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/index_file.h"
#include "sheaf/types.h"

#include "format/kaldi/kaldi_audio_entries.h"
#include "format/kaldi/kaldi_audio_options.h"
#include "format/kaldi/kaldi_utterances.h"
#include "format/listed/list_entry.h"
#include "format/listed/listed_index.h"

namespace sheaf::kaldi {

/// The chunks of a data set of recordings. In the imaginary source of the index, a sequence takes
/// as many bytes as its recording, and a segment as many as its samples. The location of a sequence
/// is the start of the recording.
class AudioIndex final : public internal::ListedIndex {
 public:
  /// Reads the heads of all recordings on the threads of the executor if there is no index file.
  ///
  /// Lifetime: `entries` and `options` must outlive the index.
  /// Throws:   DataError if there is no utterance, or if neither the options nor one of the first
  ///           64 utterances tell the channels and the rate; IoError.
  AudioIndex(const AudioEntries& entries, const AudioOptions& options, const IndexOptions& index,
             const Context& context);

  [[nodiscard]] const Stream& stream() const noexcept { return stream_; }

  /// Returns the sample rate of all recordings.
  [[nodiscard]] std::int64_t rate() const noexcept { return rate_; }

 private:
  using ListEntry = internal::ListEntry;

  [[nodiscard]] bool scan(const TakeEntry& take) const override { return entries_.scan(take); }
  void set_first_file(std::string_view line, std::int64_t line_number,
                      std::int64_t offset) override;
  void forget_first_file() override {}
  [[nodiscard]] bool read_counts(std::span<ListEntry* const> entries) override;
  [[nodiscard]] bool read_heads(std::span<ListEntry* const> entries) const;
  [[nodiscard]] std::int64_t stored_bytes(const ListEntry& entry) const override {
    return entry.stored_bytes;
  }
  [[nodiscard]] std::int64_t location_bytes(const ListEntry& entry) const override {
    return entry.location;
  }
  [[nodiscard]] std::int64_t decoded_bytes(std::int64_t sample_count,
                                           std::int64_t stored_bytes) const override;
  [[nodiscard]] std::string path_of(std::string_view line) const override {
    return entries_.path_of(line);
  }
  [[nodiscard]] std::vector<std::int64_t> first_numbers() const override;
  [[nodiscard]] std::string difference(std::span<const std::int64_t> numbers) const override;

  const AudioEntries& entries_;
  const AudioOptions& options_;
  Stream stream_;
  std::int64_t rate_ = 0;
};

/// Returns the diagnostic for a fault of an utterance. It points to the line if the line is wrong,
/// and otherwise to the file.
[[nodiscard]] Diagnostic diagnostic_of(const Utterance& utterance, const AudioEntries& entries);
[[nodiscard]] Diagnostic diagnostic_of(std::string_view source_name,
                                       const internal::RiffFault& fault);

}  // namespace sheaf::kaldi
