/// \file
/// Makes recordings in archives and lists, for tests.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"

#include "format/audio/riff_bytes.h"
#include "format/kaldi/kaldi_test_files.h"
#include "support/write_file.h"

namespace sheaf::kaldi::testing {

/// Returns 16-bit numbers in their stored form.
inline std::string numbers16(const std::vector<int>& numbers) {
  std::string bytes;
  for (const int number : numbers) {
    bytes += static_cast<char>(number & 0xFF);
    bytes += static_cast<char>(number >> 8 & 0xFF);
  }
  return bytes;
}

/// Returns a RIFF file of 16 bits. The channels of a sample lie side by side.
inline std::string recording(const std::vector<int>& numbers, std::uint32_t channels = 1,
                             std::uint32_t rate = 16000) {
  return sheaf::testing::RiffBytes{.channels = channels, .rate = rate, .data = numbers16(numbers)}
      .bytes();
}

/// Returns `count` numbers from `first` on.
inline std::vector<int> counting(int first, int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(first + i);
  return numbers;
}

/// Returns a file after the word that kaldiio puts before it.
inline std::string image(const std::string& file) {
  std::string bytes = "AUDIO\4";
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(file.size() >> (8 * i) & 0xFF);
  return bytes + file;
}

/// Returns options that deliver the stored numbers as values.
inline FormatOptions audio_options(std::string segments = "") {
  FormatOptions options;
  options.extra["kaldi.scale"] = "int16";
  if (!segments.empty()) options.extra["kaldi.segments"] = std::move(segments);
  return options;
}

}  // namespace sheaf::kaldi::testing
