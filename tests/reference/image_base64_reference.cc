// Splits every line into columns, and turns every base64 character into six bits in a text of zeros
// and ones. Everything is slow, simple, and kept in memory.

#include "reference/image_base64_reference.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sheaf::conformance {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct TextLine {
  std::int64_t number = 0;  // from 1
  std::int64_t offset = 0;  // in the file
  std::string text;         // without its end
};

std::vector<TextLine> image_lines_of(std::string_view bytes) {
  std::vector<TextLine> lines;
  std::size_t begin = bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (begin < bytes.size()) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string text(bytes.substr(begin, end - begin));
    if (text.ends_with('\r')) text.pop_back();
    lines.push_back({static_cast<std::int64_t>(lines.size()) + 1, static_cast<std::int64_t>(begin),
                     std::move(text)});
    begin = end + 1;
  }
  return lines;
}

bool is_blank_line(const std::string& text) {
  return text.find_first_not_of(" \t\r") == std::string::npos;
}

bool is_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Returns whether a whole number is at most another one, for any number of digits.
bool is_at_most(std::string number, const std::string& most) {
  while (number.size() > 1 && number.front() == '0') number.erase(0, 1);
  return number.size() != most.size() ? number.size() < most.size() : number <= most;
}

// A column of a line, with its offset in the line.
struct TextColumn {
  std::string text;
  std::size_t at = 0;
};

/// Returns the first `count` columns. The last one takes the rest of the line. Returns nothing if
/// there are fewer.
std::optional<std::vector<TextColumn>> columns_of(const std::string& text, std::size_t count) {
  std::vector<TextColumn> columns;
  std::size_t begin = 0;
  while (columns.size() + 1 < count) {
    const std::size_t tab = text.find('\t', begin);
    if (tab == std::string::npos) return std::nullopt;
    columns.push_back({text.substr(begin, tab - begin), begin});
    begin = tab + 1;
  }
  columns.push_back({text.substr(begin), begin});
  return columns;
}

/// Returns the offset of the first error in base64, if any.
std::optional<std::size_t> first_wrong(const std::string& text) {
  const std::size_t last_group = (text.size() - 1) / 4;
  bool has_padding = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=' && i / 4 == last_group && i % 4 >= 2) {
      has_padding = true;
    } else if (has_padding || kDigits.find(text[i]) == std::string::npos) {
      return i;
    }
  }
  if (text.size() % 4 != 0) return text.size();
  return std::nullopt;
}

std::vector<std::uint64_t> bytes_of_base64(const std::string& text) {
  std::string bits;
  for (const char c : text) {
    if (c == '=') continue;
    const std::size_t digit = kDigits.find(c);
    for (int bit = 5; bit >= 0; --bit) bits += (digit >> bit & 1) != 0 ? '1' : '0';
  }
  std::vector<std::uint64_t> bytes;
  for (std::size_t i = 0; i + 8 <= bits.size(); i += 8) {
    bytes.push_back(std::stoull(bits.substr(i, 8), nullptr, 2));
  }
  return bytes;
}

/// Parses the file line by line.
class ImageLines {
 public:
  explicit ImageLines(const FormatOptions& options) : options_(options) {
    is_cntk_ = options.compatibility == Compatibility::cntk;
    const auto option = [&](const std::string& name) -> std::string {
      const auto found = options.extra.find("image_base64." + name);
      return found == options.extra.end() ? "" : found->second;
    };
    views_ = option("views") == "10" ? 10 : 1;
    streams_ = options.streams;
    if (streams_.empty()) {
      streams_.push_back({.name = "image"});
      if (option("labels") != "none") streams_.push_back({.name = "label"});
      if (option("labels") == "one_hot") streams_.back().storage = Storage::sparse;
      if (views_ > 1) streams_.push_back({.name = "view"});
    }
    if (is_digits(option("classes"))) class_max_ = std::stoll(option("classes")) - 1;
    for (const StreamOptions& stream : streams_) {
      if (stream.storage == Storage::sparse && stream.sample_shape) {
        class_max_ = stream.sample_shape->size() - 1;
      }
    }
  }

  void add(const TextLine& line) {
    if (is_blank_line(line.text)) return;
    if (!knows_keys_) {
      knows_keys_ = true;
      has_keys_ = std::count(line.text.begin(), line.text.end(), '\t') >= 2;
      const KeyType own = has_keys_ && !is_cntk_ ? KeyType::text : KeyType::numeric;
      has_texts_ = options_.keys.value_or(own) == KeyType::text;
    }
    is_first_ = line_ == nullptr;
    line_ = &line;
    sequence_ = {};
    sequence_.first_line = line.number;
    sequence_.sample_count = 1;
    sequence_.streams.resize(streams_.size());
    wrong_.clear();
    read_key();
    if (const auto columns = columns_of(line.text, has_keys_ ? 3 : 2)) {
      read_columns((*columns)[has_keys_ ? 1 : 0], (*columns)[has_keys_ ? 2 : 1]);
    } else {
      wrong(0, "image_base64-columns");
    }
    deliver();
  }

  void finish() { std::sort(result.diagnostics.begin(), result.diagnostics.end()); }

  ReferenceResult result;

