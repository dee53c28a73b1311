#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "base/text.h"
#include "io/system_error.h"
#include "io/temporary_file.h"

namespace sheaf {
namespace {

constexpr std::size_t kReadSize = std::size_t{1} << 20;

class SpooledSource final : public ByteSource {
 public:
  SpooledSource(int descriptor, std::string name) : name_(std::move(name)) {
    std::vector<std::byte> buffer(kReadSize);
    for (;;) {
      const ssize_t got =
          internal::uninterrupted([&] { return ::read(descriptor, buffer.data(), buffer.size()); });
      if (got == 0) return;
      if (got < 0) internal::throw_io_error(name_, "read", errno);
      file_.write_at(size_, std::span(buffer).first(static_cast<std::size_t>(got)));
      size_ += got;
    }
  }

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] std::int64_t size() const noexcept override { return size_; }
  [[nodiscard]] bool has_fast_random_access() const noexcept override { return true; }

  void read_at(std::int64_t offset, std::span<std::byte> into) const override {
    if (offset < 0 || offset > size_ || std::ssize(into) > size_ - offset) {
      throw IoError(formatted("{}: no {} bytes at offset {}: {} were read", name_, into.size(),
                              offset, size_));
    }
    file_.read_at(offset, into);
  }

 private:
  std::string name_;
  internal::TemporaryFile file_;
  std::int64_t size_ = 0;
};

}  // namespace

std::shared_ptr<const ByteSource> spool(int descriptor, std::string name) {
  return std::make_shared<const SpooledSource>(descriptor, std::move(name));
}

}  // namespace sheaf
