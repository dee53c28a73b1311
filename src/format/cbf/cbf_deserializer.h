// A CBF file as a data set.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/cbf/cbf_index.h"
#include "format/cbf/cbf_read_ahead.h"
#include "format/cbf/cbf_schema.h"

namespace sheaf::cbf {

class CbfDeserializer final : public Deserializer {
 public:
  /// Throws: ConfigError, DataError, IoError as check_options(), open_cbf(), Checks::open() and
  ///         make_schema().
  CbfDeserializer(std::shared_ptr<const ByteSource> source, const FormatOptions& options);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override;
  [[nodiscard]] const Index& index() const noexcept override;
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return open_->source->has_fast_random_access();
  }
  [[nodiscard]] std::vector<Diagnostic> warnings() const override;

 private:
  const std::shared_ptr<const OpenFile> open_;
  const Schema schema_;
  const std::int64_t group_size_bytes_;  // 0 keeps the chunks of the file
  const CbfIndex index_;
  const ReadAhead read_ahead_;
};

}  // namespace sheaf::cbf
