// From a reader section that is understood to a reader that runs.

#include <algorithm>
#include <utility>

#include "sheaf/config_reader.h"
#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"

namespace sheaf {
namespace {

// Parts of the memory limit: one in so many.
constexpr std::int64_t kIndexShare = 8;
constexpr std::int64_t kJoinedIndexShare = 2;  // for all files of a join, which ask here and there
constexpr std::int64_t kHeldShare = 4;         // for files of a join that are in another order

// A part so small that it is nothing must not become none at all, which is 0.
std::int64_t part_of(std::int64_t limit_bytes, std::int64_t share) {
  return limit_bytes == 0 ? 0 : std::max<std::int64_t>(1, limit_bytes / share);
}

std::string name_of(const ConfiguredFiles& files) {
  std::string name;
  for (const std::string& path : files.paths) name += (name.empty() ? "" : ", ") + path;
  return name;
}

NamedData open_one(const ConfiguredFiles& files, const FormatOptions& format,
                   std::int64_t memory_limit_bytes) {
  if (files.opened.data) return files.opened;
  ConcatenateOptions concatenation = files.concatenation;
  concatenation.memory_limit_bytes = part_of(memory_limit_bytes, kIndexShare);
  return {open_files(files.paths, format, concatenation), name_of(files)};
}

}  // namespace

std::shared_ptr<const Deserializer> open_data(const ConfiguredReader& reader, Executor* executor,
                                              std::int64_t memory_limit_bytes) {
  if (reader.data.empty()) throw ConfigError("data: a reader needs at least one deserializer");
  const auto count = static_cast<std::int64_t>(reader.data.size());
  const std::int64_t share =
      part_of(memory_limit_bytes, count == 1 ? kIndexShare : kJoinedIndexShare * count);
  std::vector<NamedData> members;
  for (const ConfiguredFiles& files : reader.data) {
    FormatOptions format = files.format;
    format.context.executor = executor;
    format.index.memory_limit_bytes = share;
    format.groups_chunks |= reader.order.algorithm == OrderAlgorithm::keyed;
    members.push_back(open_one(files, format, memory_limit_bytes));
  }
  if (count == 1) return members.front().data;
  JoinOptions options = reader.join;
  options.executor = executor;
  options.memory_limit_bytes = part_of(memory_limit_bytes, kIndexShare);
  if (memory_limit_bytes > 0) options.held_bytes = part_of(memory_limit_bytes, kHeldShare);
  return join(std::move(members), options);
}

std::int64_t max_errors_of(const ConfiguredReader& reader, std::int64_t more) {
  if (more < 0) throw ConfigError(formatted("max_errors must be 0 or more: got {}", more));
  return internal::saturated_sum(reader.max_errors, more);
}

Reader make_reader(const ConfiguredReader& reader, RunOptions run) {
  const std::shared_ptr<const Deserializer> data =
      open_data(reader, run.executor, run.memory_limit_bytes);
  const std::shared_ptr<const Counts> counts(data, &data->index());
  run.max_errors = max_errors_of(reader, run.max_errors);
  return Reader(data, make_sequencer(counts, reader.order),
                make_packer(reader.packing, reader.order), run);
}

}  // namespace sheaf
