"""Developers' scripts, run by `make`; not part of what is installed."""
