"""``dowse why``: the life of one URL in a crawl, from its records and rules, and how fetched pages mention it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.place import Name, Place, readable
from dowse.cli.terminal import say
from dowse.cli.why_mention import Mention, mention
from dowse.cli.why_seed import seed_lines
from dowse.cli.why_verdict import judged_by, threshold_of, verdict_lines
from dowse.engine.assembly.answered import with_answers
from dowse.engine.assembly.kept_categories import with_kept_categories
from dowse.engine.assembly.learned import kept_learned, recall, traces_for
from dowse.engine.page.verdicts import worth
from dowse.frontier.scope import StaticScope
from dowse.frontier.site_line import web_site_name
from dowse.judge import TopicJudge, looking_judge, subject_of
from dowse.lab.finished.evidence_names import spelled
from dowse.lab.finished.judged_by import counts_now
from dowse.lab.finished.read_from import not_in_database
from dowse.lab.wording import score_told
from dowse.model.errors import TopicError, UserError
from dowse.model.judge import LEARNED
from dowse.model.page import Verdict
from dowse.model.records import PAGE_REFUSED, CandidateRow, CandidateState, DecisionRow
from dowse.model.shown import shown_line
from dowse.model.strategy import SEED_FLOOR
from dowse.model.topic import Topic
from dowse.model.topicfile import topic_from_json
from dowse.model.url import canonical, split
from dowse.predict import block_rule, build_strategy
from dowse.store import CrawlReader, PageView
from dowse.store.read_learned import evidence, evidence_kind, records_of
from dowse.store.read_verdicts import final_verdicts
from dowse.store.sharded import parts_of

__all__ = ["explain", "why"]

_PARENTS = 8
_MENTIONS = 3  # parents that are read again to quote them
_LONGEST, _HEADING = 160, 60
# rules that depend on where and when a URL was mentioned, so that the URL alone does not tell
_BY_MENTION = frozenset(
    ("depth", "domain-cap", "host-cap", "pattern-cap", "pattern-run", "fruitless-pattern", "fruitless-host",
     "site-closed", "site-done", "page-refused", "max-links", "nofollow", "bad-url", "long-url")
)  # fmt: skip
_PREDICTED, _WORTH = "predicted", "chance to be on the topic"  # the features of a decision that foretell something
_LOG_SUM = "log interest ratio"  # features so called add up to an order, not to a score
_REASONS = {
    "robots": "robots.txt of its site forbids it",
    "elsewhere": "the shard whose it is had word of it, and did not take it up, by a rule of its own",
    PAGE_REFUSED: "its links were not followed (page-refused), since the judge refuses it and it lies below the free"
    " levels of its site",
}  # fmt: skip
_RULES = {
    PAGE_REFUSED: "the pages that link to it are refused by the judge, below the free levels of their site"
    f" ({PAGE_REFUSED})",
}
_FOR_COST = "its value over the seconds it may take"


def why(
    place: Place,
    url: Annotated[str, typer.Argument(metavar="URL", help="Any URL, whether the crawl fetched it or not.")],
    name: Name = None,
) -> None:
    """Say why a URL was fetched, skipped or never reached."""
    with readable(place, name) as folder:
        say(explain(folder, url))


def explain(folder: Path, url: str) -> str:
    """Why a URL was fetched, skipped or left, in a few lines."""
    with CrawlReader(folder) as crawl:
        known = [canonical(url)] if "://" in url else [canonical(f"https://{url}"), canonical(f"http://{url}")]
        addresses = [address for address in known if address is not None]
        # as it stands, too: records of old may have a dot behind a host, or a host that no name can be
        candidate = next(filter(None, map(crawl.candidate, (*addresses, url))), None)
        if candidate is None and not addresses:
            raise UserError(f"{url!r} is not a web address")
        address = addresses[0] if candidate is None else candidate.url
        elsewhere = not_in_database(crawl.settings())
        if elsewhere is not None:
            fate = ["the database has no page of this URL"] if candidate is None else _fate(crawl, candidate, address)
            return _told([address, *fate, elsewhere])
        if candidate is None:
            return _told([address, *_unknown(crawl, address)])
        lines = [address, *_fate(crawl, candidate, address), *_origin(crawl, candidate), *_order(crawl, candidate)]
        return _told([*lines, *_cost(crawl, candidate)])


def _told(lines: list[str]) -> str:
    """What stands in the records is anybody's text: it adds no line of its own."""
    return "\n".join(shown_line(line) for line in lines)


