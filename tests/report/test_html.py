from __future__ import annotations

import base64
import hashlib
import re
import time
from html.parser import HTMLParser
from importlib.resources import files

import pytest

import karat
from karat.report.html import embedded, report
from karat.saved import EMBEDDED
from markets import HOSTILE, contaminated


class Elements(HTMLParser):
    """Start tags with their attributes, and the text of style and script elements."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.inside = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside in ("style", "script"):
            self.texts.append((self.inside, data))


def hashes(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_the_policy_names_the_one_style_and_the_one_script(attacked):
    page = Elements(report(attacked))
    policy = next(a["content"] for t, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    (style,) = [text for inside, text in page.texts if inside == "style"]
    _, script = [text for inside, text in page.texts if inside == "script"]
    assert policy.startswith("default-src 'none'; ")
    assert f"style-src '{hashes(style)}'" in policy
    assert f"script-src '{hashes(script)}'" in policy
    assert "unsafe" not in policy


def test_a_report_names_no_address_outside_itself(attacked):
    for tag, attributes in Elements(report(attacked)).tags:
        assert not {"src", "srcset", "data", "action", "style"} & set(attributes), tag
        assert not any(name.startswith("on") for name in attributes)
        assert attributes.get("href", "#").startswith("#")
    style = re.sub(r"/\*.*?\*/", "", report(attacked).split("<style>")[1].split("</style>")[0])
    assert "url(" not in style
    assert "@import" not in style


def test_an_appraisal_survives_in_its_page_whatever_its_names(attacked, tmp_path):
    path = tmp_path / "report.html"
    attacked.to_html(path)
    again = karat.load(path)
    assert again.to_json() == attacked.to_json()
    assert again.moments.vendor_names == tuple(name.strip() for name in HOSTILE)


def test_no_name_closes_the_element_that_carries_the_appraisal(attacked):
    text = str(embedded(attacked))
    assert text.startswith(EMBEDDED)
    inside = text.removeprefix(EMBEDDED).removesuffix("</script>")
    assert not set("<>&") & set(inside)


def test_equal_appraisals_give_equal_pages(appraisal, tmp_path):
    appraisal.save(tmp_path / "appraisal.json")
    assert report(karat.load(tmp_path / "appraisal.json")) == report(appraisal)


def test_ten_vendors_are_written_in_a_second_and_under_300_kb():
    ten = contaminated(10, rows=30)
    report(ten)
    start = time.process_time()
    page = report(ten)
    assert time.process_time() - start < 1.0
    assert len(page.encode()) < 300_000


@pytest.mark.parametrize(
    "market",
    [
        {"vendors": 1},
        {"vendors": 2, "anchor": None},
        {"vendors": 6, "anchor": None, "reference": "robust"},
        {"vendors": 4, "anchor": None, "reference": "leave-one-out"},
        {"vendors": 3, "anchor": None, "reference": "equal-size"},
        {"vendors": 3, "rows": 5, "anchor": 6},
        {"vendors": 3, "kernel": "energy"},
        {"vendors": 3, "confidence": 0.8},
        {"vendors": 66, "rows": 12, "anchor": 15},
    ],
    ids=str,
)
def test_every_kind_of_market_has_a_page(market):
    page = report(contaminated(**market))
    assert "nan" not in page.lower().split('id="karat-appraisal"')[0].replace("finance", "")


def test_no_template_switches_the_escaping_off():
    folder = files("karat.report").joinpath("templates")
    for template in (*folder.iterdir(), *folder.joinpath("notebook").iterdir()):
        if template.is_file():
            assert not re.search(r"\|\s*safe|autoescape|Markup", template.read_text(encoding="utf-8"))


def test_scripts_write_text_and_never_markup():
    folder = files("karat.report").joinpath("script")
    for script in folder.iterdir():
        forbidden = (
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|fetch\(|import\("
        )
        assert not re.search(forbidden, script.read_text(encoding="utf-8")), script.name


def test_ids_on_a_page_are_unique(appraisal):
    ids = [a["id"] for _, a in Elements(report(appraisal)).tags if "id" in a]
    assert len(ids) == len(set(ids))
    targets = {a["href"][1:] for t, a in Elements(report(appraisal)).tags if t == "a"}
    assert targets <= set(ids)
