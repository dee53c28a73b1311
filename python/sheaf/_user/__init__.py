"""Deserializers written in Python."""