 private:
  void read_key() {
    if (!has_keys_) {
      sequence_.key.low = static_cast<std::uint64_t>(line_->number - 1);
      key_shown_ = std::to_string(sequence_.key.low);
      return;
    }
    std::size_t key_at = 0;
    std::string key = line_->text.substr(0, line_->text.find('\t'));
    if (is_first_ && (is_cntk_ || !has_texts_)) {
      while (key.starts_with(' ')) {
        key.erase(0, 1);
        ++key_at;
      }
    }
    bool is_right = true;
    if (has_texts_) {
      if (is_cntk_) key = key.substr(0, key.find(' '));
      sequence_.key_text = key_shown_ = key;
      sequence_.key = key_of_text(key);
      is_right = !key.empty();
    } else {
      if (is_cntk_) key = key.substr(0, key.find_first_not_of("0123456789"));
      is_right = is_digits(key) && is_at_most(key, "18446744073709551615");
      sequence_.key.low = is_right ? std::stoull(key) : ~std::uint64_t{0};
      key_shown_ = std::to_string(sequence_.key.low);
    }
    const bool is_new = keys_.insert({sequence_.key.low, sequence_.key.high}).second;
    if (!is_right) {
      wrong(key_at, "image_base64-key");
    } else if (!is_new && !is_cntk_) {
      wrong(key_at, "image_base64-repeated-key");
    }
  }

  void read_columns(const TextColumn& label, const TextColumn& image) {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const StreamOptions& stream = streams_[i];
      const std::string& name = stream.alias.empty() ? stream.name : stream.alias;
      if (name == "image") sequence_.streams[i].samples = read_image(image, stream);
      if (name == "label") sequence_.streams[i].samples = read_label(label, stream);
    }
  }

  std::vector<ReferenceSample> read_label(const TextColumn& label, const StreamOptions& stream) {
    std::string text = label.text;
    text.erase(0, std::min(text.find_first_not_of(" \t\r\v\f"), text.size()));
    text.erase(text.find_last_not_of(" \t\r\v\f") + 1);
    if (!is_digits(text)) {
      wrong(label.at, "image_base64-label", stream.name);
    } else if (!is_at_most(text, std::to_string(class_max_))) {
      wrong(label.at, "image_base64-class", stream.name);
    } else if (stream.storage == Storage::sparse) {
      const bool is_double = stream.dtype == ElementType::f64;
      return {{.extents = {},
               .indices = {std::stoll(text)},
               .values = {is_double ? 0x3FF0'0000'0000'0000U : 0x3F80'0000U}}};
    } else {
      return {{.extents = {}, .indices = {}, .values = {std::stoull(text)}}};
    }
    return {};
  }

  std::vector<ReferenceSample> read_image(const TextColumn& image, const StreamOptions& stream) {
    std::string text = image.text;
    const auto is_behind = [&](char c) {
      return is_cntk_ ? c != '=' && kDigits.find(c) == std::string::npos
                      : c == ' ' || c == '\t' || c == '\r';
    };
    while (!text.empty() && is_behind(text.back())) text.pop_back();
    if (text.empty()) {
      wrong(image.at, "image_base64-empty", stream.name);
      return {};
    }
    if (const auto entry = first_wrong(text)) {
      wrong(image.at + *entry,
            *entry == text.size() ? "image_base64-length" : "image_base64-character", stream.name);
      return {};
    }
    ReferenceSample sample;
    sample.values = bytes_of_base64(text);
    sample.extents = {static_cast<std::int64_t>(sample.values.size())};
    return {std::move(sample)};
  }

  void deliver() {
    sequence_.is_hole = !wrong_.empty();
    for (std::uint64_t view = 0; view < static_cast<std::uint64_t>(views_); ++view) {
      for (std::size_t i = 0; i < streams_.size(); ++i) {
        const StreamOptions& stream = streams_[i];
        const std::string& name = stream.alias.empty() ? stream.name : stream.alias;
        if (name == "view") {
          sequence_.streams[i].samples = {{.extents = {}, .indices = {}, .values = {view}}};
        }
        if (sequence_.is_hole) sequence_.streams[i].samples.clear();
      }
      for (ReferenceDiagnostic each : wrong_) {
        each.sequence = static_cast<std::int64_t>(result.sequences.size());
        result.diagnostics.push_back(std::move(each));
      }
      result.sequences.push_back(sequence_);
    }
  }

  void wrong(std::size_t at, std::string code, std::string stream = "") {
    const bool ends_run = code == "image_base64-label" || code == "image_base64-class" ||
                          code == "image_base64-columns";
    const auto entry = static_cast<std::int64_t>(at);
    wrong_.push_back({.sequence = 0,
                      .byte_offset = line_->offset + entry,
                      .line = line_->number,
                      .column = entry + 1,
                      .sequence_key = key_shown_,
                      .stream = std::move(stream),
                      .code = std::move(code),
                      .severity = is_cntk_ && ends_run ? Severity::fatal : Severity::error});
  }

  const FormatOptions& options_;
  std::vector<StreamOptions> streams_;
  std::int64_t class_max_ = 2147483647;
  std::int64_t views_ = 1;
  bool is_cntk_ = false;
  bool knows_keys_ = false;
  bool has_keys_ = false;
  bool has_texts_ = false;
  std::set<std::pair<std::uint64_t, std::uint64_t>> keys_;

  // of the current line
  const TextLine* line_ = nullptr;
  bool is_first_ = false;  // of the file, apart from blank lines
  ReferenceSequence sequence_;
  std::string key_shown_;
  std::vector<ReferenceDiagnostic> wrong_;
};

// Returns the error that refuses the file.
ReferenceResult refused(std::string code) {
  ReferenceResult result;
  result.fatal.emplace();
  result.fatal->line = result.fatal->column = 1;
  result.fatal->code = std::move(code);
  return result;
}

}  // namespace

ReferenceResult parse_image_base64(std::string_view bytes, const FormatOptions& options) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    return refused("image_base64-utf16");
  }
  ImageLines lines(options);
  for (const TextLine& line : image_lines_of(bytes)) lines.add(line);
  if (lines.result.sequences.empty()) return refused("image_base64-no-line");
  lines.finish();
  return std::move(lines.result);
}

}  // namespace sheaf::conformance
