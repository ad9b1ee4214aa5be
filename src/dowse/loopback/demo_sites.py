"""The sites of the demo web: which pages each one has, and which way leads where."""

from __future__ import annotations

from dataclasses import replace

from dowse.loopback.page_layout import Dress, Link, Page
from dowse.loopback.site_plan import Plan

__all__ = ["COUNCIL", "FEED", "HOSTS", "LAB", "MIRROR", "PORTAL", "THESES", "plan_demo"]

PORTAL, ENERGY, LAB = "portal.dowse.test", "energy.dowse.test", "lab.dowse.test"
SILICON, STORAGE, HELIOS = "silicon.dowse.test", "storage.dowse.test", "helios.dowse.test"
FEED = "/feed.xml"  # of the portal
THESES, MIRROR, COUNCIL = "theses.dowse.test", "mirror.dowse.test", "council.dowse.test"
KITCHEN, GARDEN, PITCH = "kitchen.dowse.test", "garden.dowse.test", "pitch.dowse.test"
CHRONICLE, SCREEN, RAILS = "chronicle.dowse.test", "screen.dowse.test", "rails.dowse.test"
HOSTS = (
    PORTAL, ENERGY, LAB, SILICON, STORAGE, HELIOS, THESES, MIRROR,
    COUNCIL, KITCHEN, GARDEN, PITCH, CHRONICLE, SCREEN, RAILS,
)  # fmt: skip

# host, name, motto, skin, topic, path of the articles, path of the list, how many
_FAR = (
    (
        KITCHEN,
        "The Open Crumb",
        "Bread, from flour to crust",
        "semantic",
        "baking",
        "/recipes/{slug}.html",
        "/recipes/",
        50,
    ),
    (GARDEN, "Spade and Trowel", "A gardening diary", "divs", "gardening", "/{year}/{month}/{slug}", "/archive", 42),
    (PITCH, "Touchline", "Football, all week", "table", "football", "/match/{number}.html", "/matches.html", 52),
    (CHRONICLE, "The County Chronicle", "Medieval lives", "table", "history", "/county/{slug}.html", "/county/", 38),
    (SCREEN, "Last Reel", "Old films, looked at again", "divs", "cinema", "/film?id={number}", "/films", 36),
    (RAILS, "Branch Line Weekly", "Railways great and small", "semantic", "railways", "/lines/{slug}", "/lines/", 36),
)
_DIGESTS = 22
_HEADINGS = {
    "football": "On the pitch",
    "baking": "In the kitchen",
    "gardening": "Out in the garden",
    "cinema": "At the pictures",
    "history": "Long ago",
    "railways": "On the rails",
    "wind": "Wind and weather",
    "batteries": "Storage",
    "silicon": "Roofs",
}


def _far_sites(plan: Plan) -> dict[str, list[Page]]:
    """The large areas on other topics, each a site; they lead to one another more than to anything useful."""
    areas: dict[str, list[Page]] = {}
    for host, name, motto, skin, topic, pattern, path, count in _FAR:
        plan.site(host, name, motto, skin, [("Start", "/"), ("All entries", path)])
        areas[topic] = plan.area(host, pattern, topic, count)
        plan.shelf(host, path, topic, f"{name}: all entries", areas[topic])
        front = plan.page(host, "/", topic, name, words=120)
        front.listed = [Link(page.url, page.title) for page in areas[topic][:14]]
    everything = [page for pages in areas.values() for page in pages]
    for pages in areas.values():
        plan.weave(pages, others=everything)
    plan.pages[f"http://{CHRONICLE}/"].related += [
        Link(f"http://{CHRONICLE}/atlas/", "Atlas of the old county"),
        Link(f"http://{CHRONICLE}/cellar.html", "A cellar account"),
    ]
    plan.pages[f"http://{RAILS}/"].related.append(Link(f"http://{RAILS}/japan.html", "Railways of Japan"))
    return areas


