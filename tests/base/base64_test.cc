#include "base/base64.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace sheaf::internal {
namespace {

/// Returns the bytes of a text, such as "ABC", or "wrong at 3".
std::string decoded(std::string_view text) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(base64_bytes_max(std::ssize(text))));
  const DecodedBase64 result = decode_base64(text, bytes.data());
  if (!result.is_right()) return "wrong at " + std::to_string(result.wrong_at);
  EXPECT_LE(result.size_bytes, std::ssize(bytes));
  return {reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(result.size_bytes)};
}

std::string encoded(std::string_view bytes) {
  std::string text;
  append_base64(std::as_bytes(std::span(bytes)), text);
  return text;
}

TEST(Base64, TheVectorsOfRfc4648) {
  constexpr std::string_view kVectors[][2] = {{"", ""},
                                              {"f", "Zg=="},
                                              {"fo", "Zm8="},
                                              {"foo", "Zm9v"},
                                              {"foob", "Zm9vYg=="},
                                              {"fooba", "Zm9vYmE="},
                                              {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(encoded(bytes), text);
    EXPECT_EQ(decoded(text), bytes);
  }
}

TEST(Base64, TheTextIsAppended) {
  std::string text = "a\t";
  append_base64(std::as_bytes(std::span(std::string_view("foo"))), text);
  EXPECT_EQ(text, "a\tZm9v");
}

TEST(Base64, TheFirstWrongCharacterIsTold) {
  struct Row {
    std::string_view text;
    std::string_view expected;
  };
  const Row rows[] = {
      {"Zm9v Zm9", "wrong at 4"},  // a blank
      {"Zm-vZm9v", "wrong at 2"},  // the alphabet of URLs
      {"Zm9vZm9_", "wrong at 7"},
      {"Zm9vZm9v\x80m9v", "wrong at 8"},
      {std::string_view("\0m9v", 4), "wrong at 0"},
      {"Z", "wrong at 1"},  // cut short, here and below
      {"Zm", "wrong at 2"},
      {"Zm8", "wrong at 3"},
      {"Zg=", "wrong at 3"},
      {"Zm9vY", "wrong at 5"},
      {"Zm9!Y", "wrong at 3"},  // also wrong before the end
      {"=", "wrong at 0"},      // padding, here and below
      {"Z===", "wrong at 1"},
      {"====", "wrong at 0"},
      {"Zg=v", "wrong at 3"},
      {"Zg==Zm9v", "wrong at 2"},
      {"Zm8=Zm9v", "wrong at 3"},
      {"Zg==Z", "wrong at 2"},
      {"Zm9v=", "wrong at 4"},
      {"Zm9vZg=!", "wrong at 7"},
  };
  for (const Row& row : rows) EXPECT_EQ(decoded(row.text), row.expected) << row.text;
}

TEST(Base64, BitsThatThePaddingLeavesOverMayHaveAnyValue) {
  EXPECT_EQ(decoded("Zh=="), "f");
  EXPECT_EQ(decoded("Zm9="), "fo");
}

TEST(Base64, EachByteIsOfTheAlphabetOrNot) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int code = 0; code < 256; ++code) {
    const auto character = static_cast<char>(code);
    const std::size_t digit = alphabet.find(character);
    const bool is_digit = digit != std::string::npos;
    EXPECT_EQ(is_base64(character), is_digit || character == '=') << code;
    // Tests each byte of a group, except in the last group.
    for (std::size_t index = 0; index < 4; ++index) {
      std::string text = "AAAAAAAA";
      text[index] = character;
      const std::uint64_t value = is_digit ? digit << (18 - 6 * index) : 0;
      std::string bytes(6, '\0');
      for (std::size_t i = 0; i < 3; ++i) bytes[i] = static_cast<char>(value >> (16 - 8 * i));
      EXPECT_EQ(decoded(text), is_digit ? bytes : "wrong at " + std::to_string(index)) << code;
    }
  }
}

TEST(Base64, WhatIsEncodedIsDecoded) {
  rc::check([](const std::string& bytes) {
    const std::string text = encoded(bytes);
    RC_ASSERT(text.size() == (bytes.size() + 2) / 3 * 4);
    RC_ASSERT(decoded(text) == bytes);
  });
}

TEST(Base64, ACharacterThatIsWrongIsFoundAtAnyIndex) {
  const std::string right = encoded(std::string(100, 'x'));
  for (std::size_t i = 0; i < right.size(); ++i) {
    std::string text = right;
    text[i] = '*';
    EXPECT_EQ(decoded(text), "wrong at " + std::to_string(i));
    EXPECT_EQ(decoded(right.substr(0, i)).starts_with("wrong"), i % 4 != 0) << i;
  }
}

}  // namespace
}  // namespace sheaf::internal
