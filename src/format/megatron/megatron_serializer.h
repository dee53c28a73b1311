// Writes sequences to the two files of Megatron.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

#include "core/error_kind.h"

namespace sheaf::megatron {

/// Writes FILE.idx and FILE.bin. Each sequence becomes a document of one sequence.
class MegatronSerializer final : public Serializer {
 public:
  /// Throws: ConfigError for streams that the files cannot hold, for a path that does not end in
  ///         ".idx", and for any options; as CreateRequest::create_file.
  explicit MegatronSerializer(CreateRequest request);

  [[nodiscard]] std::unique_ptr<Serializer::Block> encode(
      const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Serializer::Block> block) override;
  void finish() override;

 private:
  class Block;

  [[noreturn]] void fail(const SequenceBatch& batch, std::size_t sequence,
                         const internal::ErrorKind& kind, std::string found) const;

  const std::unique_ptr<ByteSink> list_;
  const Stream stream_;
  const std::unique_ptr<ByteSink> tokens_;
  std::vector<std::int32_t> lengths_;  // of all documents, because the list begins with them
};

}  // namespace sheaf::megatron
