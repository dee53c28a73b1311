// The recordings of a set of WAV files as a data set.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/wav/wav_files.h"
#include "format/wav/wav_index.h"
#include "format/wav/wav_options.h"

namespace sheaf::wav {

class WavDeserializer final : public Deserializer {
 public:
  /// Opens the source of a request, or else its paths.
  ///
  /// Throws: ConfigError, DataError, IoError as read_options_of() and WavIndex.
  explicit WavDeserializer(const OpenRequest& request);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return streams_; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return files_.has_fast_random_access();
  }

 private:
  const ReadOptions options_;
  const WavFiles files_;
  const WavIndex index_;
  std::vector<Stream> streams_;
};

}  // namespace sheaf::wav
