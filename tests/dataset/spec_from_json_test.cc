#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/spec.h"

#include "cntk/config_text.h"
#include "support/test_folder.h"

namespace sheaf {
namespace {

using testing::error_of;

std::string error_in(std::string_view json) {
  return error_of([&] { static_cast<void>(parse_spec(json, "s.json")); });
}

std::string error_in_files(const std::string& fields) {
  return error_in(R"({"data": {"files": "a.ctf", )" + fields + "}}");
}

std::string error_in_read(const std::string& fields) {
  return error_in(R"({"data": {"files": "a.ctf"}, "read": {)" + fields + "}}");
}

const FilesSpec& first_files(const Spec& spec) { return *files_of(spec.data).at(0); }

TEST(SpecFromJson, AShapeOfOneExtentMayBeANumber) {
  const Spec spec = parse_spec(
      R"({"data": {"files": "a.ctf", "streams": [{"name": "x", "shape": 64}, {"name": "y"},
                                                      {"name": "z", "shape": [null, 3]}]}})",
      "s");
  EXPECT_EQ(first_files(spec).format.streams[0].sample_shape, Shape{64});
  EXPECT_EQ(first_files(spec).format.streams[1].sample_shape, std::nullopt);
  EXPECT_EQ(first_files(spec).format.streams[2].sample_shape, (Shape{Shape::kVariable, 3}));
  EXPECT_EQ(to_json(parse_spec(to_json(spec), "s")), to_json(spec));
  EXPECT_NE(to_json(spec).find("null"), std::string::npos) << to_json(spec);
}

TEST(SpecFromJson, RelativePathsStartAtTheFolder) {
  const Spec spec =
      parse_spec(R"({"data": {"files": ["a.ctf", "/b.ctf"], "index_dir": "i"}})", "s", "/data/set");
  EXPECT_EQ(first_files(spec).files, (std::vector<std::string>{"/data/set/a.ctf", "/b.ctf"}));
  EXPECT_EQ(first_files(spec).format.index.directory, "/data/set/i");
  const Spec labels = parse_spec(
      R"({"data": {"files": "a.mlf", "format_options": {"mlf.states": "s", "mlf.gap": "g"}}})", "x",
      "/data");
  EXPECT_EQ(first_files(labels).format.extra.at("mlf.states"), "/data/s");
  EXPECT_EQ(first_files(labels).format.extra.at("mlf.gap"), "g");
}

TEST(SpecFromJson, TheCacheFolderStartsAtTheFolder) {
  const auto folder_of = [](const std::string& fields, const std::string& folder) {
    const std::string json = R"({"data": {"files": "a.ctf"}, "read": {)" + fields + "}}";
    return parse_spec(json, "s", folder).read.cache.folder;
  };
  EXPECT_EQ(folder_of(R"("cache": "c")", "/data/set"), "/data/set/c");
  EXPECT_EQ(folder_of(R"("cache": "../c")", "/data/set"), "/data/set/../c");
  EXPECT_EQ(folder_of(R"("cache": "/c")", "/data/set"), "/c");
  EXPECT_EQ(folder_of(R"("cache": "c")", ""), "c");
  EXPECT_EQ(folder_of(R"("cache": "")", "/data/set"), "");  // disables the cache
  EXPECT_EQ(folder_of("", "/data/set"), "");
}

TEST(SpecFromJson, TheCacheLimitIsAtLeastOneByte) {
  const auto limit_of = [](const std::string& limit) {
    return parse_spec(
               R"({"data": {"files": "a"}, "read": {"cache": "c", "cache_limit": )" + limit + "}}",
               "s")
        .read.cache.limit_bytes;
  };
  EXPECT_EQ(limit_of("1"), 1);
  EXPECT_EQ(limit_of("9223372036854775807"), 9223372036854775807);
  EXPECT_EQ(limit_of(R"("none")"), std::nullopt);
}

TEST(SpecFromJson, PathsOfTransformsStartAtTheFolder) {
  const Spec spec = parse_spec(
      R"({"data": {"files": "a.ctf", "transforms": [
        {"type": "standardize", "streams": "x", "statistics": "x.json", "speakers": "/utt2spk"},
        "standardize:x:statistics=y.json"]}})",
      "s", "/data/set");
  const std::vector<TransformSpec>& transforms = spec.data.transforms;
  EXPECT_EQ(transforms[0].options.at("statistics"), "/data/set/x.json");
  EXPECT_EQ(transforms[0].options.at("speakers"), "/utt2spk");
  EXPECT_EQ(transforms[1].options.at("statistics"), "/data/set/y.json");
}

TEST(SpecFromJson, PathsStartAtTheFolderOfTheSpecFile) {
  const TestFolder folder;
  folder.write("s.json", R"({"data": {"files": "a.ctf"}})");
  EXPECT_EQ(first_files(load_spec(folder.path("s.json"))).files[0], folder.path("a.ctf"));
  EXPECT_THROW(static_cast<void>(load_spec(folder.path("none.json"))), IoError);
  const std::string spec = R"({"data": {"files": "a.ctf"}})";
  for (const std::size_t size : {(16U << 20) - 1, 16U << 20}) {
    folder.write("large.json", spec + std::string(size - spec.size(), ' '));
    EXPECT_EQ(first_files(load_spec(folder.path("large.json"))).files.size(), 1U) << size;
  }
  folder.write("large.json", std::string((16 << 20) + 1, ' '));
  EXPECT_EQ(error_of([&] { static_cast<void>(load_spec(folder.path("large.json"))); }),
            folder.path("large.json") + ": has 16777217 bytes: a spec has at most 16777216");
}

