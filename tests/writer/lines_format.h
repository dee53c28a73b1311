// A format for tests: each line is a sequence, with everything that a serializer is told.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

#include "base/text.h"

namespace sheaf::testing {

/// Writes each sequence as a line: the key, or its text in quotes, and the samples of each stream,
/// separated by `|`. "-" is an absent stream. The first line names the streams. encode() fails for
/// a value of 13, and append() fails for a block with 99.
class LinesSerializer final : public Serializer {
 public:
  /// The number of existing blocks of all serializers.
  static inline std::atomic<std::int64_t> live_blocks = 0;

  class Block final : public Serializer::Block {
   public:
    explicit Block(std::string bytes) : text(std::move(bytes)) { ++live_blocks; }
    ~Block() override { --live_blocks; }
    [[nodiscard]] std::int64_t memory_bytes() const noexcept override { return std::ssize(text); }

    std::string text;
  };

  LinesSerializer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams)
      : sink_(std::move(sink)), streams_(streams.begin(), streams.end()) {
    std::string header;
    for (const Stream& stream : streams_) {
      header += to_string(stream) + (stream.defines_minibatch_size ? " *\n" : "\n");
    }
    append(std::make_unique<Block>(header));
  }

  [[nodiscard]] std::unique_ptr<Serializer::Block> encode(
      const SequenceBatch& batch) const override {
    std::string text;
    for (std::size_t n = 0; n < batch.keys.size(); ++n) {
      text += batch.key_texts.empty() ? to_string(batch.keys[n])
                                      : '"' + std::string(batch.key_texts[n]) + '"';
      for (std::size_t i = 0; i < streams_.size(); ++i) {
        text += " " + samples_of(streams_[i], batch.views[i][n], batch.keys[n]);
      }
      text += '\n';
    }
    return std::make_unique<Block>(text);
  }

  void append(std::unique_ptr<Serializer::Block> block) override {
    const std::string& text = static_cast<Block&>(*block).text;
    if (text.find(" 99") != std::string::npos) throw IoError("disk full");
    sink_->write(std::as_bytes(std::span(text)));
  }

  void finish() override { sink_->finish(); }

 private:
  template <typename T>
  static double load(const std::byte* from, std::int64_t number) {
    T value;
    std::memcpy(&value, from + number * std::int64_t{sizeof(T)}, sizeof(T));
    return static_cast<double>(value);
  }

  static std::string samples_of(const Stream& stream, const SequenceView& view,
                                const SequenceKey& key) {
    if (!view.is_present) return "-";
    std::string text;
    std::int64_t at = 0;
    for (std::int64_t t = 0; t < view.sample_count; ++t) {
      if (t > 0) text += '|';
      const std::int64_t count = view.sample_offsets == nullptr
                                     ? stream.sample_shape.size()
                                     : view.sample_offsets[t + 1] - view.sample_offsets[t];
      for (std::int64_t i = 0; i < count; ++i, ++at) {
        if (i > 0) text += ',';
        if (view.indices != nullptr) {
          text += formatted("{}:", load<std::int32_t>(view.indices, at));
        }
        const double value = stream.element_type == ElementType::f32
                                 ? load<float>(view.values, at)
                                 : load<double>(view.values, at);
        if (value == 13) {
          throw DataError({{.path = "lines",
                            .sequence_key = to_string(key),
                            .stream = stream.name,
                            .expected = "no 13"}});
        }
        text += formatted("{}", value);
      }
    }
    return text;
  }

  std::unique_ptr<ByteSink> sink_;
  std::vector<Stream> streams_;
};

/// Returns two formats: "lines" (.lines), and "seen" (.seen), which can only be read.
inline std::span<const Format> lines_formats() {
  static constexpr std::array<std::string_view, 1> kLines = {"lines"};
  static constexpr std::array<std::string_view, 1> kSeen = {"seen"};
  static const std::array<Format, 2> kFormats = {
      Format{.name = "lines",
             .description = "a line a sequence",
             .extensions = kLines,
             .open = nullptr,
             .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
               if (!request.options.extra.empty()) throw ConfigError("lines: no options");
               return std::make_unique<LinesSerializer>(std::move(request.sink), request.streams);
             }},
      Format{.name = "seen", .description = "read only", .extensions = kSeen, .open = nullptr}};
  return kFormats;
}

}  // namespace sheaf::testing
