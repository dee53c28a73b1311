// The laws of serializers for every format: a file that was written reads back equal, and data that
// could not be read back are refused and leave no file. Names, shapes, keys, values and counts are
// as hostile as possible.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/serializer.h"

#include "conformance/format_under_test.h"
#include "conformance/read_all.h"
#include "io/staged_files.h"
#include "support/test_folder.h"

namespace sheaf::conformance {
namespace {

using std::string_literals::operator""s;

constexpr std::int64_t kBillion = std::int64_t{1} << 30;

/// One stream of one sequence, with the arrays that a view refers to.
struct Content {
  bool is_present = true;
  std::int64_t sample_count = 0;
  std::vector<std::byte> values;
  std::vector<std::byte> indices;
  std::vector<std::int64_t> sample_offsets;

  [[nodiscard]] SequenceView view(const Stream& stream) const {
    const bool is_sparse = stream.storage == Storage::sparse;
    return {.values = values.data(),
            .indices = is_sparse ? indices.data() : nullptr,
            .sample_offsets = is_sparse ? sample_offsets.data() : nullptr,
            .sample_count = sample_count,
            .value_count = std::ssize(values) / element_size(stream.element_type),
            .is_present = is_present};
  }
};

/// The whole input of a serializer.
struct Data {
  std::vector<Stream> streams;
  std::vector<SequenceKey> keys;
  std::vector<std::string> key_texts;           // empty if keys are numbers
  std::vector<std::string> comments;            // empty, or one for each sequence
  std::vector<std::vector<Content>> sequences;  // [stream][sequence]
  SerializerOptions options;
  std::map<std::string, std::string> read_options;
  std::int64_t batch_size = 1;
};

/// Makes data. Each part of the data is hostile now and then, so that most files have at most one
/// unusual part.
class Maker {
 public:
  explicit Maker(std::uint64_t seed) : choices_(seed) {}

  Data make(const FormatUnderTest& format) {
    Data data;
    const WritingOptions& writing = pick(format.writing_options);
    data.options.extra = writing.write;
    data.read_options = writing.read;
    data.options.chunk_size_bytes = choices_.once_in(2) ? 1 + choices_.below(200) : kBillion;
    if (choices_.once_in(60)) data.options.chunk_size_bytes = choices_.below(2) - 1;
    make_streams(data);
    const std::int64_t count = choices_.once_in(30) ? 0 : 1 + choices_.below(6);
    make_keys(data, count);
    data.sequences.resize(data.streams.size());
    for (std::int64_t n = 0; n < count; ++n) {
      const std::int64_t samples = choices_.once_in(2) ? 1 : 1 + choices_.below(3);
      const bool lacks_all = choices_.once_in(60);
      for (std::size_t i = 0; i < data.streams.size(); ++i) {
        data.sequences[i].push_back(make_content(data.streams[i], lacks_all ? 0 : samples));
      }
    }
    data.batch_size = 1 + choices_.below(4);
    return data;
  }

 private:
  template <typename List>
  const std::ranges::range_value_t<List>& pick(const List& list) {
    return choices_.pick(std::span<const std::ranges::range_value_t<List>>(list));
  }

  [[nodiscard]] bool is_hostile() { return choices_.once_in(25); }

  std::string make_name() {
    if (!is_hostile()) return std::string(choices_.pick({"label", "features", "x", "y-1", "Z#:"}));
    const std::string names[] = {"",
                                 "a b",
                                 "a\tb",
                                 "a\nb",
                                 "a|b",
                                 "|",
                                 "a:b",
                                 "#a",
                                 "#",
                                 "a\0b"s,
                                 "\x01",
                                 "\x7F",
                                 "a\r",
                                 "\xC3\xA9",
                                 "\xC3",
                                 "\xFF",
                                 "0",
                                 "-1",
                                 "\xEF\xBB\xBF",
                                 "\xED\xA0\x80",
                                 "qid:1",
                                 ":",
                                 "\xFF\xFE",
                                 "\xC0\x80",
                                 "\xF4\x90\x80\x80"};
    if (choices_.once_in(8)) {
      return std::string(static_cast<std::size_t>((1 << 20) + choices_.below(3) - 1), 'n');
    }
    return pick(names);
  }

  Shape make_shape(Storage storage) {
    const bool is_sparse = storage == Storage::sparse;
    if (is_hostile()) {
      const std::int64_t two = 1;
      const Shape shapes[] = {Shape{two << 31},
                              Shape{(two << 31) + 1},
                              Shape{two << 32},
                              Shape{(two << 32) - 1},
                              Shape{two << 40},
                              Shape{(two << 40) + 1},
                              Shape{two << 62, two << 62},
                              Shape{Shape::kVariable},
                              Shape{2, 3},
                              Shape{}};
      return pick(shapes);
    }
    const Shape shapes[] = {Shape{1}, Shape{1}, Shape{3}, Shape{20}};
    if (!is_sparse && choices_.once_in(4)) return choices_.once_in(2) ? Shape{} : Shape{2, 2};
    return pick(shapes);
  }

