// A CTF file as a data set.

#pragma once

#include <memory>
#include <span>
#include <string>

#include "sheaf/byte_source.h"
#include "sheaf/deserializer.h"

#include "format/ctf/ctf_index.h"
#include "format/ctf/ctf_schema.h"

namespace sheaf::ctf {

class CtfDeserializer final : public Deserializer {
 public:
  /// Throws: ConfigError, DataError, IoError as make_schema() and find_beginning().
  CtfDeserializer(std::shared_ptr<const ByteSource> source, const FormatOptions& options);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override;
  [[nodiscard]] const Index& index() const noexcept override;
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;

 private:
  std::shared_ptr<const ByteSource> source_;
  Schema schema_;
  Beginning beginning_;
  std::string fingerprint_;
  CtfIndex index_;
};

}  // namespace sheaf::ctf
