/// \file
/// Mixtures: data that draw sequences from several data sets by weight.
///
///     const std::vector<std::string> shares = {"0.5", "0.35", "0.15"};
///     const sheaf::MixtureOptions mixture = {.weights = sheaf::integer_weights(shares),
///                                            .exhausted = sheaf::Exhausted::repeat};
///     std::cout << mixture.weights[1] << '\n';  // 7 of 20
///
/// A mixture is a series of *draws*. Each draw takes the next sequence of one member, in the order
/// of that member. The number of the draw and the weights alone decide the member. After any number
/// of draws, the number of sequences of each member differs from its share by less than 2.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

/// What happens when a draw selects a member that has delivered all of its sequences.
///
/// repeat: the member begins its next sweep. A sweep of the mixture ends when every member has been
///         delivered at least once. The next sweep continues from the current sequence of each
///         member.
/// stop:   the sweep of the mixture ends before the draw. The next sweep begins with the next sweep
///         of each member.
/// drop:   the member leaves the mixture after its last sequence, and the others continue by their
///         weights. A sweep delivers every sequence once, except for members whose weight a
///         schedule sets to 0 for good.
/// error:  the run ends with an error, unless all members have delivered all of their sequences.
enum class Exhausted : std::uint8_t { repeat, stop, drop, error };

/// Returns the name of a value in specs and on the command line.
[[nodiscard]] std::string_view to_string(Exhausted exhausted) noexcept;

/// Weights that apply from a given draw on.
struct MixtureStage {
  std::int64_t from = 0;                   // number of the first draw
  std::vector<std::int64_t> weights = {};  // of each member; 0 means no draws

  friend bool operator==(const MixtureStage&, const MixtureStage&) = default;
};

/// How a mixture draws from its members.
struct MixtureOptions {
  std::vector<std::int64_t> weights = {};   // one for each member; each is above 0
  std::optional<Exhausted> exhausted = {};  // required: a mixture without a value is refused
  std::vector<MixtureStage> schedule = {};  // later weights, in ascending order of `from`

  friend bool operator==(const MixtureOptions&, const MixtureOptions&) = default;
};

/// The description of a mixture that an order gets from a data set (Counts::mixture()).
struct Mixture {
  MixtureOptions options = {};
  std::vector<std::string> names = {};  // of the members, for messages
};

/// Returns integer weights that have the same ratios as the given decimal numbers, such as "0.5",
/// "2", "1e-3". The weights have no common divisor.
///
/// Throws: ConfigError for a text that is not a decimal number, is negative, or has more than 18
///         digits; and if the sum of the weights would be above 2^62.
[[nodiscard]] std::vector<std::int64_t> integer_weights(std::span<const std::string> decimals);

/// Checks the options of a mixture of `member_count` members.
///
/// Throws: ConfigError that names the option and its valid values.
void check_mixture(const MixtureOptions& options, std::int64_t member_count);

/// Returns the options as the text that a position stores: "7:3 repeat 1000=1:1".
[[nodiscard]] std::string to_text(const MixtureOptions& options);

}  // namespace sheaf
