// The page by keys alone: Tab reaches everything that can be chosen, shows where it is, and keys do what the pointer does. A part of
// test_page.mjs.
const kMostSteps = 300;
const kFocus = `(() => { const at = document.activeElement; return {
  is: at === document.body ? "" : [at.tagName.toLowerCase(), at.id, at.className, at.getAttribute("role") ?? "", at.getAttribute("aria-label") ?? ""].join("|"),
  ring: getComputedStyle(at).outlineStyle !== "none" && parseFloat(getComputedStyle(at).outlineWidth) >= 2,
}; })()`;

// What a user of the pointer can choose, by the words that kFocus has for it.
const kWanted = {
  "the field to find": /^input.*find functions/,
  "dark or light": /^button.*dark or light/,
  "colours for every vision": /^button.*colours/,
  "saving": /^button.*save or print/,
  "the keys": /^button.*keys/,
  "a finding's card": /^button\|\|head/,
  "the separator of findings": /^div.*separator.*findings/,
  "the order of rows": /^select.*Rows/,
  "the colour": /^select.*Colour/,
  "zooming": /^button.*zoom in/,
  "the tree of code": /^div.*tree\|code spaces/,
  "a thread's row": /^div.*option/,
  "the choice of threads": /^select.*which threads/,
  "a tab": /^button\|tab-functions/,
  "the cost": /^select.*which cost/,
  "the flame graph": /^div\|\|flame\|application/,
  "orders of the flame graph": /^button.*radio/,
};

// Presses Tab until `found` says so of what has the focus; null: it never does. All that had the focus on the way is in \`way\`.
async function tabTo(browser, found, way = []) {
  for (let step = 0; step < kMostSteps; step++) {
    await browser.key("Tab");
    const focus = await browser.evaluate(kFocus);
    way.push(focus);
    if (found(focus)) {
      return focus;
    }
  }
  return null;
}

export async function keyboard(browser, { check, made, page }) {
  made();
  const path = page("findings");
  await browser.open(path);
  const view = () => browser.evaluate("JSON.parse(JSON.stringify(window.kymo.store.view))");
  const to = (what) => tabTo(browser, ({ is }) => what.test(is));

  // All the way through the page, and out of it.
  const way = [];
  await tabTo(browser, ({ is }) => is === "", way);
  for (const [what, words] of Object.entries(kWanted)) {
    check(`Tab reaches ${what}`, way.some(({ is }) => words.test(is)));
  }
  const unseen = way.filter(({ is, ring }) => is && !ring);
  check("what has the focus has a ring", unseen.length === 0, unseen.slice(0, 3).map(({ is }) => is).join("; "));
  const missed = await browser.evaluate(`[...document.querySelectorAll('button, select, input, a[href], [tabindex="0"]')].filter((one) => one.checkVisibility() && one.tabIndex >= 0).length`);
  check("nothing is left out", way.length > missed, `${way.length - 1} of ${missed}`);

  // A finding.
  await to(/^button\|\|head/);
  await browser.key("Enter");
  let now = await view();
  check("Enter opens a finding and leads to it", now.finding === 0 && now.space !== "", JSON.stringify([now.finding, now.space]));
  check("the focus stays on its card", await browser.evaluate("document.activeElement.closest('.card')?.classList.contains('chosen') ?? false"));
  await browser.key("Enter");
  check("Enter closes it again", (await view()).finding === -1);

  // A separator.
  await to(/^div.*separator.*findings/);
  const wide = () => browser.evaluate("document.querySelector('.findings').offsetWidth");
  const before = await wide();
  await browser.key("ArrowRight");
  check("an arrow makes findings wider", (await wide()) > before, `${before} ${await wide()}`);

  // Code, a thread.
  await to(/^div.*tree\|code spaces/);
  await browser.key("ArrowDown");
  now = await view();
  check("arrows choose a row of code", now.space !== "", now.space);
  await to(/^div.*option/);
  await browser.key("Enter");
  check("Enter chooses a thread", (await view()).threads?.length === 1, String((await view()).threads));
  check("the focus stays on its row", await browser.evaluate("document.activeElement.getAttribute('role') === 'option'"));
  await browser.key("Escape");
  now = await view();
  check("Esc drops what is chosen", now.space === "" && now.threads === null);

  // Time, and a brush.
  await browser.key("+");
  const zoomed = await view();
  await browser.key("b");
  now = await view();
  check("b brushes what is in view", now.brush?.[0] === zoomed.from && now.brush?.[1] === zoomed.to, String(now.brush));
  await browser.key("Escape");
  await browser.key("0");

  // Tabs and what is in them.
  await to(/^button\|tab-paths/);
  const { from } = await view();
  await browser.key("ArrowRight");
  now = await view();
  check("an arrow goes to the next tab, and not through time", now.tab === "functions" && now.from === from && (await browser.evaluate("document.activeElement.id")) === "tab-functions", now.tab);
  await tabTo(browser, ({ is }) => /^tr/.test(is));
  await browser.key("Enter");
  check("Enter chooses a function of the table", /^f\d+$/.test((await view()).space), (await view()).space);
  check("the focus stays in the table", await browser.evaluate("document.activeElement.tagName === 'TR'"));
  await browser.key("1");
  await browser.key("Escape");
  await to(/^div\|\|flame\|application/);
  await browser.key("ArrowDown");
  const words = await browser.evaluate("document.querySelector('.flame-bar .focus').textContent");
  await browser.key("ArrowDown");
  check("arrows go through the flame graph", words !== "" && words !== (await browser.evaluate("document.querySelector('.flame-bar .focus').textContent")), words);

  // Finding, and help.
  await browser.key("/");
  for (const letter of "0x40") {
    await browser.key(letter);
  }
  await browser.key("Enter");
  now = await view();
  check("typing finds, Enter chooses the match", now.find === "0x40" && now.space !== "", JSON.stringify([now.find, now.space]));
  await browser.key("Escape");
  await browser.key("?");
  check("? shows the keys", await browser.evaluate("document.querySelector('dialog[open]') !== null"));
  await browser.key("Escape");
  check("Esc leaves them", await browser.evaluate("document.querySelector('dialog[open]') === null"));
}
