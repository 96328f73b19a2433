"""CRC-32 of the C library; hot. A module of its own, so that the library is loaded with it and not before."""

from binascii import crc32

__all__ = ["crc32"]
