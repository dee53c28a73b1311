#include "format/mlf/mlf_options.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::mlf {
namespace {

Options parsed(const std::string& name, const std::string& value) {
  FormatOptions options;
  options.extra[name] = value;
  return parse_options(options);
}

TEST(MlfOptions, HaveDefaults) {
  const Options options = parse_options({});
  EXPECT_EQ(options.unit, Options::Unit::automatic);
  EXPECT_EQ(options.frame_period, 100'000);
  EXPECT_EQ(options.frames_max, 4'194'304);
  EXPECT_EQ(options.states_path, "");
  EXPECT_FALSE(options.gap);
  EXPECT_FALSE(options.gives_ids);
  EXPECT_FALSE(options.marks_boundaries);
  EXPECT_FALSE(options.is_cntk);
}

TEST(MlfOptions, AreParsed) {
  EXPECT_EQ(parsed("mlf.time_unit", "htk").unit, Options::Unit::htk);
  EXPECT_EQ(parsed("mlf.time_unit", "frames").unit, Options::Unit::frames);
  EXPECT_EQ(parsed("mlf.states", "a b").states_path, "a b");
  EXPECT_EQ(parsed("mlf.gap", "sil").gap, "sil");
  EXPECT_EQ(parsed("mlf.gap", "").gap, "") << "which no state list has";
  EXPECT_FALSE(parsed("mlf.gap", "error").gap);
  EXPECT_TRUE(parsed("mlf.as", "ids").gives_ids);
  EXPECT_TRUE(parsed("mlf.phone_boundaries", "true").marks_boundaries);
}

TEST(MlfOptions, NumbersAreLimited) {
  EXPECT_EQ(parsed("mlf.frame_period", "1").frame_period, 1);
  EXPECT_EQ(parsed("mlf.frame_period", "1073741824").frame_period, 1 << 30);
  EXPECT_EQ(parsed("mlf.frames_max", "2147483648").frames_max, std::int64_t{1} << 31);
  for (const std::string value :
       {"", "0", "-1", "1.5", "1 ", " 1", "x", "1073741825", "99999999999999999999"}) {
    EXPECT_THROW(static_cast<void>(parsed("mlf.frame_period", value)), ConfigError) << value;
  }
  EXPECT_THROW(static_cast<void>(parsed("mlf.frames_max", "2147483649")), ConfigError);
}

}  // namespace
}  // namespace sheaf::mlf
