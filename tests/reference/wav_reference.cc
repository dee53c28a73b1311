// Reads numbers byte by byte, and turns each sample into a double before it becomes a float.

#include "reference/wav_reference.h"

#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/read_all.h"

namespace sheaf::conformance {
namespace {

struct WavFault {
  std::string code;
  std::int64_t at = 0;
};

/// The good part of a file.
struct WavFile {
  bool is_big_endian = false;
  std::uint64_t format = 0;
  std::uint64_t channels = 0;  // 0 means no good format
  std::uint64_t rate = 0;
  std::uint64_t bits = 0;
  std::int64_t format_at = 0;
  std::int64_t data_at = 0;
  std::int64_t data_size = 0;
  std::optional<WavFault> fault;
};

class WavParser {
 public:
  explicit WavParser(std::string_view bytes) : bytes_(bytes) {}

  WavFile parse() {
    parse_file();
    return file_;
  }

 private:
  [[nodiscard]] std::int64_t end() const { return std::ssize(bytes_); }

  [[nodiscard]] std::uint64_t number(std::int64_t at, int size) const {
    std::uint64_t value = 0;
    for (int i = 0; i < size; ++i) {
      const std::int64_t byte_at = file_.is_big_endian ? at + i : at + size - 1 - i;
      value = 256 * value + static_cast<unsigned char>(bytes_[static_cast<std::size_t>(byte_at)]);
    }
    return value;
  }

  [[nodiscard]] std::string_view letters(std::int64_t at) const {
    return bytes_.substr(static_cast<std::size_t>(at), 4);
  }

  void fail(std::string code, std::int64_t at) { file_.fault = WavFault{std::move(code), at}; }

  static bool is_open(std::uint64_t size) {
    return size == 0 || size == 0x7FFFF000 || size == 0xFFFFFFFF;
  }

  void parse_file() {
    if (end() < 12) return fail("wav-riff", end());
    if (letters(0) != "RIFF" && letters(0) != "RIFX") return fail("wav-riff", 0);
    if (letters(8) != "WAVE") return fail("wav-riff", 8);
    file_.is_big_endian = letters(0) == "RIFX";
    std::int64_t at = 12;
    bool has_format = false;
    for (int count = 0;; ++count) {
      if (count == 256) return fail("wav-chunks", at);
      if (at + 8 > end()) return fail(has_format ? "wav-data" : "wav-format", end());
      const auto size = static_cast<std::int64_t>(number(at + 4, 4));
      if (letters(at) == "data") {
        return has_format ? parse_data(at) : fail("wav-format", at);
      }
      if (at + 8 + size > end()) return fail("wav-cut", at + 4);
      if (letters(at) == "fmt ") {
        if (has_format) return fail("wav-format", at);
        has_format = true;
        parse_format(at + 8, size);
        if (file_.fault) {
          file_.channels = 0;
          return;
        }
      }
      at += 8 + size + size % 2;
    }
  }

  void parse_format(std::int64_t at, std::int64_t size) {
    if (size < 16) return fail("wav-format", at - 4);
    std::int64_t kind_at = at;
    if (number(at, 2) == 0xFFFE) {
      if (size < 40) return fail("wav-format", at - 4);
      kind_at = at + 24;
    }
    file_.format = number(kind_at, 2);
    file_.bits = number(at + 14, 2);
    const std::string kind = std::to_string(file_.format) + '/' + std::to_string(file_.bits);
    const std::string_view known = " 1/8 1/16 1/24 1/32 3/32 3/64 6/8 7/8 ";
    if (known.find(' ' + kind + ' ') == std::string_view::npos) {
      return fail("wav-encoding", kind_at);
    }
    file_.format_at = at;
    file_.channels = number(at + 2, 2);
    file_.rate = number(at + 4, 4);
    if (file_.channels == 0) return fail("wav-channels", at + 2);
    if (file_.rate == 0) return fail("wav-rate", at + 4);
    if (number(at + 12, 2) != file_.channels * file_.bits / 8) return fail("wav-align", at + 12);
  }

  void parse_data(std::int64_t at) {
    const std::uint64_t riff_size = number(4, 4);
    const std::uint64_t size = number(at + 4, 4);
    const std::int64_t begin = at + 8;
    const auto riff_end = static_cast<std::int64_t>(riff_size) + 8;
    file_.data_at = begin;
    const bool goes_on = !is_open(riff_size) && riff_end > begin;
    if (is_open(size) && !(size == 0 && goes_on)) {
      file_.data_size = end() - begin;
    } else {
      file_.data_size = static_cast<std::int64_t>(size);
      const std::int64_t data_end = begin + file_.data_size;
      if (!is_open(riff_size) && size > 0 && riff_end < data_end) return fail("wav-riff-size", 4);
      if (data_end > end()) return fail("wav-cut", end());
    }
    const auto unit = static_cast<std::int64_t>(file_.channels * file_.bits / 8);
    if (file_.data_size % unit != 0) fail("wav-data-size", at + 4);
  }

