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
  check("the verdict is the report's", /^periodic-pause takes \d+\.\d % of the run, in app\+0x30$/.test(seen.verdict), seen.verdict);
  check("a sound recording has no alarm, and its quality beside the verdict", !seen.alarms.length && !seen.bad && seen.quality === "1,050 samples · 100 % of call paths complete · none lost", JSON.stringify(seen));
  check("it is above everything else", seen.top < 60 && seen.below < 100, JSON.stringify(seen));
  await browser.open(page("memory"));
  seen = await browser.evaluate(kBanner);
  check("what the kernel lost is told", / · 1,496 kernel records lost$/.test(seen.quality), seen.quality);
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

// Separators between panes: the pointer and keys move them, Enter folds, a button shows a pane alone; the browser remembers the sizes, the
// address does not.
export async function panes(browser, tools) {
  const { check, made, page } = tools;
  made();
  const path = page("halves");
  await browser.open(path);
  const sizes = () => browser.evaluate(`(() => {
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    const picture = box('.kymograph .picture canvas');
    return {
      findings: box('.findings').width, overview: box('.overview').height, kymograph: box('.kymograph').height,
      threads: box('.threads').height, tracks: box('.tracks').height, panel: box('.panels').height,
      bottom: box('.panels').bottom, hash: location.hash,
      aligned: [picture.left - box('.threads .picture canvas').left, picture.left - box('.axis').left - parseFloat(getComputedStyle(document.querySelector('.stage')).getPropertyValue('--gutter')),
        picture.right - box('.axis canvas').right, picture.right - box('.overview canvas').right],
    };
  })()`);
  const separators = "[...document.querySelectorAll('[role=separator]')]";
  const at = (index) => browser.evaluate(`(() => { const b = ${separators}[${index}].getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`);
  const drag = async (index, dx, dy) => {
    const [x, y] = await at(index);
    await browser.drag(x, y, x + dx, y + dy);
  };
  const near = (a, b, off = 2) => Math.abs(a - b) <= off;
  const first = await sizes();
  const names = await browser.evaluate(`${separators}.map((one) => one.getAttribute('aria-label'))`);
  check("a separator for findings, the whole run, kymograph, threads and what is below", names.length === 5, names.join());
  check("what has a time axis lies one above the other", first.aligned.every((off) => near(off, 0, 1)), first.aligned.join());

  await drag(2, 0, -60); // the kymograph's foot
  let now = await sizes();
  check("dragging moves what is between two panes, and no other", near(now.kymograph, first.kymograph - 60) && near(now.threads, first.threads + 60) && near(now.overview, first.overview) && near(now.tracks, first.tracks) && near(now.panel, first.panel), JSON.stringify([first, now]));
  check("the window stays full", near(now.bottom, 800, 1), String(now.bottom));
  await drag(0, 100, 0);
  now = await sizes();
  check("findings are made wider", near(now.findings, first.findings + 100), `${first.findings} ${now.findings}`);
  check("and everything still lies one above the other", now.aligned.every((off) => near(off, 0, 1)), now.aligned.join());
  check("sizes are not in the address", now.hash === first.hash || !/pane|size|share/.test(now.hash), now.hash);

  await browser.open(path);
  let again = await sizes();
  check("sizes are remembered", ["findings", "overview", "kymograph", "threads", "tracks", "panel"].every((name) => near(again[name], now[name])), JSON.stringify([now, again]));

  const focus = (index) => browser.evaluate(`${separators}[${index}].focus()`);
  const view = () => browser.evaluate("JSON.stringify([kymo.store.view.from, kymo.store.view.to])");
  await focus(4);
  const before = await view();
  await browser.key("ArrowUp");
  now = await sizes();
  check("an arrow key moves a separator, and no time", now.panel > again.panel + 5 && near(now.tracks, again.tracks - (now.panel - again.panel)) && (await view()) === before, `${again.panel} ${now.panel}`);
  const value = () => browser.evaluate("Number(document.activeElement.getAttribute('aria-valuenow'))");
  const high = await value();
  await browser.key("Enter");
  now = await sizes();
  check("Enter folds a pane, the others take its room", now.panel === 0 && near(await browser.evaluate("document.querySelector('.bottom').getBoundingClientRect().bottom"), 800, 1), JSON.stringify(now));
  check("a screen reader hears of it", high > 5 && (await value()) === 0, `${high} ${await value()}`);
  await browser.open(path);
  check("what is folded stays so", (await sizes()).panel === 0);
  await focus(4);
  await browser.key("Enter");
  check("Enter opens it again", (await sizes()).panel > 50, String((await sizes()).panel));

  await browser.evaluate("[...document.querySelectorAll('.bar button')].find((one) => one.title.startsWith('threads alone')).click()");
  await browser.settle();
  const alone = await browser.evaluate("({ threads: document.querySelector('.threads').offsetHeight, wide: document.querySelector('.stage').offsetWidth, others: ['.findings', '.kymograph', '.overview', '.tracks', '.panels'].map((one) => document.querySelector(one).offsetHeight) })");
  check("a button shows a pane alone", alone.threads > 600 && alone.wide === 1280 && alone.others.every((height) => height === 0), JSON.stringify(alone));
  await browser.evaluate("[...document.querySelectorAll('.bar button')].find((one) => one.title.startsWith('threads alone')).click()");
  await browser.settle();
  again = await sizes();
  check("and all of them again", again.findings > 100 && again.kymograph > 50 && again.panel > 50, JSON.stringify(again));

  for (const index of [1, 0]) {
    await focus(index);
    await browser.key("Delete");
  }
  now = await sizes();
  check("Delete gives all their first sizes", ["findings", "overview", "kymograph", "threads", "panel"].every((name) => near(now[name], first[name])), JSON.stringify([first, now]));
  // A page opened where nothing can be kept, or where nonsense was, is as it is at first.
  for (const nonsense of ["[1", "{\"rows\":{\"shares\":{\"overview\":-1},\"folded\":7}}", "null"]) {
    await browser.evaluate(`localStorage.setItem("kymo-panes", ${JSON.stringify(nonsense)})`);
    browser.said.length = 0;
    await browser.open(path);
    now = await sizes();
    check(`kept nonsense does no harm: ${nonsense}`, near(now.kymograph, first.kymograph) && browser.said.length === 0, browser.said.join());
  }
}

