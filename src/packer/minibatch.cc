#include "sheaf/minibatch.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "packer/gather.h"

namespace sheaf {

namespace {

// Copies the texts to one block, and makes `texts` refer to the copies.
Buffer block_of(std::span<std::string_view> texts) {
  Buffer block;
  std::int64_t size_bytes = 0;
  for (const std::string_view text : texts) size_bytes += std::ssize(text);
  block.resize(size_bytes);
  char* out = block.as_mutable<char>().data();
  for (std::string_view& text : texts) {
    if (text.empty()) continue;
    std::memcpy(out, text.data(), text.size());
    text = {out, text.size()};
    out += text.size();
  }
  return block;
}

}  // namespace

std::string_view to_string(Layout layout) noexcept {
  switch (layout) {
    case Layout::padded:
      return "padded";
    case Layout::ragged:
      return "ragged";
    case Layout::packed:
      return "packed";
    case Layout::frames:
      return "frames";
    case Layout::truncated:
      return "truncated";
  }
  return "unknown";
}

std::string_view to_string(PadSide side) noexcept {
  return side == PadSide::right ? "right" : "left";
}

std::int64_t StreamBatch::memory_bytes() const noexcept {
  std::int64_t bytes = 0;
  for (const Buffer* buffer : {&values, &indices, &row_offsets, &extents, &lengths,
                               &sequence_offsets, &slots, &begins, &mask, &presence}) {
    bytes += buffer->capacity_bytes();
  }
  return bytes;
}

std::int64_t StreamBatch::row_count() const noexcept {
  switch (layout) {
    case Layout::padded:
      return sequence_count * sample_count_max;
    case Layout::packed:
    case Layout::truncated:
      return slot_count * sample_count_max;
    case Layout::ragged:
      return sample_count;
    case Layout::frames:
      break;
  }
  return sequence_count;
}

std::int64_t StreamBatch::row(std::int64_t sequence, std::int64_t sample) const noexcept {
  const auto at = static_cast<std::size_t>(sequence);
  switch (layout) {
    case Layout::padded:
      if (pad_side == PadSide::left) {
        return (sequence + 1) * sample_count_max - lengths.as<std::int64_t>()[at] + sample;
      }
      return sequence * sample_count_max + sample;
    case Layout::ragged:
      return sequence_offsets.as<std::int64_t>()[at] + sample;
    case Layout::packed:
    case Layout::truncated:
      return (begins.as<std::int64_t>()[at] + sample) * slot_count + slots.as<std::int64_t>()[at];
    case Layout::frames:
      break;
  }
  return sequence;
}

Minibatch::Minibatch(std::shared_ptr<const std::vector<Stream>> streams,
                     std::vector<StreamBatch> batches, std::vector<SequenceKey> keys,
                     std::span<const std::string_view> key_texts)
    : streams_(std::move(streams)),
      batches_(std::move(batches)),
      keys_(std::move(keys)),
      key_texts_(key_texts.begin(), key_texts.end()),
      text_block_(block_of(key_texts_)) {
  if (!key_texts_.empty() && key_texts_.size() != keys_.size()) {
    throw InternalError(
        formatted("a minibatch of {} keys has {} key texts", keys_.size(), key_texts_.size()));
  }
  if (batches_.size() != streams_->size()) {
    throw InternalError(formatted("a minibatch of {} streams has arrays for {}", streams_->size(),
                                  batches_.size()));
  }
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    if (batches_[i].sequence_count == sequence_count()) continue;
    throw InternalError(formatted("a minibatch of {} keys has {} sequences of stream \"{}\"",
                                  keys_.size(), batches_[i].sequence_count, (*streams_)[i].name));
  }
}

Minibatch::Minibatch(std::shared_ptr<const std::vector<Stream>> streams,
                     std::vector<StreamBatch> batches, std::vector<SequenceKey> keys,
                     const std::vector<std::string>& key_texts)
    : Minibatch(std::move(streams), std::move(batches), std::move(keys),
                std::vector<std::string_view>(key_texts.begin(), key_texts.end())) {}

void Minibatch::set_slices(std::vector<SequenceSlice> slices) {
  if (!slices.empty() && slices.size() != keys_.size()) {
    throw InternalError(
        formatted("a minibatch of {} keys has {} slices", keys_.size(), slices.size()));
  }
  slices_ = std::move(slices);
}

void Minibatch::set_members(std::vector<std::int64_t> members) {
  if (!members.empty() && members.size() != keys_.size()) {
    throw InternalError(
        formatted("a minibatch of {} keys has {} members", keys_.size(), members.size()));
  }
  members_ = std::move(members);
}

void Minibatch::set_costs(std::vector<std::int64_t> costs) {
  if (!costs.empty() && costs.size() != keys_.size()) {
    throw InternalError(
        formatted("a minibatch of {} keys has {} costs", keys_.size(), costs.size()));
  }
  costs_ = std::move(costs);
}

