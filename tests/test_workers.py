"""The worker pool: pages come back whatever a plugin does, and nothing is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from crunchpy.reasons import Reason
from crunchpy.workers import EngineError, FilteredPage, PageTask, PoolLimits, Untouched, WorkerPool
from tests.faults import make_overlay, page, without_navigation

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_overlay(tmp_path_factory.mktemp("overlay"))


@contextlib.asynccontextmanager
async def running_pool(folder: Path, size: int = 1, limits: PoolLimits | None = None) -> AsyncIterator[WorkerPool]:
    pool = WorkerPool([folder], size, limits or PoolLimits(page_seconds=6))
    await pool.start()
    try:
        yield pool
    finally:
        await pool.stop()


def with_pool(
    folder: Path, work: Callable[[WorkerPool], Awaitable[None]], size: int = 1, limits: PoolLimits | None = None
) -> None:
    async def run() -> None:
        async with running_pool(folder, size, limits) as pool:
            await work(pool)

    asyncio.run(run())


def is_alive(pid: int) -> bool:
    """True for a process that runs; a zombie does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def wait_until_gone(pids: list[int], seconds: float = 5) -> None:
    deadline = time.monotonic() + seconds
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline, f"still alive: {[pid for pid in pids if is_alive(pid)]}"
        time.sleep(0.02)


def processes_of(pool: WorkerPool) -> list[int]:
    assert pool.nursery
    return [pool.nursery.process.pid, *(worker.pid for worker in pool.workers)]


def test_a_page_is_filtered_and_keeps_its_coding(overlay: Path) -> None:
    async def work(pool: WorkerPool) -> None:
        body = page("Hello")
        plain = await pool.filter(PageTask(body, wants_trace=True))
        assert isinstance(plain, FilteredPage)
        assert plain.body == without_navigation(body)
        assert plain.trace
        assert plain.trace["words_after"] == plain.trace["words_before"] - 1
        assert plain.digest == pool.digest
        zipped = await pool.filter(PageTask(gzip.compress(body), coding="gzip"))
        assert isinstance(zipped, FilteredPage)
        assert zipped.trace is None, "nobody wanted it"
        assert gzip.decompress(zipped.body) == without_navigation(body)

    with_pool(overlay, work)


@pytest.mark.parametrize(
    ("body", "coding", "reason"),
    [
        (page("Hello"), "gzip", Reason.BAD_CODING),
        (gzip.compress(page("Hello"))[:40], "gzip", Reason.TRUNCATED),
        (page("Hello"), "bzip2", Reason.UNKNOWN_CODING),
        (b"Saved!", "", Reason.NOT_A_DOCUMENT),
        (b"", "", Reason.EMPTY),
        (gzip.compress(page("Hello") + bytes(50_000_000)), "gzip", Reason.RATIO),
        (without_navigation(page("Hello")), "", Reason.NOTHING_TO_CHANGE),
    ],
)
def test_what_cannot_be_filtered_says_why(pool_runner: PoolRunner, body: bytes, coding: str, reason: Reason) -> None:
    outcome = pool_runner(PageTask(body, coding=coding))
    assert isinstance(outcome, Untouched)
    assert outcome.reason == reason


type PoolRunner = Callable[[PageTask], FilteredPage | Untouched]


@pytest.fixture(scope="module")
def pool_runner(overlay: Path) -> Iterator[PoolRunner]:
    """One pool for tests that do no harm to it."""
    with asyncio.Runner() as runner:
        pool = WorkerPool([overlay], 1)
        runner.run(pool.start())
        yield lambda task: runner.run(pool.filter(task))
        runner.run(pool.stop())


def test_a_stuck_worker_is_replaced_and_its_page_goes_out(overlay: Path) -> None:
    async def work(pool: WorkerPool) -> None:
        began = time.monotonic()
        stuck, behind = await asyncio.gather(
            pool.filter(PageTask(page("FAULT-STUCK"))), pool.filter(PageTask(page("behind it")))
        )
        assert stuck == Untouched(Reason.FILTER_TIMEOUT)
        assert isinstance(behind, FilteredPage), "the page behind it must not suffer"
        assert time.monotonic() - began < 4

    with_pool(overlay, work, limits=PoolLimits(page_seconds=1))


