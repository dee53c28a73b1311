// The sequences of a manifest: their keys, lengths and locations.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/index_file.h"

#include "format/listed/list_entry.h"
#include "format/listed/listed_index.h"
#include "format/manifest/manifest_files.h"
#include "format/manifest/manifest_options.h"
#include "format/manifest/manifest_part.h"

namespace sheaf::manifest {

/// In the imaginary source of the index, a sequence takes the bytes of its samples in their file
/// and the bytes of its line, and kTextBytes for each text. The location of a sequence is its first
/// sample.
class ManifestIndex final : public internal::ListedIndex {
 public:
  struct Parts {
    std::shared_ptr<const ByteSource> manifest;
    const ReadOptions* options = nullptr;
    IndexOptions index;
    Context context;
  };

  /// Reads the heads of all files on the threads of the executor if streams have audio or features
  /// and there is no index file.
  ///
  /// Throws:   DataError if the manifest has no sequence, or if undeclared properties cannot be
  ///           found because the first line leads to no file; IoError.
  /// Lifetime: `files` must outlive the index.
  ManifestIndex(const Parts& parts, ManifestFiles& files);

  /// Returns the channels or the dim of all sequences, or 0 if only texts are read.
  [[nodiscard]] std::int64_t dim() const noexcept { return dim_; }

  /// Returns the sample rate of all recordings, or 0 if no recordings are read.
  [[nodiscard]] std::int64_t rate() const noexcept { return rate_; }

 private:
  using ListEntry = internal::ListEntry;

  [[nodiscard]] bool scan(const TakeEntry& take) const override;
  void set_first_file(std::string_view line, std::int64_t line_number,
                      std::int64_t offset) override;
  void forget_first_file() override {}
  [[nodiscard]] bool read_counts(std::span<ListEntry* const> entries) override;
  [[nodiscard]] std::int64_t stored_bytes(const ListEntry& entry) const override;
  [[nodiscard]] std::int64_t location_bytes(const ListEntry& entry) const override {
    return entry.location;
  }
  [[nodiscard]] std::int64_t decoded_bytes(std::int64_t sample_count,
                                           std::int64_t stored_bytes) const override;
  [[nodiscard]] std::string path_of(std::string_view line) const override;
  [[nodiscard]] std::vector<std::int64_t> first_numbers() const override { return {dim_, rate_}; }
  [[nodiscard]] std::string difference(std::span<const std::int64_t> numbers) const override;

  [[nodiscard]] bool read_heads(std::span<ListEntry* const> entries) const;

  const Parts parts_;
  ManifestFiles& files_;
  std::int64_t dim_ = 0;
  std::int64_t rate_ = 0;
};

}  // namespace sheaf::manifest
