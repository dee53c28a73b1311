#include "format/mlf/mlf_scanner.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/mlf/mlf_lines.h"

namespace sheaf::mlf {
namespace {

class MlfScanner final : public internal::Scanner {
 public:
  MlfScanner(const ByteSource& source, const internal::TextSchema& schema, const Options& options,
             FirstPlaces& places, std::int64_t file, const internal::ScanPart& part)
      : options_(options),
        places_(places),
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
      if (line == Line::range) {
        has_ranges_ = true;
        last_range_.assign(lines_.begin(), lines_.end());
      }
      if (line != Line::name && line != Line::stray) continue;
      std::optional<internal::ScannedChunk> chunk = end_sequence(row.offset, false);
      begin_sequence(row);
      if (chunk) return chunk;
    }
    std::optional<internal::ScannedChunk> chunk = end_sequence(end_, lines_.is_inside());
    return chunk ? std::move(chunk) : builder_.finish();
  }

  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return warnings_.list(); }

 private:
  void begin_sequence(const Row& row) {
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

  /// Returns why the index has no such sequence; null where the index has it.
  [[nodiscard]] const ErrorKind* reason_to_leave_out(bool is_cut) {
    if (options_.is_cntk) {
      if (!has_name_) return &kName;
      if (is_cut) return &kCut;
      if (!has_ranges_) return &kEmpty;
    }
    if (!has_name_) return nullptr;  // a wrong place, which read() finds
    return places_.add(sequence_.key, {file_, sequence_.offset}) ? nullptr : &kRepeated;
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

  const Options& options_;
  FirstPlaces& places_;
  std::int64_t file_;
  internal::ScanWarnings warnings_;
  std::int64_t end_;
  RowReader rows_;
  LineSplitter lines_;
  internal::ChunkBuilder builder_;

  // Of the sequence under way.
  bool has_sequence_ = false;
  bool has_ranges_ = false;
  bool has_name_ = false;
  std::string key_text_;
  std::string last_range_;
  internal::ChunkBuilder::Sequence sequence_;
};

}  // namespace

std::unique_ptr<internal::Scanner> make_scanner(const ByteSource& source,
                                                const internal::TextSchema& schema,
                                                const Options& options, FirstPlaces& places,
                                                std::int64_t file, const internal::ScanPart& part) {
  return std::make_unique<MlfScanner>(source, schema, options, places, file, part);
}

}  // namespace sheaf::mlf
