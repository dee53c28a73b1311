// Folders of numbered images. Each folder is one sequence, such as a video.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sheaf::image_folder {

/// Returns the number at the end of an image's name, before the extension: 12 for "frame_0012.jpg".
/// Returns nothing if there is no number, or one with more than 18 digits.
[[nodiscard]] std::optional<std::int64_t> frame_number(std::string_view name) noexcept;

/// One image of a folder.
struct Frame {
  std::string name;
  std::int64_t size_bytes = 0;
  std::optional<std::int64_t> number;
};

/// Gathers the images of each folder. The folders must be visited in the order of
/// FileSystem::visit_tree().
class FrameGatherer {
 public:
  /// Takes the images directly in one folder, sorted by number. Images without a number come first.
  /// Images without a number, and with equal numbers, are sorted by name. The path of the folder
  /// ends with a slash.
  using Take = std::function<void(std::string_view folder, const std::vector<Frame>& frames)>;

  /// Calls `take` with each folder after its last image.
  explicit FrameGatherer(Take take) : take_(std::move(take)) {}

  void add(std::string_view path, std::int64_t size_bytes);

  /// Passes the remaining folders to `take`, at the end of a root.
  void finish();

 private:
  struct Folder {
    std::string path;
    std::vector<Frame> frames;
  };

  void take_last();

  Take take_;
  std::vector<Folder> open_;  // each lies in the previous one
};

}  // namespace sheaf::image_folder
