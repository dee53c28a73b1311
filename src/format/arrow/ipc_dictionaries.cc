#include "format/arrow/ipc_dictionaries.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "format/arrow/arrow_errors.h"
#include "format/arrow/concatenation.h"
#include "format/arrow/ipc_body.h"

namespace sheaf::arrow {
namespace {

// The versions of a dictionary kept in memory. Threads that read a stream need only a few at a
// time.
constexpr std::size_t kKeptMax = 4;

// Returns an array without values.
ArrowNode empty_array(const IpcField& field) {
  ArrowNode array;
  const LayoutKind kind = field.layout.kind;
  const bool is_union = kind == LayoutKind::sparse_union || kind == LayoutKind::dense_union;
  const int count = buffer_count(field.layout, false) + (kind == LayoutKind::views ? 1 : 0);
  array.buffers.assign(static_cast<std::size_t>(count), no_values());
  if (count > 0 && !is_union) array.buffers[0] = nullptr;
  for (const IpcField& child : field.children) array.children.push_back(empty_array(child));
  return array;
}

}  // namespace

IpcDictionaries::IpcDictionaries(const ByteSource& source, const IpcFile& file)
    : source_(source), file_(file), kept_(file.schema.dictionaries.size()) {
  for (std::size_t i = 0; i < file.dictionaries.size(); ++i) {
    const IpcDictionaryLocation& batch = file.dictionaries[i];
    Batches& before = batches_[batch.id];
    if (before.empty() && batch.is_delta) {
      fail(source, kDictionary, batch.location.offset,
           formatted("values that are appended to no dictionary, with the id {}", batch.id));
    }
    if (!before.empty() && !batch.is_delta && !file.is_stream) {
      fail(source, kDictionary, batch.location.offset,
           formatted("another dictionary with the id {}", batch.id));
    }
    before.push_back(i);
  }
}

std::shared_ptr<const ArrowNode> IpcDictionaries::values(std::size_t dictionary,
                                                         std::int64_t batches_before,
                                                         bool may_be_absent) const {
  const IpcDictionary& wanted = file_.schema.dictionaries[dictionary];
  const Batches batches = batches_of(wanted.id, batches_before);
  if (batches.empty()) {
    if (may_be_absent) return std::make_shared<const ArrowNode>(empty_array(wanted.values));
    fail(source_, kDictionary, Diagnostic::kNoOffset,
         formatted("no dictionary with the id {} for {}", wanted.id, quoted(wanted.values.path)));
  }
  const std::lock_guard lock(mutex_);
  std::vector<Kept>& kept = kept_[dictionary];
  const auto found = std::find_if(kept.begin(), kept.end(), [&](const Kept& each) {
    return each.last_batch == batches.back();
  });
  Kept latest{.last_batch = batches.back(), .values = nullptr};
  if (found != kept.end()) {
    latest.values = found->values;
    kept.erase(found);
  } else {
    latest.values = read(wanted, batches, kept);
    if (kept.size() == kKeptMax) kept.erase(kept.begin());
  }
  kept.push_back(latest);
  return latest.values;
}

IpcDictionaries::Batches IpcDictionaries::batches_of(std::int64_t id,
                                                     std::int64_t batches_before) const {
  const auto all = batches_.find(id);
  if (all == batches_.end()) return {};
  const auto end = std::lower_bound(all->second.begin(), all->second.end(),
                                    static_cast<std::size_t>(batches_before));
  auto begin = end;
  while (begin != all->second.begin()) {
    --begin;
    if (!file_.dictionaries[*begin].is_delta) break;
  }
  return {begin, end};
}

std::shared_ptr<const ArrowNode> IpcDictionaries::read(const IpcDictionary& dictionary,
                                                       const Batches& batches,
                                                       const std::vector<Kept>& kept) const {
  const IpcLocation& last = file_.dictionaries[batches.back()].location;
  if (dictionary.is_nested) {
    fail(source_, kNestedDictionary, last.offset, quoted(dictionary.values.path));
  }
  if (batches.size() == 1) {
    return std::make_shared<const ArrowNode>(read_batch(dictionary, batches.front()));
  }
  if (!can_concatenate(dictionary.values)) {
    fail(source_, kDictionary, last.offset,
         formatted("values that are appended, of a type for which this is not supported, in {}",
                   quoted(dictionary.values.path)));
  }
  // Kept values have all batches up to their last one.
  std::shared_ptr<const ArrowNode> before;
  auto next = batches.begin();
  for (const Kept& each : kept) {
    const auto found = std::lower_bound(next, batches.end(), each.last_batch);
    if (found == batches.end() || *found != each.last_batch) continue;
    before = each.values;
    next = found + 1;
  }
  std::vector<ArrowNode> parts;
  parts.reserve(batches.size());
  for (; next != batches.end(); ++next) parts.push_back(read_batch(dictionary, *next));
  std::vector<ArrayHead> heads;
  heads.reserve(parts.size() + 1);
  if (before) heads.push_back({.array = before.get(), .length = before->length});
  for (const ArrowNode& part : parts) heads.push_back({.array = &part, .length = part.length});
  try {
    return std::make_shared<const ArrowNode>(concatenated(dictionary.values, heads));
  } catch (const DataError& error) {
    fail(source_, kDictionary, last.offset, error.diagnostics().back().found);
  }
}

ArrowNode IpcDictionaries::read_batch(const IpcDictionary& dictionary, std::size_t batch) const {
  const IpcDictionaryLocation& known = file_.dictionaries[batch];
  const IpcMetadata metadata(source_, known.location);
  const IpcDictionaryHeader header = read_dictionary_header(metadata.header(IpcKind::dictionary));
  const IpcBatchHeader values(header.batch, dictionary.all, known.location.body_bytes);
  ArrowNode array;
  BodyReader reader(values, {.body_offset = known.location.body_offset()});
  reader.add(dictionary.values, {.begin = 0, .end = values.row_count()}, array);
  reader.run();
  return array;
}

}  // namespace sheaf::arrow
