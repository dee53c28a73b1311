// Folders of numbered images, each of which is one sequence: a video.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sheaf::image_folder {

/// Returns the number that stands at the end of the name of an image, before the extension: 12 of
/// "frame_0012.jpg". Returns nothing where there is none, or one of more than 18 digits.
[[nodiscard]] std::optional<std::int64_t> frame_number(std::string_view name) noexcept;

/// One image of a folder.
struct Frame {
  std::string name;
  std::int64_t size_bytes = 0;
  std::optional<std::int64_t> number;
};

/// Gathers the images of each folder, while folders are visited in the order of
/// FileSystem::visit_tree().
class FrameGatherer {
 public:
  /// Takes the images that lie directly in one folder, sorted by their numbers. The images without
  /// a number come first; then, and among equal numbers, names decide. The path of the folder ends
  /// with a slash.
  using Take = std::function<void(std::string_view folder, const std::vector<Frame>& frames)>;

  /// Calls `take` with each folder when its last image is there.
  explicit FrameGatherer(Take take) : take_(std::move(take)) {}

  void add(std::string_view path, std::int64_t size_bytes);

  /// Takes the folders that are left, at the end of a root.
  void finish();

 private:
  struct Folder {
    std::string path;
    std::vector<Frame> frames;
  };

  void take_last();

  Take take_;
  std::vector<Folder> open_;  // each lies in the one before
};

}  // namespace sheaf::image_folder
