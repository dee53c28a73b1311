// Takes rows of a few bytes, many at a time.
//
// Short rows repeat their form: the id of the sequence, and the same streams in the same order,
// each with one pair whose value is one digit. This code compares such rows with the form of the
// previous row, whole words at a time. A row that differs in anything is left to the tokenizer,
// from its first byte. So this file decides nothing: the tokenizer would take every row in the same
// way.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "format/ctf/ctf_rows.h"
#include "format/ctf/ctf_schema.h"

namespace sheaf::ctf {

/// The form of short rows, learned from the rows that the tokenizer reads.
class ShortRows {
 public:
  static constexpr std::size_t kItemsMax = 8;
  static constexpr std::int64_t kNameSizeMax = 6;   // with "|" and a blank it fits a word
  static constexpr std::int64_t kRowSizeMax = 160;  // of a row to learn from

  /// Consecutive rows of the same form.
  struct Run {
    const char* end = nullptr;
    std::int64_t row_count = 0;
  };

  /// Lifetime: `schema` must outlive it.
  explicit ShortRows(const Schema& schema) noexcept : schema_(schema) {}

  /// Notes that the current row has a sample of a stream.
  void note(std::int64_t stream) noexcept {
    if (noted_count_ < kItemsMax) noted_[noted_count_] = stream;
    ++noted_count_;
  }

  /// Learns from the current row after its last item. Returns whether the next rows may have the
  /// same form.
  [[nodiscard]] bool learn(const Row& row) noexcept {
    const std::size_t count = noted_count_;
    noted_count_ = 0;
    if (count == 0 || count > kItemsMax || row.end - row.begin > kRowSizeMax) return false;
    return is_known(count) ? is_usable_ : learn_form(count);
  }

  [[nodiscard]] std::size_t item_count() const noexcept { return item_count_; }
  [[nodiscard]] std::size_t stream(std::size_t item) const noexcept {
    return static_cast<std::size_t>(form_[item]);
  }

  /// Takes the rows at the front of `text` that begin with `id` and have the form. Stops at the
  /// first other row, and at a row whose end is not in `text`. Passes each item to `take(item, row,
  /// index, digit)`, where `row` is the number of the row in the run. If `take` returns false, the
  /// row and all later rows are not taken, although `take` may have received some items of the row.
  ///
  /// Pre: learn() has returned true; kRowPadding bytes LF follow `text`.
  template <typename Take>
  [[nodiscard]] Run take(std::string_view text, std::string_view id, std::int64_t rows_max,
                         const Take& take) const {
    const auto id_size = static_cast<std::ptrdiff_t>(id.size());
    const std::uint64_t id_mask =
        id_size < 8 ? (std::uint64_t{1} << (8 * id_size)) - 1 : ~std::uint64_t{0};
    std::uint64_t id_word = 0;
    std::memcpy(&id_word, id.data(), id.size() < 8 ? id.size() : 8);
    const char* const end = text.data() + text.size();
    Run run{text.data(), 0};
    while (run.row_count < rows_max && end - run.end > id_size) {
      const char* p = run.end;
      if (((load_word(p) ^ id_word) & id_mask) != 0 || p[id_size] != ' ') break;
      if (id_size > 8 && std::memcmp(p, id.data(), id.size()) != 0) break;
      p = take_items(p + id_size + 1, run.row_count, take);
      if (p == nullptr || p > end) break;
      run.end = p;
      ++run.row_count;
    }
    return run;
  }

 private:
  /// The text of an item around its number.
  struct Item {
    std::uint64_t name = 0;  // "|name "
    std::uint64_t name_mask = 0;
    std::int64_t name_size = 0;
    std::uint64_t tail = 0;  // ":0", and the byte after it: a blank, or the LF of the row
  };

  [[nodiscard]] bool is_known(std::size_t count) const noexcept {
    if (count != item_count_) return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (noted_[i] != form_[i]) return false;
    }
    return true;
  }

  bool learn_form(std::size_t count) noexcept;

  /// Returns the first byte after the row, or null if the row has another form.
  template <typename Take>
  [[nodiscard]] const char* take_items(const char* p, std::int64_t row, const Take& take) const {
    constexpr std::uint64_t kTailBytes = 0xFF00FF;  // all but the digit
    for (std::size_t i = 0; i < item_count_; ++i) {
      const Item& item = items_[i];
      if (((load_word(p) ^ item.name) & item.name_mask) != 0) return nullptr;
      p += item.name_size;
      const DigitRun digits(p);
      if (digits.size() == 0 || digits.size() == 8) return nullptr;
      p += digits.size();
      const std::uint64_t tail = load_word(p) ^ item.tail;
      const auto digit = static_cast<int>((tail >> 8) & 0xFF);
      if ((tail & kTailBytes) != 0 || digit > 9) return nullptr;
      if (!take(i, row, digits.value(), digit)) return nullptr;
      p += 3;
    }
    return p;
  }

  const Schema& schema_;
  std::array<std::int64_t, kItemsMax> noted_{};  // streams of the current row
  std::size_t noted_count_ = 0;
  std::array<std::int64_t, kItemsMax> form_{};
  std::array<Item, kItemsMax> items_;
  std::size_t item_count_ = 0;
  bool is_usable_ = false;
};

}  // namespace sheaf::ctf
