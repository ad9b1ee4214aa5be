"""A crawl ready to run: what ``assemble`` makes, from its first request to the last thing that is done for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from dowse.engine.assembly.answered import tell_answers
from dowse.engine.assembly.rejudge import Rejudged, rejudge_at_end
from dowse.engine.assembly.shared import patience_s
from dowse.engine.exchange.sitemap_walk import Sitemaps
from dowse.engine.life import Life
from dowse.engine.life.shared_learning import SharedLearning
from dowse.engine.loop.engine import Engine, Stop
from dowse.engine.loop.progress import Progress
from dowse.engine.loop.watchdog import Watchdog
from dowse.engine.page.cached import FromCache
from dowse.engine.page.vagueness import vague_cause
from dowse.engine.workers.port import Workers
from dowse.judge import LearnedJudge, TopicJudge
from dowse.model.clock import Clock
from dowse.model.errors import StoreError, UserError
from dowse.model.http import Transport
from dowse.model.judge import LEARNED
from dowse.model.runs import JudgedBy
from dowse.model.strategy import Answer
from dowse.model.topic import Topic
from dowse.store import CrawlStore
from dowse.store.revisits import Revisitable
from dowse.store.shared.following import Following, Published

__all__ = ["Assembly"]

_GONE_ON_WITH = frozenset(("interrupted", "failed"))  # by the next run, which has the same plan then


@dataclass(slots=True)
class Assembly:
    """A crawl ready to run: :meth:`run` once, then :meth:`close`."""

    topic: Topic
    folder: Path
    engine: Engine
    store: CrawlStore
    transport: Transport
    workers: Workers
    sitemaps: Sitemaps
    life: Life
    clock: Clock
    cache: FromCache | None
    judge: TopicJudge  # gives each page its first look, and the verdict where nothing is learned
    learned: LearnedJudge | None
    notes: list[str]  # what the user should know before it starts: odd seed lines, refused seeds, ...
    shared_learning: SharedLearning
    told: Sequence[Answer] = ()  # what somebody answered about pages of all shards
    publication: Following | None = None  # brings the records to a shared database
    published: Published | None = None  # how far that came, once the crawl has ended
    is_over: bool = False  # the crawl has ended, if not its publication

    async def run(self) -> Stop:
        """Crawl to the end; the reason is recorded, and all is published. A store that fails ends the crawl with
        StoreError."""
        stop = await self.crawl()
        await self.publish_rest(stop)
        return stop

    async def crawl(self) -> Stop:
        """The same, without waiting for what is not published yet."""
        self.store.start_run(self.clock.wall(), self._judged_by(None))
        await self.workers.start()
        if self.publication is not None:
            await self.publication.start()
        self.engine.tasks.background(self.sitemaps.walk(self.topic.seeds.sitemaps))
        watchdog = Watchdog(self.life.journal.held)
        watchdog.start()
        try:
            stop = await self.engine.run()
        finally:
            watchdog.stop()
        if isinstance(self.engine.failure, StoreError):
            raise self.engine.failure
        again = None
        if self.learned is not None:
            self._tell_new_answers(self.learned)
            again = rejudge_at_end(self.store, self.learned, self.topic.scope.languages, since_first=True)
        if self.life.visits.is_run and stop.kind not in _GONE_ON_WITH:
            Revisitable(self.store).end()
        self.store.end_run(str(stop), self.clock.wall(), self._judged_by(again))
        if self.engine.failure is not None:
            raise self.engine.failure
        return stop

    async def publish_rest(self, stop: Stop) -> None:
        """Wait for what is not published yet, as long as that gets on."""
        if self.publication is not None:
            self.is_over = True
            self.published = await self.publication.finish(patience_s(stop.kind))

    def interrupt(self, detail: str) -> None:
        """Ask for an end: of the crawl, or, where that has ended, of what is still done for it."""
        self.engine.stop("interrupted", detail)
        if self.is_over and self.publication is not None:
            self.publication.give_up()

    def abort(self) -> None:
        """End at once."""
        self.engine.abort()
        if self.publication is not None:
            self.publication.give_up()

    def progress(self) -> Progress:
        """The figures of this moment."""
        now = self.engine.progress()
        if self.publication is None:
            return now
        state = self.publication.state
        return replace(now, unpublished=state.lag, publish_trouble=state.trouble)

    def _tell_new_answers(self, learned: LearnedJudge) -> None:
        """There may be new ones. Where they cannot be read, those that are known do."""
        try:
            tell_answers(learned, self.folder, self.store, self.told)
        except UserError as error:
            self.life.journal.event("answers not read", str(error))
            self.life.journal.commit()

    def _judged_by(self, again: Rejudged | None) -> JudgedBy:
        """By what the pages of this run are judged: known at its end, once all were judged ``again``."""
        learned, judge = self.learned, self.judge
        if learned is None:
            return JudgedBy(judge=judge.judge.name, threshold=judge.threshold)
        vague = vague_cause(learned, over=True)
        if learned.model is None and learned.pages > 0:  # nothing was learned: by the first look
            return JudgedBy(judge=judge.judge.name, threshold=judge.threshold, vague=vague)
        by = JudgedBy(
            judge=LEARNED, threshold=learned.threshold, model=learned.version, made_of=learned.made_of, vague=vague
        )
        if again is None:
            return by
        return replace(by, threshold=again.threshold, model=again.model, made_of=again.made_of, verdicts=asdict(again))

    async def close(self) -> None:
        """Close workers, connections and the folder."""
        if self.publication is not None:
            await self.publication.close()
        await self.workers.close()
        await self.transport.close()
        if self.cache is not None:
            self.cache.close()
        self.store.close()
