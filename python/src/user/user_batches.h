/// \file
/// A table whose batches code of Python reads.

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

/// Several threads of Python read batches at the same time, each for one thread of the library that
/// waits.
///
/// Threads: as ArrowBatches; called without the GIL.
class UserBatches final : public ArrowBatches {
 public:
  struct Batch {
    std::int64_t row_count = 0;
    std::int64_t size_bytes = 0;
    std::vector<std::int64_t> null_counts = {};  // of the columns; -1: not known; none: of all
  };

  /// The batches of one file of the table.
  struct Part {
    std::string name;  // for messages
    std::string path;  // of the file; empty: of none
    std::string fingerprint;
    Taken<ArrowSchema> schema;
    std::int64_t first_batch = 0;  // number that the readers know
    std::vector<Batch> batches;
  };

  /// `readers` are the same object on as many threads of Python.
  ///
  /// Pre:    there is a reader.
  /// Throws: ConfigError where the schema is no table's.
  UserBatches(std::vector<std::shared_ptr<const Kept>> readers, Part part);

  [[nodiscard]] const ArrowSchema& schema() const noexcept override { return *part_.schema; }
  [[nodiscard]] std::string_view name() const noexcept override { return part_.name; }
  [[nodiscard]] std::string_view path() const noexcept override { return part_.path; }
  [[nodiscard]] std::string fingerprint() const override { return part_.fingerprint; }
  [[nodiscard]] std::int64_t batch_count() const noexcept override;
  [[nodiscard]] std::int64_t row_count(std::int64_t batch) const noexcept override;
  [[nodiscard]] sheaf::ArrowPlace place(std::int64_t batch) const noexcept override;

  [[nodiscard]] std::optional<std::int64_t> null_count(std::int64_t batch,
                                                       std::int64_t column) const override;

  /// Throws: ConfigError where the batch has not the rows and columns of the table; UserError, with
  /// what the code of Python raised.
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
  std::vector<std::int64_t> offsets_;                       // of the batches
  mutable std::vector<std::atomic<std::int64_t>> pending_;  // calls of each reader
};

}  // namespace sheaf::python
