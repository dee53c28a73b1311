#include "format/mlf/mlf_states.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "sheaf/diagnostic.h"

#include "base/text.h"
#include "format/mlf/mlf_errors.h"
#include "format/text/row_reader.h"
#include "format/text/text_format.h"

namespace sheaf::mlf {
namespace {

constexpr std::int64_t kStatesReadSize = std::int64_t{64} << 10;
constexpr std::int64_t kStateSizeMax = std::int64_t{1} << 20;

// Hashes the first and last bytes, and the size, because names of states are short.
std::uint64_t hash_of_state(std::string_view name) noexcept {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  const std::size_t size = std::min(name.size(), sizeof first);
  std::memcpy(&first, name.data(), size);
  std::memcpy(&last, name.data() + name.size() - size, size);
  std::uint64_t hash = (first ^ (last << 23 | last >> 41)) * kOdd + name.size();
  hash ^= hash >> 29;
  return (hash * kOdd) >> 17;
}

}  // namespace

States::States(const ByteSource& source) {
  internal::RowReader rows(source, 0, source.size(), 1, kStatesReadSize, kStateSizeMax);
  internal::Row row;
  entries_.assign(16, -1);
  while (rows.next(row)) {
    const std::string_view name = row.text();
    if (name.empty()) continue;
    if (size() == kIdCount) {
      internal::throw_data_error(source, row, row.begin, kStatesMany, quoted(name), "");
    }
    if (find(name) >= 0) {
      internal::throw_data_error(source, row, row.begin, kStatesRepeated, quoted(name), "");
    }
    names_.emplace_back(name);
    if (2 * names_.size() > entries_.size()) {
      entries_.assign(2 * entries_.size(), -1);
      for (std::size_t i = 0; i < names_.size(); ++i) {
        entries_[entry_of(names_[i])] = static_cast<std::int32_t>(i);
      }
    } else {
      entries_[entry_of(name)] = static_cast<std::int32_t>(size() - 1);
    }
  }
  if (names_.empty()) {
    internal::throw_data_error(source, {.line = 1}, nullptr, kStatesEmpty,
                               source.size() == 0 ? "an empty file" : "only blank lines", "");
  }
  make_shorts();
  fingerprint_ = to_string(source.fingerprint());
}

// Builds the table of short names. Leaves out names with control bytes or blanks, which are never
// looked up as words.
void States::make_shorts() {
  shorts_.resize(std::bit_ceil(2 * names_.size()));
  short_mask_ = shorts_.size() - 1;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string& name = names_[i];
    const auto is_odd = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
    std::array<std::uint64_t, kWords> words{};
    if (name.size() > sizeof words || std::ranges::any_of(name, is_odd)) continue;
    std::memcpy(words.data(), name.data(), name.size());
    std::size_t entry = short_entry(words[0], words[1]);
    while (shorts_[entry].id >= 0) entry = (entry + 1) & short_mask_;
    shorts_[entry] = {words[0], words[1], static_cast<std::int64_t>(i)};
  }
}

std::size_t States::entry_of(std::string_view name) const noexcept {
  const std::size_t mask = entries_.size() - 1;
  std::size_t entry = hash_of_state(name) & mask;
  while (entries_[entry] >= 0 && names_[static_cast<std::size_t>(entries_[entry])] != name) {
    entry = (entry + 1) & mask;
  }
  return entry;
}

std::int64_t States::find(std::string_view name) const noexcept { return entries_[entry_of(name)]; }

}  // namespace sheaf::mlf
