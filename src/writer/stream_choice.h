// Which streams are written, under which names and types.

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

/// A value that the type written does not hold.
struct LostValue {
  std::size_t stream = 0;    // of those written
  std::size_t sequence = 0;  // of those given
  std::int64_t value = 0;    // of the sequence's values in the stream
  std::string text;
};

/// Views of the written streams, with the values that were converted for them.
///
/// Lifetime: refers to the views that it was made from.
struct ChosenViews {
  std::vector<std::span<const SequenceView>> views;  // [stream][sequence]
  std::int64_t values_out_of_range = 0;              // finite ones that became infinite
  std::optional<LostValue> lost;                     // the first one; views are of no use then

  std::vector<std::vector<SequenceView>> converted_views;
  std::vector<Buffer> converted_values;
};

/// The streams that are handed in, and what the file makes of them.
class StreamChoice {
 public:
  /// Choose; no `written` at all means all streams.
  ///
  /// Throws: ConfigError for a name that is not there, a conversion that is none, two streams of
  ///         one name, or two that define the minibatch size.
  StreamChoice(std::span<const Stream> given, std::span<const WrittenStream> written);

  /// The streams that are handed in.
  [[nodiscard]] std::span<const Stream> given() const noexcept { return given_; }

  /// The streams as the file has them.
  [[nodiscard]] std::span<const Stream> streams() const noexcept { return streams_; }

  /// Which of the given streams a written one is.
  ///
  /// Pre: 0 <= stream < streams().size().
  [[nodiscard]] std::int64_t source(std::int64_t stream) const noexcept {
    return sources_[static_cast<std::size_t>(stream)];
  }

  /// What is written of some sequences, `views` being those of the written streams with values as
  /// they were handed in. Floating-point numbers of another such type are rounded, and may become
  /// infinite; every other number has to be a value of the type written.
  ///
  /// Cost: a copy of the values that change their type; nothing for the others.
  [[nodiscard]] ChosenViews convert(std::vector<std::span<const SequenceView>> views) const;

  /// Samples of some sequences: those of the stream that defines the minibatch size, or of the
  /// longest of each.
  [[nodiscard]] std::int64_t sample_count(
      std::span<const std::span<const SequenceView>> views) const noexcept;

 private:
  std::vector<Stream> given_;
  std::vector<Stream> streams_;
  std::vector<std::int64_t> sources_;
};

}  // namespace sheaf::internal
