#include "user/user_batches.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "sheaf/error.h"

namespace sheaf::python {
namespace {

// Picks the reader with the fewest pending calls, and counts one more call while it exists.
class Pending {
 public:
  explicit Pending(std::vector<std::atomic<std::int64_t>>& counts)
      : count_(*std::ranges::min_element(
            counts, {}, [](const std::atomic<std::int64_t>& count) { return count.load(); })),
        number_(static_cast<std::size_t>(&count_ - counts.data())) {
    ++count_;
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() { --count_; }

  [[nodiscard]] std::size_t number() const noexcept { return number_; }

 private:
  std::atomic<std::int64_t>& count_;
  std::size_t number_;
};

/// Some table rows and columns of a batch. They share the buffers of the batch.
struct Rows {
  ArrowArray root = {};
  std::vector<ArrowArray*> columns;
  std::shared_ptr<const ArrowArray> batch;
};

}  // namespace

UserBatches::UserBatches(std::vector<std::shared_ptr<const Kept>> readers, Part part)
    : readers_(std::move(readers)), part_(std::move(part)), pending_(readers_.size()) {
  if (std::string_view(part_.schema->format) != "+s") {
    throw ConfigError(part_.name + ": the schema of a table is that of structs: got the format \"" +
                      part_.schema->format + '"');
  }
  std::int64_t offset = 0;
  for (const Batch& each : part_.batches) {
    offsets_.push_back(offset);
    offset += each.size_bytes;
  }
}

std::int64_t UserBatches::batch_count() const noexcept { return std::ssize(part_.batches); }

std::int64_t UserBatches::row_count(std::int64_t number) const noexcept {
  return batch(number).row_count;
}

sheaf::ArrowLocation UserBatches::location(std::int64_t number) const noexcept {
  return {.offset_bytes = offsets_[static_cast<std::size_t>(number)],
          .size_bytes = batch(number).size_bytes};
}

std::optional<std::int64_t> UserBatches::null_count(std::int64_t number,
                                                    std::int64_t column) const {
  const std::vector<std::int64_t>& known = batch(number).null_counts;
  if (known.empty()) return std::nullopt;
  const std::int64_t count = known.at(static_cast<std::size_t>(column));
  return count < 0 ? std::nullopt : std::optional(count);
}

std::shared_ptr<UserCall> UserBatches::answered(const ArrowPart& part) const {
  const Pending pending(pending_);
  const Kept& reader = *readers_[pending.number()];
  auto call = std::make_shared<UserCall>();
  call->description = reader.number;
  BatchRequest request{.batch = part_.first_batch + part.batch, .columns = {}};
  for (const std::int64_t column : part.columns) {
    request.columns.emplace_back(part_.schema->children[column]->name);
  }
  call->batch = std::make_shared<const BatchRequest>(std::move(request));
  reader.calls->ask(call);
  reader.calls->wait(*call);
  return call;
}

const ArrowArray* UserBatches::column_in(const UserCall& answer, const ArrowPart& part,
                                         std::int64_t number) const {
  const ArrowSchema& column = *part_.schema->children[number];
  const ArrowSchema& found = *answer.schema;
  for (std::int64_t i = 0; i < found.n_children; ++i) {
    if (std::string_view(found.children[i]->name) != column.name) continue;
    if (are_same_types(column, *found.children[i])) return answer.array->children[i];
    refuse(part, "the column \"" + std::string(column.name) + "\" with the type of the schema",
           "another type");
  }
  refuse(part, "the column \"" + std::string(column.name) + '"', "none");
}

void UserBatches::refuse(const ArrowPart& part, const std::string& expected,
                         const std::string& found) const {
  throw ConfigError(part_.name + ": batch " + std::to_string(part.batch) + ": expected " +
                    expected + ", found " + found);
}

std::shared_ptr<const ArrowArray> UserBatches::read(const ArrowPart& part) const {
  const std::shared_ptr<UserCall> answer = answered(part);
  const auto rows = std::make_shared<Rows>();
  for (const std::int64_t number : part.columns) {
    rows->columns.push_back(const_cast<ArrowArray*>(column_in(*answer, part, number)));
  }
  rows->batch = std::move(answer->array);
  if (rows->batch->length != row_count(part.batch)) {
    refuse(part, std::to_string(row_count(part.batch)) + " rows",
           std::to_string(rows->batch->length));
  }
  if (rows->batch->null_count > 0) refuse(part, "rows", "a row that is null as a whole");
  rows->root = *rows->batch;
  rows->root.offset += part.first;
  rows->root.length = part.count;
  rows->root.n_children = std::ssize(rows->columns);
  rows->root.children = rows->columns.data();
  rows->root.release = nullptr;
  return {rows, &rows->root};
}

}  // namespace sheaf::python
