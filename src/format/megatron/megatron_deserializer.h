// Documents of tokens as a data set.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/megatron/megatron_index.h"
#include "format/megatron/megatron_list.h"
#include "format/megatron/megatron_options.h"

namespace sheaf::megatron {

class MegatronDeserializer final : public Deserializer {
 public:
  /// Reads the list, and opens the file of the tokens.
  ///
  /// Throws: ConfigError for impossible options; DataError if one of the two files is wrong;
  ///         IoError.
  explicit MegatronDeserializer(const OpenRequest& request);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return streams_; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t stream) const override;
  [[nodiscard]] bool has_fast_random_access() const noexcept override;
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override;

 private:
  [[nodiscard]] ListParts parts() const {
    return {.list = *list_, .header = header_, .tokens_size_bytes = tokens_->size()};
  }

  const std::shared_ptr<const ByteSource> list_;
  const ReadOptions options_;
  const ListHeader header_;
  const std::string tokens_path_;
  const std::shared_ptr<const ByteSource> tokens_;
  const std::vector<Stream> streams_;
  const MegatronIndex index_;
};

}  // namespace sheaf::megatron
