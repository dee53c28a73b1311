#include "transform/kaldi_statistics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {
namespace {

constexpr std::string_view kBlanks = " \t\n\r\f\v";
constexpr std::string_view kBinaryMark("\0B", 2);

/// Reads matrices with two rows each, one after the other.
class MatrixReader {
 public:
  MatrixReader(std::string_view bytes, std::string name, std::size_t at = 0)
      : bytes_(bytes), name_(std::move(name)), at_(at) {}

  [[nodiscard]] bool is_at_end() {
    at_ = std::min(bytes_.find_first_not_of(kBlanks, at_), bytes_.size());
    return at_ == bytes_.size();
  }

  [[nodiscard]] std::string key() {
    const std::size_t end = std::min(bytes_.find_first_of(kBlanks, at_), bytes_.size());
    std::string key(bytes_.substr(at_, end - at_));
    at_ = std::min(end + 1, bytes_.size());
    return key;
  }

  [[nodiscard]] ValueStatistics statistics() {
    const std::size_t begin = at_;
    const std::vector<double> values = rest().starts_with(kBinaryMark) ? binary() : text();
    const std::size_t dim = values.size() / 2 - 1;
    const double count = values[dim];
    if (!(count >= 1)) {  // also true for NaN
      at_ = begin;
      refuse("a count of at least 1", formatted("{}", count));
    }
    ValueStatistics result;
    for (std::size_t i = 0; i < dim; ++i) {
      const double mean = values[i] / count;
      const double variance = values[dim + 1 + i] / count - mean * mean;
      if (!std::isfinite(mean) || !std::isfinite(variance)) {
        at_ = begin;
        refuse("finite sums",
               formatted("{} and {} as sums of value {}", values[i], values[dim + 1 + i], i));
      }
      result.means.push_back(mean);
      result.deviations.push_back(std::sqrt(std::max(variance, 0.0)));
    }
    return result;
  }

 private:
  [[nodiscard]] std::string_view rest() const { return bytes_.substr(at_); }

  [[noreturn]] void refuse(std::string_view expected, const std::string& found) const {
    throw ConfigError(formatted("{}: byte {}: expected {}, found {}", name_, at_, expected, found));
  }

  [[noreturn]] void refuse_end(std::string_view expected) const {
    refuse(expected, "the end of the file");
  }

  // Reads the byte 4 and a count.
  [[nodiscard]] std::int64_t marked_count() {
    if (rest().size() < 1 + sizeof(std::int32_t)) refuse_end("a number of rows or columns");
    if (rest()[0] != '\4') refuse("the byte 4 before a number", quoted(rest().substr(0, 1)));
    std::int32_t count = 0;
    std::memcpy(&count, rest().data() + 1, sizeof count);
    at_ += 1 + sizeof count;
    return count;
  }

  [[nodiscard]] std::vector<double> binary() {
    at_ += kBinaryMark.size();
    const bool is_double = rest().starts_with("DM ");
    if (!is_double && !rest().starts_with("FM ")) {
      refuse("DM or FM", quoted(rest().substr(0, 3)));
    }
    at_ += 3;
    const std::size_t shape_at = at_;
    const std::int64_t rows = marked_count();
    const std::int64_t cols = marked_count();
    if (rows != 2 || cols < 2) {
      at_ = shape_at;
      refuse("two rows, of sums and a count", formatted("{} rows and {} columns", rows, cols));
    }
    const auto count = static_cast<std::size_t>(rows * cols);
    const std::size_t value_size = is_double ? sizeof(double) : sizeof(float);
    if (rest().size() / value_size < count) refuse_end(formatted("{} values", count));
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      const char* const from = rest().data() + i * value_size;
      float single = 0;
      if (is_double) {
        std::memcpy(&values[i], from, sizeof(double));
      } else {
        std::memcpy(&single, from, sizeof single);
        values[i] = single;
      }
    }
    at_ += count * value_size;
    return values;
  }

  [[nodiscard]] std::vector<double> text() {
    at_ = std::min(bytes_.find_first_not_of(kBlanks, at_), bytes_.size());
    if (!rest().starts_with('[')) refuse("a matrix", quoted(rest().substr(0, 1)));
    const std::size_t begin = at_++;
    std::vector<double> values;
    std::vector<std::size_t> row_ends;
    const auto end_row = [&] {
      const std::size_t before = row_ends.empty() ? 0 : row_ends.back();
      if (values.size() > before) row_ends.push_back(values.size());
    };
    while (true) {
      if (at_ >= bytes_.size()) refuse_end("] at the end of a matrix");
      const char c = bytes_[at_];
      if (c == ']') break;
      if (c == '\n' || c == ';') end_row();
      if (c == ';' || kBlanks.find(c) != std::string_view::npos) {
        ++at_;
        continue;
      }
      values.push_back(number());
    }
    ++at_;
    end_row();
    if (row_ends.size() != 2 || row_ends[1] != 2 * row_ends[0] || row_ends[0] < 2) {
      at_ = begin;
      refuse("two rows of equal size, of sums and a count",
             formatted("{} rows, and {} values", row_ends.size(), values.size()));
    }
    return values;
  }

