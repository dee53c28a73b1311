// The sequences of an archive or of a list: their keys, lengths and places.

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

/// Returns what an index and a fingerprint say of a file of lengths, which may be null.
[[nodiscard]] std::string lengths_text(const ByteSource* lengths);

/// What archives and lists have in common. A sequence takes as many bytes of the imagined source as
/// the object has in its file. A place is the start of the object.
class KaldiIndex : public internal::ListedIndex {
 public:
  struct Parts {
    std::shared_ptr<const ByteSource> file;
    const ReadOptions* options = nullptr;
    IndexOptions index;
    Context context;
    std::shared_ptr<const ByteSource> lengths = nullptr;  // of a list: its file of lengths
  };

  /// Returns the stream, as declared or as the first object tells.
  [[nodiscard]] const Stream& stream() const noexcept { return stream_; }

 protected:
  using ListEntry = internal::ListEntry;

  KaldiIndex(const Parts& parts, std::string_view kind);

  /// Takes the stream from the first object. `place` is where messages about the object point.
  ///
  /// Throws: DataError for a fault, where the options do not tell the stream; ConfigError for an
  ///         object that does not fit what was declared.
  void take_first(const Probed& first, Diagnostic place);

  [[nodiscard]] const ReadOptions& options() const noexcept { return *parts_.options; }
  [[nodiscard]] const ByteSource* lengths() const noexcept { return parts_.lengths.get(); }

  void forget_first_file() override {}
  [[nodiscard]] std::int64_t stored_bytes(const ListEntry& entry) const override {
    return entry.stored_bytes;
  }
  [[nodiscard]] std::int64_t place_bytes(const ListEntry& entry) const override {
    return entry.place;
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
  /// Throws: DataError where the archive has no entry, or where the first one is wrong; IoError.
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
  /// Reads the heads of all objects, with the threads of the executor, where there is neither an
  /// index file nor a file of lengths.
  ///
  /// Throws:   DataError where the list has no sequence, or where the first one is wrong; IoError.
  /// Lifetime: `sources` must outlive the object.
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
