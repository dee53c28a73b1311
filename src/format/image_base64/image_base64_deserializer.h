// Lines of base64 images as a data set.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/image_base64/image_base64_scanner.h"
#include "format/image_base64/image_base64_views.h"
#include "format/text/scanned_index.h"

namespace sheaf::image_base64 {

class ImageBase64Deserializer final : public Deserializer {
 public:
  /// Throws: ConfigError, DataError, IoError as streams_of(), form_of() and ScannedIndex.
  ImageBase64Deserializer(std::shared_ptr<const ByteSource> source, const FormatOptions& options,
                          const Context& context = {});

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return schema_.images.streams;
  }
  [[nodiscard]] const Index& index() const noexcept override;
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t stream) const override;

  /// Reading one view takes the bytes of all views.
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return !views_ && source_->has_fast_random_access();
  }
  void build_index(Executor& executor, DecodedSink* sink) const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return lines_.warnings(); }

 private:
  [[nodiscard]] internal::ScannedIndex::Parts index_parts(const FormatOptions& options,
                                                          const Context& context) const;

  const std::shared_ptr<const ByteSource> source_;
  const Schema schema_;
  const std::string data_options_;  // the options that change keys, locations or values, as text
  const Fingerprint fingerprint_;
  const internal::ScannedIndex lines_;
  const std::optional<ViewsIndex> views_;  // if there are several views
};

}  // namespace sheaf::image_base64
