#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "io/limits.h"
#include "support/test_folder.h"

namespace sheaf {
namespace {

std::string read_spooled(const ByteSource& source, std::int64_t offset, std::size_t size) {
  std::string text(size, '?');
  source.read_at(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

std::string reason_of(const auto& action) {
  try {
    action();
  } catch (const IoError& error) {
    return error.what();
  }
  return "none";
}

TEST(Spool, BytesOfAPipeCanBeReadAtAnyOffset) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::string text;  // more than a pipe holds, and more than one read takes
  for (int i = 0; i < 500'000; ++i) text += std::to_string(i) + ' ';
  std::thread writer([&text, end = ends[1]] {
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t written = ::write(end, text.data() + done, text.size() - done);
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
    ::close(end);
  });
  const std::shared_ptr<const ByteSource> source = spool(ends[0], "standard input");
  writer.join();
  ::close(ends[0]);
  EXPECT_EQ(source->name(), "standard input");
  EXPECT_EQ(source->path(), "");
  ASSERT_EQ(source->size(), std::ssize(text));
  EXPECT_EQ(read_spooled(*source, 0, text.size()), text);
  EXPECT_EQ(read_spooled(*source, 2'000'000, 10), text.substr(2'000'000, 10));
  EXPECT_EQ(source->fingerprint(), memory_source(text, "m")->fingerprint());
  EXPECT_EQ(reason_of([&] { static_cast<void>(read_spooled(*source, source->size() - 1, 2)); }),
            "standard input: no 2 bytes at offset " + std::to_string(text.size() - 1) + ": " +
                std::to_string(text.size()) + " were read");
}

TEST(Spool, LeavesNoFile) {
  const TestFolder folder;
  const TemporaryFolder temporary(folder.path("."));
  const int descriptor = ::open("/dev/null", O_RDONLY);
  const std::shared_ptr<const ByteSource> source = spool(descriptor, "nothing");
  ::close(descriptor);
  EXPECT_EQ(source->size(), 0);
  EXPECT_EQ(folder.names(), std::set<std::string>());
}

TEST(Spool, AFailedReadIsAnErrorWithTheReason) {
  const TestFolder folder;
  const int descriptor = ::open(folder.path(".").c_str(), O_RDONLY);
  EXPECT_EQ(reason_of([&] { static_cast<void>(spool(descriptor, "x")); }),
            "x: cannot read: Is a directory");
  ::close(descriptor);
}

}  // namespace
}  // namespace sheaf