  void make_streams(Data& data) {
    const std::int64_t count = choices_.once_in(60) ? 0 : 1 + choices_.below(2);
    std::set<std::string> names;
    while (std::ssize(data.streams) < count) {
      Stream stream{.name = make_name()};
      // Now and then, two streams have the same name.
      if (!names.insert(stream.name).second && !choices_.once_in(20)) continue;
      stream.storage = choices_.once_in(2) ? Storage::sparse : Storage::dense;
      stream.sample_shape = make_shape(stream.storage);
      stream.element_type = choices_.once_in(2) ? ElementType::f32 : ElementType::f64;
      stream.index_type = choices_.once_in(2) ? ElementType::i32 : ElementType::i64;
      const ElementType strange[] = {ElementType::u8,  ElementType::i32, ElementType::i64,
                                     ElementType::f16, ElementType::f64, ElementType::bytes};
      if (is_hostile()) stream.element_type = pick(strange);
      if (is_hostile()) stream.index_type = pick(strange);
      data.streams.push_back(std::move(stream));
    }
  }

  void make_keys(Data& data, std::int64_t count) {
    const bool are_texts = choices_.once_in(4);
    const bool are_running = choices_.once_in(2);
    const std::string texts[] = {
        "a",  "",    "a b",  "a|b",           "7",        "007",      "#x",   "a\nb", "\r",
        "-1", "a:b", "a\0"s, "\xEF\xBB\xBFz", "\xFF\xFE", "\xC3\xA9", "\x7F", "|",    "qid:3"};
    const std::uint64_t numbers[] = {0, 1, 5, std::uint64_t{1} << 63,
                                     std::numeric_limits<std::uint64_t>::max()};
    const std::string comments[] = {"", "x", "a|b", "|", "#", "\r", "a\nb", "\0"s, "0 |x 1"};
    const bool has_comments = choices_.once_in(8);
    for (std::int64_t n = 0; n < count; ++n) {
      const bool repeats = is_hostile();
      const auto number = static_cast<std::uint64_t>(n);
      if (are_texts) {
        std::string text = "key" + std::to_string(n);
        if (choices_.once_in(10)) text = pick(texts);
        if (choices_.once_in(80)) text = std::string(100'000, 'k') + std::to_string(n);
        if (repeats && n > 0) text = data.key_texts[static_cast<std::size_t>(n - 1)];
        data.keys.push_back(choices_.once_in(80) ? SequenceKey{.low = number} : key_of_text(text));
        data.key_texts.push_back(std::move(text));
      } else {
        SequenceKey key{.low = are_running ? number : number * 7 + 3};
        if (is_hostile()) key.low = pick(numbers);
        if (choices_.once_in(80)) key.high = 1;
        if (repeats && n > 0) key = data.keys[static_cast<std::size_t>(choices_.below(n))];
        data.keys.push_back(key);
      }
      if (has_comments) data.comments.push_back(pick(comments));
    }
  }

  template <typename T>
  void put_value(std::vector<std::byte>& to) {
    const T values[] = {
        T{0}, -T{0}, T{1}, T{-2.5}, T{1} / 3, T{16777216}, static_cast<T>(123456789)};
    const T hostile[] = {std::numeric_limits<T>::infinity(),  -std::numeric_limits<T>::infinity(),
                         std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::denorm_min(),
                         std::numeric_limits<T>::max(),       std::numeric_limits<T>::lowest(),
                         std::numeric_limits<T>::min()};
    const T value = choices_.once_in(60) ? pick(hostile) : pick(values);
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
    to.insert(to.end(), bytes.begin(), bytes.end());
  }

  void put_values(const Stream& stream, std::int64_t count, std::vector<std::byte>& to) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (stream.element_type == ElementType::f32) {
        put_value<float>(to);
      } else if (stream.element_type == ElementType::f64) {
        put_value<double>(to);
      } else {
        to.resize(to.size() + static_cast<std::size_t>(element_size(stream.element_type)));
      }
    }
  }

  void put_index(const Stream& stream, std::int64_t index, std::vector<std::byte>& to) {
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof index>>(index);
    to.insert(to.end(), bytes.begin(), bytes.begin() + element_size(stream.index_type));
  }

