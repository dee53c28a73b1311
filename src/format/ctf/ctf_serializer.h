// Writes sequences to CTF.

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

#include "core/text_buffer.h"
#include "index/written_keys.h"

namespace sheaf::ctf {

/// Writes rows as described in docs/formats/ctf.md under "Writing".
class CtfSerializer final : public Serializer {
 public:
  /// Throws: ConfigError for a stream that CTF cannot hold, and for unknown options.
  CtfSerializer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
                const SerializerOptions& options);

  [[nodiscard]] std::unique_ptr<Block> encode(const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Block> block) override;
  void finish() override;

 private:
  /// The rows that begin with an id: all rows of a sequence, its first row, or none.
  enum class Ids : std::uint8_t { all, first, none };

  struct Cursor;
  struct Rows;

  [[nodiscard]] static Ids ids_of(const SerializerOptions& options);
  [[nodiscard]] std::string id_of(const SequenceBatch& batch, std::size_t n) const;
  [[nodiscard]] std::int64_t row_count(const SequenceBatch& batch, std::size_t n,
                                       std::string_view id) const;
  void encode_sequence(const SequenceBatch& batch, std::size_t n, Rows& rows) const;
  void encode_sample(const Stream& stream, const SequenceView& view, std::int64_t t,
                     std::string_view id, Cursor& cursor, internal::TextBuffer& text) const;

  const std::unique_ptr<ByteSink> sink_;
  const std::vector<Stream> streams_;
  const Ids ids_;

  // About the sequences appended so far.
  std::int64_t sequence_count_ = 0;
  std::optional<bool> has_texts_;
  internal::WrittenKeys keys_;
};

}  // namespace sheaf::ctf
