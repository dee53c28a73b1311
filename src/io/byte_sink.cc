#include "sheaf/extend/byte_sink.h"

#include <utility>

namespace sheaf {
namespace {

class MemorySink final : public ByteSink {
 public:
  MemorySink(std::string& bytes, std::string name) : name_(std::move(name)), bytes_(bytes) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  void write(std::span<const std::byte> bytes) override {
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void finish() override {}

 private:
  std::string name_;
  std::string& bytes_;
};

}  // namespace

std::unique_ptr<ByteSink> memory_sink(std::string& bytes, std::string name) {
  return std::make_unique<MemorySink>(bytes, std::move(name));
}

}  // namespace sheaf