std::int64_t Minibatch::sample_count() const noexcept {
  std::int64_t count = 0;
  for (const StreamBatch& batch : batches_) count = std::max(count, batch.sample_count);
  return count;
}

std::int64_t Minibatch::row_count() const noexcept {
  const std::int64_t most = sample_count();
  std::int64_t count = 0;
  for (const StreamBatch& batch : batches_) {
    if (batch.sample_count == most) count = std::max(count, batch.row_count());
  }
  return count;
}

std::int64_t Minibatch::stream_index(std::string_view stream) const {
  const auto it = std::find_if(streams_->begin(), streams_->end(),
                               [&](const Stream& other) { return other.name == stream; });
  if (it != streams_->end()) return it - streams_->begin();
  std::string names;
  for (const Stream& other : *streams_) {
    names += formatted("{}\"{}\"", names.empty() ? "" : ", ", other.name);
  }
  throw ConfigError(formatted("no stream is named \"{}\": the minibatch has {}", stream,
                              names.empty() ? "none" : names));
}

const StreamBatch& Minibatch::batch(std::string_view stream) const {
  return batch(stream_index(stream));
}

SampleView Minibatch::sample(std::int64_t stream, std::int64_t sequence,
                             std::int64_t sample) const noexcept {
  const Stream& description = (*streams_)[static_cast<std::size_t>(stream)];
  const StreamBatch& batch = batches_[static_cast<std::size_t>(stream)];
  const std::int64_t row = batch.row(sequence, sample);
  SampleView view;
  std::int64_t first = 0;
  if (batch.row_offsets.empty()) {
    const bool is_fixed = description.sample_shape.is_fixed();
    view.value_count = (is_fixed ? description.sample_shape : batch.row_shape).size();
    first = row * view.value_count;
  } else {
    const std::int64_t* const offsets = batch.row_offsets.as<std::int64_t>().data() + row;
    first = offsets[0];
    view.value_count = offsets[1] - first;
  }
  view.values = batch.values.data() + first * element_size(description.element_type);
  if (description.storage == Storage::sparse) {
    view.indices = batch.indices.data() + first * element_size(description.index_type);
  }
  if (!batch.extents.empty()) {
    view.extents = batch.extents.as<std::int64_t>().data() + row * description.sample_shape.rank();
  }
  return view;
}

bool Minibatch::has_views(std::int64_t stream) const noexcept {
  const StreamBatch& batch = batches_[static_cast<std::size_t>(stream)];
  if (batch.layout == Layout::packed || batch.layout == Layout::truncated) return false;
  return !batch.row_offsets.empty() ||
         (*streams_)[static_cast<std::size_t>(stream)].sample_shape.is_fixed();
}

SequenceView Minibatch::view(std::int64_t stream, std::int64_t sequence) const noexcept {
  assert(stream >= 0 && stream < std::ssize(batches_));
  assert(sequence >= 0 && sequence < sequence_count());
  assert(has_views(stream));
  const Stream& description = (*streams_)[static_cast<std::size_t>(stream)];
  const StreamBatch& batch = batches_[static_cast<std::size_t>(stream)];
  const auto at = static_cast<std::size_t>(sequence);

  SequenceView view;
  view.is_present = batch.presence.empty() || batch.presence.as<std::uint8_t>()[at] != 0;
  view.sample_count = batch.lengths.as<std::int64_t>()[at];
  const std::int64_t row = batch.row(sequence, 0);
  if (batch.row_offsets.empty()) {
    const std::int64_t sample_size = description.sample_shape.size();
    view.values = batch.values.data() + row * internal::sample_size_bytes(description);
    view.value_count = view.sample_count * sample_size;
    return view;
  }
  view.sample_offsets = batch.row_offsets.as<std::int64_t>().data() + row;
  const std::int64_t first_value = view.sample_offsets[0];
  view.value_count = view.sample_offsets[view.sample_count] - first_value;
  view.values = batch.values.data() + first_value * element_size(description.element_type);
  if (description.storage == Storage::sparse) {
    view.indices = batch.indices.data() + first_value * element_size(description.index_type);
  }
  if (!batch.extents.empty()) {
    view.extents = batch.extents.as<std::int64_t>().data() + row * description.sample_shape.rank();
  }
  return view;
}

std::int64_t Minibatch::memory_bytes() const noexcept {
  std::int64_t bytes = static_cast<std::int64_t>(keys_.capacity() * sizeof(SequenceKey));
  bytes += static_cast<std::int64_t>(slices_.capacity() * sizeof(SequenceSlice));
  bytes += static_cast<std::int64_t>(members_.capacity() * sizeof(std::int64_t));
  bytes += static_cast<std::int64_t>(costs_.capacity() * sizeof(std::int64_t));
  bytes += static_cast<std::int64_t>(key_texts_.capacity() * sizeof(std::string_view));
  bytes += text_block_.capacity_bytes();
  for (const StreamBatch& batch : batches_) bytes += batch.memory_bytes();
  return bytes;
}

}  // namespace sheaf
