// Blocks are decoded whole. Most ranges are a single block, whose buffers become columns unchanged.

#include "format/sheaf/range_decoder.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "sheaf/types.h"

#include "base/text.h"
#include "core/element_cast.h"
#include "format/sheaf/container_errors.h"
#include "index/units.h"

namespace sheaf::container {
namespace {

constexpr std::string_view kValueCode = "sheaf-value";

}  // namespace

const Stream& RangeDecoder::in_file(std::size_t stream) const noexcept {
  return *file_.directory.note().stream_of(schema_.columns[stream]);
}

std::size_t RangeDecoder::column_of(std::size_t stream) const {
  const auto found = std::ranges::find(schema_.columns_in_file, schema_.columns[stream]);
  return static_cast<std::size_t>(found - schema_.columns_in_file.begin());
}

void RangeDecoder::decode_blocks() {
  decoded_.clear();
  const internal::Units units(table_.sequences.size(), table_.block_count);
  for (ReadBlock& block : read_.blocks) {
    decoded_.push_back(decode_block(file_, schema_, table_, units.of(block.first), block));
    if (!block.damage) continue;
    const std::int64_t begin = std::max(block.first, first_);
    const std::int64_t end = std::min(block.first + block.count, first_ + count_);
    for (std::int64_t i = begin; i < end; ++i) {
      is_hole_[static_cast<std::size_t>(i - first_)] = true;
    }
  }
}

Chunk RangeDecoder::read(const ChunkRange& range, Diagnostics& diagnostics) {
  first_ = range.first;
  count_ = std::min(range.count, table_.sequences.size() - range.first);
  read_ =
      read_blocks(file_, schema_, static_cast<std::int64_t>(range.chunk), table_, first_, count_);
  is_hole_.assign(static_cast<std::size_t>(count_), false);
  decode_blocks();
  std::vector<Column> columns = assemble_all();
  if (!lost_.empty()) {
    // Columns have taken the buffers of blocks, so decode again, without the lost sequences.
    const std::vector<LostValue> lost = std::move(lost_);
    lost_.clear();
    for (const LostValue& each : lost) is_hole_[static_cast<std::size_t>(each.number)] = true;
    decode_blocks();
    columns = assemble_all();
    lost_ = lost;
    std::ranges::stable_sort(lost_, {}, &LostValue::number);
  }
  std::vector<std::int64_t> holes;
  for (std::int64_t i = 0; i < count_; ++i) {
    if (is_hole_[static_cast<std::size_t>(i)]) holes.push_back(i);
  }
  std::vector<std::string> texts = key_texts();
  report(texts, diagnostics);
  Chunk result(schema_.streams, count_, std::move(columns), std::move(holes));
  if (!texts.empty()) result.set_key_texts(std::move(texts));
  return result;
}

AssemblyPlan RangeDecoder::plan() {
  AssemblyPlan plan{.slices = {}, .sequence_count = count_, .bytes = nullptr};
  for (std::size_t i = 0; i < read_.blocks.size(); ++i) {
    const ReadBlock& block = read_.blocks[i];
    const std::int64_t begin = std::max(block.first, first_);
    const std::int64_t end = std::min(block.first + block.count, first_ + count_);
    bool goes_on = false;
    for (std::int64_t k = begin; k < end; ++k) {
      const bool is_hole = is_hole_[static_cast<std::size_t>(k - first_)];
      if (!is_hole && !goes_on) {
        plan.slices.push_back({.block = &block,
                               .decoded = &decoded_[i],
                               .first = k - block.first,
                               .count = 0,
                               .number = k - first_});
      }
      goes_on = !is_hole;
      if (goes_on) ++plan.slices.back().count;
    }
  }
  if (may_borrow(plan)) plan.bytes = read_.bytes;
  return plan;
}

// Borrowed columns keep all bytes that were read alive. So most of the bytes must belong to them.
bool RangeDecoder::may_borrow(const AssemblyPlan& plan) const {
  std::int64_t used = 0;
  for (const BlockSlice& slice : plan.slices) {
    for (std::size_t i = 0; i < schema_.streams.size(); ++i) {
      const Stream& stream = in_file(i);
      const std::size_t number = column_of(i);
      const DecodedColumn& decoded = (*slice.decoded)[number];
      const BlockColumn& column = slice.block->columns[number];
      const std::int64_t values =
          column.values_before(slice.first + slice.count) - column.values_before(slice.first);
      if (!decoded.values.is_own() && stream.element_type == schema_.streams[i].element_type) {
        used += values * element_size(stream.element_type);
      }
      if (!decoded.indices.is_own() && stream.storage == Storage::sparse &&
          stream.index_type == schema_.streams[i].index_type) {
        used += values * element_size(stream.index_type);
      }
    }
  }
  return used > 0 && used / 7 >= read_.bytes->size_bytes() / 8;
}

std::vector<Column> RangeDecoder::assemble_all() {
  const AssemblyPlan plan = this->plan();
  std::vector<Column> columns;
  for (std::size_t i = 0; i < schema_.streams.size(); ++i) {
    const Stream& wanted = schema_.streams[i];
    const Stream& stored = in_file(i);
    columns.push_back(assemble(plan, {.column = column_of(i),
                                      .stream = &stored,
                                      .keeps_values = wanted.element_type == stored.element_type,
                                      .keeps_indices = wanted.index_type == stored.index_type}));
    if (wanted.element_type != stored.element_type) convert_values(i, columns.back());
    if (wanted.storage == Storage::sparse && wanted.index_type != stored.index_type) {
      convert_indices(i, columns.back());
    }
  }
  return columns;
}

void RangeDecoder::convert_values(std::size_t stream, Column& column) {
  const ElementType from = in_file(stream).element_type;
  const ElementType to = schema_.streams[stream].element_type;
  const std::int64_t count = column.values.size_bytes() / element_size(from);
  Buffer converted;
  converted.reserve(count * element_size(to));
  converted.resize(count * element_size(to));
  const std::int64_t lost =
      internal::cast_elements(from, column.values.data(), to, converted.mutable_data(), count);
  // Values that become infinite by rounding are delivered, as in other formats.
  if (lost > 0 && !internal::casts_by_rounding(from, to)) note_lost(stream, column);
  column.values = std::move(converted);
}

void RangeDecoder::convert_indices(std::size_t stream, Column& column) const {
  const ElementType from = in_file(stream).index_type;
  const ElementType to = schema_.streams[stream].index_type;
  const std::int64_t count = column.indices.size_bytes() / element_size(from);
  Buffer wide;
  wide.reserve(count * element_size(to));
  wide.resize(count * element_size(to));
  internal::cast_elements(from, column.indices.data(), to, wide.mutable_data(), count);
  column.indices = std::move(wide);
}

// Finds the sequences with a lost value. `column` has the values of the file.
void RangeDecoder::note_lost(std::size_t stream, const Column& column) {
  const Stream& stored = in_file(stream);
  const std::span<const std::int64_t> sequences = column.sequence_offsets.as<std::int64_t>();
  const std::span<const std::int64_t> samples = column.sample_offsets.as<std::int64_t>();
  const auto values_before = [&](std::int64_t sequence) {
    const auto n = static_cast<std::size_t>(sequence);
    const std::int64_t sample = sequences.empty() ? sequence : sequences[n];
    return samples.empty() ? sample * stored.sample_shape.size()
                           : samples[static_cast<std::size_t>(sample)];
  };
  const ElementType to = schema_.streams[stream].element_type;
  for (std::int64_t i = 0; i < count_; ++i) {
    const std::int64_t begin = values_before(i);
    const std::int64_t count = values_before(i + 1) - begin;
    const std::byte* values = column.values.data() + begin * element_size(stored.element_type);
    const std::int64_t index = internal::first_lost(stored.element_type, values, to, count);
    if (index < count) lost_.push_back({.number = i, .stream = stream, .index = index});
  }
}

const ReadBlock& RangeDecoder::block_of(std::int64_t number) const {
  const internal::Units units(table_.sequences.size(), table_.block_count);
  const std::int64_t first = units.of(first_);
  return read_.blocks[static_cast<std::size_t>(units.of(first_ + number) - first)];
}

// Returns the texts of keys, or nothing if keys are numbers. The texts are empty in a block whose
// keys are damaged.
std::vector<std::string> RangeDecoder::key_texts() const {
  const bool has_texts = file_.directory.note().has_text_keys;
  std::vector<std::string> texts;
  if (!has_texts && !schema_.makes_texts) return texts;
  texts.reserve(static_cast<std::size_t>(count_));
  for (std::size_t i = 0; i < read_.blocks.size(); ++i) {
    const ReadBlock& block = read_.blocks[i];
    const std::int64_t begin = std::max(block.first, first_);
    const std::int64_t end = std::min(block.first + block.count, first_ + count_);
    const bool is_readable = !block.damage || block.damage->stream >= 0;
    for (std::int64_t k = begin; k < end; ++k) {
      if (!has_texts) {
        texts.push_back(to_string(table_.sequences.key(k)));
      } else if (!is_readable) {
        texts.emplace_back();
      } else {
        const std::int64_t from = block.columns[0].values_before(k - block.first);
        const std::int64_t to = block.columns[0].values_before(k - block.first + 1);
        texts.emplace_back(reinterpret_cast<const char*>(decoded_[i][0].values.bytes.data()) + from,
                           static_cast<std::size_t>(to - from));
      }
    }
  }
  return texts;
}

void RangeDecoder::report(std::span<const std::string> texts, Diagnostics& diagnostics) const {
  const auto key_of = [&](std::int64_t number) {
    const auto n = static_cast<std::size_t>(number);
    const std::optional<BlockDamage>& damage = block_of(number).damage;
    const bool has_text = n < texts.size() && !(damage && damage->stream < 0);
    return has_text ? texts[n] : to_string(table_.sequences.key(first_ + number));
  };
  auto lost = lost_.begin();
  for (std::int64_t i = 0; i < count_; ++i) {
    if (!is_hole_[static_cast<std::size_t>(i)]) continue;
    const ReadBlock& block = block_of(i);
    if (const std::optional<BlockDamage>& damage = block.damage) {
      diagnostics.add(
          first_ + i,
          {.path = std::string(file_.source->name()),
           .byte_offset = damage->byte_offset,
           .sequence_key = key_of(i),
           .stream = damage->stream < 0
                         ? std::string()
                         : schema_.streams[static_cast<std::size_t>(damage->stream)].name,
           .code = std::string(damage->kind->code),
           .expected = std::string(damage->kind->expected),
           .found = damage->found});
      continue;
    }
    for (; lost != lost_.end() && lost->number == i; ++lost) {
      const Stream& stream = schema_.streams[lost->stream];
      diagnostics.add(
          first_ + i,
          {.path = std::string(file_.source->name()),
           .byte_offset = block.offsets[column_of(lost->stream)],
           .sequence_key = key_of(i),
           .stream = stream.name,
           .code = std::string(kValueCode),
           .expected = formatted("a value that {} holds", to_string(stream.element_type)),
           .found = formatted("another one, as value {} of the sequence", lost->index)});
    }
  }
}

}  // namespace sheaf::container
