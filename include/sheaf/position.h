/// \file
/// Where a run stands: all that is needed to go on from there.

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
  std::int64_t sequence = 0;             // sequences of this sweep that lie before the place
  std::int64_t sample = 0;               // samples of this sweep that lie before it
  std::vector<std::int64_t> carry = {};  // what else the order needs; most need nothing

  friend bool operator==(const Place&, const Place&) = default;
};

/// What a run reads and in which order: everything that its minibatches depend on. A position
/// belongs to one of these.
struct RunIdentity {
  std::string algorithm;                       // of the order: "file"
  std::string data;                            // Deserializer::fingerprint()
  std::map<std::string, std::string> options;  // that change what is delivered, by option name

  friend bool operator==(const RunIdentity&, const RunIdentity&) = default;
};

/// Where a run stands after a minibatch. A small value: copy it, store it, open a Reader at it.
///
/// It describes what was consumed, never what was read ahead.
struct Position {
  std::shared_ptr<const RunIdentity> run;  // never null in a position that a Reader gave
  Place place;

  friend bool operator==(const Position& a, const Position& b) {
    return a.place == b.place && (a.run == b.run || (a.run && b.run && *a.run == *b.run));
  }
};

/// One line of JSON, under 1 KB for usual options.
///
/// Throws: ConfigError: the position has no run, or a text in it is not UTF-8.
[[nodiscard]] std::string to_json(const Position& position);

/// Throws: ConfigError: not JSON, a field is missing or of the wrong kind, a newer version.
[[nodiscard]] Position position_from_json(std::string_view json);

/// Check that a position belongs to a run.
///
/// Throws: ConfigError that names each difference, as it was and as it is.
void check_same_run(const Position& position, const RunIdentity& run);

}  // namespace sheaf