TEST(SpecFromJson, UnknownNamesAreRefusedWithASuggestion) {
  EXPECT_EQ(error_in(R"({"dta": {}})"), R"(s.json: unknown name "dta"; did you mean "data"?)");
  EXPECT_EQ(error_in(R"({"data": {"file": "a"}})"),
            R"(s.json: data: unknown name "file"; did you mean "files"?)");
  EXPECT_EQ(error_in_files(R"("stream": [])"),
            R"(s.json: data: unknown name "stream"; did you mean "streams"?)");
  EXPECT_EQ(error_in_files(R"("streams": [{"name": "x", "shpe": 1}])"),
            R"(s.json: data.streams[0]: unknown name "shpe"; did you mean "shape"?)");
  EXPECT_EQ(error_in_read(R"("minibatch_sise": 3)"),
            R"(s.json: read: unknown name "minibatch_sise"; did you mean "minibatch_size"?)");
  EXPECT_EQ(error_in_read(R"("cahe": "c")"),
            R"(s.json: read: unknown name "cahe"; did you mean "cache"?)");
  EXPECT_EQ(error_in_read(R"("cache_limt": 1)"),
            R"(s.json: read: unknown name "cache_limt"; did you mean "cache_limit"?)");
  EXPECT_EQ(error_in_read(R"("worker_index": 1)"), R"(s.json: read: unknown name "worker_index")");
}

TEST(SpecFromJson, WrongValuesAreRefusedWithTheirPath) {
  EXPECT_EQ(error_in("[]"), "s.json: expected an object, found []");
  EXPECT_EQ(error_in("{}"), "s.json: expected data, found none");
  EXPECT_EQ(error_in(R"({"data": "a.ctf"})"), R"(s.json: data: expected an object, found "a.ctf")");
  EXPECT_EQ(
      error_in(R"({"data": {}})"),
      R"(s.json: data: expected "files", "concatenate", "join", "mix" or "object", found none)");
  EXPECT_EQ(error_in(R"({"data": {"files": "a", "join": []}})"),
            R"(s.json: data: expected one of "files" and "join", found both)");
  EXPECT_EQ(error_in(R"({"data": {"files": []}})"),
            "s.json: data.files: expected at least one path, found []");
  EXPECT_EQ(error_in(R"({"data": {"files": [""]}})"),
            R"(s.json: data.files[0]: expected a path, found "")");
  EXPECT_EQ(error_in(R"({"data": {"files": ["a", 1]}})"),
            "s.json: data.files[1]: expected a text, found 1");
  EXPECT_EQ(error_in(R"({"data": {"join": []}})"),
            "s.json: data.join: expected a list of data, found []");
  EXPECT_EQ(error_in(R"({"data": {"join": [{"files": "a"}, {"files": 1}]}})"),
            "s.json: data.join[1].files: expected a text, found 1");
  EXPECT_EQ(error_in(R"({"data": {"join": [{"files": "a"}], "primary": 1}})"),
            "s.json: data.primary: expected a whole number from 0 to 0, found 1");
  EXPECT_EQ(error_in_files(R"("streams": {})"), "s.json: data.streams: expected a list, found {}");
  EXPECT_EQ(error_in_files(R"("streams": [{}])"),
            "s.json: data.streams[0].name: expected the name of a stream, found none");
  EXPECT_EQ(
      error_in_files(R"("streams": [{"name": "x", "shape": [4, 0]}])"),
      "s.json: data.streams[0].shape[1]: expected a whole number from 1 to 2147483647, found 0");
  EXPECT_EQ(error_in_files(R"("keys": 1)"),
            R"(s.json: data.keys: expected "numeric" or "text", found 1)");
  EXPECT_EQ(error_in_files(R"("index": "never")"),
            R"(s.json: data.index: expected "auto", "off", "rebuild" or "require", found "never")");
  EXPECT_EQ(error_in_files(R"("skip_sequence_ids": 1)"),
            "s.json: data.skip_sequence_ids: expected true or false, found 1");
  EXPECT_EQ(error_in_files(R"("format_options": {"a": []})"),
            "s.json: data.format_options.a: expected a text, found []");
  EXPECT_EQ(error_in_read(R"("minibatch_size": 0)"),
            "s.json: read.minibatch_size: expected a whole number, at least 1, found 0");
  EXPECT_EQ(error_in_read(R"("minibatch_size": 1.5)"),
            "s.json: read.minibatch_size: expected a whole number, at least 1, found 1.5");
  EXPECT_EQ(error_in_read(R"("minibatch_size": 9223372036854775808)"),
            "s.json: read.minibatch_size: expected a whole number, at least 1, found "
            "9223372036854775808");
  EXPECT_EQ(error_in_read(R"("sweeps": 0)"),
            R"(s.json: read.sweeps: expected a whole number, at least 1, or "endless", found 0)");
  EXPECT_EQ(error_in_read(R"("cache": 5)"), "s.json: read.cache: expected a text, found 5");
  for (const std::string number : {"0", "-1", "1.5", "9223372036854775808"}) {
    EXPECT_EQ(error_in_read(R"("cache_limit": )" + number),
              "s.json: read.cache_limit: expected a whole number, at least 1, or \"none\", found " +
                  number);
  }
  EXPECT_EQ(error_in_read(R"("seed": -1)"),
            "s.json: read.seed: expected a whole number from 0 to 18446744073709551615, found -1");
}

}  // namespace
}  // namespace sheaf
