// The batches of several tables, one after the other.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/arrow_data.h"

namespace sheaf::columns {

/// All batches of all members. The members have the same schema, except for metadata.
class ChainedBatches final : public ArrowBatches {
 public:
  /// Pre:    there is at least one member.
  /// Throws: ConfigError that names the two members and the column if schemas differ.
  explicit ChainedBatches(std::vector<std::shared_ptr<const ArrowBatches>> members);

  [[nodiscard]] const ArrowSchema& schema() const noexcept override {
    return members_.front()->schema();
  }
  [[nodiscard]] std::string_view name() const noexcept override { return members_.front()->name(); }
  [[nodiscard]] std::string_view name_of(std::int64_t batch) const noexcept override;
  [[nodiscard]] std::string_view path() const noexcept override { return members_.front()->path(); }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] std::int64_t batch_count() const noexcept override { return first_.back(); }
  [[nodiscard]] std::int64_t row_count(std::int64_t batch) const noexcept override;
  [[nodiscard]] ArrowLocation location(std::int64_t batch) const noexcept override;
  [[nodiscard]] std::optional<std::int64_t> null_count(std::int64_t batch,
                                                       std::int64_t column) const override;
  [[nodiscard]] bool reads_parts() const noexcept override;
  [[nodiscard]] bool reads_lengths() const noexcept override;
  [[nodiscard]] std::shared_ptr<const ArrowArray> read(const ArrowPart& part) const override;

 private:
  struct Found {
    const ArrowBatches& member;
    std::int64_t batch;  // in the member
  };
  [[nodiscard]] Found find(std::int64_t batch) const noexcept;

  std::vector<std::shared_ptr<const ArrowBatches>> members_;
  std::vector<std::int64_t> first_ = {0};  // first batch of each member; then their number
};

}  // namespace sheaf::columns
