#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/format_under_test.h"
#include "format/cbf/cbf_test_file.h"
#include "reference/cbf_reference.h"

namespace sheaf::conformance {

FormatUnderTest cbf_under_test();

namespace {

template <typename T>
void put_values(CbfBytes& bytes, Choices& choices, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    bytes.put(static_cast<T>(static_cast<double>(choices.below(2000) - 1000) / 8));
  }
}

void put_values(CbfBytes& bytes, const CbfTestStream& stream, Choices& choices,
                std::int64_t count) {
  stream.is_double ? put_values<double>(bytes, choices, count)
                   : put_values<float>(bytes, choices, count);
}

std::string random_block(const CbfTestStream& stream, Choices& choices, std::uint32_t samples) {
  CbfBytes bytes;
  bytes.put(samples);
  if (!stream.is_sparse) {
    put_values(bytes, stream, choices, samples * std::int64_t{stream.dim});
    return bytes.bytes();
  }
  std::vector<std::int32_t> counts;
  std::int32_t entries = 0;
  for (std::uint32_t i = 0; i < samples; ++i) {
    counts.push_back(static_cast<std::int32_t>(choices.below(4)));
    entries += counts.back();
  }
  if (samples > 0 && choices.once_in(150)) counts[0] += choices.once_in(2) ? 1 : -4;
  bytes.put(choices.once_in(500) ? -1 : entries);
  put_values(bytes, stream, choices, entries);
  for (std::int32_t i = 0; i < entries; ++i) {
    auto index = static_cast<std::int32_t>(choices.below(stream.dim));
    if (choices.once_in(300))
      index = choices.once_in(2) ? -1 : static_cast<std::int32_t>(stream.dim);
    bytes.put(index);
  }
  for (const std::int32_t count : counts) bytes.put(count);
  return bytes.bytes();
}

CbfTestChunk random_chunk(const std::vector<CbfTestStream>& streams, Choices& choices) {
  CbfTestChunk chunk;
  chunk.blocks.resize(streams.size());
  const std::int64_t count = choices.once_in(6) ? 0 : 1 + choices.below(6);
  const bool has_own_lengths = choices.once_in(6);
  const bool has_one_each = choices.once_in(3);
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t longest = 0;
    for (std::size_t k = 0; k < streams.size(); ++k) {
      auto samples = static_cast<std::uint32_t>(has_one_each ? 1 : 1 + choices.below(4));
      if (choices.once_in(30)) samples = 0;
      longest = std::max(longest, samples);
      chunk.blocks[k].push_back(random_block(streams[k], choices, samples));
    }
    chunk.lengths.push_back(has_own_lengths ? static_cast<std::uint32_t>(choices.below(9))
                                            : longest);
  }
  if (choices.once_in(60)) chunk.slack = std::string(4, '\1');
  return chunk;
}

std::string generate(std::uint64_t seed, const FormatOptions& options) {
  Choices choices(seed);
  CbfTestFile file;
  file.streams = {
      {"a", false, choices.once_in(2), static_cast<std::uint32_t>(1 + choices.below(3))},
      {"b", true, choices.once_in(2), static_cast<std::uint32_t>(1 + choices.below(9))}};
  if (choices.once_in(3)) {
    file.streams.push_back({"third", choices.once_in(2), choices.once_in(2), 2});
  }
  if (choices.once_in(2)) std::swap(file.streams.front(), file.streams.back());
  const std::int64_t chunk_count = 1 + choices.below(3);
  for (std::int64_t i = 0; i < chunk_count; ++i) {
    file.chunks.push_back(random_chunk(file.streams, choices));
  }
  if (choices.once_in(10)) file.gap = std::string(static_cast<std::size_t>(choices.below(9)), 'g');
  if (choices.once_in(3)) file.parts = static_cast<std::uint32_t>(1 + choices.below(4));
  if (choices.once_in(10)) file.tail = "bytes that nobody reads, and more";
  std::string bytes = to_bytes(file);
  if (choices.once_in(5)) {
    // The header must have all streams that are requested by name.
    const auto header = static_cast<std::int64_t>(cbf_header_offset(bytes));
    const std::int64_t end =
        options.streams.empty() && choices.once_in(3) ? std::ssize(bytes) : header;
    const auto at =
        static_cast<std::size_t>(12 + choices.below(std::max<std::int64_t>(1, end - 12)));
    bytes[at] = static_cast<char>(choices.below(256));
  }
  if (options.streams.empty() && choices.once_in(25)) {
    bytes.resize(static_cast<std::size_t>(choices.below(std::ssize(bytes))));
  }
  return bytes;
}

std::vector<Alphabet> letters() {
  const std::string file = to_bytes(
      {.streams = {{.name = "a"}}, .chunks = {{{1}, {{dense_block(1, std::vector<float>{1})}}}}});
  const std::string prefix = file.substr(0, 12);
  const std::string chunk = file.substr(12, 12);
  const std::string header = file.substr(24);
  using std::string_literals::operator""s;
  return {{.letters = {prefix, chunk, header, "\0\0\0\0"s, "\1\0\0\0"s, "\377\377\377\377"s},
           .length_max = 5},
          {.letters = {prefix, chunk, header.substr(0, 16), header.substr(16, 11),
                       header.substr(27, 16), header.substr(43)},
           .length_max = 6}};
}

}  // namespace

FormatUnderTest cbf_under_test() {
  FormatOptions missing;
  missing.missing_streams = MissingStreams::allow;
  FormatOptions chosen;
  chosen.streams = {{.name = "indices",
                     .alias = "b",
                     .storage = Storage::sparse,
                     .index_dtype = ElementType::i64},
                    {.name = "a"}};
  FormatOptions grouped;
  grouped.groups_chunks = true;
  return {.name = "cbf",
          .option_sets = {{.name = "plain", .options = {}, .alphabets = letters()},
                          {.name = "missing", .options = missing, .alphabets = {}},
                          {.name = "chosen", .options = chosen, .alphabets = {}},
                          {.name = "grouped", .options = grouped, .alphabets = {}}},
          .generate = generate,
          .reference = parse_cbf,
          .stores_index = true,
          .data_end = cbf_header_offset,
          .writing_options = {{},
                              {.write = {{"cbf.names", "utf-8"}}},
                              {.write = {{"cbf.names", "utf-8"}, {"cbf.checks", "on"}}},
                              {.write = {{"cbf.chunks", "cntk"}}},
                              {.write = {{"cbf.missing", "refuse"}}}}};
}

}  // namespace sheaf::conformance
