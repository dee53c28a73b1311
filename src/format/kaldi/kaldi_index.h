// The sequences of an archive or of a list: their keys, lengths and locations.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/index_file.h"
#include "sheaf/types.h"

#include "format/kaldi/kaldi_options.h"
#include "format/kaldi/kaldi_probe.h"
#include "format/kaldi/kaldi_sources.h"
#include "format/listed/list_entry.h"
#include "format/listed/listed_index.h"

namespace sheaf::kaldi {

/// Returns the text for a file of lengths in an index or a fingerprint. The file may be null.
[[nodiscard]] std::string lengths_text(const ByteSource* lengths);

/// The base of the indices of archives and lists. In the imaginary source of the index, a sequence
/// takes as many bytes as its object in the file. The location of a sequence is the start of the
/// object.
class KaldiIndex : public internal::ListedIndex {
 public:
  struct Parts {
    std::shared_ptr<const ByteSource> file;
    const ReadOptions* options = nullptr;
    IndexOptions index;
    Context context;
    std::shared_ptr<const ByteSource> lengths = nullptr;  // of a list; may be null
  };

  /// Returns the stream, as declared or as found in the first object.
  [[nodiscard]] const Stream& stream() const noexcept { return stream_; }

 protected:
  using ListEntry = internal::ListEntry;

  KaldiIndex(const Parts& parts, std::string_view kind);

  /// Takes the stream from the first object. Messages about the object point to `location`.
  ///
  /// Throws: DataError for a fault if the options do not tell the stream; ConfigError for an object
  ///         that does not fit the declaration.
  void take_first(const Probed& first, Diagnostic location);

  [[nodiscard]] const ReadOptions& options() const noexcept { return *parts_.options; }
  [[nodiscard]] const ByteSource* lengths() const noexcept { return parts_.lengths.get(); }

  void forget_first_file() override {}
  [[nodiscard]] std::int64_t stored_bytes(const ListEntry& entry) const override {
    return entry.stored_bytes;
  }
  [[nodiscard]] std::int64_t location_bytes(const ListEntry& entry) const override {
    return entry.location;
  }
  [[nodiscard]] std::int64_t decoded_bytes(std::int64_t sample_count,
                                           std::int64_t stored_bytes) const override;
  [[nodiscard]] std::vector<std::int64_t> first_numbers() const override;
  [[nodiscard]] std::string difference(std::span<const std::int64_t> numbers) const override;

 private:
  const Parts parts_;
  Stream stream_;
};

/// The entries of an archive.
class ArchiveIndex final : public KaldiIndex {
 public:
  /// Throws: DataError if the archive has no entry, or if the first one is wrong; IoError.
  explicit ArchiveIndex(const Parts& parts) : KaldiIndex(parts, "archive") { build(); }

 private:
  [[nodiscard]] bool scan(const TakeEntry& take) const override;
  void set_first_file(std::string_view line, std::int64_t line_number,
                      std::int64_t offset) override;
  [[nodiscard]] bool read_counts(std::span<ListEntry* const> /*entries*/) override { return true; }
  [[nodiscard]] std::string path_of(std::string_view /*line*/) const override {
    return std::string(list().name());
  }
};

/// The objects that a list names.
class ListIndex final : public KaldiIndex {
 public:
  /// Reads the heads of all objects on the threads of the executor if there is neither an index
  /// file nor a file of lengths.
  ///
  /// Throws:   DataError if the list has no sequence, or if the first one is wrong; IoError.
  /// Lifetime: `sources` must outlive the index.
  ListIndex(const Parts& parts, KaldiSources& sources)
      : KaldiIndex(parts, "list"), sources_(sources) {
    build();
  }

 private:
  [[nodiscard]] bool scan(const TakeEntry& take) const override;
  void set_first_file(std::string_view line, std::int64_t line_number,
                      std::int64_t offset) override;
  [[nodiscard]] bool read_counts(std::span<ListEntry* const> entries) override;
  [[nodiscard]] bool read_heads(std::span<ListEntry* const> entries) const;
  [[nodiscard]] std::vector<ListEntry*> take_lengths(std::span<ListEntry* const> entries) const;
  [[nodiscard]] std::optional<ProbedObject> probe(const ListEntry& entry) const;
  [[nodiscard]] std::string path_of(std::string_view line) const override;

  KaldiSources& sources_;
};

}  // namespace sheaf::kaldi
