/// \file
/// Mixtures: data sets that are drawn from by weight.
///
///     const std::vector<std::string> shares = {"0.5", "0.35", "0.15"};
///     const sheaf::MixtureOptions mixture = {.weights = sheaf::integer_weights(shares),
///                                            .exhausted = sheaf::Exhausted::repeat};
///     std::cout << mixture.weights[1] << '\n';  // 7 of 20
///
/// A mixture is a row of *draws*. Each draw takes the next sequence of one member, in the order of
/// that member. The member of a draw is a function of the draw's number and the weights alone.
/// After any number of draws, the number of sequences of each member differs from its share by less
/// than 2.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

/// What happens when a draw takes from a member that has delivered all of its sequences.
///
/// repeat: the member begins its next sweep. A sweep of the mixture ends when every
///         member has been delivered once or more. The next sweep goes on where the members stand.
/// stop:   the sweep of the mixture ends before the draw. The next sweep begins with the next sweep
///         of each member.
/// drop:   the member has left the mixture with its last sequence, and the others go on by their
///         weights. A sweep delivers every sequence once, but for members whose weight a schedule
///         takes away for good.
/// error:  the run ends with an error, unless all members have delivered all of their sequences.
enum class Exhausted : std::uint8_t { repeat, stop, drop, error };

/// Returns the name that specs and the command line have for a value.
[[nodiscard]] std::string_view to_string(Exhausted exhausted) noexcept;

/// Weights that hold from a given draw on.
struct MixtureStage {
  std::int64_t from = 0;                   // number of the first draw
  std::vector<std::int64_t> weights = {};  // of each member; 0 means no draws

  friend bool operator==(const MixtureStage&, const MixtureStage&) = default;
};

/// How a mixture draws from its members.
struct MixtureOptions {
  std::vector<std::int64_t> weights = {};   // of each member, above 0: how many draws of their sum
  std::optional<Exhausted> exhausted = {};  // has no default: a mixture without it is refused
  std::vector<MixtureStage> schedule = {};  // later weights, in ascending order of `from`

  friend bool operator==(const MixtureOptions&, const MixtureOptions&) = default;
};

/// A mixture, as data sets tell orders of it (Counts::mixture()).
struct Mixture {
  MixtureOptions options = {};
  std::vector<std::string> names = {};  // of the members, for messages
};

/// Returns integer weights with the ratios of decimal numbers: "0.5", "2", "1e-3". The result has
/// no common divisor.
///
/// Throws: ConfigError for a text that is no decimal number, is negative, or has more than 18
///         digits, and where the weights together would be above 2^62.
[[nodiscard]] std::vector<std::int64_t> integer_weights(std::span<const std::string> decimals);

/// Checks the options of a mixture of `member_count` members.
///
/// Throws: ConfigError that names the option and what it takes.
void check_mixture(const MixtureOptions& options, std::int64_t member_count);

/// Returns the options as a text of a position: "7:3 repeat 1000=1:1".
[[nodiscard]] std::string to_text(const MixtureOptions& options);

}  // namespace sheaf
