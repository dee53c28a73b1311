#include "format/ctf/ctf_deserializer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::ctf {
namespace {

const FormatOptions kOptions = {
    .streams = {{.name = "x", .alias = "F", .sample_shape = Shape{2}},
                {.name = "y", .storage = Storage::sparse, .sample_shape = Shape{10}}}};

/// A source whose content changes after the source was indexed.
class FickleSource : public ByteSource {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "fickle.ctf"; }
  [[nodiscard]] std::int64_t size() const noexcept override {
    return static_cast<std::int64_t>(bytes.size());
  }
  void read_at(std::int64_t offset, std::span<std::byte> into) const override {
    const auto from = std::as_bytes(std::span(bytes)).subspan(static_cast<std::size_t>(offset));
    std::copy_n(from.begin(), into.size(), into.begin());
  }

  std::string bytes = "0 |F 1 2 |y\n1 |F 1 2 |y\n";
};

TEST(CtfDeserializer, DetectsChangesSinceIndexing) {
  for (const std::string changed : {"0 |F 1 2 |y\n2 |F 1 2 |y\n",        // another id
                                    "0 |F 1 2 |y\n0 |F 1 2 |y\n",        // one sequence fewer
                                    "0 |F 12|y\n1 |F 1 2 |y\n  ",        // another offset
                                    "0 |F 1 2 |y\n1 |F 1\n3 |y 1\n"}) {  // one sequence more
    SCOPED_TRACE(changed);
    auto source = std::make_shared<FickleSource>();
    const CtfDeserializer data(source, kOptions);
    ASSERT_TRUE(data.index().chunk(ChunkIndex{}));
    source->bytes = changed;
    Diagnostics diagnostics;
    EXPECT_THROW((void)data.read({.chunk = {}}, diagnostics), IoError);
  }
}

TEST(CtfDeserializer, TheFingerprintDependsOnContentAndOptions) {
  const auto of = [](const std::string& text, const FormatOptions& options) {
    return CtfDeserializer(memory_source(text, "any name"), options).fingerprint();
  };
  FormatOptions other = kOptions;
  other.streams[0].alias = "G";
  EXPECT_EQ(of("|F 1 2|y\n", kOptions), of("|F 1 2|y\n", kOptions));
  EXPECT_NE(of("|F 1 2|y\n", kOptions), of("|F 1 3|y\n", kOptions));
  EXPECT_NE(of("|F 1 2|y\n", kOptions), of("|F 1 2|y\n", other));
}

}  // namespace
}  // namespace sheaf::ctf