def _laboratory(plan: Plan) -> list[Page]:
    """The cluster near the hub. Its two last pages are named by the sitemap alone."""
    menu = [("Laboratory", "/"), ("Research", "/research/"), ("Deutsch", "/de/"), ("News", "/news.html")]
    plan.site(LAB, "Aldermoor Thin-Film Laboratory", "Perovskite photovoltaics since 2012", "divs", menu)
    pages = plan.area(LAB, "/research/{slug}.html", "perovskite", 27)
    linked = pages[:-2]
    plan.weave(linked)
    plan.shelf(LAB, "/research/", "perovskite", "Research on perovskite solar cells", linked[8:])
    front = plan.page(LAB, "/", "perovskite", "Perovskite solar cells at Aldermoor", words=140)
    front.listed = [Link(page.url, page.title) for page in linked[:8]]
    front.related = [
        Link(f"http://{MIRROR}/", "Mirror site"),
        Link(f"http://{LAB}/posters/2014.pdf.html", "Posters of 2014"),  # a dead link, as every laboratory has
    ]
    news = plan.page(LAB, "/news.html", "perovskite", "Laboratory news", words=180)
    news.robots = "noindex"
    return pages


def _silicon(plan: Plan) -> list[Page]:
    """Silicon photovoltaics: near the topic. Three of its articles, and nothing else, lead to the tandem pages."""
    plan.site(SILICON, "Wafer and Watt", "Silicon solar power for practitioners", "semantic",
              [("Start", "/"), ("Articles", "/articles"), ("Parks", "/parks")])  # fmt: skip
    pages = plan.area(SILICON, "/a/{number}", "silicon", 44)
    tandem = plan.area(SILICON, "/tandem/{slug}", "perovskite", 8)
    plan.shelf(SILICON, "/articles", "silicon", "All articles on silicon cells", pages[:30])
    plan.shelf(SILICON, "/parks", "silicon", "Solar parks and roofs", pages[30:])
    plan.page(SILICON, "/", "silicon", "Wafer and Watt", words=150).listed = [
        Link(page.url, page.title) for page in pages[:12]
    ]
    plan.weave(pages)
    plan.weave(tandem)
    for source, target in zip(pages[3:6], tandem[:3], strict=True):
        plan.mention(source, target, "adding a second absorber on top")
    return pages


def _storage(plan: Plan) -> list[Page]:
    """Batteries; a few articles mention the firm whose film division makes perovskite modules."""
    plan.site(STORAGE, "Charge Log", "Batteries in daily use", "table", [("Start", "/"), ("Log", "/log")])
    pages = plan.area(STORAGE, "/log/{year}/{slug}.html", "batteries", 36)
    plan.shelf(STORAGE, "/log", "batteries", "The whole log", pages)
    plan.page(STORAGE, "/", "batteries", "Charge Log", words=130).listed = [
        Link(page.url, page.title) for page in pages[:12]
    ]
    plan.weave(pages)

    plan.site(HELIOS, "Helios Coatings", "Coating lines for electrodes and films", "semantic",
              [("Company", "/"), ("Electrodes", "/electrodes.html"), ("Film division", "/film/")])  # fmt: skip
    front = plan.page(HELIOS, "/", "batteries", "Helios Coatings: electrode coating lines", words=160)
    electrodes = plan.page(HELIOS, "/electrodes.html", "batteries", "Coated electrodes", words=220)
    film = plan.area(HELIOS, "/film/{slug}", "perovskite", 16)
    plan.shelf(HELIOS, "/film/", "perovskite", "Film division", film)
    plan.weave(film)
    for source in (pages[2], pages[7], pages[20]):
        plan.mention(source, front, "a maker of coating lines")
    plan.mention(electrodes, front)
    return pages


def _theses(plan: Plan) -> Page:
    """A university library, slow to answer: theses of all subjects as plain text, behind shelves."""
    plan.site(THESES, "Theses of Brenn University", "Summaries, in plain text", "table", [("Catalogue", "/")])
    front = plan.page(THESES, "/", "history", "Catalogue of theses", label="hub")
    shelves = {
        "materials": [("perovskite", 6), ("batteries", 4)],
        "energy": [("perovskite", 6), ("silicon", 4), ("wind", 3)],
        "letters": [("history", 7), ("cinema", 3)],
        "agriculture": [("gardening", 6), ("baking", 2)],
    }
    for name, parts in shelves.items():
        items = [page for topic, count in parts for page in plan.area(THESES, f"/{name}/{{number}}.txt", topic, count)]
        plan.rng.shuffle(items)
        for item in items:
            item.plain = True
        shelf = plan.page(THESES, f"/shelf/{name}", parts[0][0], f"Shelf: {name}", label="hub")
        shelf.listed = [Link(item.url, item.title) for item in items]
        front.listed.append(Link(shelf.url, f"Shelf {name}"))
    return front


