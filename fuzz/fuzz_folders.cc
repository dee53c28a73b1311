// The fuzz target of formats that open folders. For any names of files, the folder is read
// correctly or refused. All read sizes, chunk sizes and ranges of a chunk must give the same
// result.
//
// The first kControlBytes of an input choose how the rest is read: read size, chunk size, option.
// The rest is names of files, one on each line. A file contains the number of its line. The folder
// is "d". An option may name the first file.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/sheaf.h"

#include "conformance/read_all.h"
#include "support/write_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf::conformance {

extern const char* const kFuzzedFormat;  // set by CMakeLists.txt for each program

namespace {

constexpr std::size_t kControlBytes = 3;
constexpr std::array<std::int64_t, 3> kReadSizesBytes = {1 << 20, 1, 7};
constexpr std::array<std::int64_t, 3> kChunkSizesBytes = {32 << 20, 1, 2000};
constexpr std::int64_t kFilesMax = 300;

[[noreturn]] void fail(const char* what, const std::string& expected, const std::string& found) {
  std::fprintf(stderr, "%s\n--- expected\n%s\n--- found\n%s\n", what, expected.c_str(),
               found.c_str());
  std::abort();
}

std::unique_ptr<FileSystem> files_of(std::string_view names) {
  std::unique_ptr<FileSystem> files = memory_files();
  testing::write_file(*files, "names", names);
  for (std::int64_t number = 0; number < kFilesMax; ++number) {
    const std::size_t end = std::min(names.find('\n'), names.size());
    const std::string path = "d/" + std::string(names.substr(0, end));
    const bool is_file = path.find('\0') == std::string::npos && !path.ends_with('/');
    // Skip a name that is also a folder, or that lies below a file.
    try {
      if (is_file) testing::write_file(*files, path, number == 0 ? "" : std::to_string(number));
    } catch (const ConfigError&) {
    }
    if (end == names.size()) return files;
    names.remove_prefix(end + 1);
  }
  return files;
}

FormatOptions options_of(std::span<const std::uint8_t> control, const Format& format) {
  FormatOptions options;
  options.read_size_bytes = kReadSizesBytes[control[0] % kReadSizesBytes.size()];
  options.chunk_size_bytes = kChunkSizesBytes[control[1] % kChunkSizesBytes.size()];
  const std::size_t choice = control[2] % (4 * format.read_options.size() + 1);
  if (choice == 0) return options;
  const FormatOption& option = format.read_options[(choice - 1) / 4];
  const std::size_t value = (choice - 1) % 4;
  const std::string_view any = option.is_path ? "names" : "3";
  options.extra.emplace(option.name, option.takes_any && value + 1 >= option.values.size()
                                         ? any
                                         : option.values[value % option.values.size()]);
  return options;
}

// Returns the content of the folder, or the reason for its refusal.
std::string told(FileSystem& files, const FormatOptions& options, const Format& format) {
  try {
    const auto data =
        format.open({.options = options, .context = {.files = &files}, .paths = {"d"}});
    ReferenceResult all;
    for (ChunkIndex number{}; const auto info = data->index().chunk(number);
         number = next(number)) {
      Diagnostics diagnostics;
      const ChunkRange whole{number, 0, info->sequence_count};
      if (data->read(whole, diagnostics).memory_bytes() > info->decoded_size_bytes) {
        fail("a chunk is larger than the index said", std::to_string(info->decoded_size_bytes), "");
      }
      for (std::int64_t i = 0; i < info->sequence_count; ++i) {
        const RangeResult part = read_range(*data, {number, i, 1});
        all.sequences.insert(all.sequences.end(), part.sequences.begin(), part.sequences.end());
      }
      const RangeResult range = read_range(*data, whole);
      const auto begin = all.sequences.end() - info->sequence_count;
      if (!std::equal(range.sequences.begin(), range.sequences.end(), begin)) {
        fail("a range differs from the whole", "", "");
      }
    }
    return to_string(all);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace
}  // namespace sheaf::conformance

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sheaf;               // NOLINT(google-build-using-namespace)
  using namespace sheaf::conformance;  // NOLINT(google-build-using-namespace)
  if (size < kControlBytes) return 0;
  const Format& format = find_format("", FormatOptions{.format = kFuzzedFormat});
  const std::span control(data, kControlBytes);
  const auto files =
      files_of({reinterpret_cast<const char*>(data) + kControlBytes, size - kControlBytes});
  const FormatOptions options = options_of(control, format);
  FormatOptions plain = options;
  plain.read_size_bytes = kReadSizesBytes[0];
  plain.chunk_size_bytes = kChunkSizesBytes[0];
  const std::string expected = told(*files, plain, format);
  const std::string found = told(*files, options, format);
  if (found != expected) fail("sizes change what is read", expected, found);
  return 0;
}
