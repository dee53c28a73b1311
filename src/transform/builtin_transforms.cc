#include "transform/types.h"

namespace sheaf {

std::span<const TransformType> builtin_transforms() noexcept {
  // Copies the descriptions at the first call, since they are constants of other files.
  static const std::vector<TransformType> types = {
      internal::broadcast_transform(),
      internal::cast_transform(),
      internal::clip_transform(),
      internal::color_transform(),
      internal::context_transform(),
      internal::crop_transform(),
      internal::crop_views_transform(),
      internal::decode_transform(),
      internal::delta_transform(),
      internal::fbank_transform(),
      internal::flip_transform(),
      internal::intensity_transform(),
      internal::mean_transform(),
      internal::mfcc_transform(),
      internal::normalize_transform(),
      internal::one_hot_transform(),
      internal::random_resized_crop_transform(),
      {.name = "rename",
       .description = "gives streams the names of as",
       .use = TransformUse::rename},
      internal::resize_transform(),
      internal::reverse_transform(),
      internal::same_size_transform(),
      {.name = "select",
       .description = "keeps these streams, in this order, and drops the others",
       .use = TransformUse::select},
      internal::spec_augment_transform(),
      internal::standardize_transform(),
      internal::subsample_transform(),
      internal::to_dense_transform(),
      internal::transpose_transform(),
  };
  return types;
}

}  // namespace sheaf