def test_a_dead_worker_is_replaced_and_its_page_goes_out(overlay: Path) -> None:
    async def work(pool: WorkerPool) -> None:
        for _ in range(3):
            dead, behind = await asyncio.gather(
                pool.filter(PageTask(page("FAULT-DIE"))), pool.filter(PageTask(page("behind it")))
            )
            assert dead == Untouched(Reason.WORKER_DIED)
            assert isinstance(behind, FilteredPage)

    with_pool(overlay, work)


def test_a_plugin_that_eats_memory_or_raises_costs_only_its_step(overlay: Path) -> None:
    async def work(pool: WorkerPool) -> None:
        for fault in ("FAULT-MEMORY", "FAULT-RAISE"):
            outcome = await pool.filter(PageTask(page(fault), wants_trace=True))
            assert isinstance(outcome, Untouched)
            assert outcome.trace
            assert [verdict["outcome"] for verdict in outcome.trace["verdicts"]] == ["failed"]
        assert isinstance(await pool.filter(PageTask(page("next"))), FilteredPage)

    with_pool(overlay, work, limits=PoolLimits(worker_mib=600))


def test_when_too_many_pages_wait_the_next_goes_out_untouched(overlay: Path) -> None:
    async def work(pool: WorkerPool) -> None:
        outcomes = await asyncio.gather(*(pool.filter(PageTask(page("FAULT-SLOW"))) for _ in range(5)))
        reasons = [outcome.reason for outcome in outcomes if isinstance(outcome, Untouched)]
        assert reasons == [Reason.BUSY] * 2, "two in the worker, one in the queue, two too many"

    with_pool(overlay, work, limits=PoolLimits(max_waiting_pages=1))


def test_a_page_does_not_wait_for_ever(overlay: Path) -> None:
    async def work(pool: WorkerPool) -> None:
        tasks = [asyncio.create_task(pool.filter(PageTask(page("FAULT-SLOW")))) for _ in range(3)]
        began = time.monotonic()
        last = await tasks[2]
        assert isinstance(last, Untouched)
        assert last.reason == Reason.BUSY
        assert time.monotonic() - began < 1

    with_pool(overlay, work, limits=PoolLimits(max_wait_seconds=0.2))


def test_a_reload_takes_effect_and_pages_in_work_are_finished(tmp_path: Path) -> None:
    folder = make_overlay(tmp_path / "overlay")

    async def work(pool: WorkerPool) -> None:
        before = pool.digest
        slow = asyncio.create_task(pool.filter(PageTask(page("FAULT-SLOW"))))
        await asyncio.sleep(0.1)
        plugin = folder / "plugins" / "faulty.py"
        plugin.write_text(plugin.read_text(encoding="utf-8").replace('"nav"', '"h1"'), encoding="utf-8")
        await pool.reload()
        assert pool.digest != before
        after = await pool.filter(PageTask(page("new")))
        assert b"NAVIGATION" in (after.body if isinstance(after, FilteredPage) else b"NAVIGATION")
        finished = await slow
        assert isinstance(finished, FilteredPage)
        assert b"NAVIGATION" not in finished.body

    with_pool(folder, work)


def test_a_refused_reload_changes_nothing_even_for_workers_that_are_replaced_later(tmp_path: Path) -> None:
    folder = make_overlay(tmp_path / "overlay")

    async def work(pool: WorkerPool) -> None:
        digest = pool.digest
        (folder / "settings" / "default.yaml").write_text("chain: [no_such_plugin]\n", encoding="utf-8")
        with pytest.raises(EngineError, match="no_such_plugin"):
            await pool.reload()
        assert pool.digest == digest
        assert await pool.filter(PageTask(page("FAULT-DIE"))) == Untouched(Reason.WORKER_DIED)
        assert isinstance(await pool.filter(PageTask(page("next"))), FilteredPage)

    with_pool(folder, work)


