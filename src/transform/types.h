/// \file
/// The transform types, one to a file.

#pragma once

#include "sheaf/extend/transform.h"

namespace sheaf::internal {

[[nodiscard]] const TransformType& broadcast_transform() noexcept;
[[nodiscard]] const TransformType& cast_transform() noexcept;
[[nodiscard]] const TransformType& clip_transform() noexcept;
[[nodiscard]] const TransformType& color_transform() noexcept;
[[nodiscard]] const TransformType& context_transform() noexcept;
[[nodiscard]] const TransformType& crop_transform() noexcept;
[[nodiscard]] const TransformType& crop_views_transform() noexcept;
[[nodiscard]] const TransformType& decode_transform() noexcept;
[[nodiscard]] const TransformType& delta_transform() noexcept;
[[nodiscard]] const TransformType& fbank_transform() noexcept;
[[nodiscard]] const TransformType& flip_transform() noexcept;
[[nodiscard]] const TransformType& intensity_transform() noexcept;
[[nodiscard]] const TransformType& mean_transform() noexcept;
[[nodiscard]] const TransformType& mfcc_transform() noexcept;
[[nodiscard]] const TransformType& normalize_transform() noexcept;
[[nodiscard]] const TransformType& one_hot_transform() noexcept;
[[nodiscard]] const TransformType& random_resized_crop_transform() noexcept;
[[nodiscard]] const TransformType& resize_transform() noexcept;
[[nodiscard]] const TransformType& reverse_transform() noexcept;
[[nodiscard]] const TransformType& same_size_transform() noexcept;
[[nodiscard]] const TransformType& spec_augment_transform() noexcept;
[[nodiscard]] const TransformType& standardize_transform() noexcept;
[[nodiscard]] const TransformType& subsample_transform() noexcept;
[[nodiscard]] const TransformType& to_dense_transform() noexcept;
[[nodiscard]] const TransformType& transpose_transform() noexcept;

}  // namespace sheaf::internal
