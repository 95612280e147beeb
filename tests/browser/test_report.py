"""A report in a real browser: whatever vendors call themselves, the page stays quiet, readable, reachable."""

from __future__ import annotations

import pytest

from karat.report.html import report
from karat.report.printable import printable
from markets import HOSTILE, contaminated, hostile

pytestmark = pytest.mark.browser

WIDE, NARROW = 1280, 390

PAPER = 690
"""Pixels between the margins of an A4 page."""


@pytest.fixture(scope="module")
def plain():
    return report(contaminated(6, rows=60))


@pytest.fixture(scope="module")
def attacked():
    return report(hostile())


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("market", ["plain", "attacked"])
def test_a_report_asks_for_nothing_complains_of_nothing_and_fits(request, open_report, market, width):
    opened = open_report(request.getfixturevalue(market), width=width)
    opened.page.mouse.move(300, 300)
    opened.page.wait_for_timeout(100)
    assert opened.misdeeds == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("market", ["plain", "attacked"])
def test_no_report_is_wider_than_paper(request, open_report, market):
    page = open_report(request.getfixturevalue(market), width=PAPER).page
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER


def test_hostile_names_are_text_and_nothing_else(attacked, open_report):
    page = open_report(attacked).page
    elements = page.evaluate(
        "['script', 'img', 'iframe', 'object', 'link', 'b']"
        ".map((tag) => document.querySelectorAll(tag).length)"
    )
    assert elements == [2, 0, 0, 0, 0, 0]  # the appraisal and the script
    assert (
        page.evaluate(
            "[...document.querySelectorAll('*')].flatMap((e) => e.getAttributeNames())"
            ".filter((name) => name.startsWith('on') || name === 'style').length"
        )
        == 0
    )
    shown = page.locator("#leaderboard tbody bdi").all_inner_texts()
    assert sorted(shown) == sorted(printable(name.strip()) for name in HOSTILE)
    heights = page.evaluate(
        "[...document.querySelectorAll('#leaderboard tbody tr')].map((r) => r.getBoundingClientRect().height)"
    )
    assert max(heights) < 1.5 * min(heights)


def test_the_policy_stops_what_the_escaping_would_have_missed(plain, open_report):
    opened = open_report(plain)
    stopped = opened.page.evaluate(
        """async () => {
            const seen = [];
            addEventListener("securitypolicyviolation", (event) => seen.push(event.effectiveDirective));
            const script = document.createElement("script");
            try { script.textContent = "globalThis.ran = true"; } catch { seen.push("text"); }
            document.body.append(script);
            const image = document.createElement("img");
            image.src = "https://example.invalid/x.png";
            document.body.append(image);
            try { document.body.innerHTML = "<b>x</b>"; } catch { seen.push("markup"); }
            await fetch("https://example.invalid/").catch(() => seen.push("fetch"));
            await new Promise((done) => setTimeout(done, 50));
            return [seen, globalThis.ran ?? null];
        }"""
    )
    assert stopped[1] is None
    assert {"markup", "fetch", "img-src", "connect-src"} <= set(stopped[0])


@pytest.mark.parametrize(
    ("market", "width", "dark"),
    [
        ("plain", WIDE, False),
        ("plain", WIDE, True),
        ("plain", NARROW, False),
        ("plain", NARROW, True),
        ("attacked", NARROW, False),
    ],
)
def test_axe_finds_no_violation(request, open_report, chromium, tmp_path, market, width, dark):
    from axe_playwright_python.sync_playwright import Axe

    path = tmp_path / "report.html"
    path.write_text(request.getfixturevalue(market), encoding="utf-8")
    context = chromium.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
        bypass_csp=True,  # axe itself is a script that the page does not know
    )
    page = context.new_page()
    page.goto(path.as_uri())
    found = Axe().run(page).response["violations"]
    context.close()
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []


def test_everything_is_reached_by_keyboard(plain, open_report):
    page = open_report(plain).page
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "((e) => `${e.className || e.id || e.tagName}|${e.textContent.trim().slice(0, 40)}`)"
                "(document.activeElement)"
            )
        )
        assert page.evaluate(
            "document.activeElement === document.body || "
            "getComputedStyle(document.activeElement).outlineStyle !== 'none'"
        ), f"no visible focus on {reached[-1]}"
    stops = [stop.split("|")[0] for stop in reached]
    assert stops[0] == "skip"
    for slider in ("w0", "w6", "what-margin", "what-confidence"):
        assert slider in stops
    assert sum(stop in ("better", "worse", "undecided") for stop in stops[:30]) == 2  # one stop per matrix
    assert any("Back to the appraisal" in stop for stop in reached)


