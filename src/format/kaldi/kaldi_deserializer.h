// An archive or a list of Kaldi as a data set.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/kaldi/kaldi_index.h"
#include "format/kaldi/kaldi_options.h"
#include "format/kaldi/kaldi_sources.h"

namespace sheaf::kaldi {

/// Opens an archive or a list. The extension .ark or .scp tells which of them a file is. For other
/// names, the first bytes tell.
///
/// Throws: ConfigError, DataError, IoError as Format::open.
[[nodiscard]] std::unique_ptr<Deserializer> open_kaldi(const OpenRequest& request);

/// Returns whether these are the first bytes of an archive: a key, and then a binary object or a
/// text that is not a path.
[[nodiscard]] bool begins_archive(std::string_view bytes) noexcept;

class ArchiveDeserializer final : public Deserializer {
 public:
  /// Throws: ConfigError, DataError, IoError as read_options_of() and ArchiveIndex.
  explicit ArchiveDeserializer(const OpenRequest& request);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return {&index_.stream(), 1};
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return archive_->has_fast_random_access();
  }
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return index_.warnings(); }

 private:
  const std::shared_ptr<const ByteSource> archive_;
  const ReadOptions options_;
  const ArchiveIndex index_;
};

class ListDeserializer final : public Deserializer {
 public:
  /// Throws: ConfigError, DataError, IoError as read_options_of() and ListIndex.
  explicit ListDeserializer(const OpenRequest& request);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return {&index_.stream(), 1};
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return index_.warnings(); }

 private:
  const std::shared_ptr<const ByteSource> list_;
  const ReadOptions options_;
  const std::shared_ptr<const ByteSource> lengths_;  // null if there is no file of lengths
  mutable KaldiSources sources_;
  const ListIndex index_;
};

}  // namespace sheaf::kaldi
