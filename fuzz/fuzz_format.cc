// The fuzz target of one format. For any bytes, the library must read the same as the slow parser,
// with any set of instructions, read size, chunk size and division into ranges. Any number of
// threads must give the same minibatches. Written data must read back unchanged. No sanitizer may
// find an error.
//
// The first kControlBytes of an input choose how the rest is read. The lowest bits decide, so that
// corpus files can begin with digits:
//
//   option set     the streams, and the options that the bytes below do not set
//   read size      0: the largest; the two highest bits: the distance of the other read size, and
//                  the set of instructions for all readings but the first, where 0 is the best
//   chunk size     0: the largest; the two highest bits: the size of a unit, where 0 is the default
//   range size     sequences in a range, less one; +0x40: parts of the rest are repeated (expand.h)
//   leniency       +1: compatible with CNTK, +2: streams may be missing, +4: streams are found
//   keys           0: as in the option set, 1: texts, 2: ids are ignored
//   run            0: none; 1 to 5: the packer, in file order; 6 to 10: in the order of cntk; 11 to
//                  15: keyed. The highest bit: the first error ends the run; +0x40: a report
//   writing        0: none; n: number of the writable format
//
// Long texts are read in larger pieces and chunks than short texts, so that each input needs about
// the same number of reads.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/sheaf.h"

#include "base/unit_size.h"
#include "conformance/format_under_test.h"
#include "conformance/read_all.h"
#include "expand.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf::conformance {

extern const char* const kFuzzedFormat;  // set by CMakeLists.txt for each program

