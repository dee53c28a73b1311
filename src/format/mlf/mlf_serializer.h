// Writes labels to a master label file in text.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "core/text_buffer.h"
#include "format/mlf/mlf_options.h"
#include "format/mlf/mlf_states.h"
#include "index/written_keys.h"

namespace sheaf::mlf {

/// Writes files as described in docs/formats/mlf.md under "Writing".
class MlfSerializer final : public Serializer {
 public:
  static constexpr std::int64_t kFramesMax = std::int64_t{1} << 31;  // limit of readers

  /// `frames_max` is the limit for an utterance. Tests use smaller limits.
  ///
  /// Throws: ConfigError for streams that are not labels, and for invalid options; DataError and
  ///         IoError for the state list.
  explicit MlfSerializer(CreateRequest request, std::int64_t frames_max = kFramesMax);

  [[nodiscard]] std::unique_ptr<Serializer::Block> encode(
      const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Serializer::Block> block) override;
  void finish() override;

 private:
  class Block;

  [[nodiscard]] std::string key_of(const SequenceBatch& batch, std::size_t n) const;
  [[nodiscard]] std::vector<std::int64_t> ids_of(const SequenceView& view,
                                                 std::string_view key) const;
  [[nodiscard]] std::vector<std::int64_t> dense_ids(const SequenceView& view,
                                                    std::string_view key) const;
  [[nodiscard]] std::vector<std::int64_t> one_hot_ids(const SequenceView& view,
                                                      std::string_view key) const;
  [[nodiscard]] std::string label_of(std::int64_t id, std::int64_t frame,
                                     std::string_view key) const;
  void write_ranges(std::span<const std::int64_t> ids, std::string_view key,
                    internal::TextBuffer& text) const;
  [[noreturn]] void fail(std::string_view key, const internal::ErrorKind& kind,
                         std::string found) const;

  const std::unique_ptr<ByteSink> sink_;
  const Stream stream_;
  const WriteOptions options_;
  const std::optional<States> states_;
  const std::int64_t frames_max_;

  // About the utterances appended so far.
  std::int64_t utterance_count_ = 0;
  internal::WrittenKeys keys_;
};

}  // namespace sheaf::mlf
