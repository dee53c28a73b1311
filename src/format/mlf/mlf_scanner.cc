#include "format/mlf/mlf_scanner.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/permutation.h"
#include "format/mlf/mlf_lines.h"
#include "format/mlf/mlf_ranges.h"
#include "format/text/text_format.h"

namespace sheaf::mlf {
namespace {

class MlfScanner final : public internal::Scanner {
 public:
  MlfScanner(const ByteSource& source, const internal::TextSchema& schema, const Options& options,
             FirstLocations& locations, std::int64_t file, const internal::ScanPart& part)
      : source_(source),
        options_(options),
        locations_(locations),
        file_(file),
        warnings_(source),
        end_(part.end),
        rows_(source, part.begin, part.end, part.first_line, schema.read_size_bytes,
              schema.row_size_max_bytes),
        lines_(options),
        builder_(schema, part) {}

  std::optional<internal::ScannedChunk> next() override {
    Row row;
    while (rows_.next(row)) {
      const Line line = lines_.next(row);
      if (line == Line::range) set_last_range(lines_.text());
      std::optional<internal::ScannedChunk> chunk;
      if (line == Line::name || line == Line::stray) {
        chunk = end_sequence(row.offset, false);
        begin_sequence(row);
      }
      if (lines_.is_inside()) pass_over_ranges();
      if (chunk) return chunk;
    }
    std::optional<internal::ScannedChunk> chunk = end_sequence(end_, lines_.is_inside());
    return chunk ? std::move(chunk) : builder_.finish();
  }

  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return warnings_.list(); }

 private:
  void begin_sequence(const Row& row) {
    // CNTK leaves out utterances without a name.
    if (!lines_.has_key() && (lines_.has_name() || !options_.is_cntk)) throw_no_key(row);
    has_sequence_ = true;
    has_ranges_ = false;
    has_name_ = lines_.has_name();
    key_text_ = lines_.key_text();
    sequence_ = {.key = lines_.key(),
                 .offset = row.offset,
                 .end = 0,
                 .line = row.line,
                 .sample_count = 0,
                 .key_text_size = std::ssize(key_text_)};
  }

  [[noreturn]] void throw_no_key(const Row& row) const {
    Diagnostic diagnostic = internal::diagnostic_at(source_, row, lines_.begin(), kNumericKey,
                                                    quoted(std::string_view(lines_.key_text())),
                                                    std::string(internal::kTextKeysHint));
    diagnostic.severity = Severity::fatal;  // an index has no sequences without keys
    throw DataError({std::move(diagnostic)});
  }

  void set_last_range(std::string_view text) {
    has_ranges_ = true;
    last_range_.assign(text);
  }

  void pass_over_ranges() {
    const TakenLines taken = mlf::pass_over_ranges(rows_.ahead());
    if (taken.row_count > 0) set_last_range(trimmed({taken.last_row, taken.end - 1}));
    rows_.pass_over(taken.end, taken.row_count);
  }

  /// Returns why the index leaves out the sequence, or null if it does not.
  [[nodiscard]] const ErrorKind* reason_to_leave_out(bool is_cut) {
    if (options_.is_cntk) {
      if (!has_name_) return &kName;
      if (is_cut) return &kCut;
      if (!has_ranges_) return &kEmpty;
    }
    if (!has_name_) return nullptr;  // an error that read() reports
    return locations_.add(sequence_.key, {file_, sequence_.offset}) ? nullptr : &kRepeated;
  }

  std::optional<internal::ScannedChunk> end_sequence(std::int64_t end, bool is_cut) {
    if (!std::exchange(has_sequence_, false)) return std::nullopt;
    if (const ErrorKind* const reason = reason_to_leave_out(is_cut)) {
      warnings_.left_out(*reason, sequence_.offset, sequence_.line, key_text_);
      return std::nullopt;
    }
    sequence_.end = end;
    if (has_ranges_) {
      const char* const text = last_range_.data();
      const Times times = lex_times(text, text + last_range_.size(), options_);
      if (times.wrong == nullptr) sequence_.sample_count = times.last;
    }
    return builder_.add(sequence_, std::array{internal::StreamCounts{sequence_.sample_count,
                                                                     sequence_.sample_count}});
  }

  const ByteSource& source_;
  const Options& options_;
  FirstLocations& locations_;
  std::int64_t file_;
  internal::ScanWarnings warnings_;
  std::int64_t end_;
  RowReader rows_;
  LineSplitter lines_;
  internal::ChunkBuilder builder_;

  // Members about the current sequence.
  bool has_sequence_ = false;
  bool has_ranges_ = false;
  bool has_name_ = false;
  std::string key_text_;
  std::string last_range_;
  internal::ChunkBuilder::Sequence sequence_;
};

}  // namespace

bool FirstLocations::add(const SequenceKey& key, const UtteranceLocation& location) {
  const std::lock_guard lock(mutex_);
  if (2 * (noted_.size() + 1) > entries_.size()) grow();
  std::uint32_t& entry = entries_[entry_of(key)];
  if (entry > 0) return location <= noted_[entry - 1].location;
  noted_.push_back({key, location});
  entry = static_cast<std::uint32_t>(noted_.size());
  return true;
}

std::int64_t FirstLocations::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(noted_.size() * sizeof(Noted) +
                                   entries_.capacity() * sizeof(std::uint32_t));
}

// Returns the entry for a key. Keys of texts are hashes already, but numbers must be hashed.
std::size_t FirstLocations::entry_of(const SequenceKey& key) const noexcept {
  const std::size_t mask = entries_.size() - 1;
  auto entry = static_cast<std::size_t>(internal::mixed(key.low ^ key.high)) & mask;
  while (entries_[entry] > 0 && noted_[entries_[entry] - 1].key != key) entry = (entry + 1) & mask;
  return entry;
}

void FirstLocations::grow() {
  constexpr std::size_t kSizeMin = 64;
  if (entries_.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw ConfigError("mlf: more than 2147483648 utterances in one data set");
  }
  entries_.assign(std::max(kSizeMin, 2 * entries_.size()), 0);
  std::uint32_t number = 0;
  for (const Noted& noted : noted_) entries_[entry_of(noted.key)] = ++number;
}

std::unique_ptr<internal::Scanner> make_scanner(const ByteSource& source,
                                                const internal::TextSchema& schema,
                                                const Options& options, FirstLocations& locations,
                                                std::int64_t file, const internal::ScanPart& part) {
  return std::make_unique<MlfScanner>(source, schema, options, locations, file, part);
}

}  // namespace sheaf::mlf
