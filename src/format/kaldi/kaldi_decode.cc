#include "format/kaldi/kaldi_decode.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "format/kaldi/kaldi_errors.h"
#include "format/kaldi/kaldi_text_object.h"

namespace sheaf::kaldi {
namespace {

template <typename T>
std::span<T> values_at(std::byte* to, std::int64_t count) {
  return {reinterpret_cast<T*>(to), static_cast<std::size_t>(count)};
}

std::span<const std::byte> data_of(const ProbedObject& object, std::span<const std::byte> bytes) {
  return bytes.subspan(static_cast<std::size_t>(object.head.data_begin));
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Calls `take` with a value of the element type of the stream.
template <typename Take>
auto with_type(ElementType type, const Take& take) {
  switch (type) {
    case ElementType::f64:
      return take(double{});
    case ElementType::i32:
      return take(std::int32_t{});
    default:
      return take(float{});
  }
}

std::variant<TextObject, KaldiFault> text_object(std::span<const std::byte> bytes,
                                                 const Stream& stream, As as) {
  constexpr std::int64_t kDimMax = std::int64_t{1} << 31;
  const bool has_dim = stream.storage == Storage::sparse;
  return parse_text_object(text_of(bytes), as, stream.element_type,
                           has_dim ? stream.sample_shape.size() : kDimMax);
}

// Copies a part of the values of a text.
template <typename T>
void take_part(const TextObject& text, const ObjectPart& part, std::span<T> to) {
  T* out = to.data();
  for (std::int64_t row = 0; row < part.rows.count; ++row) {
    const std::int64_t first = (part.rows.first + row) * text.cols + part.cols.first;
    for (std::int64_t col = 0; col < part.cols.count; ++col) {
      *out++ = static_cast<T>(text.values[static_cast<std::size_t>(first + col)]);
    }
  }
}

template <typename T>
void decode_binary_floats(const ProbedObject& object, std::span<const std::byte> bytes,
                          const ObjectPart& part, std::span<T> to) {
  const std::span<const std::byte> data = data_of(object, bytes);
  if (object.head.kind == KaldiKind::compressed) {
    internal::decode_compressed(object.head, data, part.rows, part.cols, to);
  } else {
    internal::decode_floats(object.head, data, part.rows, part.cols, to);
  }
}

void decode_binary_scalar(const ProbedObject& object, std::span<const std::byte> bytes,
                          ElementType type, std::byte* to) {
  const std::span<const std::byte> data = data_of(object, bytes);
  const bool is_double = object.head.value_size_bytes == 8;
  if (type == ElementType::i32) {
    values_at<std::int32_t>(to, 1)[0] = internal::decode_scalar<std::int32_t>(object.head, data);
    return;
  }
  const double value = is_double ? internal::decode_scalar<double>(object.head, data)
                                 : double{internal::decode_scalar<float>(object.head, data)};
  if (type == ElementType::f64) {
    values_at<double>(to, 1)[0] = value;
  } else {
    values_at<float>(to, 1)[0] = static_cast<float>(value);
  }
}

// Sets the values of loose samples from floats or whole numbers.
template <typename From>
void set_values(const std::vector<From>& from, ElementType type, LooseSamples& to) {
  with_type(type, [&]<typename T>(T /*zero*/) {
    to.values.resize(from.size() * sizeof(T));
    const std::span<T> values = values_at<T>(to.values.data(), std::ssize(from));
    std::ranges::transform(from, values.begin(), [](From value) { return static_cast<T>(value); });
  });
}

// Makes a sparse sample for each class.
std::optional<KaldiFault> set_one_hot(const std::vector<std::int32_t>& classes,
                                      const ProbedObject& object, const Stream& stream,
                                      LooseSamples& to) {
  const std::int64_t dim = stream.sample_shape.size();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] >= 0 && classes[i] < dim) continue;
    const std::int64_t at =
        object.is_text ? 0 : object.head.data_begin + 5 * static_cast<std::int64_t>(i);
    return KaldiFault{
        &internal::kKaldiClass, at,
        formatted("{} as element {}, where the stream has {} classes", classes[i], i, dim)};
  }
  to.indices = classes;
  to.counts.assign(classes.size(), 1);
  set_values(std::vector<float>(classes.size(), 1), stream.element_type, to);
  return std::nullopt;
}

