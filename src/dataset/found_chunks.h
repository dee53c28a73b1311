/// \file
/// A sink that takes chunks, but no sequences.

#pragma once

#include <cstdint>

#include "sheaf/extend/decoded_sink.h"

namespace sheaf::internal {

/// Forwards the chunks found, but no sequences. For data whose sequences differ from those that
/// their source decodes.
class FoundChunks final : public DecodedSink {
 public:
  /// `sink` may be null.
  explicit FoundChunks(DecodedSink* sink) : sink_(sink) {}

  [[nodiscard]] std::int64_t chunk_count_max() const noexcept override { return 0; }
  void add(const ChunkRange& /*range*/, Kept /*kept*/, std::int64_t /*first*/) override {}
  void found(const ChunkInfo& chunk) override {
    if (sink_ != nullptr) sink_->found(chunk);
  }

 private:
  DecodedSink* const sink_;
};

}  // namespace sheaf::internal
