#include "sheaf/extend/size_text.h"

#include "base/text.h"

namespace sheaf {

std::string size_text(double bytes) {
  constexpr double kUnitStep = 1024;
  if (bytes < kUnitStep) return formatted("{:.0f} B", bytes);
  for (const char* const unit : {"KiB", "MiB", "GiB"}) {
    bytes /= kUnitStep;
    if (bytes < kUnitStep) return formatted("{:.1f} {}", bytes, unit);
  }
  return formatted("{:.1f} TiB", bytes / kUnitStep);
}

}  // namespace sheaf