  std::string_view bytes_;
  WavFile file_;
};

double g711_value(const WavFile& file, std::uint64_t byte) {
  if (file.format == 6) {
    byte ^= 0x55U;
    const auto segment = static_cast<int>(byte / 16 % 8);
    const double step = 2.0 * static_cast<double>(byte % 16);
    const double size = segment == 0 ? step + 1 : std::ldexp(step + 33, segment - 1);
    return (byte >= 128 ? size : -size) / 4096;
  }
  byte = 255 - byte;
  const double step = 2.0 * static_cast<double>(byte % 16);
  const double size = std::ldexp(step + 33, static_cast<int>(byte / 16 % 8)) - 33;
  return (byte >= 128 ? -size : size) / 8192 + 0.0;  // no -0
}

double value_of(const WavFile& file, std::uint64_t word) {
  const auto bits = static_cast<int>(file.bits);
  const double number = static_cast<double>(word);
  if (file.format == 3 && bits == 32) {
    return double{std::bit_cast<float>(static_cast<std::uint32_t>(word))};
  }
  if (file.format == 3) return std::bit_cast<double>(word);
  if (file.format != 1) return g711_value(file, word);
  if (bits == 8) return (number - 128) / 128;
  const double half = std::ldexp(1, bits - 1);
  return (number >= half ? number - 2 * half : number) / half;
}

/// Returns the bits of value i.
std::uint64_t float_bits(const WavFile& file, std::string_view bytes, std::int64_t i,
                         bool is_int16) {
  const auto size = static_cast<std::int64_t>(file.bits / 8);
  std::uint64_t word = 0;
  for (std::int64_t k = 0; k < size; ++k) {
    const std::int64_t byte = file.is_big_endian ? k : size - 1 - k;
    const std::int64_t at = file.data_at + i * size + byte;
    word = word << 8U | static_cast<unsigned char>(bytes[static_cast<std::size_t>(at)]);
  }
  const bool is_stored = file.format == 3 && file.bits == 32 && !is_int16;
  if (is_stored) return word;
  const float value = static_cast<float>(value_of(file, word)) * (is_int16 ? 32768.0F : 1.0F);
  return std::bit_cast<std::uint32_t>(value);
}

/// Returns the error that a file has because of the options, if any.
std::optional<WavFault> fault_of(const WavFile& file, const FormatOptions& options,
                                 std::uint64_t channels) {
  if (file.fault) return file.fault;
  if (file.channels != channels) return WavFault{"wav-other-channels", file.format_at + 2};
  const auto rate = options.extra.find("wav.rate");
  if (rate != options.extra.end() && rate->second != std::to_string(file.rate)) {
    return WavFault{"wav-other-rate", file.format_at + 4};
  }
  if (file.data_size == 0) return WavFault{"wav-empty", file.data_at};
  return std::nullopt;
}

bool is_of_libsndfile(std::string_view bytes) {
  for (const std::string_view magic : {"fLaC", "OggS", "NIST_1A\n", "ID3"}) {
    if (bytes.starts_with(magic)) return true;
  }
  return bytes.size() >= 2 && bytes[0] == '\xFF' && (bytes[1] & 0xE0) == 0xE0;
}

}  // namespace

ReferenceResult parse_wav(std::string_view bytes, const FormatOptions& options) {
  if (is_of_libsndfile(bytes)) {
    ReferenceResult unknown;
    unknown.is_forged = true;  // the test accepts any result of libsndfile that does no harm
    return unknown;
  }
  const WavFile file = WavParser(bytes).parse();
  const StreamOptions* const declared = options.streams.empty() ? nullptr : &options.streams[0];
  ReferenceResult result;
  std::uint64_t channels = file.channels;
  if (declared != nullptr && declared->sample_shape) {
    channels = static_cast<std::uint64_t>(declared->sample_shape->size());
  } else if (channels == 0) {
    result.fatal.emplace().byte_offset = file.fault->at;
    result.fatal->code = file.fault->code;
    return result;
  }
  if (options.keys == KeyType::numeric) {  // the key is not a number
    result.fatal.emplace().byte_offset = Diagnostic::kNoOffset;
    result.fatal->code = "wav-numeric-key";
    return result;
  }
  ReferenceSequence sequence;
  sequence.key_text = kMemoryName;
  sequence.key = key_of_text(kMemoryName);
  ReferenceStream& stream = sequence.streams.emplace_back();
  if (const std::optional<WavFault> fault = fault_of(file, options, channels)) {
    sequence.is_hole = true;
    result.diagnostics.push_back({.byte_offset = fault->at,
                                  .sequence_key = sequence.key_text,
                                  .stream = declared != nullptr ? declared->name : "audio",
                                  .code = fault->code});
  } else {
    const auto scale = options.extra.find("wav.scale");
    const bool is_int16 = scale != options.extra.end() && scale->second == "int16";
    const auto value_count = file.data_size / static_cast<std::int64_t>(file.bits / 8);
    for (std::int64_t i = 0; i < value_count; ++i) {
      if (i % static_cast<std::int64_t>(channels) == 0) stream.samples.emplace_back();
      stream.samples.back().values.push_back(float_bits(file, bytes, i, is_int16));
    }
    sequence.sample_count = std::ssize(stream.samples);
  }
  result.sequences.push_back(std::move(sequence));
  return result;
}

std::int64_t wav_data_end(std::string_view bytes) {
  const WavFile file = WavParser(bytes).parse();
  return file.fault || file.data_size == 0 ? 0 : file.data_at + file.data_size;
}

}  // namespace sheaf::conformance
