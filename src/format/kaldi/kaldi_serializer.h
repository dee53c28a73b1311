// Writes sequences to an archive of Kaldi, and a list of its objects.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "format/kaldi/kaldi_options.h"
#include "index/written_keys.h"

namespace sheaf::kaldi {

/// Writes archives and lists as described in docs/formats/kaldi.md under "Writing".
class KaldiSerializer final : public Serializer {
 public:
  /// Throws: ConfigError for streams that objects cannot hold, for a path that no list can name,
  ///         and for unknown options; as CreateRequest::create_file.
  explicit KaldiSerializer(CreateRequest request);

  [[nodiscard]] std::unique_ptr<Serializer::Block> encode(
      const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Serializer::Block> block) override;
  void finish() override;

 private:
  class Block;

  [[nodiscard]] std::string key_of(const SequenceBatch& batch, std::size_t n) const;
  void encode_object(const SequenceView& view, std::string_view key, std::string& to) const;
  void encode_floats(const SequenceView& view, std::string_view key, std::string& to) const;
  void encode_integers(const SequenceView& view, std::string& to) const;
  void encode_sparse(const SequenceView& view, std::string_view key, std::string& to) const;
  template <typename T>
  void check_text(std::span<const T> values, std::string_view key) const;
  void sort_samples(std::span<float> values, std::span<std::int32_t> indices,
                    std::span<const std::int64_t> counts, std::string_view key) const;
  [[noreturn]] void fail(std::string_view key, const internal::ErrorKind& kind,
                         std::string found) const;

  const std::string path_;
  const Stream stream_;
  const WriteOptions options_;
  std::unique_ptr<ByteSink> list_;  // null if the output is an archive only
  std::unique_ptr<ByteSink> archive_;
  std::int64_t size_bytes_ = 0;  // of the archive so far
  std::int64_t sequence_count_ = 0;
  internal::WrittenKeys keys_;
};

}  // namespace sheaf::kaldi
