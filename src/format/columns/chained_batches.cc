#include "format/columns/chained_batches.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "format/columns/column_type.h"

namespace sheaf::columns {
namespace {

std::string_view text_of(const char* text) noexcept {
  return text == nullptr ? std::string_view{} : std::string_view(text);
}

void check_same(const ArrowBatches& first, const ArrowBatches& other) {
  const ArrowSchema& a = first.schema();
  const ArrowSchema& b = other.schema();
  if (are_same_types(a, b)) return;
  const auto shown = [](const ArrowSchema& column) {
    return formatted("{} {}", quoted(text_of(column.name)), type_name(column));
  };
  std::string differs = formatted("{} columns and {}", a.n_children, b.n_children);
  for (std::int64_t i = 0; i < std::min(a.n_children, b.n_children); ++i) {
    const ArrowSchema& left = *a.children[i];
    const ArrowSchema& right = *b.children[i];
    if (text_of(left.name) == text_of(right.name) && are_same_types(left, right)) continue;
    differs = formatted("column {} is {}, and there {}", i + 1, shown(left), shown(right));
    break;
  }
  throw ConfigError(
      formatted("{} and {} are no table together: {}", first.name(), other.name(), differs));
}

}  // namespace

ChainedBatches::ChainedBatches(std::vector<std::shared_ptr<const ArrowBatches>> members)
    : members_(std::move(members)) {
  for (const auto& member : members_) {
    check_same(*members_.front(), *member);
    first_.push_back(first_.back() + member->batch_count());
  }
}

ChainedBatches::Found ChainedBatches::find(std::int64_t batch) const noexcept {
  const auto behind = std::ranges::upper_bound(first_, batch);
  const auto member = static_cast<std::size_t>(behind - first_.begin() - 1);
  return {*members_[member], batch - first_[member]};
}

std::string_view ChainedBatches::name_of(std::int64_t batch) const noexcept {
  return find(batch).member.name();
}

std::string ChainedBatches::fingerprint() const {
  std::string all;
  for (const auto& member : members_) all += member->fingerprint() + ";";
  return members_.size() == 1 ? members_.front()->fingerprint() : to_string(key_of_text(all));
}

std::int64_t ChainedBatches::row_count(std::int64_t batch) const noexcept {
  const Found found = find(batch);
  return found.member.row_count(found.batch);
}

ArrowLocation ChainedBatches::location(std::int64_t batch) const noexcept {
  const Found found = find(batch);
  return found.member.location(found.batch);
}

std::optional<std::int64_t> ChainedBatches::null_count(std::int64_t batch,
                                                       std::int64_t column) const {
  const Found found = find(batch);
  return found.member.null_count(found.batch, column);
}

bool ChainedBatches::reads_parts() const noexcept {
  return std::ranges::all_of(members_, [](const auto& member) { return member->reads_parts(); });
}

bool ChainedBatches::reads_lengths() const noexcept {
  return std::ranges::all_of(members_, [](const auto& member) { return member->reads_lengths(); });
}

std::shared_ptr<const ArrowArray> ChainedBatches::read(const ArrowPart& part) const {
  const Found found = find(part.batch);
  ArrowPart own = part;
  own.batch = found.batch;
  return found.member.read(own);
}

}  // namespace sheaf::columns

namespace sheaf {

bool are_same_types(const ArrowSchema& a, const ArrowSchema& b) noexcept {
  using columns::text_of;
  if (text_of(a.format) != text_of(b.format) || a.n_children != b.n_children) return false;
  if ((a.dictionary == nullptr) != (b.dictionary == nullptr)) return false;
  if (a.dictionary != nullptr && !are_same_types(*a.dictionary, *b.dictionary)) return false;
  for (std::int64_t i = 0; i < a.n_children; ++i) {
    // The name of a list's item does not matter, because writers choose it differently.
    const bool has_names = text_of(a.format) == "+s";
    if (has_names && text_of(a.children[i]->name) != text_of(b.children[i]->name)) return false;
    if (!are_same_types(*a.children[i], *b.children[i])) return false;
  }
  return true;
}

std::shared_ptr<const ArrowBatches> chain_batches(
    std::vector<std::shared_ptr<const ArrowBatches>> members) {
  if (members.size() == 1) return std::move(members.front());
  return std::make_shared<const columns::ChainedBatches>(std::move(members));
}

}  // namespace sheaf
