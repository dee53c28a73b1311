#include "sheaf/spec.h"

#include <cstddef>
#include <type_traits>

#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"

namespace sheaf {
namespace {

template <typename Data>
auto members_among(Data& data) -> std::span<std::remove_reference_t<decltype(data)>> {
  if (auto* const concatenation = std::get_if<ConcatenationSpec>(&data.content)) {
    return concatenation->members;
  }
  if (auto* const join = std::get_if<JoinSpec>(&data.content)) return join->members;
  if (auto* const mixture = std::get_if<MixtureSpec>(&data.content)) return mixture->members;
  return {};
}

template <typename Data, typename Files>
void add_files_of(Data& data, std::vector<Files*>& all) {
  if (auto* const files = std::get_if<FilesSpec>(&data.content)) all.push_back(files);
  for (auto& member : members_among(data)) add_files_of(member, all);
}

// Returns the size of the chunks that the order shuffles: those of the first files of the member
// that gives the order.
std::int64_t chunk_size_of_order(const DataSpec& data) noexcept {
  if (const auto* const files = std::get_if<FilesSpec>(&data.content)) {
    return files->format.chunk_size_bytes;
  }
  if (const auto* const object = std::get_if<ObjectSpec>(&data.content)) {
    return object->chunk_size_bytes;
  }
  const auto* const join = std::get_if<JoinSpec>(&data.content);
  const std::size_t first = join != nullptr ? static_cast<std::size_t>(join->primary) : 0;
  const std::span<const DataSpec> members = members_of(data);
  return first < members.size() ? chunk_size_of_order(members[first])
                                : FormatOptions{}.chunk_size_bytes;
}

}  // namespace

std::vector<const FilesSpec*> files_of(const DataSpec& data) {
  std::vector<const FilesSpec*> all;
  add_files_of(data, all);
  return all;
}

std::vector<FilesSpec*> files_of(DataSpec& data) {
  std::vector<FilesSpec*> all;
  add_files_of(data, all);
  return all;
}

std::span<const DataSpec> members_of(const DataSpec& data) { return members_among(data); }

std::span<DataSpec> members_of(DataSpec& data) { return members_among(data); }

std::int64_t max_errors_of(const Spec& spec, std::int64_t more) {
  if (more < 0) throw ConfigError(formatted("max_errors must be 0 or more: got {}", more));
  return internal::saturated_sum(spec.read.max_errors, more);
}

OrderOptions order_of(const Spec& spec) {
  OrderOptions order = spec.read.order;
  const std::optional<std::int64_t> padded = spec.read.padding.pad_length;
  if (padded) order.row_samples = padded;
  if (spec.read.row_samples) order.row_samples = spec.read.row_samples;
  const bool has_window = order.window_chunks || order.window_samples;
  if (order.algorithm == OrderAlgorithm::file || has_window) return order;
  order.window_chunks = default_window_chunks(spec.data);
  return order;
}

std::int64_t default_window_chunks(const DataSpec& data) noexcept {
  return default_window_chunks(chunk_size_of_order(data));
}

}  // namespace sheaf
