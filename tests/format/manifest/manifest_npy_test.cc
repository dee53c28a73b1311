#include "format/manifest/manifest_npy.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "format/manifest/manifest_test_files.h"

namespace sheaf::manifest {
namespace {

using testing::bytes_of;
using testing::npy;

std::string npy_told(std::string_view file) {
  const auto head =
      std::as_bytes(std::span(file))
          .first(std::min<std::size_t>(file.size(), static_cast<std::size_t>(kNpyHeadBytes)));
  const auto found = parse_npy_head(head, std::ssize(file));
  if (const auto* const fault = std::get_if<FileFault>(&found)) {
    return std::string(fault->kind->code) + " " + std::to_string(fault->byte_offset);
  }
  const auto& array = std::get<FloatArray>(found);
  return std::to_string(array.row_count) + "x" + std::to_string(array.dim) + " f" +
         std::to_string(array.value_size) + (array.is_big_endian ? " big" : "") + " at " +
         std::to_string(array.data_bytes);
}

TEST(ManifestNpy, FindsArraysOfTwoAxes) {
  EXPECT_EQ(npy_told(npy("<f4", "(3, 2)", bytes_of({1, 2, 3, 4, 5, 6}))), "3x2 f4 at 70");
  EXPECT_EQ(npy_told(npy(">f2", "(1, 2)", "abcd")), "1x2 f2 big at 70");
  EXPECT_EQ(npy_told(npy("<f8", "(1,1,)", "12345678")), "1x1 f8 at 70");
  EXPECT_EQ(npy_told(npy("<f4", "(0, 80)", "")), "0x80 f4 at 71");
  std::string second = npy("<f4", "(1, 1)", "abcd");
  second[6] = '\x02';
  second.insert(10, 2, '\0');  // makes the size four bytes long
  EXPECT_EQ(npy_told(second), "1x1 f4 at 72");
}

TEST(ManifestNpy, RefusesOtherFiles) {
  EXPECT_EQ(npy_told(""), "manifest-npy 0");
  EXPECT_EQ(npy_told("no array at all"), "manifest-npy 0");
  EXPECT_EQ(npy_told(npy("<i4", "(1, 1)", "abcd")), "manifest-npy 10");
  EXPECT_EQ(npy_told(npy("<f3", "(1, 1)", "abcd")), "manifest-npy 10");
  EXPECT_EQ(npy_told(npy("|O", "(1, 1)", "abcd")), "manifest-npy 10");
  EXPECT_EQ(npy_told(npy("<f4", "(1,)", "abcd")), "manifest-npy 10");
  EXPECT_EQ(npy_told(npy("<f4", "()", "abcd")), "manifest-npy 10");
  EXPECT_EQ(npy_told(npy("<f4", "(1, 1, 1)", "abcd")), "manifest-npy 10");
  EXPECT_EQ(npy_told(npy("<f4", "(1, 0)", "abcd")), "manifest-npy 10");
  EXPECT_EQ(npy_told(npy("<f4", "(-1, 1)", "abcd")), "manifest-npy 10");
  std::string fortran = npy("<f4", "(1, 1)", "abcd");
  fortran.replace(fortran.find("False"), 5, "True ");
  EXPECT_EQ(npy_told(fortran), "manifest-npy 10");
  std::string fourth = npy("<f4", "(1, 1)", "abcd");
  fourth[6] = '\x04';
  EXPECT_EQ(npy_told(fourth), "manifest-npy 6");
  const std::string whole = npy("<f4", "(1, 1)", "abcd");
  for (std::size_t size = 0; size < whole.size() - 4; ++size) {
    EXPECT_EQ(npy_told(whole.substr(0, size)).substr(0, 12), "manifest-npy") << size;
  }
}

TEST(ManifestNpy, AllBytesOfTheArrayMustExist) {
  const std::string whole = npy("<f4", "(2, 3)", std::string(24, '\0'));
  EXPECT_EQ(npy_told(whole), "2x3 f4 at 70");
  EXPECT_EQ(npy_told(whole + "more"), "2x3 f4 at 70");
  EXPECT_EQ(npy_told(whole.substr(0, whole.size() - 1)), "manifest-npy-cut 70");
  EXPECT_EQ(npy_told(npy("<f8", "(4294967296, 4294967296)", "")).substr(0, 16), "manifest-npy-cut");
  EXPECT_EQ(npy_told(npy("<f8", "(9223372036854775807, 1)", "")).substr(0, 16), "manifest-npy-cut");
  EXPECT_EQ(npy_told(npy("<f8", "(9223372036854775808, 1)", "")).substr(0, 15), "manifest-npy 10");
}

std::vector<float> converted(std::string_view bytes, FloatArray array) {
  std::vector<float> values(bytes.size() / static_cast<std::size_t>(array.value_size));
  convert_npy(reinterpret_cast<const std::byte*>(bytes.data()), array, values);
  return values;
}

TEST(ManifestNpy, ConvertsValuesOfAnySize) {
  const std::vector<float> expected{1.5F, -2.0F};
  EXPECT_EQ(converted(bytes_of(expected), {.value_size = 4}), expected);
  EXPECT_EQ(converted(std::string("\x00\x3e\x00\xc0", 4), {.value_size = 2}), expected);
  EXPECT_EQ(converted(std::string("\x3e\x00\xc0\x00", 4), {.value_size = 2, .is_big_endian = true}),
            expected);
  EXPECT_EQ(converted(std::string("\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\0\xc0", 16), {.value_size = 8}),
            expected);
}

}  // namespace
}  // namespace sheaf::manifest
