"""Tellback hears what people tell their coding agents and makes it last."""

__version__ = "0.1.0"
