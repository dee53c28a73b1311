/// \file
/// A table with batches that Python code reads.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/arrow_interface.h"

#include "user/user_calls.h"

namespace sheaf::python {

/// Several Python threads read batches at the same time. Each serves one waiting thread of the
/// library.
///
/// Threads: as ArrowBatches. Call without the GIL.
class UserBatches final : public ArrowBatches {
 public:
  struct Batch {
    std::int64_t row_count = 0;
    std::int64_t size_bytes = 0;
    std::vector<std::int64_t> null_counts = {};  // by column; -1: unknown; empty: all unknown
  };

  /// The batches of one file of the table.
  struct Part {
    std::string name;  // for messages
    std::string path;  // path of the file; empty: no file
    std::string fingerprint;
    Taken<ArrowSchema> schema;
    std::int64_t first_batch = 0;  // its number for the readers
    std::vector<Batch> batches;
  };

  /// `readers` are the same Python object, each on its own thread.
  ///
  /// Pre:    `readers` is not empty.
  /// Throws: ConfigError if the schema is not that of a table.
  UserBatches(std::vector<std::shared_ptr<const Kept>> readers, Part part);

  [[nodiscard]] const ArrowSchema& schema() const noexcept override { return *part_.schema; }
  [[nodiscard]] std::string_view name() const noexcept override { return part_.name; }
  [[nodiscard]] std::string_view path() const noexcept override { return part_.path; }
  [[nodiscard]] std::string fingerprint() const override { return part_.fingerprint; }
  [[nodiscard]] std::int64_t batch_count() const noexcept override;
  [[nodiscard]] std::int64_t row_count(std::int64_t batch) const noexcept override;
  [[nodiscard]] sheaf::ArrowLocation location(std::int64_t batch) const noexcept override;

  [[nodiscard]] std::optional<std::int64_t> null_count(std::int64_t batch,
                                                       std::int64_t column) const override;

  /// Returns the requested part of a batch.
  ///
  /// Throws: ConfigError if the batch does not have the rows and columns of the table; UserError
  /// with
  ///         the exception of the Python code.
  [[nodiscard]] std::shared_ptr<const ArrowArray> read(const ArrowPart& part) const override;

 private:
  [[nodiscard]] const Batch& batch(std::int64_t number) const noexcept {
    return part_.batches[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] std::shared_ptr<UserCall> answered(const ArrowPart& part) const;
  [[nodiscard]] const ArrowArray* column_in(const UserCall& answer, const ArrowPart& part,
                                            std::int64_t number) const;
  [[noreturn]] void refuse(const ArrowPart& part, const std::string& expected,
                           const std::string& found) const;

  const std::vector<std::shared_ptr<const Kept>> readers_;
  const Part part_;
  std::vector<std::int64_t> offsets_;                       // offsets of the batches
  mutable std::vector<std::atomic<std::int64_t>> pending_;  // pending calls of each reader
};

}  // namespace sheaf::python