  void put_entries(const Stream& stream, Content& content) {
    const std::int64_t dim = stream.sample_shape.is_fixed() ? stream.sample_shape.size() : 4;
    std::vector<std::int64_t> indices;
    for (std::int64_t i = choices_.below(4); i > 0; --i) {
      indices.push_back(choices_.below(std::clamp<std::int64_t>(dim, 1, kBillion)));
      if (choices_.once_in(8)) indices.back() = dim - 1;
    }
    std::ranges::sort(indices);
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    const std::int64_t hostile[] = {-1, dim, std::int64_t{1} << 32, std::numeric_limits<int>::min(),
                                    std::numeric_limits<int>::max()};
    std::int64_t other = pick(hostile);  // no index occurs twice
    if (stream.index_type != ElementType::i64) other = static_cast<std::int32_t>(other);
    if (choices_.once_in(40) && std::ranges::find(indices, other) == indices.end()) {
      indices.push_back(other);
    }
    if (choices_.once_in(20)) std::ranges::reverse(indices);
    for (const std::int64_t index : indices) put_index(stream, index, content.indices);
    const bool are_ones = choices_.once_in(2);  // as in lists of labels
    if (are_ones && stream.element_type == ElementType::f32) {
      for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto bytes = std::bit_cast<std::array<std::byte, 4>>(1.0F);
        content.values.insert(content.values.end(), bytes.begin(), bytes.end());
      }
    } else {
      put_values(stream, std::ssize(indices), content.values);
    }
    content.sample_offsets.push_back(content.sample_offsets.back() + std::ssize(indices));
  }

  Content make_content(const Stream& stream, std::int64_t samples) {
    Content content;
    const bool is_sparse = stream.storage == Storage::sparse;
    const bool is_huge =
        !is_sparse && (!stream.sample_shape.is_fixed() || stream.sample_shape.rank() > 1 ||
                       stream.sample_shape.size() > 100);
    if (is_huge && stream.sample_shape != Shape{2, 2} && stream.sample_shape != Shape{2, 3}) {
      samples = 0;
    }
    if (choices_.once_in(15)) samples = 0;
    content.sample_count = samples;
    content.is_present = samples > 0 || choices_.once_in(20);
    if (is_sparse) content.sample_offsets.push_back(0);
    for (std::int64_t i = 0; i < samples; ++i) {
      if (is_sparse) {
        put_entries(stream, content);
      } else {
        put_values(stream, stream.sample_shape.size(), content.values);
      }
    }
    return content;
  }

  Choices choices_;
};

void write(const Format& format, const Data& data, FileSystem& files, const std::string& path) {
  internal::StagedFiles staged(files);
  const std::unique_ptr<Serializer> serializer =
      format.create({.sink = staged.create(path),
                     .streams = data.streams,
                     .options = data.options,
                     .create_file = [&](const std::string& name) { return staged.create(name); },
                     .files = &staged});
  const std::int64_t count = std::ssize(data.keys);
  for (std::int64_t first = 0; first < count; first += data.batch_size) {
    const std::int64_t end = std::min(count, first + data.batch_size);
    std::vector<std::vector<SequenceView>> views(data.streams.size());
    std::vector<std::string_view> texts;
    std::vector<std::string_view> comments;
    for (std::int64_t n = first; n < end; ++n) {
      const auto k = static_cast<std::size_t>(n);
      for (std::size_t i = 0; i < views.size(); ++i) {
        views[i].push_back(data.sequences[i][k].view(data.streams[i]));
      }
      if (!data.key_texts.empty()) texts.emplace_back(data.key_texts[k]);
      if (!data.comments.empty()) comments.emplace_back(data.comments[k]);
    }
    const std::vector<std::span<const SequenceView>> spans(views.begin(), views.end());
    serializer->append(serializer->encode(
        {.keys = std::span(data.keys).subspan(static_cast<std::size_t>(first),
                                              static_cast<std::size_t>(end - first)),
         .key_texts = texts,
         .comments = comments,
         .views = spans}));
  }
  serializer->finish();
  staged.publish();
}

