#include "ops/report/id_runs.h"

namespace sheaf::internal {
namespace {

IdRun shifted(IdRun run, std::int64_t offset) noexcept {
  run.first += offset;
  return run;
}

}  // namespace

void IdRuns::append(const IdRuns& next, std::int64_t offset) noexcept {
  if (next.sequences_ == 0) return;
  IdRun head = shifted(next.first_, offset);
  const bool joins = sequences_ > 0 && last_.id == head.id;
  if (joins) head = {.id = head.id, .first = last_.first, .count = last_.count + head.count};
  keep_longest(head);
  if (!next.is_single_) keep_longest(shifted(next.longest_, offset));

  if (sequences_ == 0 || (is_single_ && joins)) {
    first_ = head;
    is_single_ = next.is_single_;
  } else {
    is_single_ = false;
  }
  last_ = next.is_single_ ? head : shifted(next.last_, offset);
  sequences_ += next.sequences_;
}

}  // namespace sheaf::internal
