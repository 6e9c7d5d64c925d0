"""What the classifier may cost: 5 ms of CPU a look-up, 60 MB at start."""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time

from crunchpy.genre.known_sites import read_known_sites
from crunchpy.genre.nearest import Neighbours

MEMORY = """
import crunchpy.page, crunchpy.settings, crunchpy.plugin, crunchpy.chain, crunchpy.overlay
def megabytes():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6
before = megabytes()
from crunchpy.genre.chooser import Chooser
from crunchpy.genre.by_hand import load_genres
from crunchpy.overlay import files, overlays
found = files(overlays())
names = {path.stem for path in found.settings}
made = Chooser.load(load_genres(found.genres, names), names, {"news": {"front_page": "front_page"}}, keeps_sites=True)
assert made.classifier
print(megabytes() - before)
"""


def test_a_look_up_among_a_thousand_sites_and_three_thousand_key_words() -> None:
    chance = random.Random(0)
    known = read_known_sites()
    sizes = [len(counts) for site, counts in known.counts.items() if site not in known.described]  # as real pages are
    sites = [{chance.randrange(3000): chance.randint(1, 9) for _ in range(chance.choice(sizes))} for _ in range(1000)]
    neighbours = Neighbours([str(number) for number in range(1000)], sites, 3000)
    spent_ms = []
    for asked in sites[:100]:
        start = time.process_time()
        neighbours.nearest(asked)
        spent_ms.append((time.process_time() - start) * 1000)
    assert statistics.median(spent_ms) < 5


def test_the_known_sites_take_little_memory() -> None:
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 60
