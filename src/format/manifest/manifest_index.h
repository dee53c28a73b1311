// The sequences of a manifest: their keys, lengths and places.

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

/// A sequence takes as many bytes of the imagined source as its samples have in their file, and
/// those of its line, with kTextBytes for each text. A place is the first sample.
class ManifestIndex final : public internal::ListedIndex {
 public:
  struct Parts {
    std::shared_ptr<const ByteSource> manifest;
    const ReadOptions* options = nullptr;
    IndexOptions index;
    Context context;
  };

  /// Reads the heads of all files, with the threads of the executor, where streams have audio or
  /// features and there is no index file.
  ///
  /// Throws:   DataError where the manifest has no sequence, or where the first line leads to no
  ///           file that tells what is not declared; IoError.
  /// Lifetime: `files` must outlive the object.
  ManifestIndex(const Parts& parts, ManifestFiles& files);

  /// Returns the channels or the dim of all sequences; 0 where texts alone are read.
  [[nodiscard]] std::int64_t dim() const noexcept { return dim_; }

  /// Returns the sample rate of all recordings; 0 where no recordings are read.
  [[nodiscard]] std::int64_t rate() const noexcept { return rate_; }

 private:
  using ListEntry = internal::ListEntry;

  [[nodiscard]] bool scan(const TakeEntry& take) const override;
  void set_first_file(std::string_view line, std::int64_t line_number,
                      std::int64_t offset) override;
  void forget_first_file() override {}
  [[nodiscard]] bool read_counts(std::span<ListEntry* const> entries) override;
  [[nodiscard]] std::int64_t stored_bytes(const ListEntry& entry) const override;
  [[nodiscard]] std::int64_t place_bytes(const ListEntry& entry) const override {
    return entry.place;
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
