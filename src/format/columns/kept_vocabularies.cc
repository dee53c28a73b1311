#include "format/columns/kept_vocabularies.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/int_codec.h"
#include "format/columns/table_index_file.h"
#include "index/index_file.h"

namespace sheaf::columns {
namespace {

using internal::append_varint;

// A run of ids takes at least two bytes of the notes. This limit bounds how much memory wrong notes
// can ask for.
constexpr std::uint64_t kRunMax = 64;

void append_text(std::string_view text, std::string& into) {
  append_varint(text.size(), into);
  into += text;
}

// Appends runs of ascending ids: the first id plus 1, and the number of ids. A null is a 0.
void append_ids(const Vocabulary::Ids& ids, std::string& into) {
  std::string runs;
  std::uint64_t run_count = 0;
  for (std::size_t begin = 0; begin < ids.size(); ++run_count) {
    std::size_t end = begin + 1;
    append_varint(static_cast<std::uint64_t>(ids[begin] + std::int64_t{1}), runs);
    if (ids[begin] != Vocabulary::kNull) {
      const std::size_t end_max = std::min<std::size_t>(ids.size(), begin + kRunMax);
      while (end < end_max && ids[end] == ids[end - 1] + 1) ++end;
      append_varint(end - begin, runs);
    }
    begin = end;
  }
  append_varint(run_count, into);
  into += runs;
}

// Appends runs of batches with the same dictionary: the number of batches, the number of the list,
// and the number of ids.
void append_dictionaries(const std::vector<Vocabulary::Dictionary>& all, std::string& into) {
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end =
        std::find_if(begin, all.end(), [&](const auto& each) { return each != *begin; });
    append_varint(static_cast<std::uint64_t>(end - begin), into);
    append_varint(begin->list, into);
    append_varint(begin->count, into);
    begin = end;
  }
}

/// Takes numbers and texts from the front of notes. If the notes do not suffice, this and all later
/// results are 0 or empty.
class NotesReader {
 public:
  explicit NotesReader(std::string_view notes) : bytes_(std::as_bytes(std::span(notes))) {}

  [[nodiscard]] bool is_ok() const noexcept { return is_ok_; }
  [[nodiscard]] bool is_at_end() const noexcept { return bytes_.empty(); }

  /// Takes a number that is at most `max`.
  std::uint64_t number(std::uint64_t max) {
    const std::optional<std::uint64_t> value =
        is_ok_ ? internal::take_varint(bytes_) : std::nullopt;
    is_ok_ = value && *value <= max;
    return is_ok_ ? *value : 0;
  }

  /// Takes the number of things that have at least a byte each.
  std::uint64_t count() { return number(bytes_.size()); }

  std::string text() {
    const auto size = static_cast<std::size_t>(number(std::numeric_limits<std::int64_t>::max()));
    is_ok_ = is_ok_ && size <= bytes_.size();
    if (!is_ok_) return {};
    std::string text(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
    return text;
  }

 private:
  std::span<const std::byte> bytes_;
  bool is_ok_ = true;
};

Vocabulary::Ids take_ids(NotesReader& notes, std::size_t name_count) {
  Vocabulary::Ids ids;
  for (std::uint64_t runs = notes.count(); runs > 0 && notes.is_ok(); --runs) {
    const std::uint64_t begin = notes.number(name_count);
    if (begin == 0) {
      ids.push_back(Vocabulary::kNull);
      continue;
    }
    const std::uint64_t end =
        begin + notes.number(std::min<std::uint64_t>(kRunMax, name_count - (begin - 1)));
    for (std::uint64_t i = begin; i < end; ++i) ids.push_back(static_cast<std::int32_t>(i - 1));
  }
  return ids;
}

std::shared_ptr<const Vocabulary> take_vocabulary(NotesReader& notes, std::uint64_t batch_count) {
  Vocabulary::Parts parts;
  for (std::uint64_t names = notes.count(); names > 0 && notes.is_ok(); --names) {
    parts.names.push_back(notes.text());
  }
  if (parts.names.size() > std::size_t{std::numeric_limits<std::int32_t>::max()}) return nullptr;
  for (std::uint64_t lists = notes.count(); lists > 0 && notes.is_ok(); --lists) {
    parts.lists.push_back(take_ids(notes, parts.names.size()));
  }
  while (parts.dictionaries.size() < batch_count && notes.is_ok()) {
    const std::uint64_t batches = notes.number(batch_count - parts.dictionaries.size());
    const std::uint64_t list = notes.number(std::numeric_limits<std::uint64_t>::max());
    if (batches == 0 || list >= parts.lists.size()) return nullptr;
    const std::uint64_t count = notes.number(parts.lists[list].size());
    parts.dictionaries.resize(parts.dictionaries.size() + batches, {.list = list, .count = count});
  }
  if (!notes.is_ok()) return nullptr;
  return std::make_shared<const Vocabulary>(std::move(parts));
}

}  // namespace

std::string notes_of_classes(const Vocabularies& vocabularies) {
  std::string notes;
  for (const auto& [column, vocabulary] : vocabularies) {
    append_varint(static_cast<std::uint64_t>(column), notes);
    append_varint(vocabulary->names()->size(), notes);
    for (const std::string& name : *vocabulary->names()) append_text(name, notes);
    append_varint(vocabulary->lists().size(), notes);
    for (const Vocabulary::Ids& ids : vocabulary->lists()) append_ids(ids, notes);
    append_dictionaries(vocabulary->dictionaries(), notes);
  }
  return notes;
}

std::optional<Vocabularies> classes_of_notes(std::string_view notes, const TableSize& table) {
  Vocabularies vocabularies;
  NotesReader reader(notes);
  while (!reader.is_at_end()) {
    const auto column = static_cast<std::int64_t>(
        reader.number(static_cast<std::uint64_t>(std::max<std::int64_t>(table.columns, 0))));
    const bool ascends = vocabularies.empty() || column > vocabularies.rbegin()->first;
    if (column >= table.columns || !ascends) return std::nullopt;
    auto vocabulary = take_vocabulary(reader, static_cast<std::uint64_t>(table.batches));
    if (!vocabulary) return std::nullopt;
    vocabularies.emplace_hint(vocabularies.end(), column, std::move(vocabulary));
  }
  return vocabularies;
}

KeptVocabularies::KeptVocabularies(const ArrowBatches& table, const IndexOptions& options,
                                   FileSystem& files)
    : table_(&table), options_(&options), files_(&files) {}

std::shared_ptr<const Vocabulary> KeptVocabularies::find(std::int64_t column) {
  if (table_ == nullptr) return nullptr;
  if (!found_) found_ = read();
  const auto found = found_->find(column);
  return found == found_->end() ? nullptr : found->second;
}

Vocabularies KeptVocabularies::read() const {
  const bool may_read =
      options_->mode == IndexMode::automatic || options_->mode == IndexMode::require;
  if (!may_read || table_->path().empty()) return {};
  const std::string path = index_file_path(table_->path(), options_->directory);
  if (!files_->exists(path)) return {};
  std::string why;  // TableIndexFile gives the reason why it does not use a file
  const auto file = internal::IndexFile::open(*files_, path, why);
  if (!file || file->identity().data != content_of(*table_) ||
      !file->identity().options.starts_with(kOptionsWithClasses)) {
    return {};
  }
  const TableSize size{.batches = table_->batch_count(), .columns = table_->schema().n_children};
  return classes_of_notes(file->notes(), size).value_or(Vocabularies());
}

}  // namespace sheaf::columns