  [[nodiscard]] double number() {
    double value = 0;
    const char* const begin = bytes_.data() + at_;
    const auto [end, error] = std::from_chars(begin, bytes_.data() + bytes_.size(), value);
    if (error != std::errc()) {
      const std::size_t size = std::min(bytes_.find_first_of(kBlanks, at_), bytes_.size()) - at_;
      refuse("a number", quoted(bytes_.substr(at_, size)));
    }
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::string_view bytes_;
  std::string name_;
  std::size_t at_;
};

void add_speaker(Statistics& all, std::string speaker, ValueStatistics&& statistics,
                 const std::string& name) {
  const auto [entry, is_new] = all.speakers.try_emplace(std::move(speaker), std::move(statistics));
  if (is_new) return;
  throw ConfigError(
      formatted("{}: the speaker {} comes twice", name, quoted(std::string_view(entry->first))));
}

/// A line of a list: "SPEAKER PATH[:OFFSET]".
struct StatisticsLine {
  std::string speaker;
  std::string path;
  std::size_t offset = 0;
};

std::optional<StatisticsLine> parse_line(std::string_view line) {
  const std::size_t blank = line.find_first_of(kBlanks);
  if (blank == 0 || blank == std::string_view::npos) return std::nullopt;
  StatisticsLine parsed{.speaker = std::string(line.substr(0, blank)), .path = {}};
  const std::size_t begin = line.find_first_not_of(kBlanks, blank);
  if (begin == std::string_view::npos) return std::nullopt;
  std::string_view path = line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
  if (path.find_first_of("|[]") != std::string_view::npos) return std::nullopt;
  const std::size_t colon = path.find_last_not_of("0123456789");
  if (colon != std::string_view::npos && path[colon] == ':' && colon + 1 < path.size()) {
    const char* const digits = path.data() + colon + 1;
    const auto [end, error] = std::from_chars(digits, path.data() + path.size(), parsed.offset);
    if (error != std::errc()) return std::nullopt;
    path = path.substr(0, colon);
  }
  if (path.empty()) return std::nullopt;
  parsed.path = path;
  return parsed;
}

/// The files that a list names. Each is read once.
class NamedFiles {
 public:
  NamedFiles(const std::string& list, const ReadFile& read_file)
      : folder_(list.substr(0, list.find_last_of("/\\") + 1)), read_file_(read_file) {}

  const std::string& read(const std::string& path) {
    const auto found = files_.find(path);
    if (found != files_.end()) return found->second;
    return files_.emplace(path, read_anywhere(path)).first->second;
  }

 private:
  [[nodiscard]] std::string read_anywhere(const std::string& path) const {
    if (folder_.empty() || path.starts_with('/')) return read_file_(path);
    try {
      return read_file_(path);
    } catch (const IoError&) {
      return read_file_(folder_ + path);
    }
  }

  const std::string folder_;  // with a slash at the end; empty: the working directory
  const ReadFile& read_file_;
  std::map<std::string, std::string> files_;
};

Statistics parse_list(std::string_view text, const std::string& name, const std::string& path,
                      const ReadFile& read_file) {
  Statistics all;
  NamedFiles files(path, read_file);
  std::int64_t number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    if (line.find_first_not_of(kBlanks) == std::string_view::npos) continue;
    const std::optional<StatisticsLine> parsed = parse_line(line);
    if (!parsed) {
      throw ConfigError(formatted("{}: line {}: expected a speaker and PATH:OFFSET, found {}", name,
                                  number, quoted(line)));
    }
    const std::string& bytes = files.read(parsed->path);
    if (parsed->offset >= bytes.size()) {
      throw ConfigError(formatted("{}: line {}: expected an offset inside the file, found {}", name,
                                  number, quoted(line)));
    }
    MatrixReader reader(bytes, formatted("{}: line {}: {}", name, number, parsed->path),
                        parsed->offset);
    add_speaker(all, parsed->speaker, reader.statistics(), name);
  }
  return all;
}

// Returns whether the first line belongs to a list. In an archive, a matrix follows the key.
bool is_list(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  const std::size_t blank = line.find_first_of(kBlanks);
  if (blank == std::string_view::npos) return false;
  const std::string_view behind = line.substr(blank + 1);
  if (behind.starts_with(kBinaryMark)) return false;
  const std::size_t begin = behind.find_first_not_of(kBlanks);
  return begin != std::string_view::npos && behind[begin] != '[';
}

}  // namespace

bool is_json_statistics(std::string_view bytes) noexcept {
  const std::size_t begin = bytes.find_first_not_of(kBlanks);
  return begin == std::string_view::npos || bytes[begin] == '{';
}

Statistics parse_kaldi_statistics(std::string_view bytes, const std::string& name,
                                  const std::string& path, const ReadFile& read_file) {
  MatrixReader reader(bytes, name);
  const std::size_t begin = std::min(bytes.find_first_not_of(kBlanks), bytes.size());
  if (bytes.starts_with(kBinaryMark) || bytes.substr(begin).starts_with('[')) {
    return {.all = reader.statistics()};
  }
  if (is_list(bytes)) return parse_list(bytes, name, path, read_file);
  Statistics all;
  while (!reader.is_at_end()) {
    std::string speaker = reader.key();
    add_speaker(all, std::move(speaker), reader.statistics(), name);
  }
  return all;
}

}  // namespace sheaf::internal
