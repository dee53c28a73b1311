// Objects written by Kaldi's own code: the twins of the shared data, and a folder made by
// compare_with_kaldi.py.

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/diagnostic.h"

#include "format/kaldi/kaldi_encode.h"
#include "format/kaldi/kaldi_test_objects.h"
#include "format/kaldi/kaldi_text.h"
#include "format/kaldi/kaldi_values.h"
#include "format/kaldi/kaldi_walk.h"

namespace sheaf::internal {
namespace {

namespace fs = std::filesystem;
using testing::bytes_of;
using testing::fault_of;

std::string file_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// One object. Values of any kind are bytes, in the order of the object.
struct Decoded {
  std::string values;
  std::string encoded;  // the object as sheaf writes it; empty for compressed matrices
  std::int64_t size_bytes = 0;
};

template <typename T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <typename T>
Decoded decode_floats_of(std::string_view object, const KaldiHead& head) {
  std::vector<T> values(static_cast<std::size_t>(head.rows * head.cols));
  decode_floats(head, testing::data_of(object, head), {0, head.rows}, {0, head.cols},
                std::span(values));
  Decoded decoded{raw(values), "", head.size_bytes};
  if (head.kind == KaldiKind::matrix) {
    encode_matrix(std::span<const T>(values), head.rows, head.cols, decoded.encoded);
  } else if (head.kind == KaldiKind::vector) {
    encode_vector(std::span<const T>(values), decoded.encoded);
  }
  return decoded;
}

/// Returns the pairs of all samples as bytes: the number of pairs of each sample, then index and
/// value of each pair.
std::string raw_samples(const std::vector<float>& values, const std::vector<std::int32_t>& indices,
                        const std::vector<std::int64_t>& counts) {
  std::string bytes;
  std::size_t i = 0;
  for (const std::int64_t count : counts) {
    testing::put(bytes, static_cast<std::int32_t>(count));
    for (std::int64_t n = 0; n < count; ++n, ++i) {
      testing::put(testing::put(bytes, indices[i]), values[i]);
    }
  }
  return bytes;
}

constexpr std::int64_t kAnyDim = std::int64_t{1} << 31;

Decoded decode_walked(std::string_view object, const KaldiHead& head) {
  KaldiWalk walk(head, std::ssize(object));
  EXPECT_EQ(fault_of(walk.take(testing::data_of(object, head))), "");
  EXPECT_TRUE(walk.is_done());
  const auto data = bytes_of(object.substr(0, static_cast<std::size_t>(walk.position())))
                        .subspan(static_cast<std::size_t>(head.data_begin));
  const auto value_count = static_cast<std::size_t>(walk.value_count());
  std::vector<std::int64_t> counts(static_cast<std::size_t>(head.rows));
  std::vector<std::int32_t> numbers(value_count);
  Decoded decoded{"", "", walk.position()};
  if (head.kind == KaldiKind::lists) {
    EXPECT_EQ(fault_of(decode_lists(head, data, numbers, counts)), "");
    encode_lists(numbers, counts, decoded.encoded);
    decoded.values = raw(numbers);
    return decoded;
  }
  std::vector<float> values(value_count);
  EXPECT_EQ(fault_of(decode_sparse(head, data, kAnyDim, {values, numbers, counts})), "");
  encode_posterior(values, numbers, counts, decoded.encoded);
  decoded.values = raw_samples(values, numbers, counts);
  return decoded;
}

Decoded decode_binary(std::string_view object, KaldiKind declared) {
  const KaldiHead head = testing::good_head(object, declared);
  switch (head.kind) {
    case KaldiKind::lists:
    case KaldiKind::posteriors:
      return decode_walked(object, head);
    case KaldiKind::scalar: {
      const auto size = static_cast<std::size_t>(head.value_size_bytes);
      return {std::string(object.substr(3, size)), "", head.size_bytes};
    }
    case KaldiKind::integers:
    case KaldiKind::pairs: {
      std::vector<std::int32_t> values(static_cast<std::size_t>(head.rows * head.cols));
      const auto data = testing::data_of(object, head).first(5 * values.size());
      EXPECT_EQ(fault_of(decode_integers(data, head.data_begin, values)), "");
      Decoded decoded{raw(values), "", head.size_bytes};
      if (head.kind == KaldiKind::integers) encode_integers(values, decoded.encoded);
      return decoded;
    }
    default:
      return head.value_size_bytes == 8 ? decode_floats_of<double>(object, head)
                                        : decode_floats_of<float>(object, head);
  }
}

/// Returns the result of a parser. If parsing failed, fails the test and returns an empty result.
template <typename T>
T good(std::variant<T, KaldiFault> parsed) {
  EXPECT_EQ(fault_of(parsed), "");
  return std::holds_alternative<T>(parsed) ? std::get<T>(std::move(parsed)) : T{};
}

Decoded decode_text(std::string_view text, KaldiKind kind) {
  Decoded decoded;
  if (kind == KaldiKind::integers) {
    const auto integers = good(parse_text_integers(text));
    encode_text_integers(integers.values, decoded.encoded);
    decoded.values = raw(integers.values);
    decoded.size_bytes = integers.size_bytes;
  } else if (kind == KaldiKind::posteriors) {
    const auto posterior = good(parse_text_posterior(text, kAnyDim));
    encode_text_posterior(posterior.values, posterior.indices, posterior.counts, decoded.encoded);
    decoded.values = raw_samples(posterior.values, posterior.indices, posterior.counts);
    decoded.size_bytes = posterior.size_bytes;
  } else {
    const bool is_vector = kind == KaldiKind::vector;
    const auto floats =
        good(is_vector ? parse_text_vector<float>(text) : parse_text_matrix<float>(text));
    const std::span<const float> values(floats.values);
    if (is_vector) {
      encode_text_vector(values, decoded.encoded);
    } else {
      encode_text_matrix(values, floats.rows, floats.cols, decoded.encoded);
    }
    decoded.values = raw(floats.values);
    decoded.size_bytes = floats.size_bytes;
  }
  return decoded;
}

struct Entry {
  std::string key;
  std::string object;
  Decoded decoded;
};

/// Reads all entries of an archive. Stops at an empty object.
std::vector<Entry> entries_of(std::string_view archive, KaldiKind kind) {
  std::vector<Entry> entries;
  while (!archive.empty()) {
    const std::size_t blank = archive.find(' ');
    const std::string_view key = archive.substr(0, blank);
    archive.remove_prefix(blank + 1);
    const bool is_binary = archive.starts_with('\0');
    Decoded decoded = is_binary ? decode_binary(archive, kind) : decode_text(archive, kind);
    if (decoded.size_bytes <= 0) break;
    const auto size = static_cast<std::size_t>(decoded.size_bytes);
    entries.push_back({std::string(key), std::string(archive.substr(0, size)), std::move(decoded)});
    archive.remove_prefix(size);
  }
  return entries;
}

class KaldiTwins : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(SHEAF_SHARED_DIR) / "conformance" / "kaldi";
    if (!fs::exists(folder_)) GTEST_SKIP() << "no " << folder_;
  }