// Rows of threads: names that can be read, the main thread first, short processes as one row, pinned rows, and of thousands a part with those
// that differ.
export async function rows(browser, tools) {
  const { check, made, page, work } = tools;
  made();
  const seen = () => browser.evaluate("[...document.querySelectorAll('.threads .row')].map((row) => row.querySelector('.name').innerText.replace(/\\s+/g, ' '))");
  const least = () => browser.evaluate("Math.min(...[...document.querySelectorAll('.row .name, .row .name small, .row .share')].map((part) => parseFloat(getComputedStyle(part).fontSize)))");
  await browser.open(page("build"));
  let all = await seen();
  check("g++ comes first, short processes are one folded row", all.join("|") === "g++ 100|cc1plus 101|3 short: as, collect2, ld", all.join("|"));
  const colours = `(row) => { const c = document.querySelector('.threads canvas'); const rows = document.querySelectorAll('.threads .row'); const tall = rows[0].offsetHeight;
    const at = (ms) => [...c.getContext('2d').getImageData(Math.round(c.width * ms / 1000), Math.round((row + 0.5) * tall), 1, 1).data].slice(0, 3).join();
    return [910, 940, 500].map(at); }`;
  const [one, two, none] = await browser.evaluate(`(${colours})(2)`);
  const [, , whole] = await browser.evaluate(`(${colours})(0)`);
  check("the folded row shows when any of them ran, brighter where two did", one !== two && one !== none && two !== none && one !== whole, `${one} ${two} ${none} ${whole}`);
  await browser.evaluate("document.querySelectorAll('.threads .row')[2].focus()");
  await browser.key("ArrowRight");
  all = await seen();
  check("it opens by key into a row each", all.slice(3).join("|") === "as 102|collect2 103|ld 104", all.join("|"));
  const open = await browser.evaluate(`(${colours})(2)`);
  check("the open row still shows all of them", open.join() === [one, two, none].join(), open.join(" "));
  check("the address says so", (await browser.evaluate("location.hash")) === "#folded=none", await browser.evaluate("location.hash"));
  check("the focus stays in its row", (await browser.evaluate("document.activeElement.innerText")).includes("3 short"));
  await browser.key("ArrowLeft");
  check("and folds again", (await seen()).length === 3);
  check("as at first, the address says nothing", (await browser.evaluate("location.hash")) === "", await browser.evaluate("location.hash"));
  await browser.open(page("ranks"));
  const ranks = (await seen()).join("|");
  await browser.evaluate("document.querySelectorAll('.threads .row')[0].focus()");
  await browser.key("ArrowLeft");
  await browser.evaluate("document.querySelectorAll('.threads .row')[2].focus()");
  await browser.key("P");
  const folded = (await seen()).join("|");
  const copied = (await browser.evaluate("location.hash")).slice(1);
  check("folded and pinned rows are in the address", folded !== ranks && /^folded=p\d+\.short&pinned=t\d+$/.test(copied), `${copied}: ${folded}`);
  await browser.open(join(work, "ranks.html"), copied);
  check("which shows the same", (await seen()).join("|") === folded, (await seen()).join("|"));
  browser.said.length = 0;
  await browser.open(join(work, "ranks.html"), "folded=x.t-1.%22&pinned=q9.t99999.p77");
  check("an address of rows that are not there is harmless", (await seen()).length >= 4 && browser.said.length === 0, [...(await seen()), ...browser.said].join("|"));

  await browser.open(page("many"));
  check("300 threads: no name is smaller than 11 px", (await least()) >= 11, String(await least()));
  const scrolls = await browser.evaluate("(() => { const s = document.querySelector('.threads .scroll'); return s.scrollHeight > s.clientHeight; })()");
  check("they scroll instead", scrolls);
  all = await seen();
  check("the main thread comes first", all[0] === "app 100", all[0]);
  // The last one, pinned, stays at the top while all others scroll.
  await browser.evaluate("document.querySelectorAll('.threads .row')[299].focus()");
  await browser.key("P");
  all = await seen();
  check("a pinned row comes first, and is there once", all[0].startsWith("worker-300") && all.filter((name) => name.startsWith("worker-300")).length === 1 && all.length === 300, all.slice(0, 3).join("|"));
  await browser.evaluate("document.querySelector('.threads .scroll').scrollTop = 1000");
  await browser.settle();
  const top = await browser.evaluate("(() => { const row = document.querySelector('.threads .row').getBoundingClientRect(); const scroll = document.querySelector('.threads .scroll').getBoundingClientRect(); return [row.top - scroll.top, row.x + 30, row.y + 5, scroll.x + scroll.width / 2, row.y + row.height / 2]; })()");
  check("it stays there when others are scrolled", Math.abs(top[0]) < 1, top.join());
  await browser.click(top[3], top[4]);
  const chosen = await browser.evaluate("kymo.store.view.threads.map((thread) => kymo.model.threads[thread].name).join()");
  check("a click on its picture chooses it", chosen === "worker-300", chosen);

  await browser.open(page("crowd"));
  all = await seen();
  const words = await browser.evaluate("document.querySelector('.left-out').innerText");
  check("of 3,000 rows a thousand are shown, and how many are not is said", all.length === 1000 && /^2,000 of 3,000 rows are not shown/.test(words), `${all.length}: ${words}`);
  check("the one that differs is shown, and so is the main thread", all.some((name) => name.startsWith("worker-1777")) && all[0] === "app 100");
  const hidden = await browser.evaluate(`(() => { const shown = new Set([...document.querySelectorAll('.threads .row .name small')].map((one) => Number(one.innerText))); return kymo.model.threads.findIndex((thread) => !shown.has(thread.tid)); })()`);
  await browser.evaluate(`kymo.store.set({ threads: [${hidden}] })`);
  await browser.settle();
  check("a chosen thread is never left out", await browser.evaluate(`[...document.querySelectorAll('.threads .row.chosen .name small')].some((one) => Number(one.innerText) === kymo.model.threads[${hidden}].tid)`), String(hidden));
  await browser.evaluate("document.querySelector('.left-out button').click()");
  await browser.settle();
  check("all are shown when they are asked for", (await seen()).length === 3000, String((await seen()).length));
}

