#include "format/columns/vocabulary.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/columns/column_errors.h"
#include "format/columns/text_values.h"

namespace sheaf::columns {
namespace {

// Returns the dictionary of a column, which belongs to its innermost lists.
const ArrowArray& dictionary_of(const ArrowArray& column) {
  const ArrowArray* at = &column;
  while (at->dictionary == nullptr) {
    if (at->n_children != 1) throw InternalError("arrow: a column without its dictionary");
    at = at->children[0];
  }
  return *at->dictionary;
}

bool have_same_buffers(const ArrowArray& a, const ArrowArray& b) noexcept {
  if (a.length != b.length || a.offset != b.offset || a.n_buffers != b.n_buffers) return false;
  for (std::int64_t i = 0; i < a.n_buffers; ++i) {
    if (a.buffers[i] != b.buffers[i]) return false;
  }
  return true;
}

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return static_cast<std::size_t>(key_of_text(text).low);
  }
};
using Numbers = std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>>;

}  // namespace

// Returns the id of a text if the dictionary before has the text under the same number.
std::optional<std::int32_t> Vocabulary::id_before(std::int64_t number, std::string_view text,
                                                  const std::vector<std::string>& names) const {
  const auto i = static_cast<std::size_t>(number);
  if (dictionaries_.empty() || i >= dictionaries_.back().count) return std::nullopt;
  const std::int32_t id = lists_.back()[i];
  if (id == kNull || names[static_cast<std::size_t>(id)] != text) return std::nullopt;
  return id;
}

Vocabulary::Vocabulary(const ArrowBatches& batches, std::int64_t column,
                       const std::string& text_format) {
  auto names = std::make_shared<std::vector<std::string>>();
  Numbers numbers;
  std::shared_ptr<const ArrowArray> before;  // kept, so that its addresses stay unique
  for (std::int64_t batch = 0; batch < batches.batch_count(); ++batch) {
    std::shared_ptr<const ArrowArray> array = batches.read(
        {.batch = batch, .first = 0, .count = 0, .columns = {&column, 1}, .lengths_only = true});
    const ArrowArray& dictionary = dictionary_of(*array->children[0]);
    if (before && have_same_buffers(dictionary, dictionary_of(*before->children[0]))) {
      dictionaries_.push_back(dictionaries_.back());
      continue;
    }
    const TextValues texts(text_format, dictionary);
    Ids ids;
    ids.reserve(static_cast<std::size_t>(dictionary.length));
    for (std::int64_t i = 0; i < dictionary.length; ++i) {
      if (may_have_nulls(dictionary) && is_null(dictionary, i)) {
        ids.push_back(kNull);
        continue;
      }
      const std::optional<std::string_view> text = texts.text(i);
      if (!text) throw DataError({table_location(batches, kOffsets, "other offsets")});
      if (const std::optional<std::int32_t> same = id_before(i, *text, *names)) {
        ids.push_back(*same);
        continue;
      }
      auto entry = numbers.find(*text);
      if (entry == numbers.end()) {
        if (names->size() > std::size_t{std::numeric_limits<std::int32_t>::max()} - 1) {
          throw DataError({table_location(batches, kClasses, "more")});
        }
        entry = numbers.emplace(*text, static_cast<std::int32_t>(names->size())).first;
        names->emplace_back(*text);
      }
      ids.push_back(entry->second);
    }
    add(std::move(ids));
    before = std::move(array);
  }
  names_ = std::move(names);
}

Vocabulary::Vocabulary(Parts parts)
    : names_(std::make_shared<const std::vector<std::string>>(std::move(parts.names))),
      lists_(std::move(parts.lists)),
      dictionaries_(std::move(parts.dictionaries)) {}

// Adds the dictionary of the next batch. In a stream, most dictionaries begin with the one before.
void Vocabulary::add(Ids ids) {
  const std::size_t count = ids.size();
  if (!lists_.empty()) {
    Ids& last = lists_.back();
    const std::size_t shared = std::min(count, last.size());
    if (std::equal(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(shared), last.begin())) {
      if (count > last.size()) last = std::move(ids);
      dictionaries_.push_back({.list = lists_.size() - 1, .count = count});
      return;
    }
  }
  lists_.push_back(std::move(ids));
  dictionaries_.push_back({.list = lists_.size() - 1, .count = count});
}

std::int64_t Vocabulary::memory_bytes() const noexcept {
  std::size_t bytes = dictionaries_.capacity() * sizeof(Dictionary);
  for (const std::string& name : *names_) bytes += sizeof name + name.size();
  for (const Ids& ids : lists_) bytes += ids.capacity() * sizeof ids.front();
  return static_cast<std::int64_t>(bytes);
}

}  // namespace sheaf::columns
