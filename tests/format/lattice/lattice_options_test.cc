#include "format/lattice/lattice_options.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::lattice {
namespace {

using sheaf::testing::error_of;

FormatOptions as_f32() {
  FormatOptions options;
  options.extra["lattice.as"] = "f32";
  return options;
}

std::string refusal(const FormatOptions& options) {
  return error_of<ConfigError>([&] { static_cast<void>(read_options_of(options)); });
}

TEST(LatticeOptions, TheStreamHoldsBytesOrFloats) {
  EXPECT_EQ(to_string(read_options_of({}).stream), "lattice: dense bytes [*]");
  EXPECT_EQ(to_string(read_options_of(as_f32()).stream), "lattice: dense f32 [1]");
  FormatOptions options = as_f32();
  options.streams = {{.name = "l",
                      .alias = "lattice",
                      .sample_shape = Shape{1},
                      .dtype = ElementType::f32,
                      .defines_minibatch_size = true}};
  options.dtype = ElementType::f64;  // a type of numbers; the bits of a lattice are not numbers
  const ReadOptions read = read_options_of(options);
  EXPECT_EQ(to_string(read.stream), "l: dense f32 [1]");
  EXPECT_TRUE(read.stream.defines_minibatch_size);
}

TEST(LatticeOptions, FloatsArePaddedToFourBytes) {
  const ReadOptions floats = read_options_of(as_f32());
  EXPECT_EQ(floats.value_bytes(1), 4);
  EXPECT_EQ(floats.value_bytes(4), 4);
  EXPECT_EQ(floats.value_bytes(5), 8);
  EXPECT_EQ(read_options_of({}).value_bytes(5), 5);
}

TEST(LatticeOptions, CntkReadsWithoutChecks) {
  EXPECT_TRUE(read_options_of({}).checks_blocks);
  EXPECT_FALSE(read_options_of({.compatibility = Compatibility::cntk}).checks_blocks);
}

TEST(LatticeOptions, InvalidStreamsAndOptionsAreRefused) {
  const auto of_stream = [](const StreamOptions& stream) {
    FormatOptions options;
    options.streams = {stream};
    return refusal(options);
  };
  EXPECT_EQ(of_stream({.name = ""}), "streams: a stream needs a name");
  EXPECT_EQ(of_stream({.name = "l", .alias = "x"}),
            "stream \"l\": the one stream of lattices has no name in the files, so there is no "
            "alias \"x\"");
  EXPECT_EQ(of_stream({.name = "l", .storage = Storage::sparse}),
            "stream \"l\": lattices are dense samples");
  EXPECT_EQ(of_stream({.name = "l", .dtype = ElementType::f32}),
            "stream \"l\": lattice.as=bytes gives samples of bytes, not f32");
  EXPECT_EQ(of_stream({.name = "l", .sample_shape = Shape{1}}),
            "stream \"l\": lattice.as=bytes gives samples of shape [*], not [1]");
  EXPECT_EQ(refusal({.streams = {{.name = "a"}, {.name = "b"}}}),
            "streams: lattices are one stream, not 2; join data for more");
  EXPECT_EQ(refusal({.skip_sequence_ids = true}),
            "skip_sequence_ids: lattices have keys, and each is a sequence");
  EXPECT_EQ(refusal({.chunk_size_bytes = 0}), "chunk_size_bytes: at least 1, got 0");
  EXPECT_EQ(refusal({.read_size_bytes = 0}), "read_size_bytes: 1 .. 1073741824, got 0");
  FormatOptions options;
  options.extra["lattice.as"] = "f64";
  EXPECT_EQ(refusal(options), "lattice.as: expected bytes or f32, found \"f64\"");
}

}  // namespace
}  // namespace sheaf::lattice
