#include "sheaf/mixture.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/error_of.h"

namespace sheaf {
namespace {

using testing::error_of;

using Numbers = std::vector<std::int64_t>;

Numbers weights_of(const std::vector<std::string>& texts) { return integer_weights(texts); }

std::string refusal_of(const std::vector<std::string>& texts) {
  return error_of([&] { static_cast<void>(integer_weights(texts)); });
}

TEST(Mixture, DecimalsBecomeTheSmallestIntegers) {
  EXPECT_EQ(weights_of({"0.5", "0.35", "0.15"}), (Numbers{10, 7, 3}));
  EXPECT_EQ(weights_of({"0.1", "0.1", "0.1"}), (Numbers{1, 1, 1}));
  EXPECT_EQ(weights_of({"2", "1"}), (Numbers{2, 1}));
  EXPECT_EQ(weights_of({"100", "250"}), (Numbers{2, 5}));
  EXPECT_EQ(weights_of({"1e-6", "1"}), (Numbers{1, 1'000'000}));
  EXPECT_EQ(weights_of({"1.50E+1", ".5", "3."}), (Numbers{30, 1, 6}));
  EXPECT_EQ(weights_of({"0", "7"}), (Numbers{0, 1}));
  EXPECT_EQ(weights_of({"000000000000000000000001"}), (Numbers{1}));
  EXPECT_EQ(weights_of({"999999999999999999", "1"}), (Numbers{999'999'999'999'999'999, 1}));
}

TEST(Mixture, NonDecimalWeightsAreRefused) {
  const std::string how = "; a weight is a decimal number such as 2, 0.35 or 1e-3";
  EXPECT_EQ(refusal_of({"abc"}), "mixture: the weight \"abc\" is no number" + how);
  EXPECT_EQ(refusal_of({""}), "mixture: the weight \"\" is no number" + how);
  EXPECT_EQ(refusal_of({"."}), "mixture: the weight \".\" is no number" + how);
  EXPECT_EQ(refusal_of({"1e"}), "mixture: the weight \"1e\" is no number" + how);
  EXPECT_EQ(refusal_of({"1e+-3"}), "mixture: the weight \"1e+-3\" is no number" + how);
  EXPECT_EQ(refusal_of({"1 "}), "mixture: the weight \"1 \" is no number" + how);
  EXPECT_EQ(refusal_of({"inf"}), "mixture: the weight \"inf\" is no number" + how);
  EXPECT_EQ(refusal_of({"-1"}), "mixture: the weight \"-1\" is negative" + how);
  EXPECT_EQ(refusal_of({"1e1001"}),
            "mixture: the weight \"1e1001\" is too large or too small" + how);
  EXPECT_EQ(refusal_of({"1234567890123456789"}),
            "mixture: the weight \"1234567890123456789\" has more than 18 digits" + how);
}

TEST(Mixture, WeightsThatAreTooFarApartAreRefused) {
  EXPECT_EQ(weights_of({"1e18", "1"}), (Numbers{1'000'000'000'000'000'000, 1}));
  EXPECT_EQ(refusal_of({"1e19", "1"}),
            "mixture: the smallest and the largest weight are too far apart: as integers, the "
            "weights have a sum above 4611686018427387904; make them fewer digits");
}

std::string check_of(const MixtureOptions& options, std::int64_t members) {
  return error_of([&] { check_mixture(options, members); });
}

TEST(Mixture, EveryOptionIsChecked) {
  const std::int64_t most = std::int64_t{1} << 62;
  MixtureOptions good{.weights = {1, 2}, .exhausted = Exhausted::stop, .schedule = {{5, {0, 1}}}};
  check_mixture(good, 2);
  check_mixture({.weights = {most}, .exhausted = Exhausted::stop}, 1);
  EXPECT_EQ(check_of({}, 0), "mixture: there is nothing to draw from");
  EXPECT_EQ(check_of({.weights = {1}}, 1),
            "mixture: say what happens when a member has no sequences left: exhausted=\"repeat\", "
            "\"stop\", \"drop\" or \"error\"");
  EXPECT_EQ(check_of(good, 3), "mixture: weights has 2 weights for 3 members");
  good.weights = {0, 1};
  EXPECT_EQ(check_of(good, 2), "mixture: weights has the weight 0; a weight is 1 or more");
  good.weights = {most, 1};
  EXPECT_EQ(check_of(good, 2),
            "mixture: weights has weights with the sum 4611686018427387905; the sum is from 1 to "
            "4611686018427387904");
  good.weights = {1, 1};
  good.schedule = {{0, {1, 1}}};
  EXPECT_EQ(check_of(good, 2),
            "mixture: a stage of the schedule begins with draw 0; each begins after the stage "
            "before, the first one after draw 0");
  good.schedule = {{1, {1, 1}}, {1, {1, 1}}};
  EXPECT_NE(check_of(good, 2), "none");
  good.schedule = {{1, {0, 0}}};
  EXPECT_EQ(check_of(good, 2),
            "mixture: the stage from draw 1 on has weights with the sum 0; the sum is from 1 to "
            "4611686018427387904");
  good.schedule = {{1, {1}}};
  EXPECT_EQ(check_of(good, 2), "mixture: the stage from draw 1 on has 1 weights for 2 members");
}

TEST(Mixture, HasATextForPositions) {
  EXPECT_EQ(to_text({.weights = {7, 3}, .exhausted = Exhausted::repeat, .schedule = {}}),
            "7:3 repeat");
  EXPECT_EQ(to_text({.weights = {7, 3},
                     .exhausted = Exhausted::drop,
                     .schedule = {{1000, {1, 1}}, {2000, {0, 1}}}}),
            "7:3 drop 1000=1:1 2000=0:1");
  EXPECT_EQ(to_string(Exhausted::stop), "stop");
  EXPECT_EQ(to_string(Exhausted::error), "error");
}

}  // namespace
}  // namespace sheaf
