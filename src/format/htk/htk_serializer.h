// Writes sequences to HTK parameter files and a list of them.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "format/htk/htk_header.h"
#include "format/htk/htk_options.h"
#include "index/written_keys.h"

namespace sheaf::htk {

/// Writes lists and files as described in docs/formats/htk.md under "Writing".
class HtkSerializer final : public Serializer {
 public:
  static constexpr std::int64_t kFramesMax = (std::int64_t{1} << 31) - 1;  // limit of a header

  /// `frames_max` is the limit for one file. Tests use smaller limits.
  ///
  /// Throws: ConfigError for streams that the files cannot hold, for a path that no list can name,
  ///         and for unknown options; as CreateRequest::create_file.
  explicit HtkSerializer(CreateRequest request, std::int64_t frames_max = kFramesMax);

  [[nodiscard]] std::unique_ptr<Serializer::Block> encode(
      const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Serializer::Block> block) override;
  void finish() override;

 private:
  class Block;

  [[nodiscard]] std::string key_of(const SequenceBatch& batch, std::size_t n) const;
  void check_frames(const SequenceView& view, std::string_view key) const;
  [[nodiscard]] std::array<std::byte, kHeaderSize> header_of(std::int64_t frame_count) const;
  void append_to_archive(const Block& block, std::string& lines);
  void write_files(const Block& block, std::string& lines) const;
  [[nodiscard]] std::string file_name(std::string_view key) const;
  [[noreturn]] void fail(std::string_view key, const internal::ErrorKind& kind,
                         std::string found) const;

  const std::unique_ptr<ByteSink> list_;
  const std::function<std::unique_ptr<ByteSink>(const std::string& path)> create_file_;
  const Stream stream_;
  const WriteOptions options_;
  const std::int64_t frames_max_;
  std::unique_ptr<ByteSink> archive_;  // null if each utterance has a file
  std::string archive_name_;

  // About the utterances appended so far.
  std::int64_t frame_count_ = 0;  // of the archive
  std::int64_t utterance_count_ = 0;
  internal::WrittenKeys keys_;
};

}  // namespace sheaf::htk
