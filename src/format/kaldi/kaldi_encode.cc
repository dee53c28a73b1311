#include "format/kaldi/kaldi_encode.h"

#include <array>
#include <cassert>
#include <charconv>
#include <limits>
#include <string_view>
#include <type_traits>

namespace sheaf::internal {
namespace {

constexpr std::string_view kBinaryBegin("\0B", 2);
constexpr int kTextDigits = 7;

template <typename T>
void append_bytes(std::string& to, const T* values, std::int64_t count) {
  to.append(reinterpret_cast<const char*>(values), static_cast<std::size_t>(count) * sizeof(T));
}

/// Appends a number after its size.
template <typename T>
void append_marked(std::string& to, T value) {
  static_assert(sizeof(T) == 4);
  to += '\4';
  append_bytes(to, &value, 1);
}

void append_count(std::string& to, std::int64_t count) {
  assert(count >= 0 && count <= std::numeric_limits<std::int32_t>::max());
  append_marked(to, static_cast<std::int32_t>(count));
}

template <typename T>
void append_number(std::string& to, T value) {
  std::array<char, 32> text{};
  std::to_chars_result result{};
  if constexpr (std::is_floating_point_v<T>) {
    result = std::to_chars(text.data(), text.data() + text.size(), value,
                           std::chars_format::general, kTextDigits);
  } else {
    result = std::to_chars(text.data(), text.data() + text.size(), value);
  }
  assert(result.ec == std::errc());
  to.append(text.data(), result.ptr);
  to += ' ';
}

}  // namespace

template <typename T>
void encode_matrix(std::span<const T> values, std::int64_t rows, std::int64_t cols,
                   std::string& to) {
  assert(std::ssize(values) == rows * cols);
  to.append(kBinaryBegin).append(sizeof(T) == 4 ? "FM " : "DM ");
  // A matrix of Kaldi cannot have rows without columns.
  append_count(to, values.empty() ? 0 : rows);
  append_count(to, values.empty() ? 0 : cols);
  append_bytes(to, values.data(), std::ssize(values));
}

template void encode_matrix(std::span<const float>, std::int64_t, std::int64_t, std::string&);
template void encode_matrix(std::span<const double>, std::int64_t, std::int64_t, std::string&);

template <typename T>
void encode_vector(std::span<const T> values, std::string& to) {
  to.append(kBinaryBegin).append(sizeof(T) == 4 ? "FV " : "DV ");
  append_count(to, std::ssize(values));
  append_bytes(to, values.data(), std::ssize(values));
}

template void encode_vector(std::span<const float>, std::string&);
template void encode_vector(std::span<const double>, std::string&);

void encode_integers(std::span<const std::int32_t> values, std::string& to) {
  to.append(kBinaryBegin);
  append_count(to, std::ssize(values));
  for (const std::int32_t value : values) append_marked(to, value);
}

void encode_lists(std::span<const std::int32_t> values, std::span<const std::int64_t> counts,
                  std::string& to) {
  to.append(kBinaryBegin);
  append_count(to, std::ssize(counts));
  const std::int32_t* value = values.data();
  for (const std::int64_t count : counts) {
    append_count(to, count);
    for (std::int64_t i = 0; i < count; ++i) append_marked(to, *value++);
  }
  assert(value == values.data() + values.size());
}

void encode_posterior(std::span<const float> values, std::span<const std::int32_t> indices,
                      std::span<const std::int64_t> counts, std::string& to) {
  assert(values.size() == indices.size());
  to.append(kBinaryBegin);
  append_count(to, std::ssize(counts));
  std::size_t i = 0;
  for (const std::int64_t count : counts) {
    append_count(to, count);
    for (const std::size_t end = i + static_cast<std::size_t>(count); i < end; ++i) {
      append_marked(to, indices[i]);
      append_marked(to, values[i]);
    }
  }
  assert(i == values.size());
}

void encode_sparse(std::span<const float> values, std::span<const std::int32_t> indices,
                   std::span<const std::int64_t> counts, std::int64_t dim, std::string& to) {
  assert(values.size() == indices.size());
  to.append(kBinaryBegin).append("SM ");
  append_count(to, std::ssize(counts));
  std::size_t i = 0;
  for (const std::int64_t count : counts) {
    to += "SV ";
    append_count(to, dim);
    append_count(to, count);
    for (const std::size_t end = i + static_cast<std::size_t>(count); i < end; ++i) {
      append_marked(to, indices[i]);
      append_marked(to, values[i]);
    }
  }
  assert(i == values.size());
}

template <typename T>
void encode_text_matrix(std::span<const T> values, std::int64_t rows, std::int64_t cols,
                        std::string& to) {
  assert(std::ssize(values) == rows * cols);
  to += values.empty() ? " [ " : " [";
  if (!values.empty()) {
    for (std::int64_t r = 0; r < rows; ++r) {
      to += "\n  ";
      for (std::int64_t c = 0; c < cols; ++c) {
        append_number(to, values[static_cast<std::size_t>(r * cols + c)]);
      }
    }
  }
  to += "]\n";
}

template void encode_text_matrix(std::span<const float>, std::int64_t, std::int64_t, std::string&);
template void encode_text_matrix(std::span<const double>, std::int64_t, std::int64_t, std::string&);

template <typename T>
void encode_text_vector(std::span<const T> values, std::string& to) {
  to += " [ ";
  for (const T value : values) append_number(to, value);
  to += "]\n";
}

template void encode_text_vector(std::span<const float>, std::string&);
template void encode_text_vector(std::span<const double>, std::string&);

void encode_text_integers(std::span<const std::int32_t> values, std::string& to) {
  for (const std::int32_t value : values) append_number(to, value);
  to += '\n';
}

void encode_text_posterior(std::span<const float> values, std::span<const std::int32_t> indices,
                           std::span<const std::int64_t> counts, std::string& to) {
  assert(values.size() == indices.size());
  std::size_t i = 0;
  for (const std::int64_t count : counts) {
    to += "[ ";
    for (const std::size_t end = i + static_cast<std::size_t>(count); i < end; ++i) {
      append_number(to, indices[i]);
      append_number(to, values[i]);
    }
    to += "] ";
  }
  to += '\n';
}

}  // namespace sheaf::internal