std::optional<KaldiFault> decode_loose_text(const ProbedObject& object,
                                            std::span<const std::byte> bytes, const Stream& stream,
                                            As as, LooseSamples& to) {
  auto parsed = text_object(bytes, stream, as);
  if (auto* const fault = std::get_if<KaldiFault>(&parsed)) return std::move(*fault);
  auto& text = std::get<TextObject>(parsed);
  if (as == As::one_hot) {
    return set_one_hot({text.values.begin(), text.values.end()}, object, stream, to);
  }
  set_values(text.values, stream.element_type, to);
  to.indices = std::move(text.indices);
  to.counts = std::move(text.counts);
  return std::nullopt;
}

}  // namespace

bool has_fixed_samples(const Stream& stream) noexcept {
  return stream.storage == Storage::dense && stream.sample_shape.is_fixed();
}

bool has_values_of(const ProbedObject& object, const Stream& stream) noexcept {
  const bool is_float =
      stream.element_type == ElementType::f32 || stream.element_type == ElementType::f64;
  const bool has_floats =
      object.head.kind == KaldiKind::matrix || object.head.kind == KaldiKind::vector;
  return is_float && has_floats && !object.is_text &&
         object.head.value_size_bytes == element_size(stream.element_type);
}

std::optional<KaldiFault> decode_fixed(const ProbedObject& object, std::span<const std::byte> bytes,
                                       const Stream& stream, As as, const ObjectPart& part,
                                       std::byte* to) {
  const std::int64_t count = part.rows.count * part.cols.count;
  if (object.is_text) {
    const auto parsed = text_object(bytes, stream, as);
    if (const auto* const fault = std::get_if<KaldiFault>(&parsed)) return *fault;
    with_type(stream.element_type, [&]<typename T>(T /*zero*/) {
      take_part(std::get<TextObject>(parsed), part, values_at<T>(to, count));
    });
    return std::nullopt;
  }
  switch (object.head.kind) {
    case KaldiKind::integers:
    case KaldiKind::pairs:
      return internal::decode_integers(
          data_of(object, bytes).first(static_cast<std::size_t>(5 * count)), object.head.data_begin,
          values_at<std::int32_t>(to, count));
    case KaldiKind::scalar:
      decode_binary_scalar(object, bytes, stream.element_type, to);
      return std::nullopt;
    default:
      if (stream.element_type == ElementType::f64) {
        decode_binary_floats(object, bytes, part, values_at<double>(to, count));
      } else {
        decode_binary_floats(object, bytes, part, values_at<float>(to, count));
      }
      return std::nullopt;
  }
}

std::optional<KaldiFault> decode_loose(const ProbedObject& object, std::span<const std::byte> bytes,
                                       const Stream& stream, As as, LooseSamples& to) {
  if (object.is_text) return decode_loose_text(object, bytes, stream, as, to);
  const std::span<const std::byte> data = data_of(object, bytes);
  const auto rows = static_cast<std::size_t>(object.head.rows);
  const auto count = static_cast<std::size_t>(object.value_count);
  if (object.head.kind == KaldiKind::integers) {
    std::vector<std::int32_t> classes(rows);
    std::optional<KaldiFault> fault =
        internal::decode_integers(data.first(5 * rows), object.head.data_begin, classes);
    return fault ? std::move(fault) : set_one_hot(classes, object, stream, to);
  }
  to.counts.resize(rows);
  if (object.head.kind == KaldiKind::lists) {
    std::vector<std::int32_t> values(count);
    std::optional<KaldiFault> fault = internal::decode_lists(object.head, data, values, to.counts);
    if (!fault) set_values(values, stream.element_type, to);
    return fault;
  }
  std::vector<float> values(count);
  to.indices.resize(count);
  std::optional<KaldiFault> fault =
      internal::decode_sparse(object.head, data, stream.sample_shape.size(),
                              {.values = values, .indices = to.indices, .counts = to.counts});
  if (!fault) set_values(values, stream.element_type, to);
  return fault;
}

}  // namespace sheaf::kaldi
