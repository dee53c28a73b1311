// Makes WAV files in memory, for tests.

#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"

#include "format/audio/riff_bytes.h"
#include "format/wav/wav_deserializer.h"
#include "support/write_file.h"

namespace sheaf::testing {

/// Returns 16-bit samples, one channel after the other.
inline std::string numbers16(std::initializer_list<int> numbers) {
  std::string bytes;
  for (const int number : numbers) {
    bytes += static_cast<char>(number & 0xFF);
    bytes += static_cast<char>(number >> 8 & 0xFF);
  }
  return bytes;
}

/// Returns a 16-bit file of one channel.
inline std::string mono(std::initializer_list<int> numbers, std::uint32_t rate = 16000) {
  return RiffBytes{.rate = rate, .data = numbers16(numbers)}.bytes();
}

/// Files in memory, with a way to read them.
class WavFilesInMemory {
 public:
  WavFilesInMemory(std::initializer_list<std::pair<const std::string, std::string>> files) {
    for (const auto& [path, bytes] : files) add(path, bytes);
  }

  void add(const std::string& path, const std::string& bytes) {
    write_file(*files_, path, bytes);
    paths_.push_back(path);
  }

  [[nodiscard]] FileSystem& file_system() { return *files_; }
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

  [[nodiscard]] std::unique_ptr<wav::WavDeserializer> open(FormatOptions options = {},
                                                           Executor* executor = nullptr) {
    OpenRequest request;
    request.options = std::move(options);
    request.options.extra.try_emplace("wav.scale", "int16");
    request.context = {.files = files_.get(), .executor = executor};
    request.paths = paths_;
    return std::make_unique<wav::WavDeserializer>(request);
  }

 private:
  std::unique_ptr<FileSystem> files_ = memory_files();
  std::vector<std::string> paths_;
};

/// Returns the key and the values of every sequence as whole numbers, with samples in brackets, or
/// "hole". The diagnostics of the chunk follow.
inline std::string told(const Deserializer& data) {
  std::string text;
  const std::int64_t channels = data.streams()[0].sample_shape.size();
  for (ChunkIndex number{}; data.index().chunk(number); number = next(number)) {
    Diagnostics diagnostics;
    const std::int64_t count = data.index().chunk(number)->sequence_count;
    const Chunk chunk = data.read({.chunk = number, .first = 0, .count = count}, diagnostics);
    for (std::int64_t i = 0; i < count; ++i) {
      text += std::string(chunk.key_text(i)) + (chunk.is_hole(i) ? " hole" : "");
      const SequenceView view = chunk.view(0, i);
      for (std::int64_t k = 0; k < view.sample_count * channels; ++k) {
        float value = 0;
        std::memcpy(&value, view.values + k * std::int64_t{sizeof value}, sizeof value);
        text += k % channels == 0 ? " [" : " ";
        text += std::to_string(static_cast<int>(value));
        text += k % channels == channels - 1 ? "]" : "";
      }
      text += '\n';
    }
    for (const Diagnostic& each : diagnostics.described()) text += to_string(each) + '\n';
  }
  return text;
}

}  // namespace sheaf::testing
