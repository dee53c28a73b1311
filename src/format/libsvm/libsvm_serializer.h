// Writes sequences to LibSVM format.

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

namespace sheaf::libsvm {

/// Writes rows as described in docs/formats/libsvm.md under "Writing".
class LibsvmSerializer final : public Serializer {
 public:
  /// Throws: ConfigError for streams that the format cannot hold, and for unknown options.
  LibsvmSerializer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
                   const SerializerOptions& options);

  [[nodiscard]] std::unique_ptr<Block> encode(const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Block> block) override;
  void finish() override;

 private:
  /// The qids in rows: all keys; none, because keys count from 0; or none, because keys are
  /// dropped.
  enum class Qids : std::uint8_t { all, none, drop };

  struct Options {
    Qids qids = Qids::all;
    std::int64_t base = 1;
  };

  /// One stream of a sequence, and the location of its next sample.
  struct Cursor {
    const Stream* stream = nullptr;  // null if it is not written
    const SequenceView* view = nullptr;
    const std::byte* values = nullptr;
    const std::byte* indices = nullptr;
  };

  /// A sample: `count` values at the cursor.
  struct Sample {
    const Cursor& cursor;
    std::int64_t number = 0;  // number in its sequence
    std::int64_t count = 0;
  };

  [[nodiscard]] static Options options_of(const SerializerOptions& options);
  [[nodiscard]] std::string key_of(const SequenceBatch& batch, std::size_t n) const;
  [[nodiscard]] std::int64_t row_count(const SequenceBatch& batch, std::size_t n,
                                       std::string_view key) const;
  [[nodiscard]] Cursor cursor_of(const SequenceBatch& batch, std::int64_t stream,
                                 std::size_t n) const;
  void encode_sequence(const SequenceBatch& batch, std::size_t n, internal::TextBuffer& text) const;
  void write_label(const Sample& sample, std::string_view key, internal::TextBuffer& text) const;
  void write_features(const Sample& sample, std::string_view key, internal::TextBuffer& text,
                      bool& is_begun) const;
  template <typename T, typename Index>
  void write_labels(const Sample& sample, std::string_view key, internal::TextBuffer& text) const;
  template <typename T>
  void write_dense(const Sample& sample, std::string_view key, internal::TextBuffer& text,
                   bool& is_begun) const;
  template <typename T, typename Index>
  void write_sparse(const Sample& sample, std::string_view key, internal::TextBuffer& text,
                    bool& is_begun) const;
  template <typename T, typename Index>
  void check_pair(const Sample& sample, std::string_view key, std::int64_t at) const;
  void write_comment(std::string_view comment, std::string_view key,
                     internal::TextBuffer& text) const;
  [[noreturn]] void fail(std::string_view key, const Stream* stream,
                         const internal::ErrorKind& kind, std::string found) const;

  const std::unique_ptr<ByteSink> sink_;
  const std::vector<Stream> streams_;
  const Options options_;
  std::int64_t label_ = -1;  // number of the stream, as is the next one; -1 if it is not written
  std::int64_t features_ = -1;

  // About the sequences appended so far.
  std::int64_t sequence_count_ = 0;
  internal::WrittenKeys keys_;
};

}  // namespace sheaf::libsvm
