"""The whole test: cases are planned, played, and their model calls counted at the server."""

from __future__ import annotations

import importlib
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from flows.build.builder import build
from flows.models.fake.answer import ClientRequest, FakeAnswer
from flows.models.fake.server import FakeModel
from tests.kills.attempt import RUN, TRUST, Way
from tests.kills.case import Case, Report
from tests.kills.plan import RANDOM, WATCHED, letters_lost, make_plan, random_cases, undisturbed
from tests.kills.pool import Pool, Task
from tests.kills.summary import Summary
from tests.kills.verdict import Seen

Show = Callable[[str], None]


def reply(request: ClientRequest) -> FakeAnswer:
    """The model's answer: what it was asked, so that it is the same each time."""
    return FakeAnswer(text=f"reply to {request.said('user')}", delay=0.002)


@dataclass(frozen=True)
class Harness:
    """So many kills at least, by so many processes; the same seed plans the same cases."""

    kills: int
    seed: int = 1
    jobs: int = 2

    def run(self, *, naive: bool, show: Show) -> Summary:
        """Play all cases. With `naive` each is played with the journal that must not pass."""
        import_all()
        began = time.monotonic()
        pool = Pool(self.jobs)
        try:
            with FakeModel(reply) as server:
                summary = self._play(pool, server, naive, show)
                summary.seconds = time.monotonic() - began
                return summary
        finally:
            pool.close()

    def _play(self, pool: Pool, server: FakeModel, naive: bool, show: Show) -> Summary:
        chance = random.Random(self.seed)
        watched: Sequence[Way] = ("naive",) if naive else WATCHED
        ways: Sequence[Way] = ("naive",) if naive else RANDOM
        calm = [undisturbed(way, server.base_url, "calm") for way in {*watched, *ways}]
        usual = {each.case.way: each for each in pool.play_all([Task(case) for case in calm])}
        check_calm(list(usual.values()))

        def task(case: Case) -> Task:
            report = usual[case.way]
            return Task(case, report.seen, tuple(report.seconds))

        lost = [
            case
            for way in watched
            for case in letters_lost(way, usual[way].points, server.base_url)
        ]
        reports = [] if naive else pool.play_all([task(case) for case in lost])
        plan = make_plan([*usual.values(), *reports], self.kills, chance)
        summary = Summary(possible=plan.possible)
        more = random_cases(plan, server.base_url, chance, ways)
        played: list[tuple[Report, str]] = []

        def tasks() -> Iterator[Task]:
            yield from (task(case) for case in plan.named)
            while summary.kills.total() < self.kills:
                yield task(next(more))

        named = {case.name for case in plan.named}
        for report in pool.play(tasks()):
            kind = "named" if report.case.name in named else "random"
            summary.add(report, kind)
            played.append((report, kind))
            if summary.cases % 50 == 0:
                show(f"{summary.kills.total()} kills, {summary.faults.total()} faults")
        server.wait_idle()
        count_calls(server, usual, played, summary)
        return summary


def import_all() -> None:
    """Import what the attempts use, so that their forks need not."""
    for name in ("chromadb.api.rust", "chromadb.errors", "flows.models.openai"):
        importlib.import_module(name)
    build(RUN, trust=TRUST)


def check_calm(reports: Sequence[Report]) -> None:
    """That runs which nobody disturbs do what this test counts. Errors: `RuntimeError`."""
    for report in reports:
        runs = 2 if report.case.way == "shared" else 1
        seen = report.seen
        if seen is None or report.faults:
            raise RuntimeError(f"an undisturbed run has faults: {report.details}")
        counted = (seen.rows, seen.memories, seen.letters)
        if [each.total() for each in counted] != [3 * runs, 3 * runs, runs]:
            raise RuntimeError(f"an undisturbed run came to {seen}")
        if seen.model_calls != 3 * runs or seen.files != runs:
            raise RuntimeError(f"an undisturbed run came to {seen}")


def count_calls(
    server: FakeModel,
    usual: dict[Way, Report],
    played: Sequence[tuple[Report, str]],
    summary: Summary,
) -> None:
    """The calls of each case, told by the model's name, beside those of an undisturbed one."""
    asked = Counter(request.body["model"] for request in server.requests)
    for report, kind in played:
        seen: Seen | None = usual[report.case.way].seen
        if seen is not None:
            repeated = asked[report.case.name] - seen.model_calls
            summary.count_calls(report, kind, repeated)
