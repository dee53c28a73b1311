// The fuzz target of one format: whatever the bytes, the library reads what the slow parser reads,
// for any read size, chunk size and cut into ranges; and no sanitizer has anything to say.
//
// The first kControlBytes of an input choose how the rest is read. Their lowest bits do, so that
// corpus files can begin with digits:
//
//   option set     its streams, and its other options where those below leave them
//   read size      0: the largest; its two highest bits: the set of instructions, 0: the best
//   chunk size     0: the largest
//   range size     sequences at a time, less one
//   leniency       +1: compatible with CNTK, +2: streams may be missing, +4: streams are found
//   keys           0: as the option set has them, 1: texts, 2: ids are passed over

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/sheaf.h"

#include "conformance/format_under_test.h"
#include "conformance/read_all.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf::conformance {
namespace {

constexpr std::size_t kControlBytes = 6;
constexpr std::array<std::int64_t, 8> kReadSizesBytes = {1 << 20, 1, 2, 3, 7, 16, 63, 64};
constexpr std::array<std::int64_t, 4> kChunkSizesBytes = {32 << 20, 1, 20, 100};

template <typename T>
const T& pick(std::span<const T> from, std::uint8_t control) {
  return from[(control & 0x0FU) % from.size()];
}

const FormatUnderTest& format_under_test() {
  const std::span<const FormatUnderTest> formats = formats_under_test();
  const auto found = std::ranges::find(formats, SHEAF_FUZZ_FORMAT, &FormatUnderTest::name);
  if (found == formats.end()) {
    std::fputs("formats_under_test() does not have " SHEAF_FUZZ_FORMAT "\n", stderr);
    std::abort();
  }
  return *found;
}

[[noreturn]] void fail(const char* what, const std::string& expected, const std::string& found) {
  std::fprintf(stderr, "%s\n--- expected\n%s--- found\n%s", what, expected.c_str(), found.c_str());
  std::abort();
}

std::string describe(const RangeResult& range) {
  return to_string(
      ReferenceResult{.fatal = {}, .sequences = range.sequences, .diagnostics = range.diagnostics});
}

/// Read a chunk in ranges of `count` sequences, one after the other.
RangeResult read_in_ranges(const Deserializer& deserializer, ChunkIndex chunk, std::int64_t count) {
  RangeResult all;
  const std::int64_t end = deserializer.index().chunk(chunk)->sequence_count;
  for (std::int64_t first = 0; first < end; first += count) {
    RangeResult part = read_range(deserializer, {.chunk = chunk, .first = first, .count = count});
    std::ranges::move(part.sequences, std::back_inserter(all.sequences));
    std::ranges::move(part.diagnostics, std::back_inserter(all.diagnostics));
  }
  return all;
}

FormatOptions options_of(std::span<const std::uint8_t, kControlBytes> control) {
  const FormatUnderTest& under_test = format_under_test();
  FormatOptions options =
      pick(std::span<const OptionSet>(under_test.option_sets), control[0]).options;
  const std::vector<SimdLevel> levels = simd_levels();
  set_simd_level(levels[levels.size() - 1 - (control[1] >> 6U) % levels.size()]);
  options.read_size_bytes = pick(std::span<const std::int64_t>(kReadSizesBytes), control[1]);
  options.chunk_size_bytes = pick(std::span<const std::int64_t>(kChunkSizesBytes), control[2]);
  if ((control[4] & 1U) != 0) options.compatibility = Compatibility::cntk;
  if ((control[4] & 2U) != 0) options.missing_streams = MissingStreams::allow;
  if ((control[4] & 4U) != 0) options.streams.clear();
  const unsigned keys = (control[5] & 0x0FU) % 3;
  if (keys != 0) {
    options.keys = keys == 1 ? KeyType::text : KeyType::numeric;
    options.skip_sequence_ids = keys == 2;
  }
  return options;
}

std::unique_ptr<Deserializer> open(std::string_view bytes, const FormatOptions& options) {
  return format_named(SHEAF_FUZZ_FORMAT)
      .open(memory_source(std::string(bytes), std::string(kMemoryName)), options);
}

/// The streams that are found in the bytes, as options; none where they are refused.
std::vector<StreamOptions> found_streams(std::string_view bytes, const FormatOptions& options) {
  std::vector<StreamOptions> streams;
  try {
    const std::unique_ptr<Deserializer> data = open(bytes, options);
    for (const Stream& stream : data->streams()) {
      streams.push_back({.name = stream.name,
                         .storage = stream.storage,
                         .sample_shape = stream.sample_shape,
                         .element_type = stream.element_type,
                         .index_type = stream.index_type});
    }
  } catch (const DataError&) {    // samples contradict each other
  } catch (const ConfigError&) {  // there are no streams, or a dim is too large
  }
  return streams;
}

/// What a chunk takes in memory was told before.
void check_size(const Deserializer& deserializer, ChunkIndex chunk) {
  Diagnostics diagnostics;
  const Chunk read = deserializer.read({.chunk = chunk}, diagnostics);
  // Each of the six buffers of a column may be rounded up to whole cache lines.
  const std::int64_t size_max =
      deserializer.index().chunk(chunk)->decoded_size_bytes + read.stream_count() * 6 * 64;
  if (read.memory_bytes() > size_max) {
    fail("a chunk is larger than the index has it", std::to_string(size_max) + '\n',
         std::to_string(read.memory_bytes()) + '\n');
  }
}

/// Indexing all at once, on threads, finds the same, and what it decodes is what reading gives.
void check_at_once(std::string_view bytes, const FormatOptions& options,
                   const Deserializer& expected) {
  constexpr std::int64_t kAnyChunks = std::numeric_limits<std::int64_t>::max();
  static const std::unique_ptr<Executor> threads = thread_pool(2);
  const std::unique_ptr<Deserializer> found = open(bytes, options);
  for (const DecodedRange& range : found->index_all(*threads, kAnyChunks)) {
    if (range.chunk == nullptr) continue;
    const RangeResult read = read_range(expected, range.range);
    const RangeResult decoded = decoded_range(*found, range);
    if (decoded != read) fail("decoded is not read", describe(read), describe(decoded));
  }
  const ReferenceResult plain = read_all(expected);
  const ReferenceResult at_once = read_all(*found);
  if (at_once != plain) fail("the index differs", to_string(plain), to_string(at_once));
}

void check_input(std::span<const std::uint8_t, kControlBytes> control, std::string_view bytes) {
  const FormatUnderTest& under_test = format_under_test();
  const Format& format = format_named(under_test.name);
  const FormatOptions options = options_of(control);
  const std::int64_t range_size = 1 + (control[3] & 0x07U);
  FormatOptions declared = options;
  if (options.streams.empty()) declared.streams = found_streams(bytes, options);
  if (declared.streams.empty()) return;
  try {
    static_cast<void>(open(bytes, declared));
  } catch (const ConfigError&) {  // a setting that the format refuses, whatever the bytes
    return;
  } catch (const DataError&) {  // the slow parser has to say the same
  }

  const ReferenceResult expected = under_test.reference(bytes, declared);
  const ReferenceResult found = read_all(format, std::string(bytes), options);
  if (found != expected) {
    fail("the library does not read what the slow parser reads", to_string(expected),
         to_string(found));
  }
  if (expected.fatal) return;

  const std::unique_ptr<Deserializer> deserializer = open(bytes, options);
  for (ChunkIndex chunk{}; deserializer->index().chunk(chunk); chunk = next(chunk)) {
    const RangeResult whole = read_range(*deserializer, {.chunk = chunk});
    const RangeResult parts = read_in_ranges(*deserializer, chunk, range_size);
    if (parts != whole) fail("ranges are not what the chunk is", describe(whole), describe(parts));
    check_size(*deserializer, chunk);
  }
  check_at_once(bytes, options, *deserializer);
}

}  // namespace
}  // namespace sheaf::conformance

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using sheaf::conformance::kControlBytes;
  if (size < kControlBytes) return 0;
  const std::span<const std::uint8_t> input(data, size);
  const auto text = input.subspan(kControlBytes);
  sheaf::conformance::check_input(
      input.first<kControlBytes>(),
      std::string_view(reinterpret_cast<const char*>(text.data()), text.size()));
  return 0;
}
