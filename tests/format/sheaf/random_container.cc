#include "format/sheaf/random_container.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reference/sheaf_codecs.h"

namespace sheaf::testing {
namespace {

using conformance::Choices;
using conformance::container::low_bytes;

std::uint64_t any_word(Choices& choices) {
  const auto half = [&] {
    return static_cast<std::uint64_t>(choices.below(std::int64_t{1} << 32));
  };
  return half() << 32 | half();
}

bool has_one_value(const BuiltStream& stream) {
  return stream.storage == Storage::dense &&
         std::ranges::all_of(stream.shape, [](std::int64_t extent) { return extent == 1; });
}

bool is_fixed(const BuiltStream& stream) {
  return std::ranges::find(stream.shape, Shape::kVariable) == stream.shape.end();
}

// Returns a decimal fraction of few digits.
std::uint64_t decimal_bits(ElementType type, Choices& choices) {
  const double value = static_cast<double>(choices.below(4001) - 2000) /
                       std::pow(10.0, static_cast<double>(choices.below(4)));
  if (type == ElementType::f64) return std::bit_cast<std::uint64_t>(value);
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

// Returns `count` values of a type: all equal, small or close together, or random bits.
std::vector<std::uint64_t> random_values(ElementType type, std::int64_t count, Choices& choices) {
  const bool is_decimal_type = type == ElementType::f32 || type == ElementType::f64;
  const std::int64_t kind = choices.below(6);
  std::uint64_t value = low_bytes(any_word(choices), type);
  std::vector<std::uint64_t> values;
  for (std::int64_t i = 0; i < count; ++i) {
    if (kind == 1 || (kind == 2 && choices.once_in(5))) {
      value = low_bytes(any_word(choices), type);
    } else if (kind > 1 && is_decimal_type) {
      value = decimal_bits(type, choices);
    } else if (kind > 1) {
      const std::uint64_t before = kind < 4 ? 0 : value;
      value = low_bytes(before + static_cast<std::uint64_t>(choices.below(9) - 2), type);
    }
    values.push_back(value);
  }
  return values;
}

// Returns an array of values with a codec that can store them.
BuiltArray random_array(std::vector<std::uint64_t> bits, ElementType type, Choices& choices,
                        bool may_be_delta = false) {
  std::vector<Codec> codecs = {Codec::raw, Codec::raw, Codec::lz4, Codec::zstd};
  const bool is_even = std::ranges::adjacent_find(bits, std::not_equal_to()) == bits.end();
  if (!bits.empty() && is_even) codecs.insert(codecs.end(), 3, Codec::constant);
  if (is_whole(type)) codecs.insert(codecs.end(), 3, Codec::packed);
  if (is_whole(type) && may_be_delta) codecs.insert(codecs.end(), 4, Codec::delta);
  if (type == ElementType::f32 || type == ElementType::f64) {
    codecs.insert(codecs.end(), 4, Codec::decimal);
  }
  BuiltArray array;
  array.bits = std::move(bits);
  array.codec = choices.pick<Codec>(codecs);
  array.exponent = static_cast<int>(choices.below(choices.once_in(8) ? 19 : 5));
  array.spare_bits = choices.once_in(4) ? static_cast<int>(choices.below(65)) : 0;
  return array;
}

BuiltArray random_counts(const std::vector<std::int64_t>& counts, Choices& choices) {
  return random_array({counts.begin(), counts.end()}, ElementType::i64, choices);
}

BuiltStream random_stream(std::string name, Choices& choices) {
  using enum ElementType;
  constexpr std::array kTypes = {i64, u8, u16, i32, f16, bf16, f32, f64, bytes, i64};
  BuiltStream stream{.name = std::move(name), .type = choices.pick<ElementType>(kTypes)};
  if (stream.type == bytes) {
    stream.shape = {Shape::kVariable};
    return stream;
  }
  const std::vector<std::int64_t> shapes[] = {{},
                                              {},
                                              {1},
                                              {1, 1},
                                              {2, 2},
                                              {Shape::kVariable},
                                              {2, Shape::kVariable},
                                              {Shape::kVariable, Shape::kVariable}};
  stream.shape = choices.pick<std::vector<std::int64_t>>(shapes);
  return stream;
}

BuiltStream random_sparse(std::string name, Choices& choices) {
  BuiltStream stream = random_stream(std::move(name), choices);
  if (stream.type == ElementType::bytes) stream.type = ElementType::f32;
  stream.storage = Storage::sparse;
  stream.shape = {1 + choices.below(9)};
  if (choices.once_in(2)) stream.index_type = ElementType::i64;
  if (choices.once_in(4)) stream.shape = {std::int64_t{1} << 31};
  return stream;
}

// Returns the sample counts of the sequences of a chunk in one stream. -1 means that the stream is
// absent.
std::vector<std::int64_t> random_lengths(std::int64_t count, Choices& choices) {
  const bool has_one_each = choices.once_in(3);
  const bool may_lack = choices.once_in(3);
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < count; ++i) {
    lengths.push_back(has_one_each ? 1 : choices.below(4));
    if (may_lack && choices.once_in(3)) lengths.back() = -1;
  }
  return lengths;
}

// Returns the arrays of one stream in a block.
std::vector<BuiltArray> random_column(const BuiltStream& stream,
                                      std::span<const std::int64_t> lengths, Choices& choices) {
  std::vector<std::uint64_t> presence;
  std::vector<std::int64_t> present;
  std::int64_t samples = 0;
  for (const std::int64_t length : lengths) {
    presence.push_back(length < 0 ? 0 : 1);
    present.push_back(std::max<std::int64_t>(length, 0));
    samples += present.back();
  }
  const bool has_all = std::ranges::find(presence, 0) == presence.end();
  if (has_all && !choices.once_in(4)) presence.clear();
  std::vector<BuiltArray> arrays = {random_array(presence, ElementType::u8, choices),
                                    random_counts(present, choices)};
  std::int64_t values = 0;
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < samples; ++i) {
    std::int64_t count = stream.storage == Storage::sparse ? choices.below(4) : 1;
    if (stream.storage == Storage::sparse) {
      counts.push_back(count);
    } else {
      for (const std::int64_t fixed : stream.shape) {
        const std::int64_t extent = fixed == Shape::kVariable ? choices.below(4) : fixed;
        counts.push_back(extent);
        count *= extent;
      }
    }
    values += count;
  }
  if (stream.storage == Storage::sparse || !is_fixed(stream)) {
    arrays.push_back(random_counts(counts, choices));
  }
  if (stream.storage == Storage::sparse) {
    std::vector<std::uint64_t> indices;
    for (std::int64_t i = 0; i < values; ++i) {
      indices.push_back(static_cast<std::uint64_t>(choices.below(stream.shape[0])));
    }
    arrays.push_back(random_array(std::move(indices), stream.index_type, choices, true));
  }
  arrays.push_back(random_array(random_values(stream.type, values, choices), stream.type, choices,
                                has_one_value(stream)));
  return arrays;
}

BuiltChunk random_chunk(const BuiltContainer& built, Choices& choices) {
  BuiltChunk chunk;
  const std::int64_t count = choices.once_in(40) ? 60 + choices.below(20) : 1 + choices.below(6);
  std::vector<std::vector<std::int64_t>> lengths;
  for (std::size_t i = 0; i < built.streams.size(); ++i) {
    lengths.push_back(random_lengths(count, choices));
  }
  const auto defining =
      std::ranges::find(built.streams, true, &BuiltStream::defines_minibatch_size);
  const bool has_running_keys = choices.once_in(2);
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const bool counts =
          defining == built.streams.end() || built.streams[i].defines_minibatch_size;
      if (counts) longest = std::max(longest, lengths[i][static_cast<std::size_t>(n)]);
    }
    chunk.sample_counts.push_back(longest);
    if (built.has_text_keys) {
      const auto size = static_cast<std::size_t>(1 + choices.below(20));
      const std::string text = "a\xC3\xA4 key, with \x01 and \n" + std::to_string(n);
      chunk.key_texts.push_back(text.substr(text.size() - std::min(size, text.size())));
    } else if (!has_running_keys) {
      chunk.keys.push_back(any_word(choices));
    }
  }
  const std::int64_t block_count =
      choices.once_in(2) ? 1 : 1 + choices.below(std::min(count, std::int64_t{7}));
  for (std::int64_t j = 0; j < block_count; ++j) {
    const auto first = static_cast<std::size_t>(j * count / block_count);
    const auto end = static_cast<std::size_t>((j + 1) * count / block_count);
    BuiltBlock& block = chunk.blocks.emplace_back();
    for (std::size_t i = 0; i < built.streams.size(); ++i) {
      block.columns.push_back(random_column(
          built.streams[i], std::span(lengths[i]).subspan(first, end - first), choices));
    }
    constexpr std::array kSizes = {Codec::raw, Codec::packed, Codec::lz4, Codec::zstd};
    constexpr std::array kTexts = {Codec::raw, Codec::lz4, Codec::zstd};
    block.key_sizes = choices.pick<Codec>(kSizes);
    block.key_text = choices.pick<Codec>(kTexts);
  }
  return chunk;
}

}  // namespace

