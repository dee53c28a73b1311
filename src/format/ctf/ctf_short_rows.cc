#include "format/ctf/ctf_short_rows.h"

#include <algorithm>
#include <span>
#include <string>

namespace sheaf::ctf {

// A stream that occurs twice in a row is an error. Dense samples have no pairs.
bool ShortRows::learn_form(std::size_t count) noexcept {
  form_ = noted_;
  item_count_ = count;
  is_usable_ = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto before = std::span(form_).first(i);
    const std::string& name = schema_.names.name(form_[i]);
    const std::int64_t size = schema_.names.name_size(form_[i]);
    is_usable_ = is_usable_ && size <= kNameSizeMax &&
                 schema_.streams[stream(i)].storage == Storage::sparse &&
                 std::ranges::find(before, form_[i]) == before.end();
    if (!is_usable_) break;
    Item item{.name_size = size + 2};
    std::array<char, 8> text{'|'};
    std::ranges::copy(name, text.begin() + 1);
    text[static_cast<std::size_t>(size) + 1] = ' ';
    item.name = load_word(text.data());
    item.name_mask = ~std::uint64_t{0} >> (64 - 8 * item.name_size);
    const std::array<char, 8> tail{':', '0', i + 1 == count ? '\n' : ' '};
    item.tail = load_word(tail.data());
    items_[i] = item;
  }
  return is_usable_;
}

}  // namespace sheaf::ctf
