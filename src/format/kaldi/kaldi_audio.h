// A list or an archive of recordings as a data set.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/kaldi/kaldi_audio_entries.h"
#include "format/kaldi/kaldi_audio_index.h"
#include "format/kaldi/kaldi_audio_options.h"

namespace sheaf::kaldi {

/// Returns whether a list or an archive holds recordings. Decides by the options, by the first
/// entry of an archive, or by the first existing file among the first 64 lines of a list.
///
/// Throws: IoError.
[[nodiscard]] bool holds_recordings(const OpenRequest& request, bool is_archive);

class AudioDeserializer final : public Deserializer {
 public:
  /// Throws: ConfigError, DataError, IoError as audio_options_of(), audio_entries() and AudioIndex.
  AudioDeserializer(const OpenRequest& request, bool is_archive, ReadOptions common);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return {&index_.stream(), 1};
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return file_->has_fast_random_access();
  }
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override {
    entries_->visit_files(visit);
  }
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return index_.warnings(); }

 private:
  const std::shared_ptr<const ByteSource> file_;
  const AudioOptions options_;
  const std::unique_ptr<AudioEntries> entries_;
  const AudioIndex index_;
};

}  // namespace sheaf::kaldi
