/// \file
/// Makes Kaldi objects for tests, byte by byte.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

#include "format/kaldi/kaldi_object.h"

namespace sheaf::internal::testing {

/// Appends the bytes of a number.
template <typename T>
std::string& put(std::string& to, T value) {
  return to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Appends the size of a number, then the number.
template <typename T>
std::string& put_marked(std::string& to, T value) {
  to += static_cast<char>(sizeof value);
  return put(to, value);
}

inline std::string begin_object(std::string_view token = "") {
  return std::string("\0B", 2).append(token);
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Parses the head of a whole object.
inline std::variant<KaldiHead, KaldiFault> head_of(std::string_view object,
                                                   KaldiKind declared = KaldiKind::integers) {
  return parse_kaldi_head(bytes_of(object.substr(0, kKaldiHeadSize)), declared, std::ssize(object));
}

inline KaldiHead good_head(std::string_view object, KaldiKind declared = KaldiKind::integers) {
  const auto head = head_of(object, declared);
  if (const auto* const fault = std::get_if<KaldiFault>(&head)) {
    ADD_FAILURE() << fault->kind->code << " at " << fault->byte_offset << ": " << fault->found;
    return {};
  }
  return std::get<KaldiHead>(head);
}

/// Returns the values of an object, after its head.
inline std::span<const std::byte> data_of(std::string_view object, const KaldiHead& head) {
  return bytes_of(object).subspan(static_cast<std::size_t>(head.data_begin));
}

/// Returns "code byte_offset found", or nothing if there is no error.
inline std::string text_of_fault(const KaldiFault& fault) {
  return std::string(fault.kind->code) + ' ' + std::to_string(fault.byte_offset) + ' ' +
         fault.found;
}

template <typename T>
std::string fault_of(const std::variant<T, KaldiFault>& result) {
  const auto* const fault = std::get_if<KaldiFault>(&result);
  return fault == nullptr ? "" : text_of_fault(*fault);
}

inline std::string fault_of(const std::optional<KaldiFault>& fault) {
  return fault ? text_of_fault(*fault) : "";
}

}  // namespace sheaf::internal::testing
