#include "io/archive/tar_walker.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/archive/make_archive.h"

namespace sheaf::internal {
namespace {

std::vector<std::string> names_in(TarWalker walker) {
  std::vector<std::string> names;
  while (const std::optional<TarEntry> entry = walker.next()) names.push_back(entry->entry.name);
  return names;
}

TEST(TarWalker, APartNeedsNoEndMarker) {
  const std::string bytes = tar_entry("a", "x") + tar_entry("b", "yy") + tar_entry("c", "");
  const auto source = memory_source(bytes, "a.tar");
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_in({*source, {.begin_bytes = 0, .end_bytes = 3 * 1024 - 512}}),
            (Names{"a", "b", "c"}));
  EXPECT_EQ(names_in({*source, {.begin_bytes = 1024, .end_bytes = 2048}}), Names{"b"});
  EXPECT_EQ(names_in({*source, {.begin_bytes = 1024, .end_bytes = 1024 + 514}}), Names{"b"})
      << "up to the end of its bytes";
  EXPECT_THROW(names_in({*source, {.begin_bytes = 1024, .end_bytes = 1024 + 513}}), TarDamage);
  EXPECT_THROW(names_in(TarWalker(*source)), TarDamage) << "a whole archive has its end mark";
}

TEST(TarWalker, AnEntryBeginsAtItsFirstHeader) {
  const std::string bytes = tar_entry("a", "x") + tar_header({.name = "d/", .type = '5'}) +
                            pax_header("10 path=b\n") + tar_entry("s", "1") + tar_end();
  const auto source = memory_source(bytes, "a.tar");
  TarWalker walker(*source);
  EXPECT_EQ(walker.next()->begin_bytes, 0);
  const std::optional<TarEntry> second = walker.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->entry.name, "b");
  EXPECT_EQ(second->begin_bytes, 1536);
  EXPECT_EQ(second->entry.offset_bytes, 1536 + 1024 + 512);
  EXPECT_EQ(second->end_bytes(), 1536 + 1024 + 513);
  EXPECT_FALSE(walker.next());
  EXPECT_FALSE(walker.next()) << "and so on";
}

TEST(TarWalker, ReadsHaveTheRequestedSize) {
  const std::string bytes = tar_entry("a", "x") + tar_end();
  const auto source = memory_source(bytes, "a.tar");
  for (const std::int64_t size : {1, 511, 512, 513, 1 << 20}) {
    EXPECT_EQ(names_in(TarWalker(*source, size)), std::vector<std::string>{"a"}) << size;
  }
}

// Descriptions longer than a read come in pieces. The limit is 1 MiB.
TEST(TarWalker, ExtendedHeadersHaveAtMostAMegabyte) {
  constexpr std::size_t kRead = std::size_t{64} << 10;
  constexpr std::size_t kMost = std::size_t{1} << 20;
  for (const std::size_t size : {kRead - 1, kRead, kRead + 1, kMost - 1, kMost, kMost + 1}) {
    const std::string begin = std::to_string(size - 10) + " comment=";
    const std::string records =
        begin + std::string(size - 10 - begin.size() - 1, 'c') + "\n10 path=b\n";
    ASSERT_EQ(records.size(), size);
    const auto source =
        memory_source(pax_header(records) + tar_entry("a", "") + tar_end(), "a.tar");
    if (size > kMost) {
      EXPECT_THROW(names_in(TarWalker(*source)), TarDamage);
    } else {
      EXPECT_EQ(names_in(TarWalker(*source)), std::vector<std::string>{"b"}) << size;
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