def test_arrows_walk_the_matrix_and_the_answer_is_told(plain, open_report):
    page = open_report(plain).page
    cell = page.locator("#pairs td[tabindex='0']")
    cell.focus()
    first = page.locator("#pairs .detail").inner_text()
    assert first.startswith("vendor ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    second = page.locator("#pairs .detail").inner_text()
    assert second.startswith("vendor ")
    assert second != first
    page.locator("#what-if td[tabindex='0']").focus()
    assert page.locator("#what-if .detail").inner_text().startswith("vendor ")


def test_the_panel_starts_from_the_appraisal_moves_and_comes_back(plain, open_report):
    page = open_report(plain).page
    table = "[...document.querySelectorAll('{} .amount')].map((e) => e.textContent)"
    original = page.evaluate(table.format("#leaderboard"))
    assert page.evaluate(table.format("#what-if")) == original
    page.locator("#w5").fill("80")
    page.locator("#what-margin").fill("20")
    page.wait_for_timeout(100)
    assert page.evaluate(table.format("#what-if")) != original
    assert page.locator("#w5").get_attribute("aria-valuetext") == "44.4\u00a0%"
    page.get_by_role("button", name="Back to the appraisal").click()
    page.wait_for_timeout(100)
    assert page.evaluate(table.format("#what-if")) == original
    page.get_by_role("button", name="all vendors equally").click()
    page.wait_for_timeout(100)
    assert page.evaluate(table.format("#what-if")) != original


def test_all_sliders_at_zero_change_nothing(plain, open_report):
    opened = open_report(plain)
    for i in range(7):
        opened.page.locator(f"#w{i}").fill("0")
    opened.page.wait_for_timeout(100)
    assert opened.misdeeds == []
    assert "May be the nearest" in opened.page.locator("#what-if .outcome").inner_text()


def test_an_unranked_market_gets_no_ranks_from_the_panel(open_report):
    page = open_report(report(contaminated(5, rows=60, anchor=None))).page
    ranks = page.locator("#what-if tbody .rank").all_inner_texts()
    assert ranks == [""] * 5


@pytest.mark.parametrize("vendors", [1, 2, 31, 66])
def test_markets_of_every_size_open_in_peace(open_report, vendors):
    opened = open_report(report(contaminated(vendors, rows=12, anchor=20)))
    assert opened.misdeeds == []
    assert len(opened.page.locator("#what-if tbody .amount").all()) == vendors


def test_print_leaves_out_what_needs_a_hand(plain, open_report):
    page = open_report(plain).page
    page.emulate_media(media="print")
    assert not page.locator("#what-if").is_visible()
    assert page.locator("#pairs .matrix").is_visible()


def test_what_if_takes_less_than_fifty_milliseconds_at_thirty_vendors(open_report):
    page = open_report(report(contaminated(30, rows=30))).page
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})  # not what other programs take

    def seconds_of_work():
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    before = seconds_of_work()
    page.evaluate(
        """async () => {
            const slider = document.querySelector("#w3");
            for (let i = 0; i < 10; i++) {
                slider.value = 10 + 5 * i;
                slider.dispatchEvent(new Event("input"));
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            }
        }"""
    )
    assert (seconds_of_work() - before) / 10 < 0.050  # arithmetic, tables, layout and paint


def test_too_few_rows_have_no_p_value_in_the_panel_either(open_report):
    page = open_report(report(contaminated(3, rows=5, anchor=40))).page
    page.locator("#what-if td[tabindex='0']").focus()
    sentence = page.locator("#what-if .detail").inner_text()
    assert "cannot be told from" in sentence
    assert "NaN" not in sentence


def test_whoever_is_farthest_sets_the_scale_in_the_panel(plain, open_report):
    page = open_report(plain).page
    assert page.locator("#what-if tbody tr", has_text="sets the scale").inner_text().startswith("6")
    for i in range(7):
        page.locator(f"#w{i}").fill("100" if i == 5 else "0")
    page.wait_for_timeout(100)
    scale = page.locator("#what-if tbody tr:visible", has=page.locator(".share small:visible"))
    assert scale.locator("bdi").inner_text() == page.locator("#what-if tbody bdi").last.inner_text()


@pytest.mark.parametrize("vendors", [9, 12])
def test_all_pairs_of_the_panel_fit_a_desk(open_report, vendors):
    page = open_report(report(contaminated(vendors, rows=30))).page
    overflow = "(e) => e.scrollWidth - e.clientWidth"
    assert page.locator("#what-if .what-matrix").evaluate(overflow) <= 0
