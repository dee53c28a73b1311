"""Tables as data: each row is a sequence, and columns are streams."""