def _unknown(crawl: CrawlReader, url: str) -> list[str]:
    """A URL the frontier never took up: which rule is against it, or that nobody mentioned it."""
    topic = topic_from_json(crawl.topic())
    scope = StaticScope(topic.scope, topic.seeds.urls)
    rule = scope.refuse(url)
    if rule is not None:
        return [f"never taken up. {scope.explain(url)}"]
    for refusal in crawl.refusals():
        if url in refusal.samples and refusal.rule != "site-done":  # of which more can be said
            return [f"never taken up: {_RULES.get(refusal.rule, f'refused by the rule {refusal.rule!r}')}"]
    web_site = web_site_name(split(url).origin)
    if web_site in map(web_site_name, crawl.processed()):
        return [f"never taken up: {web_site} was processed, so that no link to it is followed any more (site-done)"]
    lines = ["never taken up: no fetched page, seed or redirect that this crawl followed mentions it"]
    stopped = [f"{refusal.rule} ({refusal.count})" for refusal in crawl.refusals() if refusal.rule in _BY_MENTION]
    if stopped:
        lines = [f"never taken up: nothing this crawl followed mentions it, or it was one of the links refused by "
                 f"{', '.join(stopped)}"]  # fmt: skip
    return lines


def _fate(crawl: CrawlReader, candidate: CandidateRow, url: str) -> list[str]:
    page = crawl.page(url)
    if page is not None:
        return _page(crawl, page)
    if candidate.state is CandidateState.WAITING:
        rank = crawl.waiting_rank(candidate.id)
        place = f", number {rank + 1} of those that wait" if rank is not None else ""
        again = f" (tried {candidate.attempts} times: {candidate.reason})" if candidate.attempts else ""
        return [f"left: it was still waiting when the crawl last stopped{place}{again}"]
    if candidate.state is CandidateState.LEASED:
        return ["leased: it was being fetched when the records were last written"]
    if candidate.state is CandidateState.BELOW:
        lowest = topic_from_json(crawl.topic()).strategy.min_priority
        told = "the lowest that is taken up" if lowest is None else f"min_priority = {lowest:g}"
        return [f"refused: its priority, {candidate.priority:.4g}, is below {told}; a better mention may change that"]
    if candidate.state is CandidateState.ELSEWHERE:
        return ["elsewhere: its site is another shard's, whose records tell more; so do those of all shards together"]
    return [f"{candidate.state.shown}: {_because(candidate.reason)}"]


def _because(reason: str) -> str:
    return _REASONS.get(reason, reason)


def _page(crawl: CrawlReader, page: PageView) -> list[str]:
    what = (
        f"{page.outcome}: {page.fetched_at}, http {page.status}, {page.bytes} bytes, {page.content_type or 'no type'}"
    )
    lines = [what if page.status else f"{page.outcome}: {page.fetched_at}"]
    if page.cached_from is not None:
        lines.append(f"from the cache {page.cached_from}, fetched for it at {page.fetched_at}: nobody was asked again")
    if page.reason and page.duplicate_of is None and page.outcome != "redirected":
        lines.append(f"because: {_because(page.reason)}")
    if page.final_url != page.url:
        lines.append(f"it leads to {page.final_url}")
    if page.duplicate_of is not None:
        first = crawl.candidate_by_id(page.duplicate_of)
        lines.append(f"{page.reason} of {first.url if first else page.duplicate_of}: not judged again")
    if page.score is not None:
        lines += verdict_lines(crawl, page)
    if page.warc_file:
        lines.append(f"its record: {page.warc_file} at byte {page.warc_offset}")
    return lines


