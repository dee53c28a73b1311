#include "packer/variable_rows.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"
#include "packer/gather.h"

// Limit: reading the extents of all samples once, and writing the bytes of the array rows once. The
// bytes of a sample that is smaller than its row are written twice.

namespace sheaf::internal {
namespace {

std::span<const std::int64_t> extents_of(const SequenceView& view, std::int64_t sample,
                                         std::int64_t rank) noexcept {
  return {view.extents + sample * rank, static_cast<std::size_t>(rank)};
}

/// Checks the extents of a sample of `value_count` values, because wrong extents would lead out of
/// bounds.
///
/// Throws: InternalError.
void check_extents(const Stream& stream, std::span<const std::int64_t> extents,
                   std::int64_t value_count) {
  std::int64_t product = 1;
  bool is_right = true;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const std::int64_t declared = stream.sample_shape.extents()[axis];
    const std::int64_t extent = extents[axis];
    is_right &= extent >= 0 && (declared == Shape::kVariable || declared == extent);
    product = saturated_product(product, std::max<std::int64_t>(extent, 0));
  }
  if (is_right && product == value_count) return;
  std::string text;
  for (const std::int64_t extent : extents)
    text += (text.empty() ? "" : ", ") + formatted("{}", extent);
  throw InternalError(
      formatted("packing: stream \"{}\" of shape {}: a sample of {} values has the extents [{}]",
                stream.name, to_string(stream.sample_shape), value_count, text));
}

/// Copies one axis after the other, and advances `sample`. A run is contiguous in the sample and in
/// the array row.
void copy_axes(const std::byte*& sample, std::span<const std::int64_t> extents,
               std::span<const std::int64_t> row_extents, std::byte* row, std::int64_t row_size,
               std::int64_t run_size) noexcept {
  if (extents.empty()) {
    std::memcpy(row, sample, static_cast<std::size_t>(run_size));
    sample += run_size;
    return;
  }
  const std::int64_t step = row_size / row_extents[0];
  for (std::int64_t i = 0; i < extents[0]; ++i) {
    copy_axes(sample, extents.subspan(1), row_extents.subspan(1), row + i * step, step, run_size);
  }
}

}  // namespace

bool is_opaque(const Stream& stream) noexcept {
  return stream.element_type == ElementType::bytes && stream.storage == Storage::dense &&
         stream.sample_shape.rank() == 1 && !stream.sample_shape.is_fixed();
}

bool is_variable(const Stream& stream) noexcept {
  return stream.storage == Storage::dense && !stream.sample_shape.is_fixed() && !is_opaque(stream);
}

bool has_row_offsets(const Stream& stream) noexcept {
  return stream.storage == Storage::sparse || is_opaque(stream);
}

Shape row_shape_of(const Stream& stream, std::span<const SequenceView> views) {
  if (!is_variable(stream)) return stream.sample_shape;
  const auto rank = static_cast<std::size_t>(stream.sample_shape.rank());
  std::array<std::int64_t, Shape::kRankMax> largest{};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    largest[axis] = std::max<std::int64_t>(stream.sample_shape.extents()[axis], 0);
  }
  for (const SequenceView& view : views) {
    for (std::int64_t t = 0; t < view.sample_count; ++t) {
      const auto extents = extents_of(view, t, stream.sample_shape.rank());
      check_extents(stream, extents, view.sample_offsets[t + 1] - view.sample_offsets[t]);
      for (std::size_t axis = 0; axis < rank; ++axis) {
        largest[axis] = std::max(largest[axis], extents[axis]);
      }
    }
  }
  return Shape::of_samples(std::span(largest).first(rank));
}

void check_equal_shapes(Layout layout, const SequenceList& sequences) {
  for (std::int64_t s = 0; s < std::ssize(*sequences.streams()); ++s) {
    const Stream& stream = (*sequences.streams())[static_cast<std::size_t>(s)];
    if (!is_variable(stream)) continue;
    std::span<const std::int64_t> first;  // extents of the very first sample
    std::int64_t of_first = 0;
    for (std::int64_t i = 0; i < sequences.size(); ++i) {
      const SequenceView& view = sequences.views(s)[static_cast<std::size_t>(i)];
      for (std::int64_t t = 0; t < view.sample_count; ++t) {
        const auto extents = extents_of(view, t, stream.sample_shape.rank());
        if (first.empty()) {
          first = extents;
          of_first = i;
        }
        if (std::ranges::equal(extents, first)) continue;
        throw ConfigError(formatted(
            "packing: stream \"{}\" has samples of shape {} in sequence {} and {} in sequence {}: "
            "`{}` takes samples of one shape; pack them as `padded` or `ragged`",
            stream.name, to_string(Shape::of_samples(first)), key_of(sequences, of_first),
            to_string(Shape::of_samples(extents)), key_of(sequences, i), to_string(layout)));
      }
    }
  }
}

Buffer row_extents(const Stream& stream, std::span<const SequenceView> views,
                   const StreamBatch& batch, std::int64_t row_count,
                   std::pmr::memory_resource& memory) {
  const std::int64_t rank = stream.sample_shape.rank();
  Buffer extents = allocate(row_count, rank * std::int64_t{sizeof(std::int64_t)}, memory);
  if (extents.empty()) return extents;
  std::int64_t* const out = extents.as_mutable<std::int64_t>().data();
  if (batch.sample_count < row_count) std::fill_n(out, row_count * rank, std::int64_t{0});
  const std::int64_t row_step = std::max<std::int64_t>(1, batch.slot_count);
  for (std::int64_t i = 0; i < std::ssize(views); ++i) {
    const SequenceView& view = views[static_cast<std::size_t>(i)];
    if (view.sample_count == 0) continue;
    std::int64_t row = batch.row(i, 0);
    for (std::int64_t t = 0; t < view.sample_count; ++t, row += row_step) {
      std::ranges::copy(extents_of(view, t, rank), out + row * rank);
    }
  }
  return extents;
}

void copy_to_corner(const std::byte* sample, std::span<const std::int64_t> extents,
                    std::int64_t value_size, std::span<const std::int64_t> row_extents,
                    const PadFill& fill, std::byte* row) noexcept {
  std::int64_t run_size = value_size;  // size of the axes that the sample fills completely
  std::size_t axes = extents.size();
  for (; axes > 0 && extents[axes - 1] == row_extents[axes - 1]; --axes) {
    run_size *= extents[axes - 1];
  }
  if (axes == 0) {
    if (run_size > 0) std::memcpy(row, sample, static_cast<std::size_t>(run_size));
    return;
  }
  std::int64_t row_size = value_size;
  for (const std::int64_t extent : row_extents) row_size *= extent;
  if (row_size == 0) return;
  fill.fill(row, row_size);
  if (std::ranges::find(extents, 0) != extents.end()) return;
  // The samples of the last axis that is not filled completely are contiguous, too.
  run_size *= extents[axes - 1];
  const std::byte* from = sample;
  copy_axes(from, extents.first(axes - 1), row_extents.first(axes - 1), row, row_size, run_size);
}

}  // namespace sheaf::internal