  [[nodiscard]] std::vector<Entry> read(const char* name, KaldiKind kind) const {
    return entries_of(file_text(folder_ / name), kind);
  }

  fs::path folder_;
};

TEST_F(KaldiTwins, CompressedMatricesEqualTheirTwins) {
  const auto plain = read("feats.ark", KaldiKind::matrix);
  const auto compressed = read("feats_compressed.ark", KaldiKind::matrix);
  ASSERT_EQ(plain.size(), 10U);
  ASSERT_EQ(compressed.size(), 10U);
  std::size_t value_count = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(plain[i].key, compressed[i].key);
    EXPECT_TRUE(plain[i].decoded.values == compressed[i].decoded.values) << plain[i].key;
    EXPECT_TRUE(plain[i].decoded.encoded == plain[i].object) << plain[i].key;
    value_count += plain[i].decoded.values.size() / 4;
  }
  EXPECT_EQ(value_count, 31135U);
}

TEST_F(KaldiTwins, TextsEqualTheirTwins) {
  const struct {
    const char* binary;
    const char* text;
    KaldiKind kind;
    bool is_rounded;
  } cases[] = {{"feats.ark", "feats_ascii.ark", KaldiKind::matrix, true},
               {"conf.ark", "conf_ascii.ark", KaldiKind::vector, true},
               {"ali.ark", "ali_ascii.ark", KaldiKind::integers, false}};
  for (const auto& c : cases) {
    const auto binary = read(c.binary, c.kind);
    const auto text = read(c.text, c.kind);
    ASSERT_FALSE(text.empty()) << c.text;
    std::map<std::string, const Entry*> twins;
    for (const Entry& entry : binary) twins[entry.key] = &entry;
    for (const Entry& entry : text) {
      ASSERT_TRUE(twins.contains(entry.key)) << c.text << ' ' << entry.key;
      const Entry& twin = *twins[entry.key];
      ASSERT_EQ(entry.decoded.values.size(), twin.decoded.values.size()) << entry.key;
      if (!c.is_rounded) {
        EXPECT_TRUE(entry.decoded.values == twin.decoded.values) << entry.key;
      }
      for (std::size_t i = 0; c.is_rounded && i < twin.decoded.values.size(); i += 4) {
        float exact = 0;
        float rounded = 0;
        std::memcpy(&exact, twin.decoded.values.data() + i, 4);
        std::memcpy(&rounded, entry.decoded.values.data() + i, 4);
        ASSERT_NEAR(rounded, exact, 1e-6 * std::abs(static_cast<double>(exact))) << entry.key;
      }
    }
  }
}