// A job of 130 ranks on three hosts, one of which works half as long again: a folded row a host, and below it the slow rank.
export async function ranks(browser, tools) {
  const { check, run, build, kymo, work } = tools;
  run(join(build, "bench", "generate_job"), join(work, "job.kymo"), "--ranks", "130", "--samples", "130000", "--slow", "77");
  run(kymo, "view", join(work, "job.kymo"), "-o", join(work, "job.html"));
  const seen = () => browser.evaluate("[...document.querySelectorAll('.threads .row')].map((row) => row.querySelector('.name').innerText.replace(/\\s+/g, ' '))");
  await browser.open(join(work, "job.html"));
  const all = await seen();
  const slow = all.findIndex((name) => name.startsWith("rank 77 "));
  const hosts = all.filter((name) => name.startsWith("node-"));
  check("ranks are folded by host", hosts.join("|") === "node-0 0–63|node-1 64–127|node-2 128–129", all.join("|"));
  check("the slow rank is shown below its host", slow === 2 && all[1] === hosts[1], all.join("|"));
  const roots = await browser.evaluate("[...kymo.model.nodeParent].flatMap((parent, node) => (node && parent === 0 ? [kymo.model.functions.name[kymo.model.nodeFunction[node]]] : []))");
  check("in the call tree all ranks are one", roots.join("|") === "130 ranks", roots.join("|"));
  const paths = await browser.evaluate("kymo.model.nodeParent.length");
  check("and equal call paths as well", paths < 2 * 194, String(paths));
  const rows = await browser.evaluate("[...document.querySelectorAll('.kymograph .row')].map((row) => row.innerText.replace(/\\s+/g, ' ').trim()).join('|')");
  check("so that the code has rows", rows.includes("130 ranks") && rows.includes("solve 65"), rows.slice(0, 300));
  const messages = await browser.evaluate("[...kymo.model.timeInMessages()]");
  check("it is the one that waits least", messages.indexOf(Math.min(...messages)) === 77 && Math.min(...messages) > 0, String(messages.indexOf(Math.min(...messages))));
  await browser.evaluate("document.querySelectorAll('.threads .row')[0].focus()");
  await browser.key("ArrowRight");
  const open = await seen();
  check("a host opens into its ranks", open.length === all.length + 64 && open[1].startsWith("rank 0 ") && open[64].startsWith("rank 63 "), open.slice(0, 3).join("|"));
  await browser.evaluate("document.querySelectorAll('.threads .row')[64 + 1].focus()");
  await browser.key("P");
  const pinned = await seen();
  check("a folded host can be pinned, and its slow rank is then below it there", pinned[0] === hosts[1] && pinned.filter((name) => name === hosts[1]).length === 1, pinned.slice(0, 4).join("|"));
}