def _council(plan: Plan, far: dict[str, list[Page]], theses: Page) -> Page:
    """A town council: a calendar without end, and doors that robots.txt closes."""
    plan.site(
        COUNCIL,
        "Town Council of Lune",
        "Open on weekdays",
        "divs",
        [("Town hall", "/"), ("Events", "/calendar/2024/05")],
    )
    front = plan.page(COUNCIL, "/", "history", "Town Council of Lune", label="hub", words=110)
    notices = [
        page
        for topic in ("gardening", "railways", "history")
        for page in plan.area(COUNCIL, "/notices/{number}.html", topic, 3)
    ]
    plan.weave(notices, others=far["gardening"])
    front.listed = [
        *(Link(page.url, page.title) for page in notices),
        Link(f"http://{COUNCIL}/private/minutes.html", "Minutes (closed session)"),
        Link(f"http://{COUNCIL}/private/salaries.html", "Salaries"),
        Link(theses.url, "University library"),
    ]
    return front


def _energy(plan: Plan, silicon: list[Page], storage: list[Page], lab: list[Page]) -> list[Page]:
    """The second seed: an energy hub whose front is full of wind, batteries and silicon."""
    menu = [("Front", "/"), ("Solar", "/solar/"), ("Wind", "/wind/"), ("Thin film", "/thin-film")]
    plan.site(ENERGY, "Energy Ledger", "News of the energy transition", "semantic", menu)
    wind = plan.area(ENERGY, "/wind/{slug}", "wind", 34)
    solar = plan.area(ENERGY, "/solar/{slug}", "silicon", 12)
    plan.shelf(ENERGY, "/wind/", "wind", "All about wind power", wind)
    plan.shelf(ENERGY, "/solar/", "silicon", "Solar power", solar).related += [
        Link(f"http://{LAB}/", "Thin-film laboratory"),
        Link(f"http://{SILICON}/", "Wafer and Watt"),
    ]
    plan.weave(wind, others=storage)
    plan.weave(solar, others=silicon)
    plan.mention(solar[4], lab[5])
    front = plan.page(ENERGY, "/", "wind", "Energy Ledger", label="hub", words=80)
    front.regions = [
        plan.region("Wind", "wind", wind[:14]),
        plan.region("Storage", "batteries", [plan.pages[f"http://{STORAGE}/"], *storage[:10]]),
        plan.region("Solar", "silicon", [plan.pages[f"http://{SILICON}/"], *solar[:5], *silicon[:6], lab[3], lab[9]]),
    ]
    front.related = [
        Link(f"http://{ENERGY}/solar-news/", "Older solar news"),
        Link(f"http://{ENERGY}/report-2015.html", "Annual report 2015"),
        Link(f"http://{ENERGY}/jobs.html", "Jobs"),  # dead
    ]
    return wind


