// Writes sequences to lines of base64 images.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "index/written_keys.h"

namespace sheaf::image_base64 {

/// Writes files as described in docs/formats/image_base64.md under "Writing".
class ImageBase64Serializer final : public Serializer {
 public:
  /// Throws: ConfigError for streams that a line cannot hold, and for any options.
  explicit ImageBase64Serializer(CreateRequest request);

  [[nodiscard]] std::unique_ptr<Serializer::Block> encode(
      const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Serializer::Block> block) override;
  void finish() override;

 private:
  class Block;

  /// One stream of one sequence.
  struct Part {
    const Stream& stream;
    const SequenceView& view;
    std::string key;
  };

  void find_streams();
  [[nodiscard]] std::string key_of(const SequenceBatch& batch, std::size_t n) const;
  [[nodiscard]] std::int64_t class_id_of(const Part& part) const;
  void append_image(const Part& part, std::string& text) const;
  void check_count(const Part& part) const;
  [[noreturn]] void fail(const Part& part, const internal::ErrorKind& kind,
                         std::string found) const;

  const bool has_keys_;
  const std::unique_ptr<ByteSink> sink_;
  const std::vector<Stream> streams_;
  std::size_t image_ = 0;  // number in the streams, as are the next ones
  std::size_t label_ = 0;

  // About the sequences appended so far.
  std::int64_t count_ = 0;
  internal::WrittenKeys keys_;
};

}  // namespace sheaf::image_base64
