#include "transform/run_transform.h"

#include <algorithm>
#include <array>
#include <optional>

#include <gtest/gtest.h>

#include "base/unaligned.h"
#include "core/element_cast.h"

namespace sheaf {
namespace {

// The arrays of one stream of a sequence.
struct Arrays {
  std::vector<std::byte> values;
  std::vector<std::byte> indices;
  std::vector<std::int64_t> sample_offsets{0};
  std::vector<std::int64_t> extents;

  explicit Arrays(const TestSequence& sequence) : stream_(sequence.stream) {
    for (std::size_t i = 0; i < sequence.samples.size(); ++i) {
      for (const double value : sequence.samples[i]) put(values, stream_.element_type, value);
      extents.push_back(std::ssize(sequence.samples[i]));
      sample_offsets.push_back(sample_offsets.back() + std::ssize(sequence.samples[i]));
      if (stream_.storage == Storage::dense) continue;
      for (const std::int64_t index : sequence.indices[i]) {
        put(indices, stream_.index_type, static_cast<double>(index));
      }
    }
    // Reads of absent samples find nonsense, and the sanitizers report them.
    values.shrink_to_fit();
    indices.shrink_to_fit();
  }

  [[nodiscard]] SequenceView view() const {
    SequenceView all{.values = values.data(),
                     .sample_count = std::ssize(sample_offsets) - 1,
                     .value_count = sample_offsets.back()};
    if (stream_.storage == Storage::sparse) all.indices = indices.data();
    if (stream_.storage == Storage::sparse || !stream_.sample_shape.is_fixed()) {
      all.sample_offsets = sample_offsets.data();
    }
    if (!stream_.sample_shape.is_fixed()) all.extents = extents.data();
    return all;
  }

 private:
  template <typename T>
  static void append(std::vector<std::byte>& bytes, T value) {
    const auto* const from = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof(T));
  }

  static void put(std::vector<std::byte>& bytes, ElementType type, double value) {
    if (type == ElementType::bytes) return append(bytes, static_cast<std::uint8_t>(value));
    internal::with_zero_of(type, [&]<typename T>(T) {
      if constexpr (kIsHalf<T>) {
        append(bytes, nearest<T>(value));
      } else {
        append(bytes, static_cast<T>(value));
      }
    });
  }

  const Stream& stream_;
};

double number_at(const std::byte* bytes, ElementType type, std::int64_t i) {
  if (type == ElementType::bytes) type = ElementType::u8;
  return internal::with_zero_of(type, [&](auto zero) {
    return static_cast<double>(arithmetic(internal::load<decltype(zero)>(bytes, i)));
  });
}

TestSequence sequence_of(const Stream& stream, const SequenceView& view) {
  TestSequence sequence{.stream = stream};
  for (std::int64_t i = 0; i < view.sample_count; ++i) {
    const std::int64_t size = view.sample_offsets == nullptr
                                  ? stream.sample_shape.size()
                                  : view.sample_offsets[i + 1] - view.sample_offsets[i];
    const std::int64_t first =
        view.sample_offsets == nullptr ? i * size : view.sample_offsets[i] - view.sample_offsets[0];
    std::vector<double>& values = sequence.samples.emplace_back();
    for (std::int64_t v = first; v < first + size; ++v) {
      values.push_back(number_at(view.values, stream.element_type, v));
    }
    if (view.extents != nullptr) {
      EXPECT_EQ(view.extents[i], size);
    }
    if (stream.storage == Storage::dense) continue;
    std::vector<std::int64_t>& indices = sequence.indices.emplace_back();
    for (std::int64_t v = first; v < first + size; ++v) {
      indices.push_back(static_cast<std::int64_t>(number_at(view.indices, stream.index_type, v)));
    }
  }
  return sequence;
}

std::vector<Stream> streams_of(const std::vector<TestSequence>& sequences) {
  std::vector<Stream> streams;
  for (const TestSequence& sequence : sequences) streams.push_back(sequence.stream);
  return streams;
}

}  // namespace

