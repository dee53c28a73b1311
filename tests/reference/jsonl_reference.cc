// Parses every line into a tree, and looks up every value of a stream in the tree. Numbers go
// through strtof and strtod. Everything is slow, simple, and kept in memory.

#include "reference/jsonl_reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reference/json_tree.h"
#include "reference/number_reference.h"

namespace sheaf::conformance {
namespace {

using Kind = JsonNode::Kind;

struct JsonRow {
  std::int64_t number = 0;  // from 1
  std::int64_t offset = 0;  // in the file
  std::string text;         // without its end
};

/// An error in a value.
struct WrongValue {
  std::int64_t at = 0;
  std::string code;
};

std::vector<JsonRow> json_rows_of(std::string_view bytes) {
  std::vector<JsonRow> rows;
  std::int64_t begin = bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const auto size = static_cast<std::int64_t>(bytes.size());
  std::int64_t number = 0;
  while (begin < size) {
    std::int64_t end = begin;
    while (end < size && bytes[static_cast<std::size_t>(end)] != '\n') ++end;
    std::string text(
        bytes.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    if (!text.empty() && text.back() == '\r') text.pop_back();
    ++number;
    if (text.find_first_not_of(" \t\r") != std::string::npos) {
      rows.push_back({number, begin, text});
    }
    begin = end + 1;
  }
  return rows;
}

bool is_all_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Returns the bits of a JSON number. Throws WrongValue.
std::uint64_t bits_of_number(const std::string& text, std::int64_t at, ElementType type) {
  std::uint64_t bits = 0;
  if (is_digit_by_digit(type)) {
    switch (fit_number(text, type, bits)) {
      case Fit::good:
        return bits;
      case Fit::no_number:
        throw WrongValue{at, "jsonl-number"};
      case Fit::out_of_range:
        throw WrongValue{at, "jsonl-number-range"};
      case Fit::inexact:
        throw WrongValue{at, "jsonl-inexact"};
    }
  }
  double value = 0;
  if (type == ElementType::f32) {
    const float nearest = std::strtof(text.c_str(), nullptr);
    bits = std::bit_cast<std::uint32_t>(nearest);
    value = nearest;
  } else {
    value = std::strtod(text.c_str(), nullptr);
    bits = std::bit_cast<std::uint64_t>(value);
  }
  if (std::isinf(value)) throw WrongValue{at, "jsonl-number-range"};
  const std::string digits = text[0] == '-' ? text.substr(1) : text;
  if (!is_all_digits(digits)) return bits;
  char written[400];
  std::snprintf(written, sizeof written, "%.0f", std::fabs(value));
  if (digits != written) throw WrongValue{at, "jsonl-inexact"};
  return bits;
}

/// Reads the value of one field of one line.
class FieldReader {
 public:
  FieldReader(const StreamOptions& stream, ElementType type) : stream_(stream), type_(type) {}

  /// Throws WrongValue.
  std::vector<ReferenceSample> read(const JsonNode& node) {
    std::vector<ReferenceSample> samples;
    if (type_ != ElementType::bytes && stream_.storage == Storage::dense) {
      read_dense(node, samples);
      return samples;
    }
    const auto add = [&](const JsonNode& item) {
      samples.push_back(type_ == ElementType::bytes ? text_sample(item) : sparse_sample(item));
    };
    if (node.kind == Kind::list) {
      for (const JsonNode& item : node.items) add(item);
    } else {
      add(node);
    }
    return samples;
  }

 private:
  [[nodiscard]] std::int64_t size() const { return stream_.sample_shape->size(); }

  void read_dense(const JsonNode& node, std::vector<ReferenceSample>& samples) {
    if (node.kind != Kind::list) {
      if (size() != 1) throw WrongValue{node.at, "jsonl-type"};
      samples.push_back({.extents = {}, .indices = {}, .values = {scalar(node)}});
      return;
    }
    if (node.items.empty()) return;
    if (node.items[0].kind == Kind::list) {
      for (const JsonNode& item : node.items) {
        if (item.kind != Kind::list) throw WrongValue{item.at, "jsonl-type"};
        samples.push_back(dense_sample(item));
      }
    } else if (size() > 1) {
      samples.push_back(dense_sample(node));
    } else {
      for (const JsonNode& item : node.items) {
        samples.push_back({.extents = {}, .indices = {}, .values = {scalar(item)}});
      }
    }
  }

  ReferenceSample dense_sample(const JsonNode& list) {
    ReferenceSample sample;
    for (const JsonNode& item : list.items) {
      if (static_cast<std::int64_t>(sample.values.size()) == size()) {
        throw WrongValue{list.at, "jsonl-count"};
      }
      sample.values.push_back(scalar(item));
    }
    if (static_cast<std::int64_t>(sample.values.size()) != size()) {
      throw WrongValue{list.at, "jsonl-count"};
    }
    return sample;
  }

  static ReferenceSample text_sample(const JsonNode& node) {
    if (node.kind != Kind::text) throw WrongValue{node.at, "jsonl-type"};
    ReferenceSample sample;
    sample.extents = {static_cast<std::int64_t>(node.text.size())};
    for (const char byte : node.text) sample.values.push_back(static_cast<unsigned char>(byte));
    return sample;
  }

  ReferenceSample sparse_sample(const JsonNode& node) {
    if (node.kind != Kind::object) throw WrongValue{node.at, "jsonl-type"};
    const JsonNode* indices = nullptr;
    const JsonNode* values = nullptr;
    for (const JsonMember& member : node.members) {
      if (member.name != "indices" && member.name != "values") {
        throw WrongValue{member.at, "jsonl-sparse"};
      }
      const JsonNode*& part = member.name == "indices" ? indices : values;
      if (part != nullptr) throw WrongValue{member.at, "jsonl-repeated-field"};
      if (member.value.kind != Kind::list) throw WrongValue{member.value.at, "jsonl-type"};
      part = &member.value;
    }
    if (indices == nullptr) throw WrongValue{node.at, "jsonl-sparse"};
    const std::vector<std::int64_t> numbers = indices_of(*indices);
    std::vector<std::uint64_t> bits(numbers.size(), bits_of_number("1", node.at, type_));
    if (values != nullptr) {
      bits.clear();
      for (const JsonNode& item : values->items) bits.push_back(scalar(item));
      if (bits.size() != numbers.size()) throw WrongValue{values->at, "jsonl-pairs"};
    }
    std::map<std::int64_t, std::uint64_t> pairs;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!pairs.emplace(numbers[i], bits[i]).second) {
        throw WrongValue{indices->items[i].at, "jsonl-duplicate-index"};
      }
    }
    ReferenceSample sample;
    for (const auto& [index, value] : pairs) {
      sample.indices.push_back(index);
      sample.values.push_back(value);
    }
    return sample;
  }

