// Limits the size of reads.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// Another source, read with at most `read_size_bytes` at a time.
class PiecewiseSource final : public ByteSource {
 public:
  /// Pre: read_size_bytes >= 1.
  PiecewiseSource(std::shared_ptr<const ByteSource> source, std::int64_t read_size_bytes);

  [[nodiscard]] std::string_view name() const noexcept override { return source_->name(); }
  [[nodiscard]] std::string_view path() const noexcept override { return source_->path(); }
  [[nodiscard]] std::int64_t modified_ns() const noexcept override {
    return source_->modified_ns();
  }
  [[nodiscard]] std::int64_t size() const noexcept override { return source_->size(); }
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return source_->has_fast_random_access();
  }
  void read_at(std::int64_t offset, std::span<std::byte> into) const override;
  void read_many(std::span<const Request> requests) const override;

 private:
  std::shared_ptr<const ByteSource> source_;
  std::int64_t read_size_;
};

}  // namespace sheaf::internal
