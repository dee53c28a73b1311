// The fuzz target of formats whose opened file lists other files. For any list and files, the data
// are read correctly or refused. All read sizes, all ranges of a chunk and an index file must give
// the same result. Written data must read back unchanged. No sanitizer may find an error.
//
// The first kControlBytes of an input choose how the rest is read: read size; chunk size, +0x40:
// merged chunks; size of ranges; leniency, +1: compatible with CNTK, +2: an index file, +4: the
// values of an option from the fifth on; option. The rest is files, separated by kSeparator. The
// first file is the list. The other files have the names "0", "1" and so on. Parts of the rest may
// be repeated (expand.h).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/sheaf.h"

#include "conformance/read_all.h"
#include "expand.h"
#include "support/write_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf::conformance {

extern const char* const kFuzzedFormat;  // set by CMakeLists.txt for each program

namespace {

constexpr std::size_t kControlBytes = 5;
constexpr std::string_view kSeparator = "\n====\n";
constexpr std::string_view kList = "list";
constexpr std::array<std::int64_t, 4> kReadSizesBytes = {1 << 20, 1, 7, 64};
constexpr std::array<std::int64_t, 4> kChunkSizesBytes = {32 << 20, 1, 40, 400};
constexpr std::int64_t kSequencesMax = 10'000;  // of a chunk that is read in ranges

[[noreturn]] void fail(const char* what, const std::string& expected, const std::string& found) {
  std::fprintf(stderr, "%s\n--- expected\n%s\n--- found\n%s\n", what, expected.c_str(),
               found.c_str());
  std::abort();
}

const Format& fuzzed_format() {
  FormatOptions options;
  options.format = kFuzzedFormat;
  return find_format(kList, options);
}

std::unique_ptr<FileSystem> files_of(std::string_view bytes) {
  std::unique_ptr<FileSystem> files = memory_files();
  for (int number = -1;; ++number) {
    const std::size_t end = std::min(bytes.find(kSeparator), bytes.size());
    const std::string name = number < 0 ? std::string(kList) : std::to_string(number);
    testing::write_file(*files, name, bytes.substr(0, end));
    if (end == bytes.size()) return files;
    bytes.remove_prefix(end + kSeparator.size());
  }
}

// Sets the option value that the control byte chooses, if any.
void choose_option(std::uint8_t control, bool is_behind, FormatOptions& options) {
  const std::span<const FormatOption> all = fuzzed_format().read_options;
  const std::size_t choice = control % (4 * all.size() + 1);
  if (choice == 0) return;
  const FormatOption& option = all[(choice - 1) / 4];
  const std::size_t value = (choice - 1) % 4 + (is_behind ? 4 : 0);
  // The path "0" names the file after the list.
  const std::string_view any = option.is_path ? "0" : "3";
  const std::string_view word = option.takes_any && value + 1 >= option.values.size()
                                    ? any
                                    : option.values[value % option.values.size()];
  options.extra.emplace(option.name, word);
  if (option.name == "kaldi.symbols") options.extra.emplace("kaldi.as", "text");  // requires text
}

// Tables usually have no keys.
bool has_text_keys() { return fuzzed_format().keeps_keys && fuzzed_format().name != "arrow"; }

FormatOptions options_of(std::span<const std::uint8_t> control) {
  FormatOptions options;
  options.read_size_bytes = kReadSizesBytes[control[0] % kReadSizesBytes.size()];
  options.chunk_size_bytes = kChunkSizesBytes[control[1] % kChunkSizesBytes.size()];
  options.groups_chunks = (control[1] & 0x40U) != 0;
  if ((control[3] & 1U) != 0) options.compatibility = Compatibility::cntk;
  if (has_text_keys()) options.keys = KeyType::text;
  if ((control[3] & 2U) != 0) options.index.mode = IndexMode::rebuild;
  choose_option(control[4], (control[3] & 4U) != 0, options);
  return options;
}

std::unique_ptr<Deserializer> open(FileSystem& files, const FormatOptions& options) {
  return fuzzed_format().open(
      {.source = files.open(std::string(kList)), .options = options, .context = {.files = &files}});
}

// Returns the content of the list, or the reason for its refusal.
std::string told(FileSystem& files, const FormatOptions& options) {
  try {
    return to_string(read_all(*open(files, options)));
  } catch (const DataError& error) {
    return error.what();
  } catch (const ConfigError& error) {
    return error.what();
  } catch (const IoError& error) {  // about the file that an option names
    return error.what();
  }
}

std::string describe(const RangeResult& range) {
  return to_string(
      ReferenceResult{.fatal = {}, .sequences = range.sequences, .diagnostics = range.diagnostics});
}

void check_chunks(const Deserializer& data, std::int64_t range_size) {
  for (ChunkIndex chunk{}; data.index().chunk(chunk); chunk = next(chunk)) {
    const std::int64_t end = data.index().chunk(chunk)->sequence_count;
    if (end > kSequencesMax) continue;
    const RangeResult whole = read_range(data, {.chunk = chunk});
    RangeResult parts;
    for (std::int64_t first = 0; first < end; first += range_size) {
      RangeResult part = read_range(data, {.chunk = chunk, .first = first, .count = range_size});
      std::ranges::move(part.sequences, std::back_inserter(parts.sequences));
      std::ranges::move(part.diagnostics, std::back_inserter(parts.diagnostics));
    }
    if (parts != whole) fail("ranges are not what the chunk is", describe(whole), describe(parts));
    Diagnostics diagnostics;
    const Chunk read = data.read({.chunk = chunk}, diagnostics);
    const std::int64_t size_max =
        data.index().chunk(chunk)->decoded_size_bytes + read.stream_count() * 6 * 64;
    if (read.memory_bytes() > size_max) {
      fail("a chunk is larger than the index has it", std::to_string(size_max),
           std::to_string(read.memory_bytes()));
    }
  }
}

/// Writes all sequences without errors. Returns whether the format can hold them.
bool write_all(const Deserializer& data, const std::string& path, FileSystem& files) {
  try {
    Writer writer(path, data.streams(), {.format = {.format = kFuzzedFormat}, .files = &files});
    for (ChunkIndex chunk{}; data.index().chunk(chunk); chunk = next(chunk)) {
      const auto table = data.index().sequences(chunk);
      std::vector<SequenceKey> keys;
      for (std::int64_t i = 0; i < table->size(); ++i) keys.push_back(table->key(i));
      Diagnostics diagnostics;
      writer.write(keys, data.read({.chunk = chunk}, diagnostics));
    }
    writer.finish();
  } catch (const ConfigError&) {
    return false;
  } catch (const DataError&) {
    return false;
  }
  return true;
}

std::string without_locations(const Deserializer& data) {
  ReferenceResult all = read_all(data);
  std::erase_if(all.sequences, [](const ReferenceSequence& each) { return each.is_hole; });
  for (ReferenceSequence& each : all.sequences) each.first_line = 0;
  return to_string({.fatal = {}, .sequences = all.sequences, .diagnostics = {}});
}

/// Checks that written data read back unchanged.
void check_written(const Deserializer& data, const FormatOptions& options, FileSystem& files) {
  const std::string path = "written/list." + std::string(fuzzed_format().extensions.front());
  if (!write_all(data, path, files)) return;
  FormatOptions again;
  if (fuzzed_format().keeps_keys) again.keys = KeyType::text;
  again.streams.push_back({.name = data.streams()[0].name});
  for (const FormatOption& option : fuzzed_format().read_options) {
    // The new list has other prefixes and borders. Kaldi objects are written as values and
    // recordings as matrices, however they were read.
    if (option.name == "kaldi.as" || option.name == "kaldi.scale") continue;
    const auto given = options.extra.find(std::string(option.name));
    if (!option.takes_any && given != options.extra.end()) again.extra.insert(*given);
  }
  const auto written = fuzzed_format().open(
      {.source = files.open(path), .options = again, .context = {.files = &files}});
  const std::string expected = without_locations(data);
  const std::string found = without_locations(*written);
  if (found != expected) fail("what was written reads back as something else", expected, found);
}

void check_input(std::span<const std::uint8_t> control, std::string_view bytes) {
  const std::unique_ptr<FileSystem> files = files_of(bytes);
  FormatOptions options = options_of(control);
  const std::string expected = told(*files, options);
  options.read_size_bytes = kReadSizesBytes[(control[0] + 1U) % kReadSizesBytes.size()];
  if (options.index.mode == IndexMode::rebuild) options.index.mode = IndexMode::automatic;
  const std::string found = told(*files, options);
  if (found != expected) fail("another read size, or the index file, differs", expected, found);
  try {
    check_chunks(*open(*files, options), 1 + (control[2] & 0x07U));
    if (fuzzed_format().writes_several) {
      check_written(*open(*files, options), options, *files);
    }
  } catch (const DataError&) {
  } catch (const ConfigError&) {
  } catch (const IoError&) {
  }
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
  sheaf::conformance::check_input(input.first(kControlBytes),
                                  has_parts ? sheaf::fuzz::expand(text) : std::string(text));
  return 0;
}
