// Lattices as a data set.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/lattice/lattice_index.h"
#include "format/lattice/lattice_options.h"

namespace sheaf::lattice {

class LatticeDeserializer final : public Deserializer {
 public:
  /// `file` is a table of contents, or a list of such tables.
  ///
  /// Throws: ConfigError, DataError, IoError as read_options_of() and LatticeIndex.
  LatticeDeserializer(const std::shared_ptr<const ByteSource>& file, const FormatOptions& options,
                      const Context& context = {})
      : options_(read_options_of(options)), index_(file, options_, context.file_system()) {}

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return {&options_.stream, 1};
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return index_.has_fast_random_access();
  }
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override {
    index_.visit_paths(visit);
  }
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return index_.warnings(); }

 private:
  const ReadOptions options_;
  const LatticeIndex index_;
};

}  // namespace sheaf::lattice
