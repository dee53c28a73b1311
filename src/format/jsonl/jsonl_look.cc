#include "format/jsonl/jsonl_look.h"

#include <algorithm>
#include <string_view>

#include "base/number.h"
#include "base/text_scan.h"
#include "format/jsonl/jsonl_sparse.h"
#include "format/sample_shape.h"

namespace sheaf::jsonl {
namespace {

// Returns the type bit of a scalar, or 0 if no stream has such a scalar.
std::int64_t type_of(const char* p) {
  if (*p == 't' || *p == 'f') return Look::kTruths;
  if (*p != '-' && !internal::is_digit(*p)) return 0;
  const char* const end = scalar_end(p);
  std::int64_t value = 0;
  const internal::NumberResult result = internal::lex_number(p, end, value);
  const bool is_whole = result.code == internal::NumberCode::ok && result.next == end;
  return is_whole ? Look::kWhole : Look::kReal;
}

constexpr Look kWrong = {.kind = Look::Kind::wrong};

// Adds the types of a list's scalars. Returns their number, or -1 if an element is not such a
// scalar.
std::int64_t add_types(const char* list, std::int64_t& types) {
  std::int64_t count = 0;
  for (const char* p = next_element(list + 1); p != nullptr; p = next_element(skip_value(p))) {
    const std::int64_t type = type_of(p);
    if (type == 0) return -1;
    types |= type;
    ++count;
  }
  return count;
}

// Examines a sparse sample, or a value that is wrong.
Look look_at_pairs(const char* p) {
  SparseParts parts;
  Fault fault;
  if (!find_parts(p, parts, fault)) return kWrong;
  Look look{.kind = Look::Kind::pairs};
  for (const char* at = next_element(parts.indices + 1); at != nullptr;
       at = next_element(skip_value(at))) {
    std::uint64_t index = 0;
    const char* const end = internal::lex_index(at, index);
    if (end == at || !ends_scalar(*end)) return kWrong;
    constexpr auto kMost = static_cast<std::uint64_t>(internal::kSampleSizeMax);
    look.index_max = std::max(look.index_max, static_cast<std::int64_t>(std::min(index, kMost)));
  }
  if (parts.values != nullptr && add_types(parts.values, look.types) < 0) return kWrong;
  return look;
}

Look look_at_element(const char* p) {
  if (*p == '"') return {.kind = Look::Kind::texts};
  if (*p == '{') return look_at_pairs(p);
  Look look{.kind = Look::Kind::numbers};
  if (*p == '[') {
    look.width = add_types(p, look.types);
    return look.width > 0 ? look : kWrong;
  }
  look.types = type_of(p);
  return look.types != 0 ? look : kWrong;
}

}  // namespace

Look look_at(const Field& field) {
  if (field.form == Form::null) return {};
  if (field.form != Form::list) return look_at_element(field.value);
  Look all;
  const bool has_lists = field.first == '[';
  for (const char* p = next_element(field.value + 1); p != nullptr;
       p = next_element(skip_value(p))) {
    const Look look = look_at_element(p);
    const bool is_first = all.kind == Look::Kind::nothing;
    if (look.kind == Look::Kind::wrong || (*p == '[') != has_lists ||
        (!is_first && (look.kind != all.kind || look.width != all.width))) {
      return kWrong;
    }
    all.kind = look.kind;
    all.width = look.width;
    all.index_max = std::max(all.index_max, look.index_max);
    all.types |= look.types;
  }
  return all;
}

}  // namespace sheaf::jsonl
