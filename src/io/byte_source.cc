#include "sheaf/extend/byte_source.h"

#define XXH_INLINE_ALL
#include <algorithm>
#include <cstring>
#include <utility>

#include <xxhash.h>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf {
namespace {

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] std::int64_t size() const noexcept override {
    return static_cast<std::int64_t>(bytes_.size());
  }
  [[nodiscard]] bool has_fast_random_access() const noexcept override { return true; }

  void read_at(std::int64_t offset, std::span<std::byte> into) const override {
    const auto begin = static_cast<std::size_t>(offset);
    if (offset < 0 || begin > bytes_.size() || into.size() > bytes_.size() - begin) {
      throw IoError(formatted("{}: no {} bytes at offset {}: the size is {}", name_, into.size(),
                              offset, bytes_.size()));
    }
    if (!into.empty()) std::memcpy(into.data(), bytes_.data() + begin, into.size());
  }

 private:
  std::string bytes_;
  std::string name_;
};

}  // namespace

std::string to_string(const Fingerprint& fingerprint) {
  return formatted("{}-{:016x}", fingerprint.size_bytes, fingerprint.hash);
}

void ByteSource::read_many(std::span<const Request> requests) const {
  for (const Request& request : requests) read_at(request.offset, request.into);
}

Fingerprint ByteSource::fingerprint() const {
  constexpr std::int64_t kPartSize = 64 << 10;
  const std::int64_t total = size();
  const std::int64_t head_size = std::min(total, kPartSize);
  const std::int64_t tail_size = std::min(total - head_size, kPartSize);
  std::vector<std::byte> bytes(static_cast<std::size_t>(head_size + tail_size));
  const auto head = std::span(bytes).first(static_cast<std::size_t>(head_size));
  const auto tail = std::span(bytes).last(static_cast<std::size_t>(tail_size));
  const Request requests[] = {{.offset = 0, .into = head},
                              {.offset = total - tail_size, .into = tail}};
  read_many(requests);
  return {.size_bytes = total, .hash = XXH3_64bits(bytes.data(), bytes.size())};
}

std::shared_ptr<const ByteSource> memory_source(std::string bytes, std::string name) {
  return std::make_shared<const MemorySource>(std::move(bytes), std::move(name));
}

}  // namespace sheaf
