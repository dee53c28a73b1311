// The numbers of frames that Kaldi keeps beside a list (`utt2num_frames`).

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"
#include "sheaf/types.h"

#include "format/kaldi/kaldi_options.h"

namespace sheaf::kaldi {

/// Opens the file of lengths of a list. `kaldi.lengths` names that file, or with `auto` the file is
/// `utt2num_frames` in the folder of a list whose name begins with "feats". Returns null if the
/// list has no such file.
///
/// Throws: IoError, also if a named file does not exist.
[[nodiscard]] std::shared_ptr<const ByteSource> open_lengths(const ByteSource& list,
                                                             const ReadOptions& options,
                                                             const Context& context);

/// The numbers of frames by key. A line has a key, blanks and a number.
///
/// Looking up keys in the order of the file needs no table. The first other key makes a table of 24
/// bytes for each line.
class Lengths {
 public:
  static constexpr std::int64_t kMax = (std::int64_t{1} << 31) - 1;

  /// Throws: DataError if a line of the file is not a key and a number up to kMax; IoError.
  Lengths(const ByteSource& file, const ReadOptions& options);

  /// Returns the number of a key, or nothing if the file does not have the key.
  ///
  /// Throws: DataError if the file has a key twice, with different numbers.
  [[nodiscard]] std::optional<std::int64_t> find(const SequenceKey& key);

 private:
  struct Line {
    SequenceKey key;
    std::int64_t count = 0;
  };

  [[nodiscard]] std::optional<Line> next();
  void make_table();
  [[noreturn]] void refuse(std::string_view line, std::string_view found) const;

  const std::string name_;
  const bool has_text_keys_;
  std::string text_;
  std::size_t at_ = 0;  // start of the next line
  std::int64_t line_number_ = 0;
  bool has_table_ = false;
  std::vector<std::pair<SequenceKey, std::int64_t>> table_;  // sorted by key
};

}  // namespace sheaf::kaldi
