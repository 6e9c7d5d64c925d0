"""All measurements of speed, one after the other."""

from __future__ import annotations

from bench import filtering, throughput

if __name__ == "__main__":
    filtering.main()
    throughput.main()
