// The utterances of a list of HTK files as a data set.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/htk/htk_files.h"
#include "format/htk/htk_index.h"
#include "format/htk/htk_list.h"
#include "format/htk/htk_options.h"

namespace sheaf::htk {

class HtkDeserializer final : public Deserializer {
 public:
  /// Throws: ConfigError, DataError, IoError as read_options_of() and HtkIndex.
  HtkDeserializer(std::shared_ptr<const ByteSource> list, const FormatOptions& options,
                  const Context& context = {});

  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return streams_; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return index_.warnings(); }

 private:
  [[nodiscard]] HtkIndex::Parts index_parts(const FormatOptions& options, const Context& context);

  const std::shared_ptr<const ByteSource> list_;
  const ReadOptions options_;
  const ListRules rules_;
  mutable ParameterFiles files_;
  const HtkIndex index_;
  std::vector<Stream> streams_;
};

}  // namespace sheaf::htk