def _portal(plan: Plan, areas: dict[str, list[Page]], council: Page, theses: Page) -> None:
    """The first seed: a portal whose digests put several topics on a page, a region each."""
    menu = [("Home", "/"), ("Digests", "/digest/"), ("Science", "/science/"), ("Tags", "/tags")]
    plan.site(PORTAL, "The Daily Lantern", "All the news of Lune and the world", "table", menu)
    desk = plan.area(PORTAL, "/science/{number}.html", "perovskite", 6)
    plan.shelf(
        PORTAL, "/science/", "silicon", "Science desk", [*desk[:3], theses, areas["wind"][5], areas["silicon"][9]]
    )
    digests = [
        plan.page(PORTAL, f"/digest/{number}", "cinema", f"Digest of week {number}", label="mixed")
        for number in range(1, _DIGESTS + 1)
    ]
    plan.shelf(PORTAL, "/digest/", "cinema", "Weekly digests", digests, words=0).label = "hub"
    for number, digest in enumerate(digests):
        topics = plan.rng.sample(sorted(areas), 4)
        digest.regions = [plan.region(_HEADINGS[topic], topic, plan.rng.sample(areas[topic], 3)) for topic in topics]
        if number % 4 == 1:
            solar = plan.region("Solar cells", "perovskite", [desk[number // 4], areas["silicon"][number]])
            digest.regions.insert(2, solar)
        digest.related = [Link(digests[(number + 1) % _DIGESTS].url, "Next week")]
    front = plan.page(PORTAL, "/", "cinema", "The Daily Lantern", label="hub")
    front.regions = [
        plan.region(_HEADINGS[topic], topic, [plan.pages[f"http://{host}/"], *areas[topic][:5]])
        for host, topic in ((PITCH, "football"), (KITCHEN, "baking"), (SCREEN, "cinema"), (GARDEN, "gardening"),
                            (CHRONICLE, "history"), (RAILS, "railways"))
    ]  # fmt: skip
    front.regions.insert(
        3, plan.region("Energy", "silicon", [plan.pages[f"http://{ENERGY}/"], areas["wind"][2], desk[5]])
    )
    front.related = [Link(council.url, "Town council"), Link(f"http://{PORTAL}/weather.html", "Weather")]  # dead
    tags = plan.page(PORTAL, "/tags", "cinema", "Tags", label="hub")
    tags.robots = "noindex, follow"
    tags.listed = [Link(page.url, page.title) for topic in sorted(areas) for page in areas[topic][20:22]]


def plan_demo(seed: int) -> Plan:
    """Every page and link of the demo's web."""
    plan = Plan(seed)
    areas = _far_sites(plan)
    lab = _laboratory(plan)
    areas["silicon"] = _silicon(plan)
    areas["batteries"] = _storage(plan)
    theses = _theses(plan)
    council = _council(plan, areas, theses)
    areas["wind"] = _energy(plan, areas["silicon"], areas["batteries"], lab)
    _portal(plan, areas, council, theses)
    glass = plan.area(GARDEN, "/glasshouse/{slug}", "perovskite", 3)
    plan.weave(glass)
    plan.mention(areas["gardening"][10], glass[0], "the glasshouse with a roof that makes power")
    plan.dresses[MIRROR] = Dress("Mirror", "", "divs", (), ())
    _papers(plan, areas)
    return plan


def _papers(plan: Plan, areas: dict[str, list[Page]]) -> None:
    """Documents. One of them matters: a report that is the only way to a few reviews. What is planned before stays what
    it is without them."""
    front = plan.pages[f"http://{ENERGY}/"]
    reviews = plan.area(ENERGY, "/review/{slug}", "perovskite", 5)
    plan.weave(reviews)
    report = plan.page(ENERGY, "/reports/thin-film-outlook.pdf", "perovskite", "Outlook for thin-film cells", words=520)
    report.paper = "pdf"
    report.listed = [Link(page.url, page.title) for page in reviews]
    front.related.append(Link(report.url, "Outlook for thin-film cells (PDF)"))
    wind = plan.page(ENERGY, "/reports/wind-2023.pdf", "wind", "Wind power in 2023", words=500)
    wind.paper = "pdf"
    wind.listed = [Link(page.url, page.title) for page in areas["wind"][:6]]
    plan.pages[f"http://{ENERGY}/wind/"].related.append(Link(wind.url, "Report on 2023 (PDF)"))
    minutes = plan.page(COUNCIL, "/minutes/allotments.docx", "gardening", "Minutes of the allotments board", words=400)
    minutes.paper = "docx"
    minutes.listed = [Link(page.url, page.title) for page in areas["gardening"][:3]]
    plan.pages[f"http://{COUNCIL}/"].listed.append(Link(minutes.url, minutes.title))
    plan.dresses[PORTAL] = replace(plan.dresses[PORTAL], feed=FEED)