  [[nodiscard]] std::vector<std::int64_t> indices_of(const JsonNode& list) const {
    std::vector<std::int64_t> numbers;
    for (const JsonNode& item : list.items) {
      if (item.kind != Kind::number || !is_all_digits(item.text)) {
        throw WrongValue{item.at, "jsonl-index"};
      }
      const bool is_long = item.text.size() > 18;
      if (is_long || std::atoll(item.text.c_str()) >= size()) {
        throw WrongValue{item.at, "jsonl-index-range"};
      }
      numbers.push_back(std::atoll(item.text.c_str()));
    }
    return numbers;
  }

  /// Reads a scalar. The scalars of a field are all numbers, or all true or false.
  std::uint64_t scalar(const JsonNode& node) {
    const bool is_right = node.kind == Kind::number || node.kind == Kind::truth;
    if (!is_right || kind_.value_or(node.kind) != node.kind)
      throw WrongValue{node.at, "jsonl-type"};
    kind_ = node.kind;
    if (node.kind == Kind::number) return bits_of_number(node.text, node.at, type_);
    return bits_of_number(node.text == "true" ? "1" : "0", node.at, type_);
  }

  const StreamOptions& stream_;
  const ElementType type_;
  std::optional<Kind> kind_;
};

/// Parses the file line by line.
class JsonlFile {
 public:
  explicit JsonlFile(const FormatOptions& options) : options_(options) {
    const auto key = options.extra.find("jsonl.key");
    if (key != options.extra.end()) key_field_ = key->second;
  }

