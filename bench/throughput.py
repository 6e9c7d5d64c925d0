"""Pages per second through the proxy, beside plain mitmproxy and Privoxy, on the same pages in the same minutes.

    python bench/throughput.py [--seconds 8] [--rounds 2] [--every 4]

Needs `wrk`, `privoxy` and the test data (tests/shared.py). Prints a Markdown table, start times and memory.
Compare ratios, not absolute figures: contenders take turns within each round because a shared machine's speed drifts.

All contenders get the same pages in the same order, shuffled once, over and over: with pages drawn at random, a proxy
that gets through a few hundred of them would be measured on others than one that gets through thousands.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import random
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.origin import serve_pages
from tests.proxy import running_proxy, shared_confdir
from tests.shared import SHARED, documents

CONNECTIONS = 16
PACKAGE = "wcxb"
SEED = 7
TARGETS = {"plain mitmproxy": 0.4, "Privoxy": 2.4}

# wrk asks a forward proxy by writing whole addresses into the request line.
SCRIPT = """
local paths, count, place = {{}}, 0, 0
for line in io.lines("{paths}") do count = count + 1; paths[count] = line end
request = function()
  place = place % count + 1
  local url = "http://127.0.0.1:{port}" .. paths[place]
  return "GET " .. url .. " HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n\\r\\n"
end
"""


@dataclass
class Running:
    """A started proxy: its port, its processes by name, and how long it took to serve its first page."""

    port: int
    processes: Callable[[], dict[str, int]]
    first_page_seconds: float


@dataclass(frozen=True)
class Load:
    """What presses the pages through: wrk's script, for how long, and the process that serves them."""

    script: Path
    seconds: float
    origin: int


@dataclass
class Figures:
    """What was measured of one contender over all rounds."""

    pages_per_second: list[float] = field(default_factory=list)
    p50_ms: list[float] = field(default_factory=list)
    p99_ms: list[float] = field(default_factory=list)
    first_page_seconds: list[float] = field(default_factory=list)
    memory_mib: dict[str, float] = field(default_factory=dict)
    cpu_ms: dict[str, float] = field(default_factory=dict)
    load_cpu_ms: float = 0.0
    pages: int = 0
    failures: int = 0

    def cpu_ms_per_page(self) -> dict[str, float]:
        """Milliseconds of processor time for each page, by process: the figure that a busy machine leaves alone."""
        return {name: spent / max(self.pages, 1) for name, spent in self.cpu_ms.items()}


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def first_page(port: int, url: str, began: float) -> float:
    """Seconds from `began` until the proxy has served `url`."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{port}"}))
    while time.monotonic() - began < 60:
        with contextlib.suppress(OSError), opener.open(url, timeout=10) as answer:
            answer.read()
            return time.monotonic() - began
        time.sleep(0.01)
    raise SystemExit(f"no page through port {port}")


@contextlib.contextmanager
def program(command: list[str], port: int, url: str) -> Iterator[Running]:
    """Run another proxy's command until the end of the block."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield Running(port, lambda: {"main": process.pid}, first_page(port, url, began))
    finally:
        process.terminate()
        process.wait(20)


@contextlib.contextmanager
def plain_mitmproxy(url: str) -> Iterator[Running]:
    """mitmproxy's own command without an addon and without output."""
    port = free_port()
    command = [str(Path(sys.executable).with_name("mitmdump")), "-q", "--listen-host", "127.0.0.1", "-p", str(port)]
    with program([*command, "--set", f"confdir={shared_confdir()}"], port, url) as running:
        yield running


@contextlib.contextmanager
def privoxy(url: str) -> Iterator[Running]:
    """Debian's Privoxy with the filters that its package switches on."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config"
        config.write_text(
            f"confdir /etc/privoxy\nlogdir {folder}\nlisten-address 127.0.0.1:{port}\nbuffer-limit 16384\n"
            "actionsfile match-all.action\nactionsfile default.action\nfilterfile default.filter\n"
            "keep-alive-timeout 5\ntolerate-pipelining 1\n",
            encoding="utf-8",
        )
        with program(["privoxy", "--no-daemon", str(config)], port, url) as running:
            yield running


@contextlib.contextmanager
def crunchpy(url: str, workers: int) -> Iterator[Running]:
    """This proxy with its default settings."""
    began = time.monotonic()
    with running_proxy(workers=workers) as proxy:

        def processes() -> dict[str, int]:
            nursery = children(proxy.process.pid)[0]
            named = {f"worker {number}": pid for number, pid in enumerate(children(nursery), 1)}
            return {"main": proxy.process.pid, "nursery": nursery, **named}

        yield Running(proxy.port, processes, first_page(proxy.port, url, began))


def children(pid: int) -> list[int]:
    """The processes whose parent is `pid`."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    return sorted(int(line.split()[0]) for line in listed.splitlines() if int(line.split()[1]) == pid)


