#include "format/kaldi/kaldi_probe.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/kaldi/kaldi_text_object.h"
#include "format/kaldi/kaldi_walk.h"
#include "format/listed/source_bytes.h"
#include "format/sample_shape.h"

namespace sheaf::kaldi {
namespace {

// Returns the kind of objects that begin with the byte 4.
KaldiKind declared_kind(As as) {
  switch (as) {
    case As::pairs:
      return KaldiKind::pairs;
    case As::lists:
      return KaldiKind::lists;
    case As::posteriors:
      return KaldiKind::posteriors;
    case As::scalars:
      return KaldiKind::scalar;
    default:
      return KaldiKind::integers;
  }
}

bool is_walked(KaldiKind kind) {
  return kind == KaldiKind::sparse || kind == KaldiKind::lists || kind == KaldiKind::posteriors;
}

// Walks through an object up to its end.
std::optional<KaldiFault> walk(const BytesAt& bytes_at, std::int64_t size_left,
                               ProbedObject& object) {
  internal::KaldiWalk walk(object.head, size_left);
  while (!walk.is_done()) {
    const std::span<const std::byte> bytes = bytes_at(walk.position());
    if (bytes.empty()) return KaldiFault{&internal::kKaldiCut, size_left, "the end of the file"};
    if (std::optional<KaldiFault> fault = walk.take(bytes)) return fault;
  }
  object.size_bytes = walk.position();
  object.value_count = walk.value_count();
  if (object.head.kind == KaldiKind::sparse && object.head.rows > 0) object.dim = walk.dim();
  return std::nullopt;
}

// Sets the samples that an object becomes.
void set_samples(ProbedObject& object, As as) {
  const KaldiHead& head = object.head;
  object.sample_count = head.rows;
  switch (head.kind) {
    case KaldiKind::matrix:
    case KaldiKind::compressed:
      if (head.rows > 0) object.dim = head.cols;
      break;
    case KaldiKind::vector:
      object.dim = as == As::frames ? 1 : head.rows;
      if (as != As::frames) object.sample_count = 1;
      break;
    case KaldiKind::integers:
    case KaldiKind::scalar:
      object.dim = 1;
      break;
    case KaldiKind::pairs:
      object.dim = 2;
      break;
    default:
      break;
  }
}

// Parses a text with more and more bytes until they include its end. An apparent error near the end
// of the bytes may disappear with more of them.
Probed probe_text(const BytesAt& bytes_at, std::int64_t size_left, const ReadOptions& options) {
  constexpr std::int64_t kNearEnd = 256;
  constexpr std::int64_t kDimMax = std::int64_t{1} << 31;
  std::string text;
  while (true) {
    const std::size_t wanted = text.size() * 2;
    bool is_all = false;
    do {
      const std::span<const std::byte> more = bytes_at(std::ssize(text));
      text.append(reinterpret_cast<const char*>(more.data()), more.size());
      is_all = more.empty() || std::ssize(text) >= size_left;
    } while (!is_all && text.size() < wanted);
    auto parsed = parse_text_object(text, options.as, options.type.value_or(ElementType::f32),
                                    options.as == As::posteriors ? options.shape->size() : kDimMax);
    if (auto* const fault = std::get_if<KaldiFault>(&parsed)) {
      if (is_all || fault->byte_offset + kNearEnd < std::ssize(text)) return std::move(*fault);
      continue;
    }
    const auto& found = std::get<TextObject>(parsed);
    if (!is_all && found.size_bytes == std::ssize(text)) continue;
    ProbedObject object{.head = {.kind = found.kind, .rows = found.rows, .cols = found.cols}};
    object.is_text = true;
    object.size_bytes = found.size_bytes;
    object.value_count = std::ssize(found.values);
    if (found.kind == KaldiKind::sparse && found.rows > 0) object.dim = found.cols;
    set_samples(object, options.as);
    return object;
  }
}

bool is_float(ElementType type) { return type == ElementType::f32 || type == ElementType::f64; }

// Returns whether objects of a kind can become samples of the stream.
bool fits(const ProbedObject& object, const Stream& stream, As as) {
  const KaldiKind kind = object.head.kind;
  switch (as) {
    case As::frames:
      return kind == KaldiKind::vector;
    case As::one_hot:
      return kind == KaldiKind::integers;
    case As::pairs:
    case As::lists:
    case As::posteriors:
      return kind == declared_kind(as);
    case As::scalars:
      return kind == KaldiKind::scalar &&
             (object.is_text || object.head.value_size_bytes == 4 || is_float(stream.element_type));
    case As::values:
      if (stream.storage == Storage::sparse) return kind == KaldiKind::sparse;
      if (stream.element_type == ElementType::i32) return kind == KaldiKind::integers;
      return kind == KaldiKind::matrix || kind == KaldiKind::compressed ||
             kind == KaldiKind::vector;
    case As::text:
      break;  // lines of text are not objects
  }
  return false;
}

}  // namespace

Probed probe_object(const BytesAt& bytes_at, std::int64_t size_left, const ReadOptions& options) {
  auto parsed = internal::parse_kaldi_head(bytes_at(0), declared_kind(options.as), size_left);
  if (auto* const fault = std::get_if<KaldiFault>(&parsed)) return std::move(*fault);
  ProbedObject object{.head = std::get<KaldiHead>(parsed)};
  if (object.head.kind == KaldiKind::text) return probe_text(bytes_at, size_left, options);
  object.size_bytes = object.head.size_bytes;
  if (is_walked(object.head.kind)) {
    if (std::optional<KaldiFault> fault = walk(bytes_at, size_left, object))
      return *std::move(fault);
  }
  set_samples(object, options.as);
  return object;
}

Probed probe_listed(const ByteSource& source, std::int64_t offset_bytes,
                    std::span<const std::byte> head, const ReadOptions& options) {
  constexpr std::int64_t kBlockSize = std::int64_t{64} << 10;
  const std::int64_t left = std::max<std::int64_t>(0, source.size() - offset_bytes);
  std::vector<std::byte> block;
  const auto bytes_at = [&](std::int64_t position) {
    if (position < std::ssize(head)) return head.subspan(static_cast<std::size_t>(position));
    block.resize(
        static_cast<std::size_t>(std::clamp<std::int64_t>(left - position, 0, kBlockSize)));
    internal::read_bytes(source, offset_bytes + position, block, options.read_size_bytes);
    return std::span<const std::byte>(block);
  };
  return probe_object(bytes_at, left, options);
}

Probed probe_object(const ByteSource& source, std::int64_t offset_bytes,
                    const ReadOptions& options) {
  std::array<std::byte, internal::kKaldiHeadSize> head{};
  const std::int64_t left = std::max<std::int64_t>(0, source.size() - offset_bytes);
  const std::span<std::byte> bytes =
      std::span(head).first(static_cast<std::size_t>(std::min(left, std::ssize(head))));
  internal::read_bytes(source, offset_bytes, bytes, options.read_size_bytes);
  return probe_listed(source, offset_bytes, bytes, options);
}

std::variant<ObjectPart, KaldiFault> part_of(
    const ProbedObject& object, const std::optional<internal::KaldiListedRange>& rows,
    const std::optional<internal::KaldiListedRange>& cols) {
  const KaldiHead& head = object.head;
  const bool is_vector = head.kind == KaldiKind::vector;
  const bool is_matrix = head.kind == KaldiKind::matrix || head.kind == KaldiKind::compressed;
  ObjectPart part{.rows = {0, head.rows}, .cols = {0, is_vector ? 1 : head.cols}};
  if (!rows && !cols) return part;
  if (!is_matrix && (!is_vector || cols)) {
    return KaldiFault{&kRangeKind, 0, formatted("a range of a {}", to_string(head.kind))};
  }
  if (rows) {
    const auto picked = internal::clip_row_range(*rows, head.rows);
    if (const auto* const fault = std::get_if<KaldiFault>(&picked)) return *fault;
    part.rows = std::get<internal::KaldiRange>(picked);
  }
  if (cols) {
    const auto picked = internal::check_column_range(*cols, head.cols);
    if (const auto* const fault = std::get_if<KaldiFault>(&picked)) return *fault;
    part.cols = std::get<internal::KaldiRange>(picked);
  }
  return part;
}

void take_part(ProbedObject& object, const ObjectPart& part, As as) noexcept {
  if (object.head.kind == KaldiKind::vector) {
    (as == As::frames ? object.sample_count : object.dim) = part.rows.count;
    return;
  }
  // Objects of other kinds have no parts.
  if (object.head.kind != KaldiKind::matrix && object.head.kind != KaldiKind::compressed) return;
  object.sample_count = part.rows.count;
  if (part.rows.count > 0) object.dim = part.cols.count;
}

Stream stream_of(const ReadOptions& options, const ProbedObject* first) {
  Stream stream{.name = options.name,
                .element_type = options.type.value_or(ElementType::f32),
                .storage = options.storage.value_or(Storage::dense),
                .index_type = options.index_type,
                .defines_minibatch_size = options.defines_minibatch_size};
  if (first != nullptr) {
    const KaldiKind kind = first->head.kind;
    const bool is_sparse = kind == KaldiKind::sparse;
    if (!options.storage && is_sparse) stream.storage = Storage::sparse;
    if (!options.type) {
      const bool is_double = !first->is_text && first->head.value_size_bytes == 8;
      stream.element_type = kind == KaldiKind::integers ? ElementType::i32
                            : is_double                 ? ElementType::f64
                                                        : ElementType::f32;
    }
    stream.sample_shape = Shape{std::max<std::int64_t>(first->dim, 1)};
  }
  if (options.shape) stream.sample_shape = *options.shape;
  if (stream.sample_shape.is_fixed()) {
    internal::check_sample_shape(stream.name, stream.sample_shape, stream.storage,
                                 stream.index_type);
  }
  return stream;
}

std::optional<Misfit> misfit_of(const ProbedObject& object, const Stream& stream, As as) {
  if (!fits(object, stream, as)) {
    return Misfit{&kOtherKind,
                  formatted("a {} for a {} stream of {}", to_string(object.head.kind),
                            to_string(stream.storage), to_string(stream.element_type))};
  }
  const bool has_dim =
      stream.sample_shape.is_fixed() && object.dim != ProbedObject::kAnyDim && as != As::one_hot;
  if (!has_dim || object.dim == stream.sample_shape.size()) return std::nullopt;
  return Misfit{&kOtherDim,
                formatted("{}, where the stream has {}", object.dim, stream.sample_shape.size())};
}

}  // namespace sheaf::kaldi
