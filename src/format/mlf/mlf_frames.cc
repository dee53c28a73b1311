#include "format/mlf/mlf_frames.h"

#include <algorithm>
#include <utility>

#include "core/common_values.h"
#include "core/element_cast.h"

namespace sheaf::mlf {
namespace {

constexpr std::int64_t kIdsAtOnce = 4;

}  // namespace

void FrameWriter::reserve(std::int64_t frame_count, std::int64_t sequence_count) {
  const bool is_sparse = stream_.storage == Storage::sparse;
  Buffer& ids = is_sparse ? column_.indices : column_.values;
  ids.reserve((frame_count + kIdsAtOnce) *
              element_size(is_sparse ? stream_.index_type : stream_.element_type));
  if (writes_values()) column_.values.reserve(frame_count * element_size(stream_.element_type));
  column_.sequence_offsets.reserve((sequence_count + 1) * std::int64_t{sizeof(std::int64_t)});
  column_.sequence_offsets.push_back(std::int64_t{0});
}

void FrameWriter::add(std::int64_t frame_count, std::span<const Run> runs) {
  const std::int64_t end = frame_count_ + frame_count;
  const bool is_sparse = stream_.storage == Storage::sparse;
  Buffer& ids = is_sparse ? column_.indices : column_.values;
  if ((is_sparse ? stream_.index_type : stream_.element_type) == ElementType::i64) {
    write_runs<std::int64_t>(ids, end, runs);
  } else {
    write_runs<std::int32_t>(ids, end, runs);
  }
  if (writes_values()) {
    internal::with_zero_of(stream_.element_type,
                           [&]<typename T>(T /*zero*/) { write_values<T>(end, runs); });
  }
  frame_count_ = end;
  column_.sequence_offsets.push_back(frame_count_);
}

template <typename Id>
void FrameWriter::write_runs(Buffer& ids, std::int64_t end, std::span<const Run> runs) {
  ids.resize((end + kIdsAtOnce) * std::int64_t{sizeof(Id)});
  Id* to = ids.as_mutable<Id>().data() + frame_count_;
  // Runs are short, so whole groups are written, and the next run overwrites the excess.
  for (const Run& run : runs) {
    Id* const next = to + run.count;
    do {
      std::fill_n(to, kIdsAtOnce, static_cast<Id>(run.id));
      to += kIdsAtOnce;
    } while (to < next);
    to = next;
  }
  ids.resize(end * std::int64_t{sizeof(Id)});
}

// Writes a one for each frame, and a two for the first frame of a range.
template <typename T>
void FrameWriter::write_values(std::int64_t end, std::span<const Run> runs) {
  column_.values.resize(end * std::int64_t{sizeof(T)});
  T* to = column_.values.as_mutable<T>().data() + frame_count_;
  std::fill_n(to, end - frame_count_, internal::small_number<T>(1));
  for (const Run& run : runs) {
    if (run.count > 0) *to = internal::small_number<T>(2);
    to += run.count;
  }
}

Column FrameWriter::finish() {
  if (stream_.storage == Storage::sparse) {
    column_.sample_offsets = internal::counting_numbers(frame_count_ + 1);
    if (!marks_boundaries_) column_.values = internal::ones(frame_count_, stream_.element_type);
  }
  return std::move(column_);
}

}  // namespace sheaf::mlf
