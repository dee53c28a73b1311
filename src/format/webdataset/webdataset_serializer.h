// Writes sequences to a tar shard.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "index/written_keys.h"

namespace sheaf::webdataset {

inline constexpr std::array<std::string_view, 2> kDotsValues = {"error", "underscore"};
inline constexpr FormatOption kDotsOption = {
    "webdataset.dots", kDotsValues,
    "what becomes of a dot behind the last slash of a key, where a suffix would begin"};
inline constexpr std::array<std::string_view, 2> kWrittenFramesValues = {"false", "true"};
inline constexpr FormatOption kWrittenFramesOption = {
    "webdataset.frames", kWrittenFramesValues,
    "whether images of the stream image get numbers, so that a sequence may have several"};
inline constexpr std::array kWriteOptions = {kDotsOption, kWrittenFramesOption};

/// Writes shards as described in docs/formats/webdataset.md under "Writing".
class WebdatasetSerializer final : public Serializer {
 public:
  /// Throws: ConfigError for streams that entries cannot be, and for any options.
  explicit WebdatasetSerializer(CreateRequest request);

  [[nodiscard]] std::unique_ptr<Serializer::Block> encode(
      const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Serializer::Block> block) override;
  void finish() override;

 private:
  class Block;

  /// The form in which a stream is written.
  enum class Content : std::uint8_t { image, bytes, ids, one_hot };
  struct Entry {
    Stream stream;
    Content content = Content::bytes;
    std::string suffix;  // unused for images
  };

  /// One stream of one sequence.
  struct Part {
    const Entry& entry;
    const SequenceView& view;
    std::string_view key;
  };

  [[nodiscard]] static Entry entry_of(const Stream& stream);
  void check_suffixes() const;
  [[nodiscard]] std::string key_of(const SequenceBatch& batch, std::size_t n) const;
  void append_part(const Part& part, std::string& archive) const;
  void append_bytes(const Part& part, std::string& archive) const;
  [[nodiscard]] std::string label_of(const Part& part) const;
  [[nodiscard]] std::string_view image_suffix_of(const Part& part, std::string_view image) const;
  [[noreturn]] void fail(const Part& part, const internal::ErrorKind& kind, std::string found,
                         std::string hint = {}) const;

  const std::unique_ptr<ByteSink> sink_;
  std::vector<Entry> entries_;
  bool replaces_dots_ = false;
  bool has_frames_ = false;

  // About the sequences appended so far.
  bool has_any_ = false;
  internal::WrittenKeys keys_;
};

}  // namespace sheaf::webdataset