/// Reads the archives of the folder named by SHEAF_KALDI_FOLDER, and compares them with what
/// Kaldi's code read.
TEST(KaldiOracle, ObjectsMatchKaldi) {
  const char* const folder = std::getenv("SHEAF_KALDI_FOLDER");
  if (folder == nullptr) GTEST_SKIP() << "compare_with_kaldi.py makes the folder";
  static const std::map<std::string, KaldiKind> kKinds = {
      {"int", KaldiKind::integers},    {"pair", KaldiKind::pairs},    {"list", KaldiKind::lists},
      {"post", KaldiKind::posteriors}, {"scalar", KaldiKind::scalar}, {"vector", KaldiKind::vector},
      {"matrix", KaldiKind::matrix},   {"cm", KaldiKind::compressed}};
  int file_count = 0;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() != ".ark") continue;
    ++file_count;
    const std::string stem = file.path().stem().string();
    const std::string kind_name = stem.substr(0, stem.find('_'));
    ASSERT_TRUE(kKinds.contains(kind_name)) << stem;
    std::string values;
    std::int64_t other_objects = 0;
    const auto entries = entries_of(file_text(file.path()), kKinds.at(kind_name));
    const std::string sources = file_text(fs::path(file.path()).replace_extension(".src"));
    std::size_t source_at = 0;
    for (const Entry& entry : entries) {
      values += entry.decoded.values;
      std::string encoded = entry.decoded.encoded;
      if (kind_name == "cm") {
        const KaldiHead head = testing::good_head(entry.object);
        std::vector<float> source(static_cast<std::size_t>(head.rows * head.cols));
        std::memcpy(source.data(), sources.data() + source_at, 4 * source.size());
        source_at += 4 * source.size();
        const auto method = static_cast<KaldiMethod>(stem.back() - '1');
        EXPECT_TRUE(encode_compressed(source, head.rows, head.cols, method, encoded));
      }
      if (!encoded.empty() && encoded != entry.object) ++other_objects;
    }
    const std::string expected = file_text(fs::path(file.path()).replace_extension(".bin"));
    ASSERT_EQ(values.size(), expected.size()) << stem;
    EXPECT_TRUE(values == expected) << stem << ": values differ";
    EXPECT_EQ(other_objects, 0) << stem << ": written objects differ";
    std::cout << stem << ": " << entries.size() << " objects, " << values.size()
              << " bytes of values\n";
  }
  EXPECT_GT(file_count, 0) << folder;
}

/// Returns the values of a text, or nothing if the text is wrong.
std::optional<std::string> text_values(std::string_view text, KaldiKind kind) {
  const auto floats = [](auto parsed) -> std::optional<std::string> {
    if (std::holds_alternative<KaldiFault>(parsed)) return std::nullopt;
    return raw(std::get<0>(parsed).values);
  };
  switch (kind) {
    case KaldiKind::matrix:
      return floats(parse_text_matrix<float>(text));
    case KaldiKind::vector:
      return floats(parse_text_vector<float>(text));
    case KaldiKind::integers:
      return floats(parse_text_integers(text));
    default:
      break;
  }
  const auto parsed = parse_text_posterior(text, kAnyDim);
  const auto* const posterior = std::get_if<KaldiTextSparse>(&parsed);
  if (posterior == nullptr) return std::nullopt;
  return raw_samples(posterior->values, posterior->indices, posterior->counts);
}

/// Compares the texts of the folder with what Kaldi's code read. A record has three int32, the
/// text, and the values. The numbers are the kind, the size of the text, and the size of the
/// values, or -1 if the text is wrong.
TEST(KaldiOracle, TextsAreAcceptedAsByKaldi) {
  const char* const folder = std::getenv("SHEAF_KALDI_FOLDER");
  if (folder == nullptr) GTEST_SKIP() << "compare_with_kaldi.py makes the folder";
  const std::string cases = file_text(fs::path(folder) / "texts.cases");
  constexpr KaldiKind kKinds[] = {KaldiKind::matrix, KaldiKind::vector, KaldiKind::integers,
                                  KaldiKind::posteriors};
  std::int64_t wrong_count = 0;
  std::int64_t case_count = 0;
  for (std::size_t at = 0; at < cases.size(); ++case_count) {
    std::int32_t numbers[3];
    std::memcpy(numbers, cases.data() + at, sizeof numbers);
    const std::string text =
        cases.substr(at + sizeof numbers, static_cast<std::size_t>(numbers[1]));
    at += sizeof numbers + text.size();
    const auto found = text_values(text, kKinds[numbers[0]]);
    if (numbers[2] < 0) {
      ++wrong_count;
      EXPECT_FALSE(found.has_value()) << numbers[0] << quoted(text);
      continue;
    }
    const auto size = static_cast<std::size_t>(numbers[2]);
    EXPECT_TRUE(found == std::optional(cases.substr(at, size))) << numbers[0] << quoted(text);
    at += size;
  }
  std::cout << case_count << " texts, " << wrong_count << " of them wrong\n";
  EXPECT_GT(wrong_count, 0);
  EXPECT_GT(case_count, wrong_count);
}

}  // namespace
}  // namespace sheaf::internal
