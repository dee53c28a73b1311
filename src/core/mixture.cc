#include "sheaf/mixture.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <numeric>
#include <system_error>
#include <utility>

#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"

namespace sheaf {
namespace {

constexpr std::int64_t kSumMax = std::int64_t{1} << 62;
constexpr std::int64_t kDigitsMax = 18;

/// digits * 10^exponent.
struct Decimal {
  std::int64_t digits = 0;
  std::int64_t exponent = 0;
};

[[noreturn]] void refuse(std::string_view text, std::string_view reason) {
  throw ConfigError(
      formatted("mixture: the weight {} {}; a weight is a decimal number such as 2, "
                "0.35 or 1e-3",
                quoted(text), reason));
}

Decimal decimal_of(const std::string& text) {
  Decimal result;
  std::int64_t digit_count = 0;
  bool has_digits = false;
  bool has_point = false;
  std::size_t i = 0;
  if (!text.empty() && text.front() == '-') refuse(text, "is negative");
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !has_point) {
      has_point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    has_digits = true;
    if (digit_count > 0 || c != '0') ++digit_count;
    if (digit_count > kDigitsMax) refuse(text, formatted("has more than {} digits", kDigitsMax));
    result.digits = result.digits * 10 + (c - '0');
    if (has_point) --result.exponent;
  }
  if (has_digits && i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    const char* begin = text.data() + i + 1;
    const char* const end = text.data() + text.size();
    if (begin != end && *begin == '+' && begin + 1 != end && begin[1] != '-') ++begin;
    std::int64_t exponent = 0;
    const auto [behind, error] = std::from_chars(begin, end, exponent);
    if (error == std::errc::result_out_of_range || exponent > 1000 || exponent < -1000) {
      refuse(text, "is too large or too small");
    }
    if (error == std::errc() && behind == end) {
      result.exponent += exponent;
      i = text.size();
    }
  }
  if (!has_digits || i != text.size()) refuse(text, "is no number");
  while (result.digits != 0 && result.digits % 10 == 0) {
    result.digits /= 10;
    ++result.exponent;
  }
  if (result.digits == 0) result.exponent = 0;
  return result;
}

}  // namespace

std::string_view to_string(Exhausted exhausted) noexcept {
  switch (exhausted) {
    case Exhausted::repeat:
      return "repeat";
    case Exhausted::stop:
      return "stop";
    case Exhausted::drop:
      return "drop";
    case Exhausted::error:
      return "error";
  }
  return "?";
}

std::vector<std::int64_t> integer_weights(std::span<const std::string> decimals) {
  std::vector<Decimal> parsed;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const std::string& text : decimals) {
    parsed.push_back(decimal_of(text));
    if (parsed.back().digits != 0) least = std::min(least, parsed.back().exponent);
  }
  std::vector<std::int64_t> weights;
  std::int64_t sum = 0;
  for (const Decimal& each : parsed) {
    std::int64_t weight = each.digits;
    for (std::int64_t i = least; weight != 0 && i < each.exponent && weight <= kSumMax; ++i) {
      weight = internal::saturated_product(weight, 10);
    }
    weights.push_back(weight);
    sum = internal::saturated_sum(sum, weight);
  }
  if (sum > kSumMax) {
    throw ConfigError(formatted(
        "mixture: the smallest and the largest weight are too far apart: as integers, the weights "
        "have a sum above {}; make them fewer digits",
        kSumMax));
  }
  std::int64_t divisor = 0;
  for (const std::int64_t weight : weights) divisor = std::gcd(divisor, weight);
  if (divisor > 1) {
    for (std::int64_t& weight : weights) weight /= divisor;
  }
  return weights;
}

namespace {

void check_weights(const std::vector<std::int64_t>& weights, std::int64_t member_count,
                   std::string_view where, std::int64_t least) {
  if (std::ssize(weights) != member_count) {
    throw ConfigError(formatted("mixture: {} has {} weights for {} members", where, weights.size(),
                                member_count));
  }
  std::int64_t sum = 0;
  for (const std::int64_t weight : weights) {
    if (weight < least) {
      throw ConfigError(
          formatted("mixture: {} has the weight {}; a weight is {} or more", where, weight, least));
    }
    sum = internal::saturated_sum(sum, weight);
  }
  if (sum >= 1 && sum <= kSumMax) return;
  throw ConfigError(formatted("mixture: {} has weights with the sum {}; the sum is from 1 to {}",
                              where, sum, kSumMax));
}

}  // namespace

void check_mixture(const MixtureOptions& options, std::int64_t member_count) {
  if (member_count == 0) throw ConfigError("mixture: there is nothing to draw from");
  if (!options.exhausted) {
    throw ConfigError(
        "mixture: say what happens when a member has no sequences left: exhausted=\"repeat\", "
        "\"stop\", \"drop\" or \"error\"");
  }
  check_weights(options.weights, member_count, "weights", 1);
  std::int64_t before = 0;
  for (const MixtureStage& stage : options.schedule) {
    if (stage.from <= before || stage.from >= kSumMax) {
      throw ConfigError(formatted(
          "mixture: a stage of the schedule begins with draw {}; each begins after the stage "
          "before, the first one after draw 0",
          stage.from));
    }
    check_weights(stage.weights, member_count, formatted("the stage from draw {} on", stage.from),
                  0);
    before = stage.from;
  }
}

std::string to_text(const MixtureOptions& options) {
  const auto joined = [](const std::vector<std::int64_t>& weights) {
    std::string text;
    for (const std::int64_t weight : weights) {
      if (!text.empty()) text += ':';
      text += formatted("{}", weight);
    }
    return text;
  };
  std::string text = joined(options.weights);
  if (options.exhausted) text += formatted(" {}", to_string(*options.exhausted));
  for (const MixtureStage& stage : options.schedule) {
    text += formatted(" {}={}", stage.from, joined(stage.weights));
  }
  return text;
}

}  // namespace sheaf
