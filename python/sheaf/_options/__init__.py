"""The keywords about data and runs: options, streams and specs."""
