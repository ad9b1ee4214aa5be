from __future__ import annotations

from dowse.loopback.a_week_on import a_week_on
from dowse.loopback.demo import demo_web


def test_most_pages_stay_some_change_some_are_gone_and_some_new() -> None:
    web = demo_web()
    before, after = dict(web.fixed()), dict(a_week_on(web).fixed())
    gone, new = before.keys() - after.keys(), after.keys() - before.keys()
    changed = {url for url in before.keys() & after.keys() if before[url].body != after[url].body}
    assert 0.02 < len(gone) / len(before) < 0.1
    assert 0.1 < len(changed) / len(before) < 0.3
    assert new
    assert all(url.endswith("/this-week") for url in new)
    assert not any(url.endswith(("/robots.txt", "/sitemap.xml")) for url in gone | changed)
    assert dict(a_week_on(web).fixed()) == after, "the same each time"
