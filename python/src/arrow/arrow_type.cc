#include "arrow/arrow_type.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "sheaf/error.h"

#include "arrow/arrow_texts.h"

namespace sheaf::python {
namespace {

constexpr std::string_view kWhole = "cCsSiIlL";
constexpr std::string_view kNumberLetters = "cCsSiIlLefg";

bool is_one_of(std::string_view letters, const char* format) noexcept {
  return std::strlen(format) == 1 && letters.find(format[0]) != std::string_view::npos;
}

[[noreturn]] void refuse(const ArrowSchema& column, const std::string& why) {
  throw ConfigError("column \"" + std::string(name_of_column(column)) + "\": " + why);
}

void refuse_dictionary(const ArrowSchema& column, const ArrowSchema& level) {
  if (level.dictionary != nullptr) refuse(column, "its values are a dictionary's: cast it first");
}

std::int32_t number_at(const char* bytes) noexcept {
  std::int32_t number = 0;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

// Returns the value of a key in ArrowSchema::metadata, or an empty text if the key is not there.
std::string metadata_value(const char* metadata, std::string_view wanted) {
  if (metadata == nullptr) return {};
  std::int32_t count = number_at(metadata);
  metadata += sizeof count;
  const auto next = [&metadata] {
    const std::int32_t size = number_at(metadata);
    const std::string_view text(metadata + sizeof size, static_cast<std::size_t>(size));
    metadata += sizeof size + text.size();
    return text;
  };
  for (; count > 0; --count) {
    const std::string_view key = next();
    const std::string_view value = next();
    if (key == wanted) return std::string(value);
  }
  return {};
}

void set_sparse(const ArrowSchema& column, const ArrowSchema& entry, ArrowColumnType& type) {
  const bool is_pair = entry.n_children == 2 && is_one_of(kWhole, entry.children[0]->format) &&
                       is_one_of(kNumberLetters, entry.children[1]->format);
  if (!is_pair || !type.extents.empty() || type.large_lists.empty() ||
      type.large_lists.size() > 2) {
    refuse(column, "structs are taken as lists of (index, value), or as lists of such lists");
  }
  for (const ArrowSchema* child : {entry.children[0], entry.children[1]}) {
    refuse_dictionary(column, *child);
  }
  type.is_sparse = true;
  type.index_format = entry.children[0]->format[0];
  type.value_format = entry.children[1]->format[0];
}

// Returns the number of a child with this name, or -1 if there is none.
int child_named(const ArrowSchema& entry, std::string_view name) noexcept {
  for (int i = 0; i < entry.n_children; ++i) {
    if (name_of_column(*entry.children[i]) == name) return i;
  }
  return -1;
}

void set_bytes(const ArrowSchema& column, const ArrowSchema& values, ArrowColumnType& type) {
  if (!type.extents.empty() || type.large_lists.size() > 1) {
    refuse(column, "a sequence is a text, a binary, or one list of texts or binaries");
  }
  type.text_format = values.format;
}

// Sets the type of structs: files with their contents and their paths, or pairs.
void set_struct(const ArrowSchema& column, const ArrowSchema& entry, ArrowColumnType& type) {
  const int bytes = child_named(entry, "bytes");
  const bool is_file = bytes >= 0 && child_named(entry, "path") >= 0 && entry.n_children == 2;
  if (!is_file || !is_text_format(entry.children[bytes]->format)) {
    set_sparse(column, entry, type);
    return;
  }
  refuse_dictionary(column, *entry.children[bytes]);
  set_bytes(column, *entry.children[bytes], type);
  type.bytes_child = bytes;
}

// Returns how to change a column with values of an unsupported format.
std::string cure_of(std::string_view format) {
  if (format == "+vl" || format == "+vL") return "cast the list views to lists";
  return "cast them to whole numbers, or to floats";
}

}  // namespace

std::string_view name_of_column(const ArrowSchema& schema) noexcept {
  return schema.name == nullptr ? std::string_view() : std::string_view(schema.name);
}

bool is_number_format(const char* format) noexcept { return is_one_of(kNumberLetters, format); }

bool is_key_format(const char* format) noexcept {
  return is_one_of(kWhole, format) || is_text_format(format);
}

ArrowColumnType arrow_column_type(const ArrowSchema& column) {
  ArrowColumnType type{.name = std::string(name_of_column(column)),
                       .word = metadata_value(column.metadata, "sheaf.stream")};
  const ArrowSchema* at = &column;
  for (;; at = at->children[0]) {
    refuse_dictionary(column, *at);
    const std::string_view format = at->format;
    if (format == "+l" || format == "+L" || format == "+m") {
      if (!type.extents.empty()) refuse(column, "a list of any length is in one of fixed size");
      type.large_lists.push_back(format == "+L");
    } else if (format.starts_with("+w:")) {
      type.extents.push_back(std::atoll(at->format + 3));
    } else {
      break;
    }
  }
  if (std::string_view(at->format) == "+s") {
    set_struct(column, *at, type);
    return type;
  }
  if (is_text_format(at->format)) {
    set_bytes(column, *at, type);
    return type;
  }
  type.has_fixed_binaries = std::string_view(at->format).starts_with("w:");
  if (type.has_fixed_binaries) type.extents.push_back(std::atoll(at->format + 2));
  if (!type.has_fixed_binaries && !is_one_of(kNumberLetters, at->format)) {
    refuse(column, "values of the Arrow format \"" + std::string(at->format) +
                       "\" are none of a stream: " + cure_of(at->format));
  }
  if (type.large_lists.size() > (type.extents.empty() ? 2U : 1U)) {
    refuse(column,
           "it has too many lists: a sequence is a list of samples, and a sample of values");
  }
  type.value_format = type.has_fixed_binaries ? 'C' : at->format[0];
  return type;
}

}  // namespace sheaf::python