/// Returns what a reader must find. The entries of a sample are sorted by index, and an empty
/// stream is absent, unless files of the format keep what they are given.
std::vector<ReferenceSequence> expected_of(const Format& format, const Data& data,
                                           const FormatUnderTest& under_test) {
  const bool has_text_keys = under_test.has_text_keys;
  std::vector<ReferenceSequence> sequences;
  for (std::size_t n = 0; n < data.keys.size(); ++n) {
    ReferenceSequence& sequence = sequences.emplace_back();
    sequence.key = format.keeps_keys ? data.keys[n] : SequenceKey{.low = n};
    if (format.keeps_keys && !data.key_texts.empty()) sequence.key_text = data.key_texts[n];
    if (has_text_keys && data.key_texts.empty()) {
      sequence.key_text = std::to_string(data.keys[n].low);
      sequence.key = key_of_text(sequence.key_text);
    }
    for (std::size_t i = 0; i < data.streams.size(); ++i) {
      ReferenceStream stream =
          to_reference(data.streams[i], data.sequences[i][n].view(data.streams[i]));
      if (!under_test.keeps_empty_streams) stream.is_present = !stream.samples.empty();
      for (ReferenceSample& sample : stream.samples) {
        if (under_test.keeps_entry_order) break;
        std::vector<std::pair<std::int64_t, std::uint64_t>> entries;
        for (std::size_t k = 0; k < sample.indices.size(); ++k) {
          entries.emplace_back(sample.indices[k], sample.values[k]);
        }
        std::ranges::sort(entries);
        for (std::size_t k = 0; k < entries.size(); ++k) {
          std::tie(sample.indices[k], sample.values[k]) = entries[k];
        }
      }
      sequence.streams.push_back(std::move(stream));
    }
  }
  return sequences;
}

std::optional<std::vector<ReferenceSequence>> read(const Format& format, const Data& data,
                                                   FileSystem& files, const std::string& path) {
  FormatOptions options;
  for (const Stream& stream : data.streams) {
    options.streams.push_back(
        {.name = stream.name,
         .storage = stream.storage,
         .sample_shape = stream.sample_shape,
         .dtype = stream.element_type,
         .index_dtype = stream.storage == Storage::sparse ? stream.index_type : ElementType::i32});
  }
  options.missing_streams = MissingStreams::allow;
  options.extra = data.read_options;
  if (format.keeps_keys && !data.key_texts.empty()) options.keys = KeyType::text;
  OpenRequest request{.options = options, .context = {.files = &files}};
  if (format.opens_paths) {
    request.paths = {path};
  } else {
    request.source = files.open(path);
  }
  ReferenceResult result = read_all(format, request);
  if (result.fatal || result.error_count() > 0) {
    ADD_FAILURE() << "the written data cannot be read:\n" << to_string(result);
    return std::nullopt;
  }
  for (ReferenceSequence& sequence : result.sequences) {
    sequence.first_line = 0;
    sequence.sample_count = 0;
  }
  return std::move(result.sequences);
}

std::string text_of(const ByteSource& source) {
  std::string text(static_cast<std::size_t>(source.size()), '\0');
  source.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

class SerializerLaws : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> writable_formats() {
  std::vector<std::string> names;
  for (const FormatUnderTest& format : formats_under_test()) {
    if (format_named(format.name).create != nullptr && format.holds_any_streams) {
      names.push_back(format.name);
    }
  }
  return names;
}

TEST_P(SerializerLaws, WrittenDataRoundTripAndUnreadableDataAreRefused) {
  const Format& format = format_named(GetParam());
  const auto under_test =
      std::ranges::find(formats_under_test(), GetParam(), &FormatUnderTest::name);
#if defined(SHEAF_SANITIZED)
  constexpr std::uint64_t kDataSets = 1'000;
#else
  constexpr std::uint64_t kDataSets = 6'000;
#endif
  const TestFolder folder;
  std::int64_t written = 0;
  std::map<std::string, std::int64_t> refusals;
  for (std::uint64_t seed = 0; seed < kDataSets && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Data data = Maker(seed).make(*under_test);
    const std::unique_ptr<FileSystem> files = memory_files();
    try {
      write(format, data, *files, "out");
    } catch (const Error& error) {
      const bool is_known = dynamic_cast<const ConfigError*>(&error) != nullptr ||
                            dynamic_cast<const DataError*>(&error) != nullptr;
      EXPECT_TRUE(is_known) << error.what();
      ++refusals[error.what()];
      if (refusals.size() % 16 == 0) {
        EXPECT_THROW(write(format, data, system_files(), folder.path("out")), Error);
        EXPECT_EQ(folder.names(), std::set<std::string>{});
      }
      continue;
    }
    ++written;
    const auto sequences = read(format, data, *files, "out");
    if (!sequences) continue;
    EXPECT_EQ(*sequences, expected_of(format, data, *under_test))
        << quoted(text_of(*files->open("out")), 2000);
  }
  // Checks the data: some are written, and some are refused.
  EXPECT_GT(written, static_cast<std::int64_t>(kDataSets / 30));
  EXPECT_GT(refusals.size(), 40U);
}

INSTANTIATE_TEST_SUITE_P(Formats, SerializerLaws, ::testing::ValuesIn(writable_formats()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace sheaf::conformance
