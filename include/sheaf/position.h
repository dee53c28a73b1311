/// \file
/// Where a run stands: all that is needed to continue it later.
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

/// A place in an order, between two sequences.
struct Place {
  std::int64_t epoch = 0;                // from 0
  std::int64_t sweep = 0;                // from 0, of the run, not of the epoch
  std::int64_t sequence = 0;             // how many sequences of this sweep lie before the place
  std::int64_t sample = 0;               // how many samples of this sweep lie before the place
  std::vector<std::int64_t> carry = {};  // further numbers of the order; most orders have none

  friend bool operator==(const Place&, const Place&) = default;
};

/// What a run reads and in which order: everything that the minibatches depend on. A position
/// belongs to one run identity.
struct RunIdentity {
  std::string algorithm;                       // of the order: "file"
  std::string data;                            // Deserializer::fingerprint()
  std::map<std::string, std::string> options;  // those that change what is delivered, by name

  friend bool operator==(const RunIdentity&, const RunIdentity&) = default;
};

/// Where a run stands after a minibatch. A small value: copy it, store it, start a Reader from it
/// (RunOptions::start).
///
/// A position describes what the program consumed, never what the reader read ahead.
struct Position {
  std::shared_ptr<const RunIdentity> run;  // never null in a position that a Reader gave
  Place place;

  friend bool operator==(const Position& a, const Position& b) {
    return a.place == b.place && (a.run == b.run || (a.run && b.run && *a.run == *b.run));
  }
};

/// Returns a position as one line of JSON, under 1 KB for usual options.
///
/// Throws: ConfigError where the position has no run, or where one of its texts is not UTF-8.
[[nodiscard]] std::string to_json(const Position& position);

/// Understands a position in JSON.
///
/// Throws: ConfigError where the text is not JSON, where a field is missing or of the wrong kind,
/// and
///         for a version that is newer than the library.
[[nodiscard]] Position position_from_json(std::string_view json);

/// Checks that a position belongs to a run.
///
/// Throws: ConfigError that names each difference, with the value then and the value now.
void check_same_run(const Position& position, const RunIdentity& run);

}  // namespace sheaf
