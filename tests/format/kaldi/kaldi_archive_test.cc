#include "format/kaldi/kaldi_archive.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/byte_source.h"

#include "format/kaldi/kaldi_encode.h"
#include "format/kaldi/kaldi_test_objects.h"

namespace sheaf::kaldi {
namespace {

using internal::testing::bytes_of;
using std::string_literals::operator""s;

/// Returns "begin object_begin key", or the error.
std::string found_in(std::string_view text, bool is_all = true) {
  const EntryKey found = find_key(bytes_of(text), is_all);
  if (found.is_end) return "end";
  if (found.fault != nullptr) return std::string(found.fault->code) + ": " + found.found;
  return std::to_string(found.begin) + ' ' + std::to_string(found.object_begin) + ' ' +
         std::string(found.key);
}

TEST(KaldiArchive, AKeyEndsAtABlank) {
  struct Case {
    std::string text;
    std::string found;
  };
  const Case cases[] = {
      {"utt x", "0 4 utt"},                          //
      {"utt\tx", "0 4 utt"},                         // a tab also separates
      {"utt\nx", "0 3 utt"},                         // a line end belongs to the object
      {" \n\t utt  x", "4 8 utt"},                   // the second blank belongs to the object
      {"\0\0\0\0utt x"s, "4 8 utt"},                 // after an empty CM of Kaldi
      {"", "end"},                                   //
      {" \n ", "end"},                               //
      {"\0\0"s, "end"},                              //
      {"utt", "kaldi-key: the end of the archive"},  //
      {"u\0tt x"s, "kaldi-key: a byte of value 0"},  //
      {std::string(65'535, 'k') + " x", "0 65536 " + std::string(65'535, 'k')},
      {std::string(65'536, 'k') + " x", "0 65537 " + std::string(65'536, 'k')},
      {std::string(65'537, 'k') + " x", "kaldi-key: more than 65536 bytes"},
  };
  for (const Case& c : cases) EXPECT_EQ(found_in(c.text), c.found);
}

/// Returns "key@begin+object:samples" of each entry, or an error.
std::string scanned(const std::string& archive, std::int64_t read_size) {
  const auto source = memory_source(archive, "a.ark");
  ReadOptions options;
  options.read_size_bytes = read_size;
  ArchiveScan scan(*source, options);
  std::string told;
  while (const Entry* const entry = scan.next()) {
    told += std::string(entry->key) + "@" + std::to_string(entry->begin) + "+" +
            std::to_string(entry->object_begin) + ":";
    const auto* const fault = std::get_if<KaldiFault>(&entry->object);
    told += fault != nullptr ? internal::testing::text_of_fault(*fault)
                             : std::to_string(std::get<ProbedObject>(entry->object).sample_count);
    told += ' ';
  }
  return told;
}

std::string matrix(std::int64_t rows, std::int64_t cols) {
  std::string object;
  const std::vector<float> values(static_cast<std::size_t>(rows * cols), 0.5F);
  internal::encode_matrix<float>(values, rows, cols, object);
  return object;
}

TEST(KaldiArchive, EntriesAreFoundForAnyReadSize) {
  const std::string archive =
      "a " + matrix(2, 3) + "b  [ 1 2 3 ]\n\n c 4 5\n" + "d\t" + matrix(0, 0) + "e " + matrix(1, 1);
  const std::string expected = scanned(archive, 1 << 20);
  EXPECT_EQ(expected, "a@0+2:2 b@41+43:1 c@56+58:2 d@62+64:0 e@79+81:1 ");
  for (std::int64_t read_size = 1; read_size <= 70; ++read_size) {
    EXPECT_EQ(scanned(archive, read_size), expected) << read_size;
  }
}

// Some objects are read together with the next key, and others are skipped.
TEST(KaldiArchive, ObjectsMayHaveAnySize) {
  for (const std::int64_t size : {0, 1, 1000, 16'383, 16'384, 16'385, 100'000}) {
    for (const std::int64_t read_size : {4096, 65'536, 1 << 20}) {
      std::string archive;
      std::string expected;
      for (const char key : {'a', 'b', 'c'}) {
        expected += std::string(1, key) + "@" + std::to_string(archive.size()) + "+" +
                    std::to_string(archive.size() + 2) + ":" + std::to_string(size) + " ";
        archive += std::string(1, key) + " " + matrix(size, size == 0 ? 0 : 1);
      }
      EXPECT_EQ(scanned(archive, read_size), expected) << size;
    }
  }
}

TEST(KaldiArchive, BlanksMayFillWholeBlocks) {
  for (const std::size_t count : {255U, 256U, 257U, 70'000U}) {
    const std::string archive =
        "a 1\n" + std::string(count, ' ') + "b 1 2\n" + std::string(count, '\n');
    EXPECT_EQ(scanned(archive, 4096),
              "a@0+2:1 b@" + std::to_string(count + 4) + "+" + std::to_string(count + 6) + ":2 ");
  }
}

TEST(KaldiArchive, TheScanEndsAtAnError) {
  EXPECT_EQ(scanned("a 1\nb \0BXY c 1\n"s, 4096), "a@0+2:1 b@4+6:kaldi-object 2 \"XY\" ");
  EXPECT_EQ(scanned("a 1\nb", 4096), "a@0+2:1 @4+4:kaldi-key 0 the end of the archive ");
  const std::string cut = "a " + matrix(2, 2);
  EXPECT_EQ(scanned(cut.substr(0, cut.size() - 1), 4096), "a@0+2:kaldi-cut 30 30 of 31 bytes ");
}

}  // namespace
}  // namespace sheaf::kaldi
