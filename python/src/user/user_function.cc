#include "user/user_function.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "sheaf/error.h"

#include "user/user_buffers.h"
#include "user/user_columns.h"

namespace sheaf::python {
namespace {

void append(Buffer& into, const std::byte* from, std::int64_t size_bytes) {
  if (size_bytes == 0) return;
  const std::int64_t end = into.size_bytes();
  into.resize(end + size_bytes);
  std::memcpy(into.mutable_data() + end, from, static_cast<std::size_t>(size_bytes));
}

// Returns the samples of one stream in all sequences.
FunctionInput::Arrays arrays_of(const Stream& stream, std::size_t number,
                                std::span<const TransformInput> inputs) {
  FunctionInput::Arrays arrays;
  const bool has_offsets = has_sample_offsets(stream);
  const bool has_extents = !stream.sample_shape.is_fixed();
  std::int64_t values = 0;
  if (has_offsets) arrays.sample_offsets.push_back(std::int64_t{0});
  for (const TransformInput& input : inputs) {
    const SequenceView& view = input.views[number];
    append(arrays.values, view.values, view.value_count * element_size(stream.element_type));
    if (stream.storage == Storage::sparse) {
      append(arrays.indices, view.indices, view.value_count * element_size(stream.index_type));
    }
    for (std::int64_t i = 0; has_offsets && i < view.sample_count; ++i) {
      arrays.sample_offsets.push_back(values + view.sample_offsets[i + 1] - view.sample_offsets[0]);
    }
    if (has_extents) {
      append(arrays.extents, reinterpret_cast<const std::byte*>(view.extents),
             view.sample_count * stream.sample_shape.rank() * kOffsetSize);
    }
    values += view.value_count;
    arrays.lengths.push_back(view.sample_count);
    arrays.presence.push_back(std::uint8_t{view.is_present});
  }
  return arrays;
}

std::shared_ptr<const FunctionInput> input_of(std::span<const TransformInput> inputs) {
  auto made = std::make_shared<FunctionInput>();
  const std::span<const Stream> streams = inputs.front().streams;
  made->streams.assign(streams.begin(), streams.end());
  for (std::size_t s = 0; s < streams.size(); ++s) {
    made->arrays.push_back(arrays_of(streams[s], s, inputs));
  }
  for (const TransformInput& input : inputs) {
    made->generators.push_back(KeyedGenerator::key_of(input.sequence.name));
  }
  return made;
}

// Copies a range of samples of the function's result. A copy is needed because Python owns the
// arrays.
void put(const Stream& stream, std::size_t number, const SequenceView& view,
         const SampleRange& range, TransformOutput& output) {
  if (!view.is_present) {
    SequenceView absent;
    absent.is_present = false;
    output.set(number, absent);
    return;
  }
  const SequenceView part = part_of_view(view, stream, range);
  const auto copy = [](std::byte* to, const std::byte* from, std::int64_t size_bytes) {
    if (size_bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(size_bytes));
  };
  const std::int64_t value_size = element_size(stream.element_type);
  const auto copy_offsets = [&](std::int64_t* to) {
    for (std::int64_t i = 0; i <= part.sample_count; ++i) {
      to[i] = part.sample_offsets[i] - part.sample_offsets[0];
    }
  };
  if (!stream.sample_shape.is_fixed()) {
    const TransformOutput::Variable room =
        output.variable(number, part.sample_count, part.value_count);
    copy(room.values, part.values, part.value_count * value_size);
    copy_offsets(room.sample_offsets);
    copy(reinterpret_cast<std::byte*>(room.extents),
         reinterpret_cast<const std::byte*>(part.extents),
         part.sample_count * stream.sample_shape.rank() * kOffsetSize);
    return;
  }
  if (stream.storage == Storage::dense) {
    copy(output.dense_bytes(number, part.sample_count), part.values, part.value_count * value_size);
    return;
  }
  const TransformOutput::Sparse room = output.sparse(number, part.sample_count, part.value_count);
  copy(room.values, part.values, part.value_count * value_size);
  copy(room.indices, part.indices, part.value_count * element_size(stream.index_type));
  copy_offsets(room.sample_offsets);
}

// Leaves out the sequences that the function called bad. Returns a flag for each sequence.
//
// Throws: DataError (fatal) for any other error, because then the function is wrong, not the data.
std::vector<bool> leave_bad_out(const UserCall& call, const UserChunk& made,
                                const std::string& name, std::span<TransformOutput> outputs) {
  std::vector<bool> are_bad(outputs.size());
  for (const BadSequence& bad : call.bad) are_bad[static_cast<std::size_t>(bad.sequence)] = true;
  for (const UserChunk::Error& error : made.errors) {
    const auto number = static_cast<std::size_t>(error.sequence);
    Diagnostic diagnostic = error.diagnostic;
    if (!are_bad[number]) {
      diagnostic.severity = Severity::fatal;
      throw DataError({std::move(diagnostic)});
    }
    diagnostic.path = name;  // instead of a location in the data
    diagnostic.expected = "a sequence that the function \"" + name + "\" takes";
    if (!outputs[number].problem()) outputs[number].leave_out(std::move(diagnostic));
  }
  return are_bad;
}

}  // namespace

std::string UserFunction::options() const {
  return options_.version.empty() ? "" : "version=" + options_.version;
}

std::vector<Stream> UserFunction::outputs(std::span<const Stream> inputs) const {
  if (options_.streams) return *options_.streams;
  return {inputs.begin(), inputs.end()};
}

SampleRange UserFunction::reads(const SampleRange& /*range*/,
                                const TransformedSequence& sequence) const {
  return {0, std::ranges::max(sequence.sample_counts)};
}

// Returns the key and the required length of each sequence, to compare with the answer.
std::shared_ptr<const UserTable> UserFunction::table_of(
    std::span<const TransformInput> inputs) const {
  auto table = std::make_shared<UserTable>(options_.name, "cost");
  std::vector<std::int64_t> each;
  std::vector<std::uint64_t> keys;
  std::vector<std::string> texts;
  // The empty text is a key, too. All keys of a data set are texts, or none is.
  const bool has_texts = std::ranges::any_of(inputs, [](const TransformInput& input) {
    return !input.sequence.key_text.empty() || input.sequence.name.key == key_of_text("");
  });
  for (const TransformInput& input : inputs) {
    each.push_back(sample_count(input.sequence.sample_counts[0]));
    keys.push_back(input.sequence.name.key.low);
    if (has_texts) texts.emplace_back(input.sequence.key_text);
  }
  UserTable::NewChunk chunk{.sequence_count = std::ssize(inputs),
                            .samples = 1,
                            .each = each,
                            .keys = keys,
                            .texts = {},
                            .costs = {},
                            .decoded_size_bytes = 0};
  if (!texts.empty()) {
    chunk.keys.reset();
    chunk.texts = std::move(texts);
  }
  table->add(std::move(chunk));
  return table;
}

// Calls the function with few sequences at a time, because large arrays exist three times for a
// moment: in Python, in the columns of the answer, and in the output of the transform.
void UserFunction::apply_many(std::span<const TransformInput> inputs,
                              std::span<TransformOutput> outputs) const {
  constexpr std::int64_t kCallBytes = std::int64_t{4} << 20;
  if (options_.takes_steps) {
    call_with(inputs, outputs);
    return;
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < inputs.size();) {
    std::int64_t bytes = 0;
    for (; i < inputs.size() && (i == first || bytes < kCallBytes); ++i) {
      bytes += made_bytes(inputs[i], outputs[i]);
    }
    call_with(inputs.subspan(first, i - first), outputs.subspan(first, i - first));
    first = i;
  }
}

// Returns the largest size of the output for a sequence, as far as it is known before the call.
std::int64_t UserFunction::made_bytes(const TransformInput& input,
                                      const TransformOutput& output) const {
  constexpr double kMost = 0x1p60;
  double bytes = 0;
  for (std::size_t i = 0; i < output.streams().size(); ++i) {
    const Stream& stream = output.streams()[i];
    if (stream.storage == Storage::sparse) continue;
    const Shape shape = shape_max(i).value_or(stream.sample_shape);
    if (!shape.is_fixed()) continue;
    bytes +=
        static_cast<double>(shape.size()) * static_cast<double>(element_size(stream.element_type));
  }
  return static_cast<std::int64_t>(
      std::min(kMost, bytes * static_cast<double>(sample_count(input.sequence.sample_counts[0]))));
}

void UserFunction::call_with(std::span<const TransformInput> inputs,
                             std::span<TransformOutput> outputs) const {
  auto call = std::make_shared<UserCall>();
  call->description = description_->number;
  call->table = table_of(inputs);
  call->range = {ChunkIndex{0}, 0, std::ssize(inputs)};
  call->sample_count = call->table->sample_count(call->range);
  call->input = input_of(inputs);
  description_->calls->ask(call);
  description_->calls->wait(*call);
  const std::span<const Stream> streams = outputs.front().streams();
  const UserChunk made = user_chunk(*call, streams, options_.name);
  const std::vector<bool> are_bad = leave_bad_out(*call, made, options_.name, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t s = 0; s < streams.size() && !are_bad[i]; ++s) {
      put(streams[s], s,
          made.chunk.view(static_cast<std::int64_t>(s), static_cast<std::int64_t>(i)),
          inputs[i].range, outputs[i]);
    }
  }
}

}  // namespace sheaf::python
