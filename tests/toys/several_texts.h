// Several texts in one file, separated by a byte that occurs in no text.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/named_data.h"

#include "toys/toy_bytes.h"

namespace sheaf::toys {

inline constexpr char kBetweenTexts = '\x1E';

/// A range of a source, as a source.
class SliceSource final : public ByteSource {
 public:
  SliceSource(std::shared_ptr<const ByteSource> source, std::int64_t begin, std::int64_t size)
      : source_(std::move(source)), begin_(begin), size_(size) {}

  [[nodiscard]] std::string_view name() const noexcept override { return source_->name(); }
  [[nodiscard]] std::int64_t size() const noexcept override { return size_; }
  void read_at(std::int64_t offset, std::span<std::byte> into) const override {
    source_->read_at(begin_ + offset, into);
  }

 private:
  std::shared_ptr<const ByteSource> source_;
  std::int64_t begin_;
  std::int64_t size_;
};

/// Returns the texts of a file.
inline std::vector<std::string> split_texts(std::string_view bytes) {
  std::vector<std::string> texts(1);
  for (const char c : bytes) {
    if (c == kBetweenTexts) {
      texts.emplace_back();
    } else {
      texts.back() += c;
    }
  }
  return texts;
}

/// Returns the offset of a line in a text. Lines count from 1.
inline std::int64_t offset_of_line(std::string_view text, std::int64_t line) {
  std::size_t offset = 0;
  while (--line > 0) offset = text.find('\n', offset) + 1;
  return static_cast<std::int64_t>(offset);
}

/// Opens each text of a file as CTF with its own options. The last options serve for all further
/// texts.
inline std::vector<NamedData> open_texts(const std::shared_ptr<const ByteSource>& source,
                                         const std::vector<FormatOptions>& options) {
  constexpr std::int64_t kReadSize = 4096;
  std::vector<NamedData> members;
  std::int64_t begin = 0;
  for (const std::string& text : split_texts(read_part(*source, 0, source->size(), kReadSize))) {
    const FormatOptions& own = options[std::min(members.size(), options.size() - 1)];
    auto slice = std::make_shared<const SliceSource>(source, begin, std::ssize(text));
    begin += std::ssize(text) + 1;
    const Format& ctf = find_format("text.ctf", own);
    members.push_back(
        {.data = ctf.open({std::move(slice), own}), .name = std::string(source->name())});
  }
  return members;
}

}  // namespace sheaf::toys