BuiltContainer random_container(Choices& choices) {
  BuiltContainer built;
  built.streams = {{.name = "a", .shape = {1 + choices.below(3)}}, random_sparse("b", choices)};
  if (choices.once_in(3)) built.streams.push_back(random_stream("third", choices));
  if (choices.once_in(4)) built.streams.push_back(random_sparse("fourth", choices));
  std::swap(built.streams[0],
            built.streams[static_cast<std::size_t>(choices.below(std::ssize(built.streams)))]);
  if (choices.once_in(4)) {
    const auto defining = static_cast<std::size_t>(choices.below(std::ssize(built.streams)));
    built.streams[defining].defines_minibatch_size = true;
  }
  if (choices.once_in(8)) built.streams[0].class_names = {"cat", "dog"};
  built.has_text_keys = choices.once_in(3);
  const std::int64_t chunk_count = choices.once_in(40) ? 0 : 1 + choices.below(3);
  for (std::int64_t i = 0; i < chunk_count; ++i) {
    built.chunks.push_back(random_chunk(built, choices));
  }
  if (built.chunks.size() == 2) {  // costs need no draws
    built.cost_name = built.has_text_keys ? "pixels" : "bytes";
    std::uint64_t cost = 0;
    for (BuiltChunk& chunk : built.chunks) {
      for (std::size_t i = 0; i < chunk.sample_counts.size(); ++i) {
        chunk.costs.push_back((cost += 0x9E3779B97F4A7C15U) >> 16U);
      }
    }
  }
  return built;
}