  void find_key_kind(const std::vector<JsonRow>& rows) {
    has_text_keys_ = true;
    if (options_.keys) {
      has_text_keys_ = *options_.keys == KeyType::text;
      return;
    }
    for (const JsonRow& row : rows) {
      JsonNode tree;
      if (parse_json_line(row.text, tree)) continue;
      const JsonMember* const member = find(tree, key_field_);
      if (member == nullptr) continue;
      has_text_keys_ = member->value.kind != Kind::number;
      return;
    }
  }

  void add(const JsonRow& row) {
    row_ = &row;
    JsonNode tree;
    const std::optional<JsonFault> fault = parse_json_line(row.text, tree);
    std::int64_t sample_count = 0;
    if (!fault) {
      const std::optional<std::int64_t> count = count_of(tree);
      if (!count) return;  // without the stream that defines the size
      sample_count = *count;
    }
    ReferenceSequence& sequence = result.sequences.emplace_back();
    sequence.first_line = row.number;
    sequence.sample_count = sample_count;
    sequence.streams.resize(options_.streams.size());
    const std::optional<WrongValue> wrong_key = set_key(fault ? nullptr : &tree);
    const bool is_new = keys_.insert(sequence.key).second;
    if (fault) return wrong(fault->at, fault->code);
    if (wrong_key) {
      wrong(wrong_key->at, wrong_key->code);
    } else if (!key_field_.empty() && !is_new) {
      wrong(find(tree, key_field_)->value.at, "jsonl-repeated-key");
    }
    read_fields(tree);
  }

  void finish() {
    for (ReferenceSequence& sequence : result.sequences) {
      if (!sequence.is_hole) continue;
      for (ReferenceStream& stream : sequence.streams) stream = {};
    }
    std::sort(result.diagnostics.begin(), result.diagnostics.end());
  }

  ReferenceResult result;

 private:
  static const JsonMember* find(const JsonNode& tree, const std::string& name) {
    for (const JsonMember& member : tree.members) {
      if (member.name == name) return &member;
    }
    return nullptr;
  }

  [[nodiscard]] ElementType type_of(const StreamOptions& stream) const {
    if (stream.sample_shape && !stream.sample_shape->is_fixed()) return ElementType::bytes;
    return stream.dtype.value_or(options_.dtype.value_or(ElementType::f32));
  }

  static const std::string& name_of(const StreamOptions& stream) {
    return stream.alias.empty() ? stream.name : stream.alias;
  }

  /// Returns the number of samples by the form of the value, or nothing if the line is dropped.
  [[nodiscard]] std::optional<std::int64_t> count_of(const JsonNode& tree) const {
    std::int64_t longest = 0;
    for (const StreamOptions& stream : options_.streams) {
      const JsonMember* const member = find(tree, name_of(stream));
      std::int64_t count = 0;
      if (member != nullptr && member->value.kind != Kind::null) {
        const std::vector<JsonNode>& items = member->value.items;
        const bool is_list = member->value.kind == Kind::list;
        const bool is_flat = is_list && !items.empty() && items[0].kind != Kind::list;
        const bool is_dense =
            stream.storage == Storage::dense && type_of(stream) != ElementType::bytes;
        count = is_list ? static_cast<std::int64_t>(items.size()) : 1;
        if (is_dense && is_flat && stream.sample_shape->size() > 1) count = 1;
      }
      if (stream.defines_minibatch_size) {
        return count == 0 ? std::nullopt : std::optional(count);
      }
      longest = std::max(longest, count);
    }
    for (const StreamOptions& stream : options_.streams) {
      if (stream.defines_minibatch_size) return std::nullopt;
    }
    return longest;
  }

