"""Deserializers that are written in Python."""
