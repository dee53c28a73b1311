"""What is read and how: the words of options, streams and specs."""
