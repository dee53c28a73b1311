/// \file
/// Makes manifests in memory for tests, and reads them as text.

#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"

#include "conformance/read_all.h"
#include "format/audio/riff_bytes.h"
#include "format/manifest/manifest_deserializer.h"
#include "support/write_file.h"

namespace sheaf::manifest::testing {

/// Returns a 16-bit WAV file with the samples 0, 1, 2 ..., channel by channel.
inline std::string counting_wav(int value_count, std::uint32_t channels = 1,
                                std::uint32_t rate = 10) {
  std::string data;
  for (int i = 0; i < value_count; ++i) {
    data += static_cast<char>(i & 0xFF);
    data += static_cast<char>(i >> 8 & 0xFF);
  }
  return sheaf::testing::RiffBytes{.channels = channels, .rate = rate, .data = data}.bytes();
}

/// Returns a NumPy file of version 1.
inline std::string npy(const std::string& descr, const std::string& shape, std::string_view data) {
  std::string head = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  head += '\n';
  std::string bytes("\x93NUMPY\x01\0", 8);
  bytes += static_cast<char>(head.size() & 0xFFU);
  bytes += static_cast<char>(head.size() >> 8U & 0xFFU);
  return bytes + head + std::string(data);
}

/// Returns the bytes of floats.
inline std::string bytes_of(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFFU);
  }
  return bytes;
}

/// Returns a matrix of floats in Kaldi's form.
inline std::string matrix_of_kaldi(const std::vector<float>& values, int cols) {
  const auto number = [](std::int64_t count) {
    std::string bytes = "\4";
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(count >> shift & 0xFF);
    return bytes;
  };
  const std::int64_t rows = cols == 0 ? 0 : std::ssize(values) / cols;
  return std::string("\0BFM ", 5) + number(rows) + number(cols) + bytes_of(values);
}

/// Returns options that deliver 16-bit numbers unchanged.
inline FormatOptions plain_options() {
  FormatOptions options;
  options.extra["manifest.scale"] = "int16";
  return options;
}

/// Opens a file named "m.jsonl".
inline std::unique_ptr<Deserializer> open_manifest(FileSystem& files, const std::string& lines,
                                                   const FormatOptions& options = plain_options(),
                                                   Executor* executor = nullptr) {
  sheaf::testing::write_file(files, "m.jsonl", lines);
  return std::make_unique<ManifestDeserializer>(
      OpenRequest{.source = files.open("m.jsonl"),
                  .options = options,
                  .context = {.files = &files, .executor = executor}});
}

/// Returns a line for each sequence: "key: 1|2 3|4 text", or "key hole". A "|" stands before each
/// sample of numbers, and "-" is an absent stream. `codes` gets the offset and the code of each
/// diagnostic.
inline std::string told(const Deserializer& data, std::vector<std::string>* codes = nullptr) {
  const conformance::ReferenceResult all = conformance::read_all(data);
  std::string told;
  for (const conformance::ReferenceSequence& sequence : all.sequences) {
    told += sequence.key_text.empty() && sequence.key.high == 0 ? std::to_string(sequence.key.low)
                                                                : sequence.key_text;
    told += sequence.is_hole ? " hole\n" : ":";
    if (sequence.is_hole) continue;
    for (std::size_t k = 0; k < sequence.streams.size(); ++k) {
      const auto& stream = sequence.streams[k];
      told += stream.is_present ? " " : " -";
      for (const conformance::ReferenceSample& sample : stream.samples) {
        const bool is_text = data.streams()[k].element_type == ElementType::bytes;
        if (!is_text) told += '|';
        for (std::size_t i = 0; i < sample.values.size(); ++i) {
          const std::uint64_t bits = sample.values[i];
          if (is_text) {
            told += static_cast<char>(bits);
            continue;
          }
          const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
          std::string number = std::to_string(value);
          number.erase(number.find_last_not_of('0') + 1);
          if (number.ends_with('.')) number.pop_back();
          told += (i == 0 ? "" : " ") + number;
        }
      }
    }
    told += '\n';
  }
  if (codes == nullptr) return told;
  codes->clear();
  for (const conformance::ReferenceDiagnostic& each : all.diagnostics) {
    codes->push_back((each.line > 0 ? std::to_string(each.line) + ":" + std::to_string(each.column)
                                    : "byte " + std::to_string(each.byte_offset)) +
                     " " + each.code);
  }
  return told;
}

}  // namespace sheaf::manifest::testing
