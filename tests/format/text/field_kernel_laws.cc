#include "format/text/field_kernel_laws.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/extend/simd.h"

#include "base/number.h"
#include "base/text_scan.h"
#include "format/text/number_list.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kPieceSize = 4096;  // the bytes that kernels process together
constexpr std::int64_t kPairsLeft = 7;     // the pairs that a kernel may leave to its caller
constexpr std::int64_t kIndexDigits = 8;   // the digits of an index that a kernel must take
constexpr std::size_t kGuardCount = 16;    // values after the limit, which must not change

/// A field in memory of exactly the size that kernels may read.
class Padded {
 public:
  Padded(std::string_view field, char around)
      : size_(static_cast<std::int64_t>(field.size())),
        bytes_(field.size() + 2 * kPadding, around) {
    std::copy(field.begin(), field.end(), bytes_.begin() + kKernelPadding);
    bytes_[kPadding + field.size()] = '\n';
  }

  [[nodiscard]] const char* begin() const { return bytes_.data() + kPadding; }
  [[nodiscard]] const char* end() const { return begin() + size_; }

 private:
  static constexpr auto kPadding = static_cast<std::size_t>(kKernelPadding);

  std::int64_t size_;
  std::vector<char> bytes_;
};

bool ends_token(const char* p) {
  return is_blank(*p) || *p == '|' || (is_control(*p) && *p != 0x7F);
}

/// Returns the end of the number at `p`, if there is a number.
template <typename T>
std::optional<const char*> end_of_number(const char* p, const char* end, T& value) {
  if (p == end) return std::nullopt;
  const NumberResult result = lex_number(p, end, value);
  if (result.code != NumberCode::ok || !ends_token(result.next)) return std::nullopt;
  return result.next;
}

/// Returns the end of the pair at `p`, if there is a pair.
template <typename T>
std::optional<const char*> end_of_pair(const char* p, const char* end, std::int64_t dim,
                                       std::uint64_t& index, T& value) {
  const char* const colon = lex_index(p, index);
  if (colon == p || *colon != ':' || index >= static_cast<std::uint64_t>(dim)) return std::nullopt;
  return end_of_number(colon + 1, end, value);
}

/// Returns whether a kernel must reach a token from the end of the token before.
bool is_in_reach(const char* before, const char* token_end) {
  return token_end - before < kPieceSize;
}

/// Values with guards after the last value that may be written.
template <typename T>
class Guarded {
 public:
  explicit Guarded(std::int64_t limit)
      : limit_(static_cast<std::size_t>(limit)), values_(limit_ + kGuardCount, kGuard) {}

  [[nodiscard]] T* data() { return values_.data(); }
  [[nodiscard]] const T& operator[](std::int64_t i) const {
    return values_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] bool is_intact() const {
    return std::all_of(values_.begin() + static_cast<std::ptrdiff_t>(limit_), values_.end(),
                       [](T value) { return value == kGuard; });
  }

 private:
  static constexpr T kGuard{-99};

  std::size_t limit_;
  std::vector<T> values_;
};

template <typename T>
std::string broken_of_values(const FieldKernels& kernels, const Padded& text, std::int64_t limit,
                             bool must_take) {
  Guarded<T> values(limit);
  ValueField<T> field{values.data(), limit};
  const char* const left = kernels.values<T>()(text.begin(), field);
  if (field.count < 0 || field.count > limit) return "the count is not within the limit";
  if (!values.is_intact()) return "something was written beyond the limit";

  const char* before = text.begin();
  const char* p = skip_blanks(before, text.end());
  T value = 0;
  for (std::int64_t i = 0; i < field.count; ++i) {
    const std::optional<const char*> next = end_of_number(p, text.end(), value);
    if (!next) return "token " + std::to_string(i) + " is no number, but was taken";
    if (std::memcmp(&value, &values[i], sizeof value) != 0) {
      return "token " + std::to_string(i) + " became " + std::to_string(values[i]);
    }
    before = *next;
    p = skip_blanks(before, text.end());
  }
  if (left < text.begin() || left > text.end() || skip_blanks(left, text.end()) != p) {
    return "left at " + std::to_string(left - text.begin()) + ", not at " +
           std::to_string(p - text.begin());
  }
  if (must_take && field.count < limit) {
    const std::optional<const char*> next = end_of_number(p, text.end(), value);
    if (next && is_in_reach(before, *next)) {
      return "only " + std::to_string(field.count) + " tokens were taken";
    }
  }
  return "";
}

