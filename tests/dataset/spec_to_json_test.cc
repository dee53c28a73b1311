#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/spec.h"

namespace sheaf {
namespace {

constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

// Every field of a spec, with a value that differs from the default.
constexpr std::string_view kEverything = R"({
  "data": {
    "join": [
      {
        "files": [
          "a.ctf",
          "part-*.ctf"
        ],
        "streams": [
          {
            "name": "x",
            "alias": "features",
            "dtype": "float64",
            "defines_minibatch_size": true,
            "shape": [
              8,
              4
            ]
          },
          {
            "name": "y",
            "storage": "sparse",
            "index_dtype": "int64",
            "shape": [
              10
            ]
          }
        ],
        "format": "ctf",
        "format_options": {
          "ctf.x": "1"
        },
        "dtype": "float32",
        "keys": "text",
        "skip_sequence_ids": true,
        "missing_streams": "allow",
        "compatibility": "cntk",
        "chunk_size": 1024,
        "index": "off",
        "index_dir": "/tmp/i",
        "same_keys": "number"
      },
      {
        "concatenate": [
          {
            "files": [
              "b.cbf"
            ]
          },
          {
            "object": "mine"
          }
        ],
        "same_keys": "number"
      }
    ],
    "primary": 1,
    "missing_sequences": "absent",
    "lengths": "equal",
    "length_tolerance": 2,
    "length_streams": [
      "features",
      "labels"
    ]
  },
  "read": {
    "order": "keyed",
    "seed": 18446744073709551615,
    "window_chunks": 7,
    "window_samples": "all",
    "split_frames": true,
    "minibatch_size": 12,
    "unit": "sequences",
    "sweeps": "endless",
    "epoch_size": 1000,
    "epochs": 3,
    "sweep_ends": "cut",
    "timeline": "global",
    "balance": "count",
    "batching": "bucketed",
    "sizes": "exact",
    "drop_last": true,
    "truncation_length": 20,
    "long": "split",
    "packing": "ragged",
    "row_samples": 512,
    "pad_values": {
      "features": 0.5,
      "labels": -100
    },
    "pad_side": "left",
    "pad_multiple": 8,
    "pad_length": 1024,
    "max_errors": "any",
    "cache": "/tmp/c",
    "cache_limit": 1000000
  }
}
)";

TEST(SpecToJson, EveryFieldRoundTrips) {
  const Spec spec = parse_spec(kEverything, "s.json");
  EXPECT_EQ(to_json(spec), kEverything);
  const auto& join = std::get<JoinSpec>(spec.data.content);
  EXPECT_EQ(join.primary, 1);
  EXPECT_EQ(join.missing_sequences, MissingSequences::absent);
  EXPECT_EQ(join.lengths, Lengths::equal);
  EXPECT_EQ(join.length_tolerance, 2);
  EXPECT_EQ(join.length_streams, (std::vector<std::string>{"features", "labels"}));
  const FilesSpec& files = *files_of(spec.data)[0];
  EXPECT_EQ(files.files, (std::vector<std::string>{"a.ctf", "part-*.ctf"}));
  EXPECT_EQ(files.same_keys, ConcatenatedKeys::number);
  EXPECT_EQ(files.format.extra.at("ctf.x"), "1");
  EXPECT_EQ(files.format.chunk_size_bytes, 1024);
  ASSERT_EQ(files.format.streams.size(), 2U);
  EXPECT_EQ(files.format.streams[0].sample_shape, (Shape{8, 4}));
  EXPECT_EQ(files.format.streams[1].storage, Storage::sparse);
  EXPECT_EQ(files.format.streams[1].index_dtype, ElementType::i64);
  EXPECT_EQ(spec.read.order.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(spec.read.order.window_samples, kAll);
  EXPECT_EQ(spec.read.order.sweeps, std::nullopt);
  EXPECT_EQ(spec.read.order.sweep_ends, SweepEnds::cut);
  EXPECT_EQ(spec.read.max_errors, kAll);
  EXPECT_EQ(spec.read.row_samples, 512);
  EXPECT_EQ(spec.read.cache.folder, "/tmp/c");
  EXPECT_EQ(spec.read.cache.limit_bytes, 1'000'000);
  const Padding padding = {
      .pad_values = {{"features", 0.5}, {"labels", std::int64_t{-100}}},
      .pad_side = PadSide::left,
      .pad_multiple = 8,
      .pad_length = 1024,
  };
  EXPECT_EQ(spec.read.padding, padding);
}

TEST(SpecToJson, DefaultsAreLeftOut) {
  const Spec spec = parse_spec(R"({"data": {"files": "a.ctf"}})", "s.json");
  EXPECT_EQ(
      to_json(spec),
      "{\n  \"data\": {\n    \"files\": [\n      \"a.ctf\"\n    ]\n  },\n  \"read\": {}\n}\n");
  EXPECT_EQ(spec.read.order.minibatch_size, OrderOptions{}.minibatch_size);
  EXPECT_EQ(spec.read.packing, Layout::padded);
  EXPECT_EQ(spec.read.cache.folder, "");
  EXPECT_EQ(spec.read.cache.limit_bytes, std::nullopt);
}

TEST(SpecToJson, ACacheWithoutALimitHasOnlyAFolder) {
  for (const std::string_view read :
       {R"("cache": "c")", R"("cache": "c", "cache_limit": "none")"}) {
    const Spec spec =
        parse_spec(R"({"data": {"files": "a"}, "read": {)" + std::string(read) + "}}", "s");
    EXPECT_EQ(spec.read.cache.limit_bytes, std::nullopt);
    EXPECT_NE(to_json(spec).find("\"read\": {\n    \"cache\": \"c\"\n  }"), std::string::npos)
        << to_json(spec);
  }
}

TEST(SpecToJson, NamesThatAreNotUtf8RoundTrip) {
  Spec spec;
  FilesSpec files;
  files.files = {"caf\xe9.ctf"};
  files.format.streams = {{.name = "\xff"}};
  spec.data.content = files;
  const Spec again = parse_spec(to_json(spec), "s");
  EXPECT_EQ(files_of(again.data)[0]->files, files.files);
  EXPECT_EQ(files_of(again.data)[0]->format.streams[0].name, "\xff");
}

}  // namespace
}  // namespace sheaf
