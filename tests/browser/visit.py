"""Visits a window in headless Chromium: run in the driver's environment, prints what was seen as JSON.

It opens a world, filters a table, follows a reference, goes through an episode by keys, and takes two screenshots.
"""

import json
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

url, scheme, folder, chromium = sys.argv[1:]
shown, problems = {}, []


def note(event):
    problems.append(str(getattr(event, "text", event)))


with sync_playwright() as driver:
    browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1360, "height": 860})
    page = context.new_page()
    page.on("console", note)
    page.on("pageerror", note)
    page.on("requestfailed", lambda request: problems.append(f"{request.url}: {request.failure}"))
    page.on("response", lambda reply: problems.append(f"{reply.status} {reply.url}") if reply.status >= 400 else None)

    page.goto(url)
    shown["ground"] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("tbody a >> nth=0")
    shown["world"] = page.inner_text("h1")

    page.click("td a >> text=/^shop$/")
    shown["rows"] = page.locator("tbody tr").count()
    page.keyboard.press("/")
    shown["focused"] = page.evaluate("document.activeElement.name")
    page.keyboard.press("Escape")
    page.fill("[name='f.floor']", ">100")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=/of .* rows/")
    page.click("th a >> text=/^floor/")
    shown["query"] = page.url.partition("?")[2]
    heads = page.locator("thead tr:first-child th").all_inner_texts()
    place = [head.split()[0] for head in heads].index("floor") + 1
    shown["floors"] = [int(text) for text in page.locator(f"tbody td:nth-child({place})").all_inner_texts()]
    page.screenshot(path=Path(folder) / f"table-{scheme}.png")

    place = [head.split()[0] for head in heads].index("street") + 1
    street = page.locator(f"tbody tr:first-child td:nth-child({place}) a")
    shown["street"] = [street.inner_text()]
    street.click()
    page.wait_for_selector("text=pages that state it")
    shown["street"].append(page.inner_text("h1"))

    page.keyboard.press("h")
    page.wait_for_selector("h1 >> text=Worlds")
    page.click("dt:has-text('runs') + dd a")
    page.click("tbody a >> nth=0")
    page.click("tbody a >> nth=0")
    page.wait_for_selector(".steps")
    steps = [page.inner_text("[aria-current=step]")]
    for key in ("j", "ArrowRight", "k", "ArrowLeft", "j", "j"):
        with page.expect_navigation():
            page.keyboard.press(key)
        steps.append(page.inner_text("[aria-current=step]"))
    shown["steps"] = steps
    page.click(".steps li:last-child a")
    page.wait_for_selector("h2 >> text=Answer")
    shown["outcomes"] = page.locator("td.cell").count()
    page.screenshot(path=Path(folder) / f"episode-{scheme}.png")
    page.click("td.cell a >> nth=0")
    page.wait_for_selector("h2 >> text=Turn")
    shown["origin"] = page.inner_text(".step h2")

    page.goto(f"{url}world/{shown['world']}/graph")
    page.fill("[data-narrow]", "shop.fl")
    shown["narrowed"] = page.locator("#names li:visible").all_inner_texts()
    browser.close()
print(json.dumps({**shown, "problems": problems}))