  std::optional<WrongValue> set_key(const JsonNode* tree) {
    ReferenceSequence& sequence = result.sequences.back();
    if (key_field_.empty()) {
      sequence.key.low = static_cast<std::uint64_t>(row_->number - 1);
      return std::nullopt;
    }
    const JsonMember* const member = tree == nullptr ? nullptr : find(*tree, key_field_);
    std::string text;
    if (member != nullptr) {
      const JsonNode& value = member->value;
      const bool is_number = value.kind == Kind::number;
      const std::string digits =
          is_number && value.text[0] == '-' ? value.text.substr(1) : value.text;
      if ((value.kind == Kind::text && has_text_keys_) || (is_number && is_all_digits(digits))) {
        text = value.text;
      }
    }
    bool is_good = !text.empty();
    if (has_text_keys_) {
      sequence.key = key_of_text(text);
      sequence.key_text = text;
    } else {
      const std::string most = "18446744073709551615";
      is_good = is_all_digits(text) &&
                (text.size() < most.size() || (text.size() == most.size() && text <= most));
      sequence.key.low = is_good ? std::strtoull(text.c_str(), nullptr, 10) : ~std::uint64_t{0};
    }
    if (is_good) return std::nullopt;
    return WrongValue{member == nullptr ? 0 : member->value.at, "jsonl-key"};
  }

  void read_fields(const JsonNode& tree) {
    std::set<std::string> names;
    std::set<std::string> present;
    for (const JsonMember& member : tree.members) {
      if (!names.insert(member.name).second) {
        wrong(member.at, "jsonl-repeated-field");
        continue;
      }
      for (std::size_t i = 0; i < options_.streams.size(); ++i) {
        const StreamOptions& stream = options_.streams[i];
        if (name_of(stream) != member.name || member.value.kind == Kind::null) continue;
        present.insert(member.name);
        try {
          result.sequences.back().streams[i].samples =
              FieldReader(stream, type_of(stream)).read(member.value);
        } catch (const WrongValue& value) {
          wrong(value.at, value.code, stream.name);
        }
      }
    }
    for (std::size_t i = 0; i < options_.streams.size(); ++i) {
      if (present.contains(name_of(options_.streams[i]))) continue;
      result.sequences.back().streams[i].is_present = false;
      if (options_.missing_streams == MissingStreams::allow) continue;
      wrong(0, "jsonl-missing-stream", options_.streams[i].name);
    }
  }

  void wrong(std::int64_t at, const std::string& code, const std::string& stream = "") {
    ReferenceSequence& sequence = result.sequences.back();
    sequence.is_hole = true;
    result.diagnostics.push_back(
        {.sequence = static_cast<std::int64_t>(result.sequences.size()) - 1,
         .byte_offset = row_->offset + at,
         .line = row_->number,
         .column = at + 1,
         .sequence_key = sequence.key_text.empty() ? to_string(sequence.key) : sequence.key_text,
         .stream = stream,
         .code = code});
  }

  const FormatOptions& options_;
  std::string key_field_;
  bool has_text_keys_ = false;
  const JsonRow* row_ = nullptr;
  std::set<SequenceKey> keys_;
};

}  // namespace

ReferenceResult jsonl_reference(std::string_view bytes, const FormatOptions& options) {
  ReferenceResult refused;
  const auto refuse = [&](const std::string& code, std::int64_t line, std::int64_t column,
                          std::int64_t offset) {
    ReferenceDiagnostic& fatal = refused.fatal.emplace();
    fatal.byte_offset = offset;
    fatal.line = line;
    fatal.column = column;
    fatal.code = code;
    return refused;
  };
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    return refuse("jsonl-utf16", 1, 1, 0);
  }
  const std::vector<JsonRow> rows = json_rows_of(bytes);
  if (rows.empty()) return refuse("jsonl-empty", 1, 1, 0);
  const auto first = static_cast<std::int64_t>(rows[0].text.find_first_not_of(" \t\r"));
  if (rows[0].text[static_cast<std::size_t>(first)] != '{') {
    return refuse("jsonl-not-jsonl", rows[0].number, first + 1, rows[0].offset + first);
  }
  JsonlFile file(options);
  if (options.extra.contains("jsonl.key")) file.find_key_kind(rows);
  for (const JsonRow& row : rows) file.add(row);
  file.finish();
  return std::move(file.result);
}

}  // namespace sheaf::conformance
