// Writes sequences to CSV.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "core/text_buffer.h"
#include "index/written_keys.h"

namespace sheaf::csv {

/// Writes rows as described in docs/formats/csv.md under "Writing".
class CsvSerializer final : public Serializer {
 public:
  /// Throws: ConfigError for streams that the format cannot hold, and for unknown options.
  CsvSerializer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
                const SerializerOptions& options);

  [[nodiscard]] std::unique_ptr<Block> encode(const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Block> block) override;
  void finish() override;

 private:
  struct Options {
    char delimiter = ',';
    bool has_header = true;
    bool drops_keys = false;
    std::string key;  // name of the column with keys; empty if there is none
  };

  [[nodiscard]] Options options_of(const SerializerOptions& options) const;
  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::string key_of(const SequenceBatch& batch, std::size_t n) const;
  [[nodiscard]] std::int64_t row_count(const SequenceBatch& batch, std::size_t n,
                                       std::string_view key) const;
  void encode_sequence(const SequenceBatch& batch, std::size_t n, internal::TextBuffer& text) const;
  void write_sample(const Stream& stream, const SequenceView& view, std::int64_t sample,
                    std::string_view key, internal::TextBuffer& text) const;
  template <typename T>
  void write_numbers(const Stream& stream, const SequenceView& view, std::int64_t sample,
                     std::string_view key, internal::TextBuffer& text) const;
  [[noreturn]] void fail(std::string_view key, const Stream* stream,
                         const internal::ErrorKind& kind, std::string found,
                         std::string hint = {}) const;

  const std::unique_ptr<ByteSink> sink_;
  const std::vector<Stream> streams_;
  const Options options_;
  const std::string header_;

  // About the sequences appended so far.
  std::int64_t sequence_count_ = 0;
  internal::WrittenKeys keys_;
};

}  // namespace sheaf::csv