def resident_mib(pid: int) -> float:
    """Memory that the process holds, shared pages included."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


def cpu_ms(pid: int) -> float:
    """Processor time that the process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def children_cpu_ms() -> float:
    """Processor time of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000


def load(running: Running, load: Load, figures: Figures) -> None:
    """Press pages through the proxy and add what was measured."""
    before = {name: cpu_ms(pid) for name, pid in running.processes().items()}
    origin, wrk = cpu_ms(load.origin), children_cpu_ms()
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{load.seconds:g}s", "--timeout", "30s", "--latency"]
    command += ["-s", str(load.script)]
    done = subprocess.run(
        [*command, f"http://127.0.0.1:{running.port}"], capture_output=True, text=True, check=True
    ).stdout
    figures.pages_per_second.append(float(found(r"Requests/sec:\s+([\d.]+)", done)))
    figures.p50_ms.append(milliseconds(found(r"(?m)^\s+50%\s+(\S+)", done)))
    figures.p99_ms.append(milliseconds(found(r"(?m)^\s+99%\s+(\S+)", done)))
    figures.failures += sum(map(int, re.findall(r"(?:Non-2xx or 3xx responses: |timeout |read )(\d+)", done)))
    figures.pages += int(found(r"(\d+) requests in", done))
    figures.load_cpu_ms += cpu_ms(load.origin) - origin + children_cpu_ms() - wrk
    for name, pid in running.processes().items():
        figures.cpu_ms[name] = figures.cpu_ms.get(name, 0) + cpu_ms(pid) - before.get(name, 0)
        figures.memory_mib[name] = max(figures.memory_mib.get(name, 0), resident_mib(pid))
    figures.first_page_seconds.append(running.first_page_seconds)


def found(pattern: str, text: str) -> str:
    """The first group; the text is shown when it is not there."""
    match = re.search(pattern, text)
    if not match:
        raise SystemExit(f"wrk printed no {pattern}:\n{text}")
    return match[1]


def milliseconds(text: str) -> float:
    """wrk's times: 12.3us, 4.5ms, 1.2s."""
    match = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text)
    if not match:  # Nothing came at all.
        return float("nan")
    return float(match[1]) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60_000}[match[2]]


def measure(url: str, pressure: Load, rounds: int) -> dict[str, Figures]:
    """All contenders, round by round."""
    contenders: dict[str, Callable[[str], contextlib.AbstractContextManager[Running]]] = {
        "plain mitmproxy": plain_mitmproxy,
        "Privoxy": privoxy,
        "crunchpy, 1 worker": lambda address: crunchpy(address, 1),
        "crunchpy, 2 workers": lambda address: crunchpy(address, 2),
    }
    results = {name: Figures() for name in contenders}
    for number in range(rounds):
        for name, start in contenders.items():
            with start(url) as running:
                load(running, pressure, results[name])
            print(f"round {number + 1}: {name} {results[name].pages_per_second[-1]:.0f} pages/s", file=sys.stderr)
    return results


def report(results: dict[str, Figures]) -> None:
    """The tables, in Markdown."""
    plain, other = (median(results[name].pages_per_second) for name in TARGETS)
    columns = ["proxy", "pages/s", "of plain mitmproxy", "of Privoxy", "p50 ms", "p99 ms"]
    columns += ["CPU ms/page", "wrk and origin", "first page s", "MiB", "pages", "failures"]
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for name, figures in results.items():
        speed = median(figures.pages_per_second)
        cells = [
            *(name, f"{speed:.0f}", f"{speed / plain:.2f}", f"{speed / other:.2f}"),
            *(f"{median(figures.p50_ms):.0f}", f"{median(figures.p99_ms):.0f}"),
            ", ".join(f"{process} {spent:.2f}" for process, spent in figures.cpu_ms_per_page().items() if spent > 0.01),
            f"{figures.load_cpu_ms / max(figures.pages, 1):.2f}",
            f"{median(figures.first_page_seconds):.1f}",
            ", ".join(f"{process} {size:.0f}" for process, size in figures.memory_mib.items()),
            *(str(figures.pages), str(figures.failures)),
        ]
        print(f"| {' | '.join(cells)} |")
    best = median(results["crunchpy, 2 workers"].pages_per_second)
    for name, target in TARGETS.items():
        ratio = best / median(results[name].pages_per_second)
        print(f"\nOf {name}: {ratio:.2f}, target {target}: {'met' if ratio >= target else 'NOT met'}.")


def main() -> None:
    """Serve the pages, run everybody, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--every", type=int, default=4, help="take every n-th page")
    arguments = parser.parse_args()
    if SHARED is None or not (shutil.which("wrk") and shutil.which("privoxy")):
        raise SystemExit("throughput needs the test data, wrk and privoxy")
    pages = {f"/{document.id}": document.body for document in documents(PACKAGE, every=arguments.every)}
    order = sorted(pages)
    random.Random(SEED).shuffle(order)
    sizes = [len(body) / 1000 for body in pages.values()]
    port = free_port()
    server = multiprocessing.get_context("spawn").Process(target=serve_pages, args=(pages, port), daemon=True)
    server.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            paths, script = Path(folder) / "paths", Path(folder) / "script.lua"
            paths.write_text("\n".join(order) + "\n", encoding="utf-8")
            script.write_text(SCRIPT.format(paths=paths, port=port), encoding="utf-8")
            print(
                f"{len(pages)} pages of {PACKAGE}, {mean(sizes):.0f} kB on average, {median(sizes):.0f} at the median;"
                f" {CONNECTIONS} connections, {os.cpu_count()} cores\n"
            )
            assert server.pid
            pressure = Load(script, arguments.seconds, server.pid)
            report(measure(f"http://127.0.0.1:{port}{order[0]}", pressure, arguments.rounds))
    finally:
        server.terminate()
        server.join()


if __name__ == "__main__":
    main()