std::vector<TestSequence> run_transform(const Transform& transform,
                                        const std::vector<TestSequence>& inputs, SampleRange range,
                                        const TestName& name) {
  const std::vector<Stream> streams = streams_of(inputs);
  const std::vector<Stream> made = transform.outputs(streams);
  std::vector<std::int64_t> counts;
  for (const TestSequence& input : inputs) counts.push_back(std::ssize(input.samples));
  const TransformedSequence sequence{
      .name = {.seed = name.seed,
               .sweep = name.sweep,
               .key = name.key_text.empty() ? SequenceKey{name.key, 0} : key_of_text(name.key_text),
               .transform = transform.name()},
      .key_text = name.key_text,
      .sample_counts = counts};
  std::vector<Arrays> arrays;  // only the samples that the transform asks for
  std::vector<TestSequence> parts = inputs;
  std::vector<std::int64_t> firsts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    TestSequence& part = parts[i];
    const SampleRange read = transform.reads_of(i, range, sequence);
    const std::int64_t count = std::ssize(part.samples);
    const std::int64_t first = std::clamp<std::int64_t>(read.first, 0, count);
    const std::int64_t end = read.count > count - read.first ? count : read.first + read.count;
    const auto cut = [&](auto& samples) {
      if (samples.empty()) return;
      samples.erase(samples.begin() + std::max(first, end), samples.end());
      samples.erase(samples.begin(), samples.begin() + first);
    };
    cut(part.samples);
    cut(part.indices);
    firsts.push_back(first);
  }
  for (const TestSequence& part : parts) arrays.emplace_back(part);
  std::vector<SequenceView> views;
  for (const Arrays& each : arrays) views.push_back(each.view());

  std::pmr::monotonic_buffer_resource memory;
  std::vector<SequenceView> results(made.size());
  TransformOutput output(made, results, memory);
  transform.apply(
      {.sequence = sequence, .streams = streams, .views = views, .firsts = firsts, .range = range},
      output);
  std::vector<TestSequence> sequences;
  for (std::size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(results[i].sample_count, range.count);
    sequences.push_back(sequence_of(made[i], results[i]));
  }
  return sequences;
}

std::vector<TestSequence> run_transform(const Transform& transform,
                                        const std::vector<TestSequence>& inputs,
                                        const TestName& name) {
  const std::int64_t count = transform.sample_count(std::ssize(inputs.front().samples));
  return run_transform(transform, inputs, {0, count}, name);
}

void expect_slices(const Transform& transform, const std::vector<TestSequence>& inputs,
                   const TestName& name) {
  const std::vector<TestSequence> whole = run_transform(transform, inputs, name);
  const std::int64_t count = std::ssize(whole.front().samples);
  for (std::int64_t first = 0; first < count; ++first) {
    for (std::int64_t end = first + 1; end <= count; ++end) {
      const std::vector<TestSequence> part =
          run_transform(transform, inputs, {first, end - first}, name);
      for (std::size_t i = 0; i < whole.size(); ++i) {
        TestSequence expected{.stream = whole[i].stream};
        expected.samples.assign(whole[i].samples.begin() + first, whole[i].samples.begin() + end);
        if (!whole[i].indices.empty()) {
          expected.indices.assign(whole[i].indices.begin() + first, whole[i].indices.begin() + end);
        }
        EXPECT_EQ(part[i], expected) << "samples " << first << " to " << end;
      }
    }
  }
}

std::shared_ptr<const Transform> make_type(std::string_view type,
                                           const std::map<std::string, std::string>& options,
                                           const std::map<std::string, std::string>& files) {
  const auto read_file = [&](const std::string& path) { return files.at(path); };
  for (const TransformType& row : builtin_transforms()) {
    if (row.name == type) return row.make({.options = options, .read_file = read_file});
  }
  ADD_FAILURE() << "there is no type " << type;
  return nullptr;
}

TestSequence counting(std::int64_t sample_count, std::int64_t dim) {
  TestSequence sequence{.stream = {.name = "x", .sample_shape = Shape{dim}}};
  for (std::int64_t t = 0; t < sample_count; ++t) {
    std::vector<double>& sample = sequence.samples.emplace_back();
    for (std::int64_t i = 0; i < dim; ++i) sample.push_back(static_cast<double>(t * dim + i));
  }
  return sequence;
}

TestSequence random_values(std::int64_t sample_count, std::int64_t dim, std::uint64_t seed,
                           ElementType type) {
  TestSequence sequence{.stream = {.name = "x", .element_type = type, .sample_shape = Shape{dim}}};
  KeyedGenerator generator(KeyedGenerator::Key{seed, 0});
  for (std::int64_t t = 0; t < sample_count; ++t) {
    std::vector<double>& sample = sequence.samples.emplace_back();
    for (std::int64_t i = 0; i < dim; ++i) {
      const double value = 2 * generator.uniform() - 1;
      const bool narrow = type == ElementType::f32;
      sample.push_back(narrow ? static_cast<double>(static_cast<float>(value)) : value);
    }
  }
  return sequence;
}

TestSequence scalars(const std::vector<double>& values) {
  TestSequence sequence{.stream = {.name = "x", .sample_shape = Shape{1}}};
  for (const double value : values) sequence.samples.push_back({value});
  return sequence;
}

}  // namespace sheaf