namespace {

constexpr std::size_t kControlBytes = 8;
constexpr std::array<std::int64_t, 8> kReadSizesBytes = {1 << 20, 1, 2, 3, 7, 16, 63, 64};
constexpr std::array<std::int64_t, 4> kChunkSizesBytes = {32 << 20, 1, 20, 100};
constexpr std::array<std::int64_t, 4> kUnitSizesBytes = {internal::kUnitSizeBytes, 1, 24, 300};

// Longer texts use the sizes below.
constexpr std::size_t kShortTextMax = 2000;
constexpr std::array<std::int64_t, 8> kLongReadSizesBytes = {1 << 20, 4096,  4095,  4097,
                                                             8192,    16384, 65536, 1000};
constexpr std::array<std::int64_t, 4> kLongChunkSizesBytes = {32 << 20, 1000, 4096, 20'000};
constexpr std::int64_t kRangesMax = 64;  // of a chunk

template <typename T>
const T& pick(std::span<const T> from, std::uint8_t control) {
  return from[(control & 0x0FU) % from.size()];
}

const FormatUnderTest& format_under_test() {
  const std::span<const FormatUnderTest> formats = formats_under_test();
  const auto found = std::ranges::find(formats, kFuzzedFormat, &FormatUnderTest::name);
  if (found == formats.end()) {
    std::fprintf(stderr, "formats_under_test() does not have %s\n", kFuzzedFormat);
    std::abort();
  }
  return *found;
}

[[noreturn]] void fail(const char* what, const std::string& expected, const std::string& found) {
  std::fprintf(stderr, "%s\n--- expected\n%s--- found\n%s", what, expected.c_str(), found.c_str());
  std::abort();
}

std::string numbers(std::initializer_list<std::int64_t> all) {
  std::string text;
  for (const std::int64_t each : all) text += ' ' + std::to_string(each);
  return text + '\n';
}

std::string describe(const RangeResult& range) {
  return to_string(
      ReferenceResult{.fatal = {}, .sequences = range.sequences, .diagnostics = range.diagnostics});
}

/// Reads a chunk in ranges of `count` sequences, one after the other. The ranges are larger if the
/// chunk has very many sequences.
RangeResult read_in_ranges(const Deserializer& deserializer, ChunkIndex chunk, std::int64_t count) {
  RangeResult all;
  const std::int64_t end = deserializer.index().chunk(chunk)->sequence_count;
  count = std::max(count, end / kRangesMax);
  for (std::int64_t first = 0; first < end; first += count) {
    RangeResult part = read_range(deserializer, {.chunk = chunk, .first = first, .count = count});
    std::ranges::move(part.sequences, std::back_inserter(all.sequences));
    std::ranges::move(part.diagnostics, std::back_inserter(all.diagnostics));
  }
  return all;
}

std::span<const std::int64_t> read_sizes_of(std::string_view bytes) {
  if (bytes.size() > kShortTextMax) return kLongReadSizesBytes;
  return kReadSizesBytes;
}

FormatOptions options_of(std::span<const std::uint8_t, kControlBytes> control,
                         std::string_view bytes) {
  const FormatUnderTest& under_test = format_under_test();
  FormatOptions options =
      pick(std::span<const OptionSet>(under_test.option_sets), control[0]).options;
  options.read_size_bytes = pick(read_sizes_of(bytes), control[1]);
  options.chunk_size_bytes =
      pick(std::span<const std::int64_t>(bytes.size() > kShortTextMax ? kLongChunkSizesBytes
                                                                      : kChunkSizesBytes),
           control[2]);
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

std::unique_ptr<Deserializer> open(std::string_view bytes, const FormatOptions& options,
                                   const Format& format = format_named(kFuzzedFormat)) {
  return format.open({memory_source(std::string(bytes), std::string(kMemoryName)), options});
}

/// Returns the streams that open() finds in the bytes, as options. Returns nothing if open()
/// refuses the bytes.
std::vector<StreamOptions> found_streams(std::string_view bytes, const FormatOptions& options) {
  std::vector<StreamOptions> streams;
  try {
    const std::unique_ptr<Deserializer> data = open(bytes, options);
    for (const Stream& stream : data->streams()) {
      streams.push_back({.name = stream.name,
                         .storage = stream.storage,
                         .sample_shape = stream.sample_shape,
                         .dtype = stream.element_type,
                         .index_dtype = stream.index_type});
    }
  } catch (const DataError&) {    // samples contradict each other
  } catch (const ConfigError&) {  // there are no streams, or a dim is too large
  }
  return streams;
}

/// Checks that a chunk takes at most the memory that its index states.
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

/// Checks that indexing on several threads finds the same index, and that the chunks decoded on the
/// way equal the chunks read later.
void check_at_once(std::string_view bytes, const FormatOptions& options,
                   const Deserializer& expected) {
  constexpr std::int64_t kAnyChunks = std::numeric_limits<std::int64_t>::max();
  static const std::unique_ptr<Executor> threads = thread_pool(2);
  const std::unique_ptr<Deserializer> found = open(bytes, options);
  for (const DecodedRange& range : build_index(*found, *threads, kAnyChunks)) {
    if (range.chunk == nullptr) continue;
    const RangeResult read = read_range(expected, range.range);
    const RangeResult decoded = decoded_range(*found, range);
    if (decoded != read) fail("decoded is not read", describe(read), describe(decoded));
  }
  const ReferenceResult plain = read_all(expected);
  const ReferenceResult at_once = read_all(*found);
  if (at_once != plain) fail("the index differs", to_string(plain), to_string(at_once));
}

/// Checks that the library reads the same as the slow parser, with every set of instructions and
/// two read sizes in turn. Leaves the chosen set of instructions selected.
void check_read(std::span<const std::uint8_t, kControlBytes> control, std::string_view bytes,
                FormatOptions options, const ReferenceResult& expected) {
  static const std::vector<SimdLevel> levels = simd_levels();
  const unsigned choice = control[1] >> 6U;
  const std::span<const std::int64_t> all_sizes = read_sizes_of(bytes);
  const std::array read_sizes = {options.read_size_bytes,
                                 all_sizes[((control[1] & 0x0FU) + 1 + choice) % all_sizes.size()]};
  for (std::size_t i = 0; i < std::max(levels.size(), read_sizes.size()); ++i) {
    set_simd_level(levels[levels.size() - 1 - i % levels.size()]);
    options.read_size_bytes = read_sizes[i % read_sizes.size()];
    const ReferenceResult found =
        read_all(format_named(kFuzzedFormat), std::string(bytes), options);
    if (found != expected) {
      fail("the library does not read what the slow parser reads", to_string(expected),
           to_string(found));
    }
  }
  set_simd_level(levels[levels.size() - 1 - choice % levels.size()]);
}

/// Describes a step with every byte of its arrays, or the error that ends a run.
std::string step_of(const Minibatch& minibatch) {
  std::string step = to_json(minibatch.position) + (minibatch.ends_sweep ? " sweep" : "") +
                     (minibatch.ends_epoch ? " epoch" : "") +
                     numbers({minibatch.sequence_count(), minibatch.hole_count});
  for (const SequenceKey& key : minibatch.keys()) step += to_string(key) + ' ';
  for (const std::string_view text : minibatch.key_texts()) {
    step += text;
    step += ' ';
  }
  for (std::int64_t i = 0; i < std::ssize(minibatch.streams()); ++i) {
    const StreamBatch& batch = minibatch.batch(i);
    step += numbers(
        {batch.sequence_count, batch.sample_count, batch.sample_count_max, batch.slot_count});
    for (const Buffer* const buffer :
         {&batch.values, &batch.indices, &batch.row_offsets, &batch.extents, &batch.lengths,
          &batch.sequence_offsets, &batch.slots, &batch.begins, &batch.mask, &batch.presence}) {
      const std::span<const char> each = buffer->as<char>();
      step += numbers({std::ssize(each)});
      step.append(each.data(), each.size());
    }
  }
  return step;
}

// Limits the steps of a run: a file may claim billions of samples in a sequence, which are then cut
// into pieces of two.
constexpr std::size_t kStepsMax = 200;

std::vector<std::string> steps_of(const std::shared_ptr<const Deserializer>& data,
                                  std::uint8_t control, Executor& threads) {
  constexpr std::array kLayouts = {Layout::padded, Layout::ragged, Layout::packed, Layout::frames,
                                   Layout::truncated};
  constexpr std::array kOrders = {OrderAlgorithm::file, OrderAlgorithm::cntk,
                                  OrderAlgorithm::keyed};
  const std::size_t choice = (control & 0x0FU) - 1U;
  const Layout layout = kLayouts[choice % kLayouts.size()];
  OrderOptions order{.minibatch_size = 4, .sweeps = 2};
  order.algorithm = kOrders[choice / kLayouts.size()];
  order.seed = 1;
  if (order.algorithm != OrderAlgorithm::file) order.window_chunks = 2;
  if (layout == Layout::truncated) order.truncation_length = 2;
  const std::shared_ptr<const Counts> counts(data, &data->index());
  std::vector<std::string> steps;
  try {
    Reader reader(data, make_sequencer(counts, order), make_packer(layout, order),
                  {.max_errors = (control & 0x80U) != 0 ? 0 : 1000, .executor = &threads});
    while (const std::optional<Minibatch> minibatch = reader.next()) {
      steps.push_back(step_of(*minibatch));
      if (steps.size() == kStepsMax) break;
    }
  } catch (const ConfigError& error) {
    steps.emplace_back(error.what());
  } catch (const DataError& error) {
    steps.emplace_back(error.what());
  }
  return steps;
}

/// Checks that one thread and three threads give the same steps.
void check_run(const std::shared_ptr<const Deserializer>& data, std::uint8_t control) {
  if ((control & 0x0FU) == 0) return;
  // Padding takes memory, and a file may claim samples of any size.
  constexpr std::int64_t kSampleSizeMax = 1 << 12;
  const auto is_large = [](const Stream& stream) {
    return stream.storage == Storage::dense && stream.sample_shape.size() > kSampleSizeMax;
  };
  if (std::ranges::any_of(data->streams(), is_large)) return;
  static const std::unique_ptr<Executor> one = thread_pool(1);
  static const std::unique_ptr<Executor> three = thread_pool(3);
  const std::vector<std::string> expected = steps_of(data, control, *one);
  const std::vector<std::string> found = steps_of(data, control, *three);
  if (found == expected) return;
  const auto [a, b] = std::ranges::mismatch(expected, found);
  fail("threads make a difference", a == expected.end() ? "the end\n" : *a + '\n',
       b == found.end() ? "the end\n" : *b + '\n');
}

/// Writes all sequences in a format. Returns nothing if the format cannot hold a sequence or the
/// streams.
std::optional<std::string> written(const Deserializer& data, const Format& format) {
  std::string bytes;
  try {
    Writer writer(memory_sink(bytes, "written"), data.streams(),
                  {.format = {.format = std::string(format.name)}});
    for (ChunkIndex chunk{}; data.index().chunk(chunk); chunk = next(chunk)) {
      const auto table = data.index().sequences(chunk);
      std::vector<SequenceKey> keys;
      for (std::int64_t i = 0; i < table->size(); ++i) keys.push_back(table->key(i));
      Diagnostics diagnostics;
      writer.write(keys, data.read({.chunk = chunk}, diagnostics));
    }
    writer.finish();
  } catch (const ConfigError&) {
    return std::nullopt;
  } catch (const DataError&) {
    return std::nullopt;
  }
  return bytes;
}

/// Removes the properties that do not survive writing.
void forget_unwritten(std::vector<ReferenceSequence>& sequences, const Format& format) {
  std::uint64_t number = 0;
  for (ReferenceSequence& sequence : sequences) {
    sequence.first_line = 0;
    sequence.sample_count = 0;
    if (!format.keeps_keys) {
      sequence.key = {.low = number++};
      sequence.key_text.clear();
    }
    for (ReferenceStream& stream : sequence.streams) stream.is_present = !stream.samples.empty();
  }
}

/// Returns whether strict reading accepts the pairs: indices rise within each sample.
bool has_strict_pairs(const std::vector<ReferenceSequence>& sequences) {
  for (const ReferenceSequence& sequence : sequences) {
    for (const ReferenceStream& stream : sequence.streams) {
      for (const ReferenceSample& sample : stream.samples) {
        if (std::ranges::adjacent_find(sample.indices, std::greater_equal<>()) !=
            sample.indices.end()) {
          return false;
        }
      }
    }
  }
  return true;
}

/// Returns whether each stream occurs in at least one sequence.
bool has_all_streams(const std::vector<ReferenceSequence>& sequences, std::size_t stream_count) {
  for (std::size_t i = 0; i < stream_count; ++i) {
    const auto has_stream = [i](const ReferenceSequence& each) {
      return each.streams[i].is_present;
    };
    if (std::ranges::none_of(sequences, has_stream)) return false;
  }
  return true;
}

constexpr std::string_view kLabels = "mlf";
constexpr std::string_view kShards = "webdataset";
constexpr std::string_view kImageLines = "image_base64";
constexpr std::string_view kJsonLines = "jsonl";

/// Checks that written data read back unchanged, and that writing them again gives the same bytes.
void check_written(const Deserializer& data, const ReferenceResult& expected,
                   std::uint8_t control) {
  std::vector<Format> formats;
  std::ranges::copy_if(builtin_formats(), std::back_inserter(formats), [](const Format& format) {
    // Only some streams can be frame labels, entries of shards, or images: streams read as such.
    const bool is_special =
        format.name == kLabels || format.name == kShards || format.name == kImageLines;
    const bool is_fit = !is_special || format_under_test().name == format.name;
    return format.create != nullptr && !format.writes_several && is_fit;
  });
  const unsigned choice = control & 0x0FU;
  if (choice == 0) return;
  const Format& format = formats[(choice - 1) % formats.size()];
  std::vector<ReferenceSequence> sequences;
  std::ranges::copy_if(expected.sequences, std::back_inserter(sequences),
                       [](const ReferenceSequence& sequence) { return !sequence.is_hole; });
  if (!has_strict_pairs(sequences)) return;
  // A shard does not mention a stream that no sequence has, so a declared stream would be refused.
  if (format.name == kShards && !has_all_streams(sequences, data.streams().size())) return;
  const std::optional<std::string> bytes = written(data, format);
  if (!bytes) return;

  FormatOptions options;
  options.missing_streams = MissingStreams::allow;
  for (const Stream& stream : data.streams()) {
    options.streams.push_back({.name = stream.name,
                               .storage = stream.storage,
                               .sample_shape = stream.sample_shape,
                               .dtype = stream.element_type,
                               .index_dtype = stream.index_type});
  }
  if (format.name == kShards) {
    for (StreamOptions& stream : options.streams) {
      if (stream.dtype != ElementType::bytes) stream.alias = "cls";
    }
  }
  if (format.name == kImageLines) {
    for (StreamOptions& stream : options.streams) {
      stream.alias = stream.dtype == ElementType::bytes ? "image" : "label";
    }
  }
  const bool has_texts = !sequences.empty() && !sequences.front().key_text.empty();
  if (format.keeps_keys) options.keys = has_texts ? KeyType::text : KeyType::numeric;
  if (format.name == kLabels) {
    const bool is_sparse = data.streams()[0].storage == Storage::sparse;
    options.extra = {{"mlf.as", is_sparse ? "one_hot" : "ids"}, {"mlf.frames_max", "2147483648"}};
  }
  if (format.name == kJsonLines) options.extra = {{"jsonl.key", "key"}};
  const std::unique_ptr<Deserializer> again = open(*bytes, options, format);
  ReferenceResult found = read_all(*again);
  forget_unwritten(sequences, format);
  forget_unwritten(found.sequences, format);
  if (found.sequences != sequences || found.error_count() > 0) {
    fail("what was written reads back as something else",
         to_string({.fatal = {}, .sequences = sequences, .diagnostics = {}}), to_string(found));
  }
  // No format stores which stream defines the size, but CBF stores the resulting counts.
  if (std::ranges::any_of(data.streams(), &Stream::defines_minibatch_size)) return;
  const std::optional<std::string> twice = written(*again, format);
  if (twice != bytes) fail("written again", *bytes, twice.value_or("nothing\n"));
}

/// Checks that one thread and three threads give the same report, and that its page is small
/// enough.
void check_report(const std::shared_ptr<const Deserializer>& data, std::uint8_t control) {
  if ((control & 0x40U) == 0) return;
  static const std::unique_ptr<Executor> one = thread_pool(1);
  static const std::unique_ptr<Executor> three = thread_pool(3);
  const OpenedData opened{.data = data, .name = std::string(kMemoryName)};
  const auto reported = [&](Executor& threads) {
    return report(opened, kMemoryName,
                  {.shows_values = (control & 0x20U) == 0, .run = {.executor = &threads}});
  };
  const DataReport expected = reported(*one);
  const DataReport found = reported(*three);
  if (found.json != expected.json) {
    fail("threads make a difference to a report", expected.json, found.json);
  }
  constexpr std::size_t kPageMax = 1'000'000;
  const std::string page = to_html(expected);
  if (page.size() > kPageMax) fail("a page is too large", "", std::to_string(page.size()) + '\n');
}

/// Checks that forged data are read or refused without harm.
void read_forged(std::string_view bytes, const FormatOptions& options,
                 std::span<const std::uint8_t, kControlBytes> control) {
  static const std::unique_ptr<Executor> one = thread_pool(1);
  try {
    const std::shared_ptr<const Deserializer> data = open(bytes, options);
    static_cast<void>(read_all(*data));
    for (ChunkIndex chunk{}; data->index().chunk(chunk); chunk = next(chunk)) {
      static_cast<void>(read_in_ranges(*data, chunk, 1 + (control[3] & 0x07U)));
    }
  } catch (const DataError&) {
  }
  try {
    static_cast<void>(build_index(*open(bytes, options), *one, 1));
  } catch (const DataError&) {
  }
  if ((control[6] & 0x0FU) != 0)
    static_cast<void>(steps_of(open(bytes, options), control[6], *one));
}

/// Returns whether keys and errors would take too much memory. Each error stores the text of its
/// key, and every following byte may be an error.
bool has_large_key(std::string_view bytes, const FormatOptions& options) {
  if (options.keys != KeyType::text) return false;
  constexpr std::size_t kProductMax = std::size_t{16} << 20;
  std::size_t size_max = 0;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    size_max =
        std::max(size_max, std::min(bytes.substr(begin, end - begin).find('|'), end - begin));
    begin = end + 1;
  }
  return size_max * (bytes.size() - size_max) > kProductMax;
}

void check_input(std::span<const std::uint8_t, kControlBytes> control, std::string_view bytes) {
  const FormatUnderTest& under_test = format_under_test();
  internal::set_unit_size_bytes(kUnitSizesBytes[control[2] >> 6U]);
  const FormatOptions options = options_of(control, bytes);
  const std::int64_t range_size = 1 + (control[3] & 0x07U);
  FormatOptions declared = options;
  if (options.streams.empty()) declared.streams = found_streams(bytes, options);
  if (declared.streams.empty() || has_large_key(bytes, declared)) return;
  try {
    static_cast<void>(open(bytes, declared));
  } catch (const ConfigError&) {  // the format refuses a setting, whatever the bytes are
    return;
  } catch (const DataError&) {  // the slow parser must also refuse them
  }

  const ReferenceResult expected = under_test.reference(bytes, declared);
  // The library records at most kNotedMax errors of a chunk. The slow parser records all of them.
  const bool has_too_many = std::ssize(expected.diagnostics) > Diagnostics::kNotedMax;
  if (expected.is_forged || has_too_many) return read_forged(bytes, options, control);
  check_read(control, bytes, options, expected);
  if (expected.fatal) return;

  const std::shared_ptr<const Deserializer> deserializer = open(bytes, options);
  for (ChunkIndex chunk{}; deserializer->index().chunk(chunk); chunk = next(chunk)) {
    const RangeResult whole = read_range(*deserializer, {.chunk = chunk});
    const RangeResult parts = read_in_ranges(*deserializer, chunk, range_size);
    if (parts != whole) fail("ranges are not what the chunk is", describe(whole), describe(parts));
    check_size(*deserializer, chunk);
  }
  check_at_once(bytes, options, *deserializer);
  check_run(deserializer, control[6]);
  check_report(deserializer, control[6]);
  check_written(*deserializer, expected, control[7]);
}

}  // namespace
}  // namespace sheaf::conformance

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using sheaf::conformance::kControlBytes;
  if (size < kControlBytes) return 0;
  const std::span<const std::uint8_t> input(data, size);
  const auto rest = input.subspan(kControlBytes);
  const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
  const bool has_parts = (input[3] & 0x40U) != 0;
  sheaf::conformance::check_input(input.first<kControlBytes>(),
                                  has_parts ? sheaf::fuzz::expand(text) : std::string(text));
  return 0;
}
