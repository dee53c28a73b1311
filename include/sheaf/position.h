/// \file
/// The position of a run: everything that a Reader needs to continue the run later.
///
///     sheaf::RunIdentity run{.algorithm = "file", .data = "a fingerprint", .options = {}};
///     const sheaf::Position position{.run = std::make_shared<sheaf::RunIdentity>(run),
///                                    .place = {.epoch = 2}};
///     const std::string text = to_json(position);  // store it beside the model
///     std::cout << sheaf::position_from_json(text).place.epoch << '\n';

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

/// A place in an order, between two sequences. A sweep delivers every sequence once. An epoch is a
/// stretch that the user sets (OrderOptions).
struct Place {
  std::int64_t epoch = 0;                // from 0
  std::int64_t sweep = 0;                // from 0, counted from the start of the run
  std::int64_t sequence = 0;             // how many sequences of this sweep lie before the place
  std::int64_t sample = 0;               // how many samples of this sweep lie before the place
  std::vector<std::int64_t> carry = {};  // further numbers that some orders need

  friend bool operator==(const Place&, const Place&) = default;
};

/// The data of a run and their order: everything that the minibatches depend on. A position belongs
/// to one run identity.
struct RunIdentity {
  std::string algorithm;  // the algorithm of the order: "file"
  std::string data;       // Deserializer::fingerprint(), which changes with the content of the data
  std::map<std::string, std::string> options;  // the options that change the minibatches, by name

  friend bool operator==(const RunIdentity&, const RunIdentity&) = default;
};

/// The place of a run after a minibatch. A small value: copy the position, store it, or start a
/// Reader from it (RunOptions::start).
///
/// A position counts the minibatches that the program consumed. Minibatches that the reader
/// prepared ahead do not count.
struct Position {
  std::shared_ptr<const RunIdentity> run;  // never null in a position from a Reader
  Place place;

  /// The states of the random number generators of transforms that draw in the order of the
  /// minibatches, as CNTK did for images. Empty if no transform does so.
  std::vector<std::int64_t> draws = {};

  friend bool operator==(const Position& a, const Position& b) {
    return a.place == b.place && a.draws == b.draws &&
           (a.run == b.run || (a.run && b.run && *a.run == *b.run));
  }
};

/// Returns a position as one line of JSON, under 1 KB for usual options.
///
/// Throws: ConfigError if the position has no run, or if one of its texts is not UTF-8.
[[nodiscard]] std::string to_json(const Position& position);

/// Parses a position that to_json() wrote.
///
/// Throws: ConfigError if the text is not JSON, if a field is missing or has the wrong type, or if
///         a newer version of the library wrote the position.
[[nodiscard]] Position position_from_json(std::string_view json);

/// Checks that a position belongs to a run. The constructors of Reader call this.
///
/// Throws: ConfigError that names each difference, with the value in the position and the value in
///         `run`.
void check_same_run(const Position& position, const RunIdentity& run);

}  // namespace sheaf