def _origin(crawl: CrawlReader, candidate: CandidateRow) -> list[str]:
    if candidate.via is not None:
        source = crawl.candidate_by_id(candidate.via)
        return [f"found: redirected from {source.url if source else candidate.via}"]
    if candidate.parent is None:
        return seed_lines(crawl, candidate.url)
    parents = crawl.parents(candidate.id, _PARENTS)
    lines = []
    if not any(parent.page == candidate.parent for parent in parents) and len(parents) < _PARENTS:
        through = crawl.candidate_by_id(candidate.parent)
        strategy = topic_from_json(crawl.topic()).strategy.name
        lines = [f"found: proposed by the strategy {strategy}, which was led here from a page that has no link to it:",
                 f"    {through.url if through else candidate.parent}"]  # fmt: skip
        if not parents:
            return lines
    links = "1 link" if candidate.depth == 1 else f"{candidate.depth} links"
    lines.append(f"{'also found' if lines else 'found'}: {links} from a seed, on")
    judge, missing = _judge(crawl)
    rule = block_rule(topic_from_json(crawl.topic()).strategy)
    lines += [f"    (how near the links are to the topic cannot be told: {missing})"] if missing else []
    method = counts_now(crawl.summary().runs, final_verdicts(crawl)).judge
    for place, parent in enumerate(parents):
        score = "not judged" if parent.score is None else f"score {score_told(parent.score, method)}"
        found = mention(crawl, parent.url, candidate.url, judge, rule) if judge and place < _MENTIONS else None
        anchor = f" (similarity {found.anchor_similarity:.3f})" if found else ""
        lines.append(f"    {parent.url} ({score}) as {parent.anchor[:60]!r}{anchor}")
        lines += [f"        {line}" for line in _context(found)] if found else []
    return lines


def _judge(crawl: CrawlReader) -> tuple[TopicJudge | None, str]:
    """The crawl's judge, or why there is none: a category may be gone, or need an extra that this machine lacks."""
    topic = with_kept_categories(topic_from_json(crawl.topic()), crawl.folder)
    try:
        return looking_judge(topic).as_of(parts_of(crawl.folder)), ""
    except TopicError as error:
        return None, str(error)


def _context(found: Mention) -> list[str]:
    """What the link stands in, from the nearest to the widest."""
    lines = []
    if found.paragraph != found.anchor:
        lines.append(
            f"in the paragraph {_cut(found.paragraph, _LONGEST)!r} (similarity {found.paragraph_similarity:.3f})"
        )
    block = found.block
    words = "no words" if block.similarity is None else f"similarity {block.similarity:.3f}, {block.words} words"
    links = "1 link" if block.links == 1 else f"{block.links} links"
    lines.append(f"in block {block.number} of {found.blocks} ({words}, {links})")
    if found.heading:
        lines[-1] += f", under {_cut(found.heading, _HEADING)!r} (similarity {found.heading_similarity:.3f})"
    return lines


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}..."


def _order(crawl: CrawlReader, candidate: CandidateRow) -> list[str]:
    if candidate.priority > SEED_FLOOR:
        return ["priority: first of all, as every seed"]
    decision = crawl.decision(candidate.id)
    if decision is not None:
        efficient = "expected seconds" in decision.features
    else:  # it waits: what is known of it tells as much
        topic = topic_from_json(crawl.topic())
        efficient = topic.strategy.maximise == "efficiency"
        with records_of(crawl, candidate) as (own, id_):
            found = _explained(crawl, own, candidate, id_, topic)
        if isinstance(found, str):
            return [f"priority: {candidate.priority:.4g}{found}"]
        decision = found
    over = f", {_FOR_COST}," if efficient else ""
    lines = [f"priority: {decision.priority:.4g} by {decision.strategy} (model version {decision.version}){over} from"]
    features = spelled(crawl, decision.features)
    told = {name: pair for name, pair in features.items() if name not in (_PREDICTED, _WORTH)}
    lines += [f"    {name} = {value:.4g}{f', weight {weight:.3g}' if weight else ''}"
              for name, (value, weight) in told.items()]  # fmt: skip
    return lines + _foretold(crawl, candidate, decision.features)