template <typename T, typename Index>
std::string broken_of_pairs(const FieldKernels& kernels, const Padded& text, std::int64_t limit,
                            std::int64_t dim, bool must_take) {
  dim = std::min<std::int64_t>(dim, std::numeric_limits<Index>::max());
  Guarded<T> values(limit);
  Guarded<Index> indices(limit);
  PairField<T, Index> field{values.data(), indices.data(), dim, limit};
  const char* const left = kernels.pairs<T, Index>()(text.begin(), field);
  if (field.count < 0 || field.count > limit) return "the count is not within the limit";
  if (!values.is_intact() || !indices.is_intact()) return "something was written beyond the limit";

  const char* before = text.begin();
  const char* p = skip_blanks(before, text.end());
  std::uint64_t index = 0;
  T value = 0;
  bool is_sorted = true;
  for (std::int64_t i = 0; i < field.count; ++i) {
    const std::optional<const char*> next = end_of_pair(p, text.end(), dim, index, value);
    if (!next) return "token " + std::to_string(i) + " is no pair, but was taken";
    if (static_cast<std::uint64_t>(indices[i]) != index ||
        std::memcmp(&value, &values[i], sizeof value) != 0) {
      return "token " + std::to_string(i) + " became " + std::to_string(indices[i]) + ":" +
             std::to_string(values[i]);
    }
    if (i > 0) is_sorted = is_sorted && indices[i - 1] < indices[i];
    before = *next;
    p = skip_blanks(before, text.end());
  }
  if (field.is_sorted != is_sorted) return "it does not know whether indices ascend";
  if (left < text.begin() || left > text.end() || skip_blanks(left, text.end()) != p) {
    return "left at " + std::to_string(left - text.begin()) + ", not at " +
           std::to_string(p - text.begin());
  }
  for (std::int64_t more = 0; must_take && field.count + more < limit; ++more) {
    const std::optional<const char*> next = end_of_pair(p, text.end(), dim, index, value);
    if (!next || !is_in_reach(before, *next)) break;
    if (std::find(p, *next, ':') - p > kIndexDigits) break;
    if (more == kPairsLeft) return "only " + std::to_string(field.count) + " pairs were taken";
    before = *next;
    p = skip_blanks(before, text.end());
  }
  return "";
}

/// Returns whether a kernel must accept the list that begins at `p`.
///
/// Pre: read_number_list() accepts the list.
template <typename T>
bool is_list_in_reach(const char* p, const char* end) {
  const char* before = p;
  for (p = skip_blanks(p, end); *p != ']'; p = skip_blanks(p, end)) {
    T value{};
    p = read_json_number(p, value);
    if (!is_in_reach(before, p)) return false;
    before = p;
    p = skip_blanks(p, end);
    if (*p == ',') ++p;
  }
  return is_in_reach(before, p);
}

