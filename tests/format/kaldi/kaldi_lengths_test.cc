#include "format/kaldi/kaldi_lengths.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "format/kaldi/kaldi_test_files.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::kaldi {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;
using testing::matrix;
using testing::options_with;
using testing::told;

Lengths lengths_of(FileSystem& files, std::string_view text, std::int64_t read_size = 3) {
  write_file(files, "u", std::string(text));
  return {*files.open("u"), {.read_size_bytes = read_size}};
}

TEST(KaldiLengths, KeysAreFoundInAnyOrder) {
  const std::unique_ptr<FileSystem> files = memory_files();
  constexpr std::string_view kText = "a 1\n\n  b\t2147483647 \r\nc 0\na 1";
  Lengths in_order = lengths_of(*files, kText);
  EXPECT_EQ(in_order.find(key_of_text("a")), 1);
  EXPECT_EQ(in_order.find(key_of_text("b")), Lengths::kMax);
  EXPECT_EQ(in_order.find(key_of_text("c")), 0);
  Lengths other = lengths_of(*files, kText);
  EXPECT_EQ(other.find(key_of_text("c")), 0);
  EXPECT_EQ(other.find(key_of_text("d")), std::nullopt);
  EXPECT_EQ(other.find(key_of_text("a")), 1);
  EXPECT_EQ(other.find(key_of_text("a")), 1);
  EXPECT_EQ(lengths_of(*files, "").find(key_of_text("a")), std::nullopt);
}

TEST(KaldiLengths, ErrorsHaveALocation) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const auto fault = [&](std::string_view text) {
    return error_of<DataError>([&] {
      Lengths lengths = lengths_of(*files, text);
      static_cast<void>(lengths.find(key_of_text("z")));
    });
  };
  EXPECT_NE(fault("a 1\nb x\n").find("u:2:3: error: expected a key, and a number"),
            std::string::npos)
      << fault("a 1\nb x\n");
  for (const std::string_view text : {"a\n", "a -1\n", "a 2147483648\n", "a 1 2\n", "a 1.5\n"}) {
    EXPECT_NE(fault(text).find("[kaldi-lengths]"), std::string::npos) << text;
  }
  EXPECT_NE(fault("a 1\na 2\n").find("1 and 2 for one key"), std::string::npos);
}

/// A list of matrices of 1, 2 and 3 frames. A file of lengths lies beside the list.
class ListsWithLengths : public ::testing::Test {
 protected:
  ListsWithLengths() {
    write_file(*files_, "d/a", matrix({1, 2}, 2));
    write_file(*files_, "d/b", matrix({3, 4, 5, 6}, 2));
    write_file(*files_, "d/c", matrix({7, 8, 9, 10, 11, 12}, 2));
    for (const std::string_view list : {"d/feats.scp", "d/x.scp"}) {
      write_file(*files_, std::string(list), "a a\nb b\nc c\n");
    }
  }

  std::string read(const std::string& list, const std::string& lengths = "auto") {
    FormatOptions options = options_with();
    options.extra["kaldi.lengths"] = lengths;
    return told(*files_, list, options, &codes_);
  }

  const std::unique_ptr<FileSystem> files_ = memory_files();
  std::vector<std::string> codes_;
};

constexpr std::string_view kAll = "a: 1 2\nb: 3 4|5 6\nc: 7 8|9 10|11 12\n";

TEST_F(ListsWithLengths, LengthsBesideTheListAreUsedAndChecked) {
  write_file(*files_, "d/utt2num_frames", "a 1\nb 3\n");
  EXPECT_EQ(read("d/feats.scp"), "a: 1 2\nb hole\nc: 7 8|9 10|11 12\n") << "c has its own head";
  EXPECT_EQ(codes_, std::vector<std::string>{"byte 0 kaldi-lengths"});
  EXPECT_EQ(read("d/feats.scp", "none"), kAll);
  EXPECT_EQ(read("d/x.scp"), kAll) << "other lists may have keys of another kind";
  EXPECT_EQ(read("d/x.scp", "d/utt2num_frames"), "a: 1 2\nb hole\nc: 7 8|9 10|11 12\n");
  EXPECT_THROW(static_cast<void>(read("d/x.scp", "nowhere")), IoError);
}

// The lengths give the sizes of objects only if the objects are like the first one.
TEST_F(ListsWithLengths, OtherObjectsAreReadCompletely) {
  write_file(*files_, "d/utt2num_frames", "c 3\nb 2\na 1\n");
  std::string wide;
  internal::encode_matrix<double>(std::vector<double>{3, 4, 5, 6}, 2, 2, wide);
  write_file(*files_, "d/b", wide);
  write_file(*files_, "d/c", "[\n7.000 8.000\n9.000 10.000\n11.000 12.000 ]\n");
  EXPECT_EQ(read("d/feats.scp"), kAll);
  write_file(*files_, "d/feats.scp", "a a\nb b\nc c[1:2]\n");
  write_file(*files_, "d/utt2num_frames", "a 1\nb 2\nc 2\n");
  EXPECT_EQ(read("d/feats.scp"), "a: 1 2\nb: 3 4|5 6\nc: 9 10|11 12\n");
}

TEST_F(ListsWithLengths, TheFingerprintDependsOnLengths) {
  const auto opened = [&] {
    return open_kaldi({.source = files_->open("d/feats.scp"),
                       .options = options_with(),
                       .context = {files_.get()}});
  };
  const std::string without = opened()->fingerprint();
  write_file(*files_, "d/utt2num_frames", "a 1\nb 2\nc 3\n");
  const auto with = opened();
  EXPECT_NE(with->fingerprint(), without);
  std::vector<std::string> named;
  with->visit_named_files([&](const std::string& path) { named.push_back(path); });
  EXPECT_EQ(named, (std::vector<std::string>{"d/a", "d/b", "d/c", "d/utt2num_frames"}));
}

}  // namespace
}  // namespace sheaf::kaldi
