"""Pages with known blocks, measured."""

from __future__ import annotations

from dowse.judge import TopicJudge, build_judge
from dowse.lab.blocks import BlockedPage, measure
from dowse.model.topic import JudgeSettings, Keyword, Topic
from dowse.parse import parse_page

# tables nested as on portals: three regions side by side below a head, above a foot; the middle one is on the topic
PORTAL = """<title>Lune Post</title>
<table>
<tr><td colspan=3><h1>Lune Post</h1>since 1871
<tr><td><ul><li><a href=/sport>Sport</a><li><a href=/weather>Weather</a></ul>
<td><h2>Laboratory</h2><p>Perovskite solar cells last a year.<ul><li><a href=/roof>Perovskite cells</a></ul>
<td><h2>Kitchen</h2><p>Bread rises overnight, says <a href=/baker>the baker</a>.<ul><li>flour<li>water</ul>
<tr><td colspan=3><a href=/about>About</a> &middot; <a href=/jobs>Jobs</a>
</table>"""
REGIONS = (  # words, links, heading, path, text
    (6, 2, "Lune Post", "body/table", "since 1871 · Sport · Weather"),
    (9, 1, "Laboratory", "body/table/tr/td", "Perovskite solar cells last a year. · Perovskite cells"),
    (9, 1, "Kitchen", "body/table/tr/td", "Bread rises overnight, says the baker. · flour · water"),
    (2, 2, "", "body/table/tr/td", "About · Jobs"),
)


def judge(threshold: float | None = 0.5, method: str = "similarity") -> TopicJudge:
    settings = JudgeSettings(method=method, threshold=threshold)
    return build_judge(Topic(query="perovskite solar cells", keywords=(Keyword("perovskite"),), judge=settings))


def blocked(html: str | bytes = PORTAL, by: TopicJudge | None = None, content_type: str = "text/html") -> BlockedPage:
    body = html if isinstance(html, bytes) else html.encode("utf-8", "surrogatepass")
    document = parse_page(body, url="http://lune.test/", content_type=f"{content_type}; charset=utf-8")
    return measure(document, judge() if by is None else by)
