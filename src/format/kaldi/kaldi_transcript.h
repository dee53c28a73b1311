// Files of lines of text, such as Kaldi's `text`, `utt2spk` and `utt2dur`.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/kaldi/kaldi_options.h"
#include "format/kaldi/kaldi_symbols.h"
#include "format/listed/list_scan.h"
#include "format/listed/listed_index.h"

namespace sheaf::kaldi {

/// Parses lines `key word word ...` for internal::ListScan. A line has a sample for each word, or a
/// single sample with the text. Does not look for unknown words.
class TextLines {
 public:
  using ScannedLine = internal::ScannedLine;

  explicit TextLines(bool has_ids) : has_ids_(has_ids) {}

  [[nodiscard]] static bool has_plain() { return false; }
  [[nodiscard]] static ScannedLine parse_plain(const char* /*line*/) { return {}; }
  [[nodiscard]] static bool is_blank(std::string_view line) noexcept;
  [[nodiscard]] ScannedLine parse(std::string_view line) const;

 private:
  bool has_ids_;
};

/// The lines of a file.
class TextIndex final : public internal::ListedIndex {
 public:
  struct Parts {
    std::shared_ptr<const ByteSource> file;
    const ReadOptions* options = nullptr;
    IndexOptions index;
    Context context;
  };

  /// Throws: DataError if the file has no line, or if a key must be a number and is not; IoError.
  explicit TextIndex(const Parts& parts);

 private:
  using ListEntry = internal::ListEntry;

  [[nodiscard]] bool scan(const TakeEntry& take) const override;
  void set_first_file(std::string_view /*line*/, std::int64_t /*line_number*/,
                      std::int64_t /*offset*/) override {}
  void forget_first_file() override {}
  [[nodiscard]] bool read_counts(std::span<ListEntry* const> /*entries*/) override { return true; }
  [[nodiscard]] std::int64_t stored_bytes(const ListEntry& entry) const override {
    return std::int64_t{entry.size} + 1;
  }
  [[nodiscard]] std::int64_t location_bytes(const ListEntry& entry) const override {
    return entry.offset;
  }
  [[nodiscard]] std::int64_t decoded_bytes(std::int64_t sample_count,
                                           std::int64_t stored_bytes) const override;
  [[nodiscard]] std::string path_of(std::string_view /*line*/) const override {
    return std::string(list().name());
  }
  [[nodiscard]] std::vector<std::int64_t> first_numbers() const override { return {}; }
  [[nodiscard]] std::string difference(std::span<const std::int64_t> numbers) const override {
    return numbers.empty() ? "" : "made for other data";
  }

  const ReadOptions& options_;
};

/// Delivers the texts of a file as samples of bytes. With a symbol table, delivers the words as
/// samples of an id.
class TextDeserializer final : public Deserializer {
 public:
  /// Throws: ConfigError if the table lacks the word for unknown words; DataError, IoError as
  ///         TextIndex and Symbols.
  TextDeserializer(const OpenRequest& request, ReadOptions options);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return {&stream_, 1}; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return file_->has_fast_random_access();
  }
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return index_.warnings(); }

 private:
  const std::shared_ptr<const ByteSource> file_;
  const ReadOptions options_;
  const std::optional<Symbols> symbols_;          // nothing if samples are texts
  const std::optional<std::int32_t> unknown_id_;  // nothing if unknown words are errors
  const Stream stream_;
  const TextIndex index_;
};

}  // namespace sheaf::kaldi
