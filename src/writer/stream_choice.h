// Selects the streams to write, with their names and types.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"
#include "sheaf/writer.h"

namespace sheaf::internal {

/// A value that the written type cannot hold.
struct LostValue {
  std::size_t stream = 0;    // number of the written stream
  std::size_t sequence = 0;  // number among the given sequences
  std::int64_t value = 0;    // number among the sequence's values in the stream
  std::string text;
};

/// Views of the written streams, and their converted values.
///
/// Lifetime: refers to the data of the given views.
struct ChosenViews {
  std::vector<std::span<const SequenceView>> views;  // [stream][sequence]
  std::int64_t values_out_of_range = 0;              // finite values that became infinite
  std::optional<LostValue> lost;                     // the first lost value; if set, the views are
                                                     // invalid

  std::vector<std::vector<SequenceView>> converted_views;
  std::vector<Buffer> converted_values;
};

/// Maps the given streams to the streams of the file.
class StreamChoice {
 public:
  /// Selects streams. An empty `written` means all streams.
  ///
  /// Throws: ConfigError for an unknown name, an impossible conversion, two streams with the same
  ///         name, or two streams that define the minibatch size.
  StreamChoice(std::span<const Stream> given, std::span<const WrittenStream> written);

  /// Returns the given streams.
  [[nodiscard]] std::span<const Stream> given() const noexcept { return given_; }

  /// Returns the streams of the file.
  [[nodiscard]] std::span<const Stream> streams() const noexcept { return streams_; }

  /// Returns the number of the given stream for a written stream.
  ///
  /// Pre: 0 <= stream < streams().size().
  [[nodiscard]] std::int64_t source(std::int64_t stream) const noexcept {
    return sources_[static_cast<std::size_t>(stream)];
  }

  /// Converts values to the written types. `views` are the views of the written streams, with the
  /// given values. Conversions between floating-point types round, and may give infinity. In all
  /// other conversions, the written type must hold every number exactly.
  ///
  /// Cost: a copy of the values that change their type; nothing for other streams.
  [[nodiscard]] ChosenViews convert(std::vector<std::span<const SequenceView>> views) const;

  /// Returns the number of samples of the sequences: of the stream that defines the minibatch size,
  /// or of the longest stream of each sequence.
  [[nodiscard]] std::int64_t sample_count(
      std::span<const std::span<const SequenceView>> views) const noexcept;

 private:
  std::vector<Stream> given_;
  std::vector<Stream> streams_;
  std::vector<std::int64_t> sources_;
};

}  // namespace sheaf::internal
