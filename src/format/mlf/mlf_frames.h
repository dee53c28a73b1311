// Builds the column of labels.

#pragma once

#include <cstdint>
#include <span>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

#include "format/mlf/mlf_ranges.h"

namespace sheaf::mlf {

/// Writes the labels of utterances, one utterance after the other.
class FrameWriter {
 public:
  /// Lifetime: `stream` must outlive the writer.
  FrameWriter(const Stream& stream, bool marks_boundaries) noexcept
      : stream_(stream), marks_boundaries_(marks_boundaries) {}

  /// Reserves the memory for these numbers of frames and sequences.
  void reserve(std::int64_t frame_count, std::int64_t sequence_count);

  /// Appends an utterance. Its runs have `frame_count` frames in total.
  void add(std::int64_t frame_count, std::span<const Run> runs);

  /// Appends a sequence without frames.
  void add_hole() { column_.sequence_offsets.push_back(frame_count_); }

  [[nodiscard]] Column finish();

 private:
  /// Unless boundaries are marked, all values are 1, and finish() makes them.
  [[nodiscard]] bool writes_values() const noexcept {
    return stream_.storage == Storage::sparse && marks_boundaries_;
  }

  template <typename Id>
  void write_runs(Buffer& ids, std::int64_t end, std::span<const Run> runs);
  template <typename T>
  void write_values(std::int64_t end, std::span<const Run> runs);

  const Stream& stream_;
  bool marks_boundaries_;
  Column column_;
  std::int64_t frame_count_ = 0;  // of all sequences
};

}  // namespace sheaf::mlf
