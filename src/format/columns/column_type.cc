#include "format/columns/column_type.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/saturated.h"
#include "base/text.h"

namespace sheaf::columns {
namespace {

constexpr std::string_view kWholeLetters = "cCsSiIlL";
constexpr std::string_view kNumberLetters = "bcCsSiIlLefg";
constexpr int kDepthMax = 64;  // of names in messages

bool is_one_of(std::string_view letters, std::string_view format) noexcept {
  return format.size() == 1 && letters.find(format.front()) != std::string_view::npos;
}

bool is_text(std::string_view format) noexcept {
  return is_one_of("uUzZ", format) || format == "vu" || format == "vz";
}

bool is_list(std::string_view format) noexcept { return format == "+l" || format == "+L"; }

std::string_view name_of(const ArrowSchema& column) noexcept {
  return column.name == nullptr ? std::string_view{} : std::string_view(column.name);
}

// Returns the number after a prefix such as "+w:", or -1 if there is no number.
std::int64_t size_behind(std::string_view format, std::size_t prefix) noexcept {
  std::int64_t size = -1;
  std::from_chars(format.data() + prefix, format.data() + format.size(), size);
  return size;
}

std::int32_t number_at(const char* bytes) noexcept {
  std::int32_t number = 0;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

std::string refused(const ArrowSchema& type) {
  return formatted("no stream has values of the type {}", type_name(type));
}

// Sets the values of sparse samples: struct(index, value) in a list or a map.
std::string set_pairs(const ArrowSchema& entry, ColumnType& type) {
  if (entry.n_children != 2 || !is_one_of(kWholeLetters, entry.children[0]->format) ||
      !is_one_of(kNumberLetters, entry.children[1]->format) ||
      entry.children[0]->dictionary != nullptr || entry.children[1]->dictionary != nullptr) {
    return refused(entry);
  }
  if (!type.fixed_lists.empty() || type.large_lists.empty() || type.large_lists.size() > 2) {
    return "pairs of index and value stand in a list, or in a list of lists";
  }
  type.kind = ColumnType::Kind::sparse;
  type.index_format = entry.children[0]->format[0];
  type.value_format = entry.children[1]->format[0];
  return {};
}

int child_named(const ArrowSchema& parent, std::string_view name) noexcept {
  for (std::int64_t i = 0; i < parent.n_children; ++i) {
    if (name_of(*parent.children[i]) == name) return static_cast<int>(i);
  }
  return -1;
}

const ArrowSchema* item_of(const ArrowSchema& list, std::string_view letters) noexcept {
  if (!is_list(list.format) || list.dictionary != nullptr) return nullptr;
  const ArrowSchema& item = *list.children[0];
  return is_one_of(letters, item.format) && item.dictionary == nullptr ? &item : nullptr;
}

std::string set_struct(const ArrowSchema& entry, ColumnType& type) {
  const int indices = child_named(entry, "indices");
  const int values = child_named(entry, "values");
  if (indices >= 0 && values >= 0 && entry.n_children == 2) {
    const ArrowSchema* const index = item_of(*entry.children[indices], kWholeLetters);
    const ArrowSchema* const value = item_of(*entry.children[values], kNumberLetters);
    if (index == nullptr || value == nullptr) return refused(entry);
    if (!type.fixed_lists.empty() || type.large_lists.size() > 1) {
      return "a struct of indices and values stands alone, or in one list";
    }
    type.kind = ColumnType::Kind::sparse;
    type.has_lists_inside = true;
    type.indices_child = indices;
    type.values_child = values;
    type.index_format = index->format[0];
    type.value_format = value->format[0];
    type.are_indices_large = std::string_view(entry.children[indices]->format) == "+L";
    type.are_values_large = std::string_view(entry.children[values]->format) == "+L";
    return {};
  }
  const int bytes = child_named(entry, "bytes");
  if (bytes >= 0 && child_named(entry, "path") >= 0 && entry.n_children == 2) {
    const ArrowSchema& child = *entry.children[bytes];
    if (!is_text(child.format) || child.dictionary != nullptr) return refused(entry);
    if (!type.fixed_lists.empty() || type.large_lists.size() > 1) {
      return "bytes stand alone, or in one list";
    }
    type.kind = ColumnType::Kind::bytes;
    type.text_format = child.format;
    type.bytes_child = bytes;
    return {};
  }
  return set_pairs(entry, type);
}

// Sets the innermost type of lists.
std::string set_leaf(const ArrowSchema& leaf, ColumnType& type) {
  const std::string_view format = leaf.format;
  if (leaf.dictionary != nullptr) {
    const ArrowSchema& values = *leaf.dictionary;
    if (!is_text(values.format) || values.dictionary != nullptr) return refused(leaf);
    if (!is_one_of(kWholeLetters, format)) return refused(leaf);
    type.kind = ColumnType::Kind::classes;
    type.text_format = values.format;
    type.value_format = format[0];
  } else if (is_one_of(kNumberLetters, format)) {
    type.value_format = format[0];
  } else if (format.starts_with("w:")) {
    type.value_format = 'w';
    type.value_width = size_behind(format, 2);
    if (type.value_width < 1) return refused(leaf);
  } else if (is_text(format)) {
    if (!type.fixed_lists.empty() || type.large_lists.size() > 1) {
      return "texts stand alone, or in one list";
    }
    type.kind = ColumnType::Kind::bytes;
    type.text_format = format;
    return {};
  } else if (format == "+s") {
    return set_struct(leaf, type);
  } else {
    return refused(leaf);
  }
  const bool has_fixed_samples = !type.fixed_lists.empty() || type.value_format == 'w';
  if (type.large_lists.size() > (has_fixed_samples ? 1U : 2U)) {
    return "too many lists: a sequence is a list of samples, and a sample a list of values";
  }
  return {};
}

// Applies an extension type, which gives a fixed list another shape.
std::string apply_tensor(const ArrowSchema& level, std::vector<std::int64_t>& extents) {
  if (metadata_value(level, "ARROW:extension:name") != "arrow.fixed_shape_tensor") return {};
  const auto json = nlohmann::json::parse(metadata_value(level, "ARROW:extension:metadata"),
                                          nullptr, /*allow_exceptions=*/false);
  std::string wrong = "the shape of its tensors cannot be read";
  if (!json.is_object() || !json.contains("shape") || !json["shape"].is_array()) return wrong;
  std::vector<std::int64_t> shape;
  std::int64_t size = 1;
  for (const auto& extent : json["shape"]) {
    if (!extent.is_number_integer() || extent.get<std::int64_t>() < 1) return wrong;
    shape.push_back(extent.get<std::int64_t>());
    size = internal::saturated_product(size, shape.back());
  }
  if (size != extents.back()) return wrong;
  if (json.contains("permutation")) {
    std::int64_t expected = 0;
    for (const auto& axis : json["permutation"]) {
      if (axis != expected++) return "the axes of its tensors are permuted";
    }
  }
  extents.pop_back();
  extents.insert(extents.end(), shape.begin(), shape.end());
  return {};
}

}  // namespace

std::int64_t ColumnType::values_per_element() const noexcept {
  std::int64_t count = value_width;
  for (const std::int64_t extent : extents) count = internal::saturated_product(count, extent);
  return count;
}

ElementType ColumnType::element_type() const noexcept {
  if (kind == Kind::bytes) return ElementType::bytes;
  if (kind == Kind::classes) return ElementType::i32;
  switch (value_format) {
    case 'b':
    case 'C':
    case 'w':
      return ElementType::u8;
    case 'S':
      return ElementType::u16;
    case 'c':
    case 's':
    case 'i':
      return ElementType::i32;
    case 'e':
      return ElementType::f16;
    case 'f':
      return ElementType::f32;
    case 'g':
      return ElementType::f64;
    default:
      return ElementType::i64;
  }
}

FoundType column_type_of(const ArrowSchema& column) {
  FoundType found{.type = {.name = std::string(name_of(column)),
                           .word = metadata_value(column, "sheaf.stream")},
                  .why_not = {}};
  ColumnType& type = found.type;
  const ArrowSchema* at = &column;
  for (; at->dictionary == nullptr; at = at->children[0]) {
    const std::string_view format = at->format;
    if (is_list(format) || format == "+m") {
      if (!type.fixed_lists.empty()) {
        found.why_not = "lists of any length stand in lists of one length";
        return found;
      }
      type.large_lists.push_back(format == "+L");
    } else if (format.starts_with("+w:")) {
      type.fixed_lists.push_back(size_behind(format, 3));
      type.extents.push_back(type.fixed_lists.back());
      if (type.extents.back() < 1) {
        found.why_not = refused(*at);
        return found;
      }
      found.why_not = apply_tensor(*at, type.extents);
      if (!found.why_not.empty()) return found;
    } else {
      break;
    }
  }
  found.why_not = set_leaf(*at, type);
  if (static_cast<int>(type.extents.size()) > Shape::kRankMax) {
    found.why_not = formatted("samples have more than {} extents", Shape::kRankMax);
  }
  return found;
}

bool can_be_key(const ArrowSchema& column) noexcept {
  return column.dictionary == nullptr &&
         (is_one_of(kWholeLetters, column.format) || is_text(column.format));
}

namespace {

/// Returns the name of a type without parameters and children, or an empty text.
std::string_view fixed_type_name(std::string_view format) noexcept {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"n", "null"},
      {"b", "bool"},
      {"c", "int8"},
      {"C", "uint8"},
      {"s", "int16"},
      {"S", "uint16"},
      {"i", "int32"},
      {"I", "uint32"},
      {"l", "int64"},
      {"L", "uint64"},
      {"e", "halffloat"},
      {"f", "float"},
      {"g", "double"},
      {"u", "string"},
      {"U", "large_string"},
      {"z", "binary"},
      {"Z", "large_binary"},
      {"vu", "string_view"},
      {"vz", "binary_view"},
      {"tdD", "date32"},
      {"tdm", "date64"},
      {"tts", "time32[s]"},
      {"ttm", "time32[ms]"},
      {"ttu", "time64[us]"},
      {"ttn", "time64[ns]"},
      {"tDs", "duration[s]"},
      {"tDm", "duration[ms]"},
      {"tDu", "duration[us]"},
      {"tDn", "duration[ns]"},
      {"+r", "run_end_encoded"},
      {"tiM", "month_interval"},
      {"tiD", "day_time_interval"},
      {"tin", "month_day_nano_interval"}};
  for (const auto& [letters, name] : kNames) {
    if (format == letters) return name;
  }
  return {};
}

/// Returns the name of a type whose format has parameters, or an empty text.
std::string name_with_parameters(std::string_view format) {
  if (format.starts_with("ts") && format.size() >= 4) {
    const std::string unit = format[2] == 's' ? "s" : formatted("{}s", format[2]);
    const std::string_view zone = format.substr(4);
    return zone.empty() ? formatted("timestamp[{}]", unit)
                        : formatted("timestamp[{}, tz={}]", unit, zone);
  }
  if (format.starts_with("d:")) return formatted("decimal({})", format.substr(2));
  if (format.starts_with("w:")) return formatted("fixed_size_binary[{}]", format.substr(2));
  if (format.starts_with("+u")) return "union";
  return {};
}

std::string type_name_within(const ArrowSchema& type, int depth) {
  if (depth > kDepthMax) return "...";
  const auto child = [&](std::int64_t i) { return type_name_within(*type.children[i], depth + 1); };
  const std::string_view format = type.format;
  if (type.dictionary != nullptr) {
    return formatted("dictionary<{}>", type_name_within(*type.dictionary, depth + 1));
  }
  if (const std::string_view name = fixed_type_name(format); !name.empty()) {
    return std::string(name);
  }
  if (std::string name = name_with_parameters(format); !name.empty()) return name;
  if (type.n_children > 0) {
    if (format == "+l") return formatted("list<{}>", child(0));
    if (format == "+L") return formatted("large_list<{}>", child(0));
    if (format == "+vl" || format == "+vL") return formatted("list_view<{}>", child(0));
    if (format.starts_with("+w:")) {
      return formatted("fixed_size_list<{}>[{}]", child(0), format.substr(3));
    }
    if (format == "+m") return formatted("map<{}>", child(0));
    if (format == "+s") {
      std::string fields;
      for (std::int64_t i = 0; i < type.n_children; ++i) {
        if (i > 0) fields += ", ";
        fields += formatted("{}: {}", name_of(*type.children[i]), child(i));
      }
      return formatted("struct<{}>", fields);
    }
  }
  return formatted("Arrow format \"{}\"", format);
}

}  // namespace

std::string type_name(const ArrowSchema& type) { return type_name_within(type, 0); }

std::string metadata_value(const ArrowSchema& schema, std::string_view wanted) {
  const char* at = schema.metadata;
  if (at == nullptr) return {};
  std::int32_t count = number_at(at);
  at += sizeof count;
  const auto next = [&at] {
    const std::int32_t size = number_at(at);
    const std::string_view text(at + sizeof size, static_cast<std::size_t>(size));
    at += sizeof size + text.size();
    return text;
  };
  for (; count > 0; --count) {
    const std::string_view key = next();
    const std::string_view value = next();
    if (key == wanted) return std::string(value);
  }
  return {};
}

}  // namespace sheaf::columns
