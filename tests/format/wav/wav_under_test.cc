// Tests a file of one recording. wav_deserializer_test.cc reads several files, and files that
// differ.

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/format_under_test.h"
#include "format/audio/riff_bytes.h"
#include "reference/wav_reference.h"

// libsndfile 1.2.0 leaks some kilobytes for each Vorbis file with a wrong header. The leak
// sanitizer looks for its exceptions under this name.
extern "C" const char* __lsan_default_suppressions();  // NOLINT
extern "C" const char* __lsan_default_suppressions() {
  return "leak:vorbis_info_init\n";
}  // NOLINT

namespace sheaf::conformance {

FormatUnderTest wav_under_test();

namespace {

using testing::RiffBytes;

struct Kind {
  std::uint32_t format;
  std::uint32_t bits;
};

constexpr Kind kKinds[] = {{1, 8}, {1, 16}, {1, 24}, {1, 32}, {3, 32}, {3, 64}, {6, 8}, {7, 8}};

std::string random_bytes(Choices& choices, std::int64_t count) {
  std::string bytes;
  for (std::int64_t i = 0; i < count; ++i) bytes += static_cast<char>(choices.below(256));
  return bytes;
}

/// Returns numbers that are finite after every conversion. For other numbers, the reference has
/// other bits.
std::string random_floats(Choices& choices, const RiffBytes& file, std::int64_t count) {
  std::string bytes;
  for (std::int64_t i = 0; i < count; ++i) {
    const double number = static_cast<double>(choices.below(2001) - 1000) / 512;
    if (file.bits == 32) {
      bytes += file.number(std::bit_cast<std::uint32_t>(static_cast<float>(number)), 4);
      continue;
    }
    const auto word = std::bit_cast<std::uint64_t>(number);
    const std::string low = file.number(static_cast<std::uint32_t>(word), 4);
    const std::string high = file.number(static_cast<std::uint32_t>(word >> 32U), 4);
    bytes += file.is_big_endian ? high + low : low + high;
  }
  return bytes;
}

void break_format(RiffBytes& file, Choices& choices) {
  switch (choices.below(6)) {
    case 0:
      file.bits += 4;
      break;
    case 1:
      file.format = 2;
      break;
    case 2:
      file.channels = 0;
      break;
    case 3:
      file.rate = 0;
      break;
    case 4:
      file.align = 7;
      break;
    default:
      file.before.emplace_back("fmt ", file.format_fields());
  }
}

std::string generate(std::uint64_t seed, const FormatOptions& options) {
  Choices choices(seed);
  const Kind kind = kKinds[choices.below(std::ssize(kKinds))];
  RiffBytes file = {.is_big_endian = choices.once_in(4),
                    .format = kind.format,
                    .channels = static_cast<std::uint32_t>(1 + choices.below(3)),
                    .rate = static_cast<std::uint32_t>(8000 + choices.below(40'000)),
                    .bits = kind.bits,
                    .is_extensible = choices.once_in(4)};
  if (!options.streams.empty() && options.streams[0].sample_shape) {
    file.channels = static_cast<std::uint32_t>(options.streams[0].sample_shape->size());
  }
  const std::int64_t value_count = choices.below(40) * file.channels;
  file.data = kind.format == 3 ? random_floats(choices, file, value_count)
                               : random_bytes(choices, value_count * kind.bits / 8);
  while (choices.once_in(3)) {
    file.before.emplace_back(choices.pick({"LIST", "fact", "bext"}),
                             random_bytes(choices, choices.below(20)));
  }
  if (choices.once_in(3)) file.behind.emplace_back("id3 ", random_bytes(choices, choices.below(9)));
  if (choices.once_in(8)) file.riff_size = choices.once_in(2) ? 0xFFFFFFFF : 0x7FFFF024;
  if (choices.once_in(8)) {
    file.behind.clear();
    file.data_size = choices.once_in(2) ? 0xFFFFFFFF : 0x7FFFF000;
    if (file.data.size() % 2 != 0) file.data.pop_back();  // without room for padding
  }
  if (choices.once_in(12)) file.data += 'x';
  if (choices.once_in(12)) file.riff_size = static_cast<std::uint32_t>(choices.below(60));
  if (choices.once_in(20)) break_format(file, choices);
  std::string bytes = file.bytes();
  if (choices.once_in(10)) {
    bytes.resize(static_cast<std::size_t>(choices.below(std::ssize(bytes))));
  }
  return bytes;
}

std::vector<Alphabet> letters() {
  using std::string_literals::operator""s;
  const RiffBytes bytes = {.bits = 8};
  const RiffBytes stereo = {.channels = 2};
  const RiffBytes wide = {.is_extensible = true};
  const std::string open = "RIFF\377\377\377\377WAVE";
  const std::string small = "RIFF\46\0\0\0WAVE"s;  // the size of a file with two bytes of data
  const std::string format = bytes.chunk("fmt ", bytes.format_fields());
  return {
      {.letters = {open, small, format, stereo.chunk("fmt ", stereo.format_fields()),
                   "data\2\0\0\0"s, "data\0\0\0\0"s, "junk\1\0\0\0x\0"s, "ab", "c"},
       .length_max = 5},
      {.letters = {open + format.substr(0, 20), format.substr(20), format,
                   wide.chunk("fmt ", wide.format_fields()), "data\377\377\377\377", "\0"s, "data"},
       .length_max = 5}};
}

}  // namespace

FormatUnderTest wav_under_test() {
  FormatOptions declared;
  declared.streams = {{.name = "speech", .sample_shape = Shape{2}}};
  declared.extra = {{"wav.scale", "int16"}};
  return {.name = "wav",
          .option_sets = {{.name = "plain", .options = {}, .alphabets = letters()},
                          {.name = "declared", .options = declared, .alphabets = letters()}},
          .generate = generate,
          .reference = parse_wav,
          .data_end = wav_data_end,
          .has_text_keys = true,
          .has_one_sequence = true};
}

}  // namespace sheaf::conformance
