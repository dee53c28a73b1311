/// \file
/// The progress of a long pass over the data.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/interruption.h"

#include "output/console.h"

namespace CLI {
class App;
}

namespace sheaf::cli {

/// Whether finish() prints a last line of progress if standard error is not a terminal.
enum class LastLine : std::uint8_t { none, printed };

/// Shows the progress of opening and indexing data, until finish(): the bytes read, the speed and
/// the longest time that the current pass over the data can take. The number of passes is not known
/// in advance.
class OpeningProgress final : public Interruption {
 public:
  /// `automatic` shows progress if standard error is a terminal. `pass_bytes` is the size of the
  /// data, or 0 if opening needs no pass over all data.
  ///
  /// Lifetime: `console` must outlive the object.
  /// Threads:  only one object at a time, on the thread that opens the data.
  OpeningProgress(Console& console, When when, std::int64_t pass_bytes,
                  LastLine last = LastLine::printed);
  OpeningProgress(const OpeningProgress&) = delete;
  OpeningProgress& operator=(const OpeningProgress&) = delete;
  ~OpeningProgress() override { finish(); }

  /// Ends the opening. Removes the line on a terminal. Elsewhere, prints a last line if LastLine
  /// says so.
  void finish();

  /// Updates the line. The library calls check() while it works.
  void check() override;

 private:
  using Clock = std::chrono::steady_clock;

  void show(Clock::time_point now);

  Console& console_;
  bool is_shown_;
  std::int64_t pass_bytes_;
  LastLine last_;
  std::int64_t bytes_before_;
  Interruption* outer_ = current_interruption();
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_;
  std::optional<InterruptionScope> scope_;
};

/// Shows the share done, the speed and the remaining time, a few times a second.
class Progress {
 public:
  /// `automatic` shows progress if standard error is a terminal. Nothing is shown before opening()
  /// or begin().
  ///
  /// Lifetime: `console` must outlive the object.
  Progress(Console& console, When when, std::int64_t total_bytes);

  /// Replaces the total size.
  void set_total(std::int64_t total_bytes) { total_bytes_ = total_bytes; }

  /// Shows that the library opens the data, which may read them once or twice.
  void opening();

  /// Begins the pass, and shows the first line. The speed is measured from this call on.
  void begin();

  /// Begins the pass over open data. If the data are a part, the size of the part replaces the
  /// total size. `more_bytes` is the size of other data that the pass reads, too.
  void begin(const Deserializer& data, std::int64_t more_bytes = 0);

  /// Sets the number of bytes done. Cheap.
  ///
  /// Pre: the pass has begun.
  void update(std::int64_t done_bytes);

  /// Ends the opening or the pass. On a terminal, removes the line. Elsewhere, prints a last line
  /// if the pass has begun.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void show(Clock::time_point now);

  Console& console_;
  When when_;
  bool is_shown_;
  bool has_begun_ = false;
  std::int64_t total_bytes_;
  std::optional<OpeningProgress> opening_;
  std::int64_t done_bytes_ = 0;
  Clock::time_point begin_;
  Clock::time_point next_;
};

/// Return the lines of Progress and of OpeningProgress.
[[nodiscard]] std::string progress_text(std::int64_t done_bytes, std::int64_t total_bytes,
                                        double seconds);
[[nodiscard]] std::string opening_text(std::int64_t read_bytes, std::int64_t pass_bytes,
                                       double seconds);

/// Returns "7 s", "1 min 30 s" or "2 h 45 min".
[[nodiscard]] std::string time_text(double seconds);

/// Returns whether to show progress. For `automatic`, this is true if standard error is a terminal.
[[nodiscard]] bool shows_progress(const Console& console, When when) noexcept;

/// Returns the time from one line of progress to the next.
[[nodiscard]] std::chrono::milliseconds progress_pause(const Console& console) noexcept;

/// Adds --progress and --no-progress.
///
/// Lifetime: `when` must outlive the parsing.
void add_progress_options(CLI::App& verb, When& when);

}  // namespace sheaf::cli