def _explained(
    crawl: CrawlReader, own: CrawlReader, candidate: CandidateRow, id_: int, topic: Topic
) -> DecisionRow | str:  # fmt: skip
    """What the strategy makes of a URL that waits, or why that cannot be told. It is number ``id_`` in the records of
    its ``own`` engine."""
    before = kept_learned(own.folder) if topic.strategy.learn_from else None
    try:
        strategy = build_strategy(
            topic.strategy, seed_number=topic.seed_number, before=before, traces=traces_for(topic.strategy),
            subject=with_answers(subject_of(topic), crawl.folder, crawl),
        )  # fmt: skip
    except UserError as error:  # it was given from Python, or its package is not here
        return f"; more cannot be told: {error}"
    if strategy.memory is not None:
        if evidence_kind(own) != strategy.memory.kind or evidence(own, id_) is None:
            return ", from a run with another strategy than the crawl's"
        strategy.memory.load(id_, [evidence(own, id_)])
    elif topic.strategy.maximise == "efficiency":
        return f" by {strategy.name}, {_FOR_COST}"
    recall(strategy, own)
    why = strategy.explain(id_, candidate.priority)
    return DecisionRow(candidate.id, 0.0, candidate.priority, strategy.name, why.version, dict(why.features))


def _foretold(crawl: CrawlReader, candidate: CandidateRow, features: Mapping[str, tuple[float, float]]) -> list[str]:
    """What was foretold of the page, and what came, both in one measure; nothing where an order foretold nothing."""
    page = crawl.page(candidate.url)
    score = None if page is None else page.score if page.first_score is None else page.first_score
    if _WORTH in features:
        came = "" if page is None or score is None else f", in truth {_worth(crawl, page, score):.3f}"
        return [f"predicted worth {features[_WORTH][0]:.3f}{came} (from 0 to 1, and 0.5 where the verdict is doubtful)"]
    if _PREDICTED not in features or any(name.startswith(_LOG_SUM) for name in features):
        return []
    method = "" if page is None else judged_by(crawl, page).judge
    came = "" if score is None else f", in truth {score_told(score, method)}"
    return [f"predicted {score_told(features[_PREDICTED][0], method)}{came}"]


def _worth(crawl: CrawlReader, page: PageView, score: float) -> float:
    """What the page was worth to who learned from it, when it was fetched."""
    method = LEARNED if page.first_model else "first look"
    threshold = threshold_of(crawl, page) or 0.0
    return worth(Verdict(score, bool(page.first_relevant), threshold, method))


def _cost(crawl: CrawlReader, candidate: CandidateRow) -> list[str]:
    """What it cost, and what its site's pages cost."""
    lines = []
    page = crawl.page(candidate.url)
    if page is not None and page.total_s:
        cost = "cost" if page.cached_from is None else "cost, when it was downloaded"
        lines.append(f"{cost}: {page.bytes} bytes in {page.total_s:.3f} s, {page.first_byte_s:.3f} s to the first byte")
    site = crawl.site(candidate.site)
    if site is not None and site.requests:
        lines.append(
            f"its site: {site.requests} requests ({site.failures} failed), {site.mean_latency_s:.3f} s to the first"
            f" byte, {site.bytes_per_s / 1000:.0f} KB/s, {site.mean_bytes / 1000:.1f} KB a request, delay"
            f" {site.delay_s:g} s"
        )
    return lines
