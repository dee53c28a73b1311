"""Measure how many seconds of audio kaldi-native-fbank turns into features in a second.

The time is processor time on one thread, the best of five rounds. The signal and the 80 mel bins
are those of bench_audio_features.
"""

from __future__ import annotations

import time

import kaldi_native_fbank as knf
import numpy as np

RATE = 16_000
SECONDS = 60


def main() -> None:
    times = np.arange(SECONDS * RATE) / RATE
    signal = (3000 * np.sin(700 * times) + 2000 * np.sin(9000 * times * times)).tolist()
    options = knf.FbankOptions()
    options.frame_opts.dither = 0
    options.mel_opts.num_bins = 80
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        fbank = knf.OnlineFbank(options)
        fbank.accept_waveform(RATE, signal)
        fbank.input_finished()
        best = min(best, time.process_time() - start)
    print(f"kaldi-native-fbank {SECONDS / best:.0f} seconds of audio a second")


if __name__ == "__main__":
    main()
