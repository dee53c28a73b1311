// Reads numbers and truth values as values of streams.

#pragma once

#include <string>
#include <type_traits>

#include "sheaf/diagnostic.h"
#include "sheaf/types.h"

#include "base/number.h"
#include "base/text.h"
#include "core/element_cast.h"
#include "format/jsonl/jsonl_text.h"
#include "format/text/text_format.h"

namespace sheaf::jsonl {

/// Describes the text at `p`, for messages.
[[nodiscard]] std::string found_at(const char* p);

/// Sets a fault: the value at `p` is not of the expected type.
void set_type_fault(const char* p, std::string expected, Fault& fault);

/// Returns the end of the text to mark for the value at `p`. Marks a whole scalar or text, but only
/// the bracket of other values.
[[nodiscard]] const char* marked_end(const char* p);

/// Reads the scalars in one value of a field. All of them must be numbers, or all must be true or
/// false.
template <typename T>
class ScalarReader {
 public:
  ScalarReader(const Stream& stream, Fault& fault) : stream_(stream), fault_(fault) {}

  /// Reads the scalar at `p`. Returns its end. Sets the fault and returns null if the scalar is
  /// wrong.
  const char* read(const char* p, T& value) {
    if (*p == '-' || internal::is_digit(*p)) {
      if (kind_ == Kind::truth) return fail_kind(p);
      kind_ = Kind::number;
      const char* const next = internal::lex_short_number(p, value);
      return next != nullptr && ends_scalar(*next) ? next : long_number(p, value);
    }
    if ((*p != 't' && *p != 'f') || kind_ == Kind::number) return fail_kind(p);
    kind_ = Kind::truth;
    value = internal::small_number<T>(*p == 't' ? 1 : 0);
    return scalar_end(p);
  }

 private:
  enum class Kind { none, number, truth };

  const char* fail_kind(const char* p) {
    set_type_fault(
        p,
        kind_ == Kind::truth ? std::string("true or false, as before") : std::string(number_word()),
        fault_);
    return nullptr;
  }

  const char* long_number(const char* p, T& value) {
    const char* const end = scalar_end(p);
    const internal::NumberResult result = internal::lex_number(p, end, value);
    if (result.code == internal::NumberCode::ok && result.next == end) return end;
    const std::string_view text(p, static_cast<std::size_t>(end - p));
    fault_ = {&kNumber, p, end, std::string(number_word()), quoted(text), ""};
    if (result.next == end && result.code == internal::NumberCode::inexact) {
      fault_.kind = &kInexact;
      fault_.expected = formatted("{} {} holds exactly", kInexact.expected, to_string(type()));
      fault_.hint = internal::inexact_hint(text, type());
      return nullptr;
    }
    if (result.next == end && result.code == internal::NumberCode::out_of_range) {
      fault_.kind = &kNumberRange;
      fault_.expected = formatted("{} of {}", kNumberRange.expected, to_string(type()));
    }
    fault_.hint = internal::other_type_hint(text, type());
    return nullptr;
  }

  [[nodiscard]] static std::string_view number_word() {
    return internal::number_word(std::is_integral_v<T>);
  }
  [[nodiscard]] ElementType type() const noexcept { return stream_.element_type; }

  const Stream& stream_;
  Fault& fault_;
  Kind kind_ = Kind::none;
};

}  // namespace sheaf::jsonl
