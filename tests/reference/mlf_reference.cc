#include "reference/mlf_reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reference/text_scan.h"

namespace sheaf::conformance {
namespace {

struct MlfWord {
  std::string text;
  std::int64_t at = 0;  // its offset in the line, from 0
};

struct MlfLine {
  std::int64_t number = 0;
  std::int64_t offset = 0;
  std::vector<MlfWord> words;
  std::string trimmed;
  bool has_blanks_around = false;
};

struct MlfUtterance {
  MlfLine name;
  std::vector<MlfLine> ranges;
  bool is_closed = false;
};

std::vector<MlfLine> mlf_lines_of(std::string_view bytes) {
  std::vector<MlfLine> lines;
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::size_t end = at;
    while (end < bytes.size() && bytes[end] != '\n') ++end;
    std::string text(bytes.substr(at, end - at));
    MlfLine line;
    line.number = std::ssize(lines) + 1;
    line.offset = static_cast<std::int64_t>(at);
    if (!text.empty() && text.back() == '\r') text.pop_back();
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == ' ' || text[i] == '\t') continue;
      if (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t') {
        line.words.push_back({.text = "", .at = static_cast<std::int64_t>(i)});
      }
      line.words.back().text += text[i];
    }
    if (!line.words.empty()) {
      const auto first = static_cast<std::size_t>(line.words.front().at);
      const auto last =
          static_cast<std::size_t>(line.words.back().at) + line.words.back().text.size();
      line.trimmed = text.substr(first, last - first);
      line.has_blanks_around = line.trimmed != text;
    }
    lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

std::optional<double> time_of(const std::string& text) {
  TextScan scan{text};
  static_cast<void>(scan.skip("+-"));
  const bool has_whole = scan.skip_digits();
  bool has_digits = has_whole;
  if (scan.skip(".")) has_digits = scan.skip_digits() || has_whole;
  if (!has_digits) return std::nullopt;
  if (scan.skip("eE")) {
    static_cast<void>(scan.skip("+-"));
    if (!scan.skip_digits()) return std::nullopt;
  }
  if (!scan.is_at_end()) return std::nullopt;
  const double value = std::strtod(text.c_str(), nullptr);
  if (!std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

std::int64_t id_of(const std::string& text) {
  std::int64_t id = text.empty() ? -1 : 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    id = std::min<std::int64_t>(id * 10 + (c - '0'), 1'000'000);
  }
  return id > 65'535 ? -1 : id;
}

std::string option_of(const FormatOptions& options, const std::string& name,
                      const std::string& otherwise) {
  const auto found = options.extra.find(name);
  return found == options.extra.end() || found->second.empty() ? otherwise : found->second;
}

class MlfReference {
 public:
  explicit MlfReference(const FormatOptions& options)
      : options_(options), is_cntk_(options.compatibility == Compatibility::cntk) {
    unit_ = option_of(options, "mlf.time_unit", "auto");
    period_ = std::strtod(option_of(options, "mlf.frame_period", "100000").c_str(), nullptr);
    frames_max_ = std::strtod(option_of(options, "mlf.frames_max", "4194304").c_str(), nullptr);
    const std::string path = option_of(options, "mlf.states", "");
    has_states_ = !path.empty();
    if (has_states_) {
      std::ifstream file(path);
      for (std::string line; std::getline(file, line);) {
        if (!line.empty()) states_.push_back(line);
      }
    }
    const std::string gap = option_of(options, "mlf.gap", "error");
    if (gap != "error") gap_ = label_of(gap);
    as_ids_ = option_of(options, "mlf.as", "one_hot") == "ids";
    marks_ = option_of(options, "mlf.phone_boundaries", "false") == "true";
    dim_ = as_ids_ ? 65'536 : options.streams[0].sample_shape->size();
  }

  ReferenceResult parse(std::string_view bytes) {
    if (bytes.size() >= 5 && bytes.substr(0, 3) == "MLF" && bytes[4] == 0) {
      parse_binary(bytes);
      std::sort(result_.diagnostics.begin(), result_.diagnostics.end());
      return result_;
    }
    const std::vector<MlfLine> lines = mlf_lines_of(bytes);
    const auto first =
        std::ranges::find_if(lines, [](const MlfLine& line) { return !line.trimmed.empty(); });
    if (first == lines.end() || !is_mark(*first)) {
      ReferenceDiagnostic& fatal = result_.fatal.emplace();
      fatal.code = "mlf-header";
      fatal.line = 1;
      fatal.column = 1;
      if (first != lines.end()) {
        fatal.line = first->number;
        fatal.column = first->words[0].at + 1;
        fatal.byte_offset = first->offset + first->words[0].at;
      }
      return result_;
    }
    std::vector<MlfUtterance> utterances;
    bool is_inside = false;
    for (const MlfLine& line : lines) {
      if (line.trimmed.empty()) continue;
      if (is_inside && line.trimmed == ".") {
        utterances.back().is_closed = true;
        is_inside = false;
      } else if (is_inside) {
        utterances.back().ranges.push_back(line);
      } else if (!is_mark(line)) {
        is_inside = is_cntk_ || line.trimmed != ".";
        utterances.push_back({.name = line, .ranges = {}, .is_closed = !is_inside});
      }
    }
    for (const MlfUtterance& utterance : utterances) take(utterance);
    std::sort(result_.diagnostics.begin(), result_.diagnostics.end());
    return result_;
  }

 private:
  bool is_mark(const MlfLine& line) const {
    return line.trimmed == "#!MLF!#" && !(is_cntk_ && line.has_blanks_around);
  }

  std::int64_t label_of(const std::string& text) const {
    if (!has_states_) return id_of(text);
    const auto found = std::ranges::find(states_, text);
    return found == states_.end() ? -1 : found - states_.begin();
  }

  /// Returns the key, or nothing if the line is not a name.
  std::optional<std::string> key_of(const MlfLine& name_line) const {
    const std::string& line = name_line.trimmed;
    if (is_cntk_ && name_line.words[0].at > 0) return std::nullopt;
    if (line.size() < 3 || line.front() != '"' || line.back() != '"') return std::nullopt;
    std::string name = line.substr(1, line.size() - 2);
    if (name.size() > 2 && name[0] == '*' && name[1] == '/') name.erase(0, 2);
    const std::size_t dot = name.find_last_of('.');
    if (dot != std::string::npos) name.resize(dot);
    if (name.empty()) return std::nullopt;
    for (const char c : name) {
      if (!is_cntk_ && (c == '"' || c == '*' || c == '?')) return std::nullopt;
    }
    return name;
  }

  struct Binary {
    MlfLine name;  // only its offset is set
    std::int64_t number = 0;
    std::string key;
    bool has_key = true;
    bool is_cut = false;
    std::int64_t frames = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;  // id and frames
    std::int64_t ranges_at = 0;  // the offset from the start of the utterance
  };

  void parse_binary(std::string_view bytes) {
    const int version = static_cast<unsigned char>(bytes[3]);
    if (version != 1 && version != 2) {
      ReferenceDiagnostic& fatal = result_.fatal.emplace();
      fatal.code = "mlf-version";
      fatal.byte_offset = 3;
      return;
    }
    std::size_t at = 5;
    for (std::int64_t number = 1; at < bytes.size(); ++number) {
      Binary binary;
      binary.number = number;
      binary.name.offset = static_cast<std::int64_t>(at);
      const auto take_bytes = [&](std::size_t size) {
        binary.is_cut = binary.is_cut || bytes.size() - at < size;
        if (binary.is_cut) return std::string();
        at += size;
        return std::string(bytes.substr(at - size, size));
      };
      const auto take_number = [&](std::size_t size) {
        std::int64_t value = 0;
        const std::string text = take_bytes(size);
        for (std::size_t i = text.size(); i > 0; --i) {
          value = value * 256 + static_cast<unsigned char>(text[i - 1]);
        }
        return value;
      };
      if (version == 1) {
        const std::int64_t key = take_number(4);
        if (!binary.is_cut) binary.key = std::to_string(key);
      } else {
        const std::int64_t size = take_number(2);
        binary.key = take_bytes(static_cast<std::size_t>(size));
        binary.has_key = size > 0 && size <= 256;
      }
      binary.has_key = binary.has_key && !binary.is_cut;
      binary.frames = take_number(4);
      const std::int64_t range_count = take_number(2);
      binary.ranges_at = static_cast<std::int64_t>(at) - binary.name.offset;
      for (std::int64_t i = 0; i < range_count && !binary.is_cut; ++i) {
        const std::int64_t id = take_number(2);
        binary.ranges.emplace_back(id, take_number(2));
      }
      if (binary.is_cut) at = bytes.size();
      take_binary(binary);
    }
  }

  void take_binary(const Binary& binary) {
    if (is_cntk_ && (binary.is_cut || !binary.has_key || binary.frames == 0)) return;
    if (binary.has_key && !keys_.insert(binary.key).second) return;
    ReferenceSequence sequence;
    sequence.key = key_of_text(binary.key);
    sequence.key_text = binary.key;
    sequence.first_line = binary.number;
    const bool is_long = static_cast<double>(binary.frames) > frames_max_;
    if (!binary.is_cut && !is_long) sequence.sample_count = binary.frames;
    is_bad_ = false;
    ReferenceStream& stream = sequence.streams.emplace_back();
    const auto note_byte = [&](const std::string& code, std::int64_t location) {
      note(binary.name, location, code, binary.key);
      result_.diagnostics.back().column = 0;
    };
    if (binary.is_cut) {
      note_byte("mlf-cut", 0);
    } else if (!binary.has_key) {
      note_byte("mlf-name", 0);
    } else if (is_long) {
      note_byte("mlf-long", 0);
    } else if (binary.frames == 0) {
      note_byte("mlf-empty", 0);
    }
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < binary.ranges.size() && !is_bad_; ++i) {
      const auto [id, count] = binary.ranges[i];
      if (id >= dim_)
        note_byte("mlf-id-range", binary.ranges_at + 4 * static_cast<std::int64_t>(i));
      sum += count;
      if (!is_bad_) add(stream, count, id);
    }
    if (!is_bad_ && sum != binary.frames) note_byte("mlf-frames", 0);
    sequence.is_hole = is_bad_;
    if (is_bad_) stream.samples.clear();
    result_.sequences.push_back(sequence);
  }

  struct MlfTimes {
    std::string code;  // empty if good
    std::int64_t at = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
  };

  MlfTimes times_of(const MlfLine& line) const {
    MlfTimes times;
    times.at = line.words[0].at;
    if (line.words.size() < 2) {
      times.code = "mlf-columns";
      return times;
    }
    const std::optional<double> start = time_of(line.words[0].text);
    const std::optional<double> end = time_of(line.words[1].text);
    if (!start || !end) {
      times.code = "mlf-time";
      if (start) times.at = line.words[1].at;
      return times;
    }
    times.at = line.words[1].at;
    if (*end < *start) {
      times.code = "mlf-order";
      return times;
    }
    const bool is_htk = unit_ == "htk" || (unit_ == "auto" && *end - *start >= period_ - 1);
    const double first = is_htk ? std::floor(*start / period_ + 0.5) : std::floor(*start);
    const double last = is_htk ? std::floor(*end / period_ + 0.5) : std::floor(*end);
    if (last > frames_max_) {
      times.code = "mlf-long";
      return times;
    }
    times.first = static_cast<std::int64_t>(first);
    times.last = static_cast<std::int64_t>(last);
    return times;
  }

  void note(const MlfLine& line, std::int64_t at, const std::string& code, const std::string& key) {
    const bool ends_run =
        is_cntk_ && code != "mlf-gap" && code != "mlf-overlap" && code != "mlf-long";
    if (is_cntk_ && is_bad_ && !ends_run) return;  // one error spoils the whole utterance
    ReferenceDiagnostic diagnostic;
    diagnostic.sequence = std::ssize(result_.sequences);
    diagnostic.byte_offset = line.offset + at;
    diagnostic.line = line.number;
    diagnostic.column = at + 1;
    diagnostic.sequence_key = key;
    diagnostic.stream = options_.streams[0].name;
    diagnostic.code = code;
    diagnostic.severity = ends_run ? Severity::fatal : Severity::error;
    result_.diagnostics.push_back(diagnostic);
    is_bad_ = true;
  }

  void take(const MlfUtterance& utterance) {
    const std::optional<std::string> name = key_of(utterance.name);
    if (is_cntk_ && (!name || !utterance.is_closed || utterance.ranges.empty())) return;
    if (name && !keys_.insert(*name).second) return;
    const std::string key = name.value_or(utterance.name.trimmed);
    ReferenceSequence sequence;
    sequence.key = key_of_text(key);
    sequence.key_text = key;
    sequence.first_line = utterance.name.number;
    if (!utterance.ranges.empty()) {
      const MlfTimes last = times_of(utterance.ranges.back());
      if (last.code.empty()) sequence.sample_count = last.last;
    }
    is_bad_ = false;
    ReferenceStream& stream = sequence.streams.emplace_back();
    if (!name) {
      note(utterance.name, utterance.name.words[0].at, "mlf-name", key);
    } else {
      take_ranges(utterance, key, stream);
    }
    sequence.is_hole = is_bad_;
    if (is_bad_) stream.samples.clear();
    result_.sequences.push_back(sequence);
  }

  void take_ranges(const MlfUtterance& utterance, const std::string& key, ReferenceStream& stream) {
    std::optional<std::int64_t> next = 0;
    for (const MlfLine& line : utterance.ranges) {
      const MlfTimes times = times_of(line);
      if (!times.code.empty()) {
        note(line, times.at, times.code, key);
        next.reset();
        continue;
      }
      const std::int64_t expected = next.value_or(times.first);
      next = times.last;
      if (times.first < expected) {
        note(line, line.words[0].at, "mlf-overlap", key);
        continue;
      }
      if (times.first > expected && gap_ < 0) {
        note(line, line.words[0].at, "mlf-gap", key);
        continue;
      }
      add(stream, times.first - expected, gap_);
      if (has_states_ ? line.words.size() < 3 : line.words.size() != 4) {
        note(line, line.words[0].at, "mlf-columns", key);
        continue;
      }
      const MlfWord& word = line.words[has_states_ ? 2 : 3];
      const std::int64_t id = label_of(word.text);
      if (id < 0) {
        note(line, word.at, has_states_ ? "mlf-state" : "mlf-id", key);
      } else if (id >= dim_) {
        note(line, word.at, "mlf-id-range", key);
      } else {
        add(stream, times.last - times.first, id);
      }
    }
    if (!utterance.is_closed) note(utterance.name, 0, "mlf-cut", key);
    if (!is_bad_ && next.value_or(0) == 0) note(utterance.name, 0, "mlf-empty", key);
  }

  void add(ReferenceStream& stream, std::int64_t count, std::int64_t id) const {
    for (std::int64_t i = 0; i < count; ++i) {
      ReferenceSample& sample = stream.samples.emplace_back();
      if (as_ids_) {
        sample.values.push_back(static_cast<std::uint64_t>(id));
        continue;
      }
      const float value = marks_ && i == 0 ? 2.0F : 1.0F;
      const bool is_double = options_.streams[0].dtype == ElementType::f64;
      sample.indices.push_back(id);
      sample.values.push_back(is_double ? std::bit_cast<std::uint64_t>(static_cast<double>(value))
                                        : std::bit_cast<std::uint32_t>(value));
    }
  }

  const FormatOptions& options_;
  bool is_cntk_;
  std::string unit_;
  double period_ = 0;
  double frames_max_ = 0;
  bool has_states_ = false;
  std::vector<std::string> states_;
  std::int64_t gap_ = -1;
  bool as_ids_ = false;
  bool marks_ = false;
  std::int64_t dim_ = 0;
  bool is_bad_ = false;  // whether the current utterance has an error
  std::set<std::string> keys_;
  ReferenceResult result_;
};

}  // namespace

ReferenceResult mlf_reference(std::string_view bytes, const FormatOptions& options) {
  return MlfReference(options).parse(bytes);
}

}  // namespace sheaf::conformance
