#include "format/jsonl/jsonl_sparse.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "format/jsonl/jsonl_scalars.h"

namespace sheaf::jsonl {
namespace {

using internal::ColumnWriter;

constexpr std::string_view kSample = "an object of \"indices\", and of \"values\" or without them";

template <typename T, typename Index>
class SparseReader {
 public:
  SparseReader(const ValueRequest& request, ColumnWriter& column, Fault& fault)
      : request_(request), column_(column), fault_(fault), scalars_(request.stream, fault) {}

  bool read() {
    const char* p = request_.field.value;
    if (request_.field.form != Form::list) return read_sample(p) != nullptr;
    for (p = next_element(p + 1); p != nullptr; p = next_element(p)) {
      p = read_sample(p);
      if (p == nullptr) return false;
    }
    return true;
  }

 private:
  // Returns the end of the sample, or null if it is wrong.
  const char* read_sample(const char* p) {
    SparseParts parts;
    if (!find_parts(p, parts, fault_)) return nullptr;
    const std::int64_t count = element_count(parts.indices);
    column_.make_room(count);
    if (!read_indices(parts.indices)) return nullptr;
    if (!read_values(parts.values, count)) return nullptr;
    if (!sort(parts.indices, count)) return nullptr;
    column_.end_sample(count);
    return parts.end;
  }

  bool read_indices(const char* p) {
    const auto dim = static_cast<std::uint64_t>(request_.stream.sample_shape.size());
    Index* out = column_.indices<Index>();
    for (p = next_element(p + 1); p != nullptr; p = next_element(p)) {
      std::uint64_t index = 0;
      const char* const end = internal::lex_index(p, index);
      if (end == p || !ends_scalar(*end)) {
        fault_ = {&kIndex, p, marked_end(p), std::string(kIndex.expected), found_at(p), ""};
        return false;
      }
      if (index >= dim) {
        fault_ = {&kIndexRange, p, end, formatted("{} {}", kIndexRange.expected, dim),
                  found_at(p),  ""};
        return false;
      }
      *out++ = static_cast<Index>(index);
      p = end;
    }
    return true;
  }

  bool read_values(const char* list, std::int64_t count) {
    T* const out = column_.values<T>();
    if (list == nullptr) {
      std::fill_n(out, count, internal::small_number<T>(1));
      return true;
    }
    std::int64_t read = 0;
    T beyond{};
    for (const char* p = next_element(list + 1); p != nullptr; p = next_element(p)) {
      p = scalars_.read(p, read < count ? out[read] : beyond);
      if (p == nullptr) return false;
      ++read;
    }
    if (read == count) return true;
    fault_ = {&kPairs,
              list,
              list + 1,
              std::string(kPairs.expected),
              formatted("{} values of {} indices", read, count),
              ""};
    return false;
  }

  // Sorts the pairs by index. Returns false if an index occurs twice.
  bool sort(const char* list, std::int64_t count) {
    const auto size = static_cast<std::size_t>(count);
    const std::span<Index> indices(column_.indices<Index>(), size);
    if (std::ranges::adjacent_find(indices, std::greater_equal<>()) == indices.end()) return true;
    const std::span<T> values(column_.values<T>(), size);
    const std::vector<Index> given_indices(indices.begin(), indices.end());
    const std::vector<T> given_values(values.begin(), values.end());
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(given_indices[i], i); });
    std::size_t duplicate = size;
    for (std::size_t i = 0; i < size; ++i) {
      indices[i] = given_indices[order[i]];
      values[i] = given_values[order[i]];
      if (i > 0 && indices[i] == indices[i - 1]) duplicate = std::min(duplicate, order[i]);
    }
    if (duplicate == size) return true;
    const char* p = next_element(list + 1);
    for (std::size_t i = 0; i < duplicate; ++i) p = next_element(skip_value(p));
    fault_ = {&kDuplicateIndex, p, scalar_end(p), std::string(kDuplicateIndex.expected),
              found_at(p),      ""};
    return false;
  }

  const ValueRequest& request_;
  ColumnWriter& column_;
  Fault& fault_;
  ScalarReader<T> scalars_;
};

template <typename T, typename Index>
bool read_sparse(const ValueRequest& request, ColumnWriter& column, Fault& fault) {
  return SparseReader<T, Index>(request, column, fault).read();
}

}  // namespace

bool find_parts(const char* p, SparseParts& parts, Fault& fault) {
  const char* const begin = p;
  if (*p != '{') {
    set_type_fault(p, std::string(kSample), fault);
    return false;
  }
  for (p = skip_space(p + 1); *p != '}'; p = skip_space(*p == ',' ? p + 1 : p)) {
    const bool is_indices = is_string(p, kIndicesName);
    const char* const value = skip_space(skip_space(string_end(p + 1) + 1) + 1);
    const char*& part = is_indices ? parts.indices : parts.values;
    if (!is_indices && !is_string(p, kValuesName)) {
      fault = {&kSparse, p, marked_end(p), "\"indices\" or \"values\"", found_at(p), ""};
      return false;
    }
    if (part != nullptr) {
      fault = {&kRepeatedField, p, marked_end(p), std::string(kRepeatedField.expected),
               found_at(p),     ""};
      return false;
    }
    if (*value != '[') {
      set_type_fault(value, "a list", fault);
      return false;
    }
    part = value;
    p = skip_space(skip_value(value));
  }
  parts.end = p + 1;
  if (parts.indices != nullptr) return true;
  fault = {&kSparse, begin, begin + 1, std::string(kSparse.expected), "an object without them", ""};
  return false;
}

ReadValue sparse_reader(const Stream& stream) {
  const bool is_wide = stream.index_type == ElementType::i64;
  return internal::with_zero_of(stream.element_type, [is_wide]<typename T>(T) -> ReadValue {
    return is_wide ? read_sparse<T, std::int64_t> : read_sparse<T, std::int32_t>;
  });
}

}  // namespace sheaf::jsonl