template <typename T>
std::string broken_of_list(const FieldKernels& kernels, const Padded& text, std::int64_t limit) {
  Guarded<T> slow_values(limit);
  ValueField<T> slow{slow_values.data(), limit};
  const char* const expected = read_number_list(text.begin(), slow);
  if (!slow_values.is_intact()) return "read_number_list() wrote beyond the limit";

  Guarded<T> values(limit);
  ValueField<T> field{values.data(), limit};
  const char* const end = kernels.list<T>()(text.begin(), field);
  if (!values.is_intact()) return "something was written beyond the limit";
  if (field.count < 0 || field.count > slow.count) return "the count is not that of any elements";
  if (end == nullptr) {
    if (expected == nullptr || !is_list_in_reach<T>(text.begin(), text.end())) return "";
    return "a list of " + std::to_string(slow.count) + " elements is refused";
  }
  if (expected == nullptr) return "what is no list is taken";
  if (end != expected || field.count != slow.count) {
    return "left at " + std::to_string(end - text.begin()) + " with " +
           std::to_string(field.count) + " elements, not at " +
           std::to_string(expected - text.begin()) + " with " + std::to_string(slow.count);
  }
  for (std::int64_t i = 0; i < field.count; ++i) {
    if (std::memcmp(&values[i], &slow_values[i], sizeof(T)) != 0) {
      return "element " + std::to_string(i) + " became " + std::to_string(values[i]);
    }
  }
  if (field.count == 0) return "";
  Guarded<T> fewer(field.count - 1);
  ValueField<T> small{fewer.data(), field.count - 1};
  if (kernels.list<T>()(text.begin(), small) != nullptr) return "an element too many is taken";
  if (!fewer.is_intact()) return "an element too many is written";
  if (small.count != field.count - 1) return "the count before an element too many is wrong";
  return "";
}

/// Compares count_until() with a loop over the bytes.
std::string broken_of_count(const FieldKernels& kernels, const char* first, const char* last,
                            char stop, char counted) {
  const char* const end = std::find(first, last, stop);
  const auto expected = static_cast<std::int64_t>(std::count(first, end, counted));
  std::int64_t count = 0;
  if (kernels.count_until(first, last, stop, counted, count) != end) return "stopped elsewhere";
  if (count != expected) return "counted " + std::to_string(count);
  return "";
}

}  // namespace

std::string broken_law(const FieldCase& given) {
  const FieldKernels& kernels = field_kernels();
  const bool must_take = simd_level() != SimdLevel::baseline;
  const Padded text(given.field, given.around);
  const std::int64_t limit = given.limit;
  const std::int64_t dim = given.dim;
  std::string broken;
  const auto hold = [&](std::string_view kernel, const auto& find) {
    if (!broken.empty()) return;
    broken = find();
    if (!broken.empty()) broken = std::string(kernel) + ": " + broken;
  };
  hold("values_f32", [&] { return broken_of_values<float>(kernels, text, limit, must_take); });
  hold("values_f64", [&] { return broken_of_values<double>(kernels, text, limit, must_take); });
  hold("pairs_f32_i32",
       [&] { return broken_of_pairs<float, std::int32_t>(kernels, text, limit, dim, must_take); });
  hold("pairs_f32_i64",
       [&] { return broken_of_pairs<float, std::int64_t>(kernels, text, limit, dim, must_take); });
  hold("pairs_f64_i32",
       [&] { return broken_of_pairs<double, std::int32_t>(kernels, text, limit, dim, must_take); });
  hold("pairs_f64_i64",
       [&] { return broken_of_pairs<double, std::int64_t>(kernels, text, limit, dim, must_take); });
  for (const std::string& list : {std::string(given.field), std::string(given.field) + ']'}) {
    const Padded padded(list, given.around);
    hold("list_f32", [&] { return broken_of_list<float>(kernels, padded, limit); });
    hold("list_f64", [&] { return broken_of_list<double>(kernels, padded, limit); });
    hold("list_i32", [&] { return broken_of_list<std::int32_t>(kernels, padded, limit); });
    hold("list_i64", [&] { return broken_of_list<std::int64_t>(kernels, padded, limit); });
  }
  const char* const first = text.begin();
  for (const char* const last : {text.end(), first + std::min(limit, text.end() - first)}) {
    hold("count_until", [&] { return broken_of_count(kernels, first, last, '|', ':'); });
    hold("count_until", [&] { return broken_of_count(kernels, first, last, '#', '1'); });
  }
  return broken;
}

}  // namespace sheaf::internal
