#include "sheaf/extend/byte_sink.h"

#include <cstdint>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf {
namespace {

class MemorySink final : public ByteSink {
 public:
  MemorySink(std::string& bytes, std::string name)
      : name_(std::move(name)), bytes_(bytes), begin_(bytes.size()) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  void write(std::span<const std::byte> bytes) override {
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void overwrite(std::int64_t offset_bytes, std::span<const std::byte> bytes) override {
    const std::size_t at = begin_ + static_cast<std::size_t>(offset_bytes);
    bytes_.replace(at, bytes.size(), reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void finish() override {}

 private:
  std::string name_;
  std::string& bytes_;
  std::size_t begin_;  // where the sink's own bytes begin
};

}  // namespace

void ByteSink::overwrite(std::int64_t /*offset_bytes*/, std::span<const std::byte> /*bytes*/) {
  throw ConfigError(formatted(
      "{}: cannot be written: the format goes back to bytes written before, which needs a file",
      name()));
}

std::unique_ptr<ByteSink> memory_sink(std::string& bytes, std::string name) {
  return std::make_unique<MemorySink>(bytes, std::move(name));
}

}  // namespace sheaf
