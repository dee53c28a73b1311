#include "reader/deliver/delivery.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

namespace sheaf::internal {
namespace {

/// Returns an item of minibatches without sequences. A minibatch with holes has one error.
WorkItem item_of(const std::vector<std::int64_t>& holes) {
  const auto streams = std::make_shared<const std::vector<Stream>>();
  WorkItem item;
  for (const std::int64_t count : holes) {
    Packed& packed = item.packed.emplace_back(
        Packed{padded_packer()->pack(SequenceList(streams), default_memory()), {}});
    packed.minibatch.hole_count = count;
    packed.minibatch.position.place.sequence = std::ssize(item.packed);
    if (count > 0) packed.errors.push_back({.sequence = std::ssize(item.packed)});
  }
  return item;
}

Delivery delivery(std::int64_t errors_max) {
  return {
      Position{}, errors_max, [](const SequenceError&) { return std::optional<Diagnostic>(); }, {}};
}

TEST(Delivery, DeliversTheMinibatchesOfAPlanInOrder) {
  Delivery run = delivery(10);
  EXPECT_FALSE(run.has_minibatch());
  run.take(item_of({0, 2, 0}));
  for (const bool is_clean : {true, false, true}) {
    ASSERT_TRUE(run.has_minibatch());
    EXPECT_EQ(run.is_clean(), is_clean);
    run.describe();
    const Minibatch minibatch = run.next();
    EXPECT_EQ(run.position().place, minibatch.position.place);
  }
  EXPECT_FALSE(run.has_minibatch());
  EXPECT_EQ(run.position().place.sequence, 3);
  EXPECT_EQ(run.stats().minibatches, 3);
  EXPECT_EQ(run.stats().holes, 2);
  EXPECT_EQ(run.stats().error_count, 1);
  EXPECT_EQ(run.error(), nullptr);
}

TEST(Delivery, OneErrorTooManyReplacesItsMinibatch) {
  Delivery run = delivery(1);
  run.take(item_of({1, 1}));
  static_cast<void>(run.next());
  EXPECT_THROW(static_cast<void>(run.next()), DataError);
  EXPECT_EQ(run.stats().minibatches, 1);
  EXPECT_EQ(run.position().place.sequence, 1);
}

TEST(Delivery, TheErrorOfAPlanFollowsItsMinibatches) {
  Delivery run = delivery(0);
  WorkItem item = item_of({0});
  item.error = std::make_exception_ptr(IoError("made-up: no byte"));
  run.take(std::move(item));
  EXPECT_TRUE(run.has_minibatch());
  static_cast<void>(run.next());
  EXPECT_FALSE(run.has_minibatch());
  EXPECT_NE(run.error(), nullptr);
}

}  // namespace
}  // namespace sheaf::internal
