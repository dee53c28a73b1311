/// \file
/// Data whose sequences go through transforms.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"

#include "dataset/transformed_index.h"
#include "transform/chain.h"

namespace sheaf::internal {

/// Data after a chain of transforms.
///
/// A reader takes source() and chain(), and applies the chain itself with the sweep of each
/// sequence. So its window holds the data before the transforms. All other code uses read(), which
/// applies the chain for sweep 0.
class TransformedData final : public Deserializer {
 public:
  /// Pre: the chain is bound to the streams of the source.
  TransformedData(std::shared_ptr<const Deserializer> source, TransformChain chain);

  [[nodiscard]] const std::shared_ptr<const Deserializer>& source() const noexcept {
    return source_;
  }
  [[nodiscard]] const TransformChain& chain() const noexcept { return chain_; }

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return chain_.streams();
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;

  /// Throws: as Deserializer::read(); the exceptions of transforms.
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;

  void build_index(Executor& executor, DecodedSink* sink) const override;
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override {
    source_->visit_named_files(visit);
  }
  [[nodiscard]] CacheCounts cache_counts() const override { return source_->cache_counts(); }
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return source_->warnings(); }

  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t stream) const override {
    return source_->location_of(chunk, sequence, stream);
  }

 private:
  [[nodiscard]] DrawnNumbers first_numbers(std::span<const SequenceView> sources) const;

  const std::shared_ptr<const Deserializer> source_;
  const TransformChain chain_;
  const TransformedIndex index_;
};

/// Completes the diagnostic of a transform with the location of the values in the file, and the
/// key. `sequence` is a number within the chunk of `source`.
///
/// Throws: as Deserializer::location_of().
[[nodiscard]] Diagnostic located(TransformDiagnostic finding, const Deserializer& source,
                                 ChunkIndex chunk, std::int64_t sequence);

/// Returns the data before the transforms, as the window of a reader holds them. Returns `data`
/// itself if there are no transforms.
[[nodiscard]] std::shared_ptr<const Deserializer> source_of(
    const std::shared_ptr<const Deserializer>& data);

/// Returns the transforms of data, or null if there are none.
///
/// Lifetime: that of the data.
[[nodiscard]] const TransformChain* chain_of(const Deserializer& data) noexcept;

}  // namespace sheaf::internal
