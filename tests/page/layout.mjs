// The page as a whole: what it says first, its cards, its panes and its rows. Parts of test_page.mjs, which gives them its tools.
import { join } from "node:path";

// A stored recording of tests/replay, as a page.
function stored({ here, work, run, page }, name) {
  run("tar", "xf", join(here, "..", "replay", "recordings", `${name}.tar.xz`), "-C", work);
  return page(name);
}

const kBanner = `({
  alarms: [...document.querySelectorAll('.banner .alarm')].map((one) => one.innerText),
  red: getComputedStyle(document.querySelector('.banner .alarm') ?? document.body).color,
  verdict: document.querySelector('.banner .verdict b').innerText,
  bad: document.querySelector('.banner .quality.bad') !== null,
  quality: document.querySelector('.banner .quality').innerText,
  top: document.querySelector('.banner').getBoundingClientRect().top,
  below: document.querySelector('.work').getBoundingClientRect().top,
})`;

// The verdict and the recording's quality come first; what makes the recording doubtful comes before them, in red.
export async function banner(browser, tools) {
  const { check, made, page } = tools;
  made();
  await browser.open(page("slow"), "theme=dark");
  let seen = await browser.evaluate(kBanner);
  check("the verdict is the report's", /^periodic-pause takes up to \d+\.\d % of the run, in app\+0x30$/.test(seen.verdict), seen.verdict);
  check("a sound recording has no alarm, and its quality beside the verdict", !seen.alarms.length && !seen.bad && seen.quality === "1,050 samples · 100 % of call paths complete · none lost", JSON.stringify(seen));
  check("it stands above everything else", seen.top < 60 && seen.below < 100, JSON.stringify(seen));
  await browser.open(page("empty"));
  seen = await browser.evaluate(kBanner);
  check("nothing is made up where nothing was sampled", seen.verdict === "Nothing stands out" && seen.quality === "no samples", JSON.stringify(seen));
  await browser.open(stored(tools, "second-look"), "theme=dark");
  seen = await browser.evaluate(kBanner);
  check("lost samples are an alarm", seen.alarms.length === 1 && seen.alarms[0].startsWith("Samples lost: 3.6 % (422 samples)"), seen.alarms.join());
  check("an alarm is red", seen.red === "rgb(255, 92, 138)", seen.red);
  check("the quality says how many", seen.bad && / 422 lost$/.test(seen.quality), seen.quality);
}

// Closed cards are small enough that five are seen at once; a click opens one, and leads to its place and time as before.
export async function cards(browser, tools) {
  const { check, made, page } = tools;
  made();
  const path = page("findings");
  await browser.open(path);
  const seen = () => browser.evaluate(`[...document.querySelectorAll('.findings > .card:not(.good)')].map((card) => {
    const box = card.getBoundingClientRect();
    return {
      whole: box.top >= document.querySelector('.findings').getBoundingClientRect().top && box.bottom <= innerHeight,
      stake: card.querySelector('.stake').innerText,
      title: card.querySelector('.title').innerText,
      evidence: card.querySelectorAll('.evidence').length,
      bars: card.querySelectorAll('.evidence .pair i').length,
      open: card.querySelector('.head').getAttribute('aria-expanded') === 'true',
      details: card.querySelector('.direction') !== null,
      cut: [...card.querySelectorAll('.head > *')].some((part) => part.getBoundingClientRect().right > box.right + 0.5),
    };
  })`);
  let all = await seen();
  check("six findings, six cards", all.length === 6, String(all.length));
  check("five cards fit at 1280 × 800", all.filter((card) => card.whole).length >= 5, JSON.stringify(all.map((card) => card.whole)));
  check("a closed card has its headline and one line of evidence with a chart", all.every((card) => /\d %/.test(card.stake) && card.title && card.evidence === 1 && card.bars > 0 && !card.open && !card.details && !card.cut), JSON.stringify(all[0]));
  const at = await browser.evaluate("(() => { const b = document.querySelectorAll('.findings > .card .head')[1].getBoundingClientRect(); return [b.x + 40, b.y + 12]; })()");
  await browser.click(...at);
  all = await seen();
  check("a click opens the card", all[1].open && all[1].details && all[1].evidence >= 1 && all.filter((card) => card.open).length === 1, JSON.stringify(all[1]));
  const led = await browser.evaluate("({ finding: kymo.store.view.finding, space: kymo.store.view.space, threads: kymo.store.view.threads, wanted: kymo.findings[1] })");
  check("and leads to its place and threads", led.finding === 1 && led.space === led.wanted.space && String(led.threads) === String(led.wanted.threads), `${led.space} ${led.threads}`);
  await browser.click(...at);
  all = await seen();
  check("a second click closes it and leads back", all.every((card) => !card.open) && (await browser.evaluate("kymo.store.view.space === '' && kymo.store.view.threads === null")));
}
