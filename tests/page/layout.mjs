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
