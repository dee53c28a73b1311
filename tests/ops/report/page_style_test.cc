#include "ops/report/page_style.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::internal::page {
namespace {

TEST(PageStyle, HasRulesForDarkModePrintAndPhones) {
  const std::string_view css = style_sheet();
  EXPECT_NE(css.find("prefers-color-scheme:dark"), std::string_view::npos);
  EXPECT_NE(css.find("@media print"), std::string_view::npos);
  EXPECT_NE(css.find("@media(max-width:"), std::string_view::npos);
}

TEST(PageStyle, LoadsNothingAndClosesNoElement) {
  const std::string_view css = style_sheet();
  EXPECT_EQ(css.find("url("), std::string_view::npos);
  EXPECT_EQ(css.find("@import"), std::string_view::npos);
  EXPECT_EQ(css.find('<'), std::string_view::npos);
  EXPECT_EQ(std::count(css.begin(), css.end(), '{'), std::count(css.begin(), css.end(), '}'));
}

// Compute luminance and contrast as WCAG 2 defines them.
double luminance(const std::string& color) {
  const auto part = [&color](std::size_t i) {
    const std::size_t width = color.size() == 3 ? 1 : 2;
    std::string digits = color.substr(i * width, width);
    if (width == 1) digits += digits;
    const double value = std::stoi(digits, nullptr, 16) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2);
}

// Returns the n-th value of a colour: light, dark, print.
std::string color_of(const std::string& name, int number) {
  std::string_view css = style_sheet();
  std::size_t at = 0;
  for (int i = 0; i <= number; ++i) at = css.find("--" + name + ":#", at) + 1;
  at = css.find('#', at) + 1;
  return std::string(css.substr(at, css.find_first_of(";}", at) - at));
}

TEST(PageStyle, TextsHaveEnoughContrast) {
  for (int scheme = 0; scheme < 3; ++scheme) {
    for (const char* const background : {"page", "panel"}) {
      for (const char* const name : {"ink", "soft", "link", "error", "warning", "notice", "good"}) {
        const double a = luminance(color_of(name, scheme));
        const double b = luminance(color_of(background, scheme));
        const double contrast = (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
        EXPECT_GE(contrast, 4.5) << name << " on " << background << " of scheme " << scheme;
      }
    }
  }
}

TEST(PageStyle, ShapesHaveEnoughContrast) {
  for (int scheme = 0; scheme < 3; ++scheme) {
    for (const char* const name : {"first", "second", "third"}) {
      const double a = luminance(color_of(name, scheme));
      const double b = luminance(color_of("page", scheme));
      EXPECT_GE((std::max(a, b) + 0.05) / (std::min(a, b) + 0.05), 3) << name << scheme;
    }
  }
}

}  // namespace
}  // namespace sheaf::internal::page