// Boxes beside the pointer stay in the window, keep off the row that they are about, and follow zooming; plots and the legend are whole.
export async function tips(browser, tools) {
  const { check, made, page } = tools;
  made();
  const path = page("halves");
  await browser.open(path);
  const place = (selector, index) => browser.evaluate(`(() => { const b = document.querySelectorAll('${selector}')[${index}].getBoundingClientRect(); return { top: b.top, bottom: b.bottom }; })()`);
  const tip = () => browser.evaluate("(() => { const t = document.querySelector('.tip'); const b = t.getBoundingClientRect(); return { hidden: t.hidden, left: b.left, right: b.right, top: b.top, bottom: b.bottom, text: t.innerText }; })()");
  const outside = ({ top, bottom }, row) => top >= row.bottom - 0.5 || bottom <= row.top + 0.5;
  for (const [what, index] of [[".kymograph .row", 0], [".kymograph .row", 1], [".threads .row", 0], [".threads .row", 1], [".tracks .row", 1]]) {
    const row = await place(what, index);
    for (const x of [520, 900, 1265]) {
      for (const share of [0.1, 0.9]) {
        await browser.mouse("mouseMoved", x, row.top + (row.bottom - row.top) * share);
        await browser.settle();
        const seen = await tip();
        const good = !seen.hidden && outside(seen, row) && seen.left >= 0 && seen.right <= 1280 && seen.top >= 0 && seen.bottom <= 800;
        if (!good || (x === 1265 && share === 0.9)) {
          check(`${what} ${index}: the box is in the window and beside its row`, good, JSON.stringify({ x, share, row, seen }).slice(0, 300));
        }
      }
    }
  }
  const row = await place(".kymograph .row", 1);
  await browser.mouse("mouseMoved", 700, row.top + 5);
  await browser.settle();
  const before = await tip();
  await browser.key("+");
  const after = await tip();
  check("the box follows zooming, with the pointer where it was", !after.hidden && /over/.test(after.text) && after.text !== before.text, `${before.text} | ${after.text}`.replace(/\s+/g, " "));

  // Each dot of the plot is whole: none touches an edge.
  await browser.open(page("slow"), "tab=occurrences&theme=dark");
  await browser.evaluate("kymo.goToFinding(0)");
  await browser.settle();
  const dots = await browser.evaluate(`(() => {
    const c = document.querySelector('.panels .chart canvas'); const { width, height } = c;
    const d = c.getContext('2d').getImageData(0, 0, width, height).data;
    const plot = Math.floor(width * 0.8); let left = width; let right = 0;
    for (let y = 0; y < height - 24; y++) for (let x = 0; x < plot; x++) {
      const i = (y * width + x) * 4;
      const amber = d[i] > 180 && d[i + 1] > 120 && d[i + 2] < 60;
      if (amber) { left = Math.min(left, x); right = Math.max(right, x); }
    }
    return { left, right, plot, width };
  })()`);
  check("no dot touches the names of durations or the edge", dots.left > 40 && dots.left < 90 && dots.right < dots.plot - 1, JSON.stringify(dots));

  const busy = stored(tools, "openmp");
  for (const [width, height] of [[1280, 800], [1920, 1080], [3840, 1600]]) {
    await browser.size(width, height);
    await browser.open(busy);
    const legend = await browser.evaluate("(() => { const l = document.querySelector('.legend'); return { text: l.innerText.replace(/\\s+/g, ' '), whole: l.scrollWidth <= l.clientWidth + 1 }; })()");
    check(`${width} wide: the legend explains, and is whole`, legend.whole && /ready: in the run queue/.test(legend.text), JSON.stringify(legend));
  }
  await browser.size(1280, 800);
}
