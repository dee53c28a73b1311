// A master label file as a data set.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "core/cut_lengths.h"
#include "format/mlf/mlf_lines.h"
#include "format/mlf/mlf_options.h"
#include "format/mlf/mlf_scanner.h"
#include "format/mlf/mlf_states.h"
#include "format/text/scan_notes.h"
#include "format/text/scanned_index.h"

namespace sheaf::mlf {

/// The index of one file. The index of the first of several files counts the memory of the keys of
/// all.
class MlfIndex final : public internal::ScannedIndex, public internal::CutLengths {
 public:
  /// Parses an utterance and returns whether the utterance is wrong. Empty if an order that cuts
  /// does not have to know.
  using IsWrong = std::function<bool(ChunkIndex chunk, std::int64_t sequence)>;

  MlfIndex(Parts parts, std::shared_ptr<const FirstLocations> locations, IsWrong is_wrong)
      : ScannedIndex(std::move(parts)),
        locations_(std::move(locations)),
        is_wrong_(std::move(is_wrong)) {}

  [[nodiscard]] std::int64_t memory_bytes() const override;

  [[nodiscard]] bool has_cut_lengths() const noexcept override { return is_wrong_ != nullptr; }
  [[nodiscard]] std::optional<std::int64_t> cut_length(ChunkIndex chunk,
                                                       std::int64_t sequence) const override;

 private:
  using UnitNumber = std::pair<ChunkIndex, std::int64_t>;

  [[nodiscard]] bool is_wrong(ChunkIndex chunk, std::int64_t sequence) const;

  const std::shared_ptr<const FirstLocations> locations_;  // null if another index counts them
  const IsWrong is_wrong_;
  mutable std::mutex mutex_;
  mutable std::map<UnitNumber, std::vector<bool>> wrong_;  // [unit][sequence]; under the mutex
  mutable std::int64_t wrong_bytes_ = 0;                   // under the mutex
};

class MlfDeserializer final : public Deserializer, public internal::FoundInside {
 public:
  /// `previous` is the data set of the previous file, as in OpenRequest. Only master label files
  /// count.
  ///
  /// Throws: as Format::open.
  MlfDeserializer(std::shared_ptr<const ByteSource> source, const FormatOptions& options,
                  const Context& context = {}, std::optional<internal::FoundStreams> found = {},
                  std::shared_ptr<const MlfDeserializer> previous = nullptr);
  MlfDeserializer(const MlfDeserializer&) = delete;
  MlfDeserializer& operator=(const MlfDeserializer&) = delete;
  ~MlfDeserializer() override;

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return schema_.streams;
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return source_->has_fast_random_access();
  }
  void build_index(Executor& executor, DecodedSink* sink) const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return index_.warnings(); }
  [[nodiscard]] const std::optional<internal::FoundStreams>& found() const noexcept override {
    return index_.found();
  }

 private:
  [[nodiscard]] std::optional<States> make_states(const Context& context) const;
  [[nodiscard]] RowReader rows(const FormatOptions& options, std::int64_t end,
                               std::int64_t read_size) const;
  [[nodiscard]] int find_version(const FormatOptions& options) const;
  void check_mark(const FormatOptions& options) const;
  [[nodiscard]] internal::FoundStreams find_ids(const FormatOptions& options) const;
  [[nodiscard]] std::int64_t find_dim(const FormatOptions& options, const Context& context);
  [[nodiscard]] StreamOptions stream_of(const FormatOptions& options) const;
  [[nodiscard]] internal::TextSchema make_schema(const FormatOptions& options,
                                                 const Context& context);
  [[nodiscard]] std::int64_t gap_id() const;
  [[nodiscard]] internal::ScannedIndex::Parts index_parts(const FormatOptions& options,
                                                          const Context& context);
  [[nodiscard]] MlfIndex::IsWrong wrong_utterances() const;
  void note_keys() const;
  void note_keys_before() const;

  std::shared_ptr<const ByteSource> source_;
  mutable std::shared_ptr<const MlfDeserializer> previous_;  // null for the first file
  std::shared_ptr<FirstLocations> locations_;                // of all files
  std::int64_t number_;                                      // number of the file
  mutable std::atomic<bool> has_noted_keys_ = false;  // whether all keys of the file are noted
  Options options_;
  std::optional<States> states_;
  Fingerprint fingerprint_;
  int version_;                                  // version of a binary file; 0 for a text
  std::optional<internal::FoundStreams> found_;  // nothing if the dim was not searched for
  internal::TextSchema schema_;
  std::int64_t gap_id_;       // -1 if gaps are errors
  std::string data_options_;  // the options that change keys, locations or values, as text
  MlfIndex index_;
};

}  // namespace sheaf::mlf
