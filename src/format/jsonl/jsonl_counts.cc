#include "format/jsonl/jsonl_counts.h"

namespace sheaf::jsonl {
namespace {

std::int64_t byte_count(const char* p) {
  if (*p != '"') return 0;
  const char* const end = string_end(p + 1);
  return unescaped_size({p + 1, static_cast<std::size_t>(end - p - 1)});
}

// Returns the number of indices of a sparse sample, or 0 if there are none.
std::int64_t index_count(const char* p) {
  if (*p != '{') return 0;
  for (p = skip_space(p + 1); *p != '}'; p = skip_space(*p == ',' ? p + 1 : p)) {
    const char* const value = skip_space(skip_space(string_end(p + 1) + 1) + 1);
    if (is_string(p, "indices")) return *value == '[' ? element_count(value) : 0;
    p = skip_space(skip_value(value));
  }
  return 0;
}

}  // namespace

internal::StreamCounts counts_of(const Field& field, const Stream& stream) {
  if (field.form == Form::null) return {};
  const bool is_list = field.form == Form::list;
  internal::StreamCounts counts{.sample_count = is_list ? field.count : 1};
  const bool is_sparse = stream.storage == Storage::sparse;
  if (!is_sparse && stream.element_type != ElementType::bytes) {
    const bool is_flat = is_list && field.count > 0 && field.first != '[';
    if (is_flat && stream.sample_shape.size() > 1) counts.sample_count = 1;
    return counts;
  }
  const auto add = [&](const char* p) {
    counts.pair_count += is_sparse ? index_count(p) : byte_count(p);
  };
  if (!is_list) {
    add(field.value);
    return counts;
  }
  for (const char* p = next_element(field.value + 1); p != nullptr;
       p = next_element(skip_value(p))) {
    add(p);
  }
  return counts;
}

}  // namespace sheaf::jsonl
