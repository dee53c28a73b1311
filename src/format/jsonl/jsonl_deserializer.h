// A file of JSON Lines as a data set.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/jsonl/jsonl_schema.h"
#include "format/text/scan_notes.h"
#include "format/text/scanned_index.h"

namespace sheaf::jsonl {

class JsonlDeserializer final : public Deserializer, public internal::FoundInside {
 public:
  /// Throws: ConfigError, DataError, IoError as make_schema(), find_beginning(), infer_streams()
  ///         and ScannedIndex.
  JsonlDeserializer(const std::shared_ptr<const ByteSource>& source, const FormatOptions& options,
                    const Context& context = {}, std::optional<internal::FoundStreams> found = {});

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return schema_.streams;
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return source_->has_fast_random_access();
  }
  void build_index(Executor& executor, DecodedSink* sink) const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return index_.warnings(); }
  [[nodiscard]] const std::optional<internal::FoundStreams>& found() const noexcept override {
    return index_.found();
  }

 private:
  /// The options with all streams, and values derived from them.
  struct Parts {
    FormatOptions options;
    FileSystem* files = nullptr;
    Beginning beginning;
    Fingerprint fingerprint;
    std::optional<internal::FoundStreams> found;  // nothing if all streams were declared
  };

  [[nodiscard]] static Parts resolve(const ByteSource& source, const FormatOptions& options,
                                     const Context& context,
                                     std::optional<internal::FoundStreams> found);
  JsonlDeserializer(std::shared_ptr<const ByteSource> source, const Parts& parts);
  [[nodiscard]] internal::ScannedIndex::Parts index_parts(const Parts& parts) const;
  [[nodiscard]] internal::ScannedBlock read_block(internal::ScanPart part, bool decodes) const;

  std::shared_ptr<const ByteSource> source_;
  Schema schema_;
  std::string data_options_;  // the options that change keys, locations or values, as text
  Fingerprint fingerprint_;
  internal::ScannedIndex index_;
};

}  // namespace sheaf::jsonl
