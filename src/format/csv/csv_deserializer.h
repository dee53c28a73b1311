// A CSV file as a data set.

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

#include "format/csv/csv_schema.h"
#include "format/text/scan_notes.h"
#include "format/text/scanned_index.h"

namespace sheaf::csv {

class CsvDeserializer final : public Deserializer, public internal::FoundInside {
 public:
  /// Throws: ConfigError, DataError, IoError as find_beginning(), find_columns(), make_schema() and
  ///         ScannedIndex.
  explicit CsvDeserializer(const OpenRequest& request);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override;
  [[nodiscard]] const Index& index() const noexcept override;
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return source_->has_fast_random_access();
  }
  void build_index(Executor& executor, DecodedSink* sink) const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override;
  [[nodiscard]] const std::optional<internal::FoundStreams>& found() const noexcept override {
    return index_.found();
  }

 private:
  /// The facts about the file that are known before the index is made.
  struct Parts {
    FormatOptions options;
    FileSystem* files = nullptr;
    ReadOptions read;
    Beginning beginning;
    Fingerprint fingerprint;
    std::optional<internal::FoundStreams> found;  // nothing if all streams were declared
  };

  [[nodiscard]] static Parts resolve(const OpenRequest& request);
  CsvDeserializer(std::shared_ptr<const ByteSource> source, const Parts& parts);
  [[nodiscard]] internal::ScannedIndex::Parts index_parts(const Parts& parts) const;

  std::shared_ptr<const ByteSource> source_;
  Schema schema_;
  std::string data_options_;  // the options that change keys, locations or values, as text
  Fingerprint fingerprint_;
  internal::ScannedIndex index_;
};

}  // namespace sheaf::csv
