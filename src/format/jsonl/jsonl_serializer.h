// Writes sequences to JSON Lines.

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

namespace sheaf::jsonl {

/// Writes lines as described in docs/formats/jsonl.md under "Writing".
class JsonlSerializer final : public Serializer {
 public:
  /// Throws: ConfigError for streams that the format cannot hold, and for unknown options.
  JsonlSerializer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
                  const SerializerOptions& options);

  [[nodiscard]] std::unique_ptr<Block> encode(const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Block> block) override;
  void finish() override;

 private:
  /// The keys in lines: all keys; none, because keys count from 0; or none, because keys are
  /// dropped.
  enum class Keys : std::uint8_t { all, none, drop };

  /// One stream of a sequence, the location of its next sample, and the key for messages.
  struct Cursor {
    const Stream& stream;
    const SequenceView& view;
    std::string_view key;
    const std::byte* values;
    const std::byte* indices;
    std::int64_t sample = 0;
  };

  void encode_sequence(const SequenceBatch& batch, std::size_t n, internal::TextBuffer& text) const;
  [[nodiscard]] std::string key_of(const SequenceBatch& batch, std::size_t n) const;
  void write_key(const SequenceBatch& batch, std::string_view key,
                 internal::TextBuffer& text) const;
  void write_stream(Cursor cursor, internal::TextBuffer& text) const;
  void write_sample(Cursor& cursor, internal::TextBuffer& text) const;
  void write_bytes(const Cursor& cursor, std::int64_t count, internal::TextBuffer& text) const;
  void write_numbers(const Cursor& cursor, std::int64_t count, internal::TextBuffer& text) const;
  void write_indices(const Cursor& cursor, std::int64_t count, internal::TextBuffer& text) const;
  template <typename T>
  void write_value(const Cursor& cursor, std::int64_t at, internal::TextBuffer& text) const;
  [[noreturn]] void fail(std::string_view key, const Stream* stream,
                         const internal::ErrorKind& kind, std::string found) const;

  const std::unique_ptr<ByteSink> sink_;
  const std::vector<Stream> streams_;
  Keys keys_mode_ = Keys::all;
  std::string key_name_;                   // in JSON, with quotes
  std::vector<std::string> stream_names_;  // [stream]: in JSON, with quotes

  // About the sequences appended so far.
  std::int64_t sequence_count_ = 0;
  internal::WrittenKeys keys_;
};

}  // namespace sheaf::jsonl