void break_rule(BuiltContainer& built, Choices& choices) {
  BuiltChunk& chunk =
      built.chunks[static_cast<std::size_t>(choices.below(std::ssize(built.chunks)))];
  BuiltBlock& block =
      chunk.blocks[static_cast<std::size_t>(choices.below(std::ssize(chunk.blocks)))];
  const auto number = static_cast<std::size_t>(choices.below(std::ssize(block.columns)));
  const BuiltStream& stream = built.streams[number];
  std::vector<BuiltArray>& arrays = block.columns[number];
  BuiltArray& array = arrays[static_cast<std::size_t>(choices.below(std::ssize(arrays)))];
  switch (choices.below(7)) {
    case 0:  // an index that is negative or too large
      if (stream.storage == Storage::sparse && !arrays[3].bits.empty()) {
        const auto dim = static_cast<std::uint64_t>(stream.shape[0]);
        arrays[3].bits.back() =
            low_bytes(choices.once_in(2) ? dim : ~std::uint64_t{0}, stream.index_type);
        arrays[3].codec = Codec::raw;
      }
      break;
    case 1:  // an invalid presence, or samples without presence
      arrays[0].bits.assign(arrays[1].bits.size(), choices.once_in(2) ? 2 : 0);
      arrays[0].codec = Codec::raw;
      break;
    case 2:  // another length than in the table
      chunk.sample_counts[0] += chunk.sample_counts[0] > 0 && choices.once_in(2) ? -1 : 1;
      break;
    case 3:
      array.codec_number = choices.once_in(2) ? 7 : static_cast<std::uint64_t>(choices.below(9));
      break;
    case 4:
      array.count = array.bits.size() + 1;
      break;
    case 5:  // bytes that no codec makes
      array.stored = std::string(static_cast<std::size_t>(choices.below(40)),
                                 static_cast<char>(choices.below(256)));
      break;
    default:  // a wrong length, extent or number of entries
      if (arrays[1].bits.empty()) break;
      arrays[1].bits[0] = choices.once_in(2) ? any_word(choices) : arrays[1].bits[0] + 1;
      arrays[1].codec = Codec::raw;
      break;
  }
}

}  // namespace sheaf::testing