def test_a_bad_overlay_stops_the_start_with_the_whole_report(tmp_path: Path) -> None:
    folder = make_overlay(tmp_path / "overlay", settings="genre: default\nchain: [no_such_plugin]\n")
    (folder / "plugins" / "broken.py").write_text("import no_such_module\n", encoding="utf-8")

    async def start() -> None:
        async with running_pool(folder):
            pass

    with pytest.raises(EngineError) as report:
        asyncio.run(start())
    assert "no_such_plugin" in str(report.value)
    assert "broken.py" in str(report.value)


def test_the_pool_survives_the_death_of_its_nursery(overlay: Path) -> None:
    async def work(pool: WorkerPool) -> None:
        assert pool.nursery
        pool.nursery.process.kill()
        await asyncio.sleep(0.1)
        outcomes = await asyncio.gather(*(pool.filter(PageTask(page(f"page {number}"))) for number in range(4)))
        assert all(isinstance(outcome, FilteredPage) for outcome in outcomes)

    with_pool(overlay, work, size=2)


def test_stopping_leaves_no_process_and_lets_waiting_pages_go(overlay: Path) -> None:
    pids: list[int] = []

    async def work(pool: WorkerPool) -> None:
        pids.extend(processes_of(pool))
        tasks = [asyncio.create_task(pool.filter(PageTask(page("FAULT-STUCK")))) for _ in range(4)]
        await asyncio.sleep(0.1)
        await pool.stop()
        assert [outcome.reason for outcome in await asyncio.gather(*tasks) if isinstance(outcome, Untouched)] == (
            [Reason.BUSY] * 4
        )

    with_pool(overlay, work, size=1)
    wait_until_gone(pids)


def test_the_processes_end_with_a_parent_that_is_killed(overlay: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from crunchpy.workers import WorkerPool\n"
        "async def run():\n"
        "    pool = WorkerPool(sys.argv[1:], 2)\n"
        "    await pool.start()\n"
        "    print(pool.nursery.process.pid, *(worker.pid for worker in pool.workers), flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(run())\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(overlay)], stdout=subprocess.PIPE, cwd=ROOT) as parent:
        assert parent.stdout
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 3
        assert all(map(is_alive, pids))
        os.kill(parent.pid, signal.SIGKILL)
    wait_until_gone(pids)


def test_a_hundred_failing_pages_leave_memory_flat(overlay: Path) -> None:
    async def work(pool: WorkerPool) -> None:
        body = gzip.compress(os.urandom(200_000))[:-20]
        for _ in range(20):
            await pool.filter(PageTask(body, coding="gzip"))
        before = resident_mib(pool.workers[0].pid)
        for _ in range(300):
            await pool.filter(PageTask(body, coding="gzip"))
        assert resident_mib(pool.workers[0].pid) - before < 5

    with_pool(overlay, work)


def resident_mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


@pytest.mark.parametrize("sources", ["", "[{kind: recorded, url: answers.jsonl}]"])
def test_the_pool_knows_whether_anybody_is_to_be_asked_about_sites(tmp_path: Path, sources: str) -> None:
    genres = (ROOT / "genres.yaml").read_text("utf-8")
    assert "\nclassifier:" not in genres
    asking = f"classifier:\n  snippets:\n    sources: {sources}\n" if sources else ""
    (tmp_path / "genres.yaml").write_text(genres + asking, "utf-8")
    (tmp_path / "answers.jsonl").touch()

    async def work(pool: WorkerPool) -> None:
        assert pool.asks_for_snippets is bool(sources)

    with_pool(tmp_path, work)


def test_the_proxys_own_process_loads_nothing_that_only_workers_need() -> None:
    look = "import sys, crunchpy.serve, crunchpy.master; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for_workers = {
        "numpy",
        "lxml",
        "pydantic",
        "yaml",
        "sqlalchemy",
        "stopwordsiso",
        "crunchpy.engine",
        "crunchpy.page",
    }
    assert not for_workers & set(loaded.split())
