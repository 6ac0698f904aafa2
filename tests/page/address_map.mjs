// The address map over time: every pixel of a made recording's is known.

// The colour in the middle of a row at a time of the 20 ms run, as [red, green, blue].
const spot = (row, ms) => `(() => {
  const part = kymo.below.get("address_map");
  const { top, height } = part.rows[${row}];
  const canvas = document.querySelector(".address-map .picture canvas");
  const scale = part.surface.scale;
  const x = Math.round((${ms} / 20) * part.surface.width * scale);
  const y = Math.round((top + height / 2 - part.surface.top) * scale);
  return [...canvas.getContext("2d").getImageData(Math.min(x, canvas.width - 1), y, 1, 1).data.slice(0, 3)];
})()`;

// All colours of a stretch of a row: one where it is filled, several where it is hatched.
const stretch = (row, from, to) => `(() => {
  const part = kymo.below.get("address_map");
  const { top, height } = part.rows[${row}];
  const canvas = document.querySelector(".address-map .picture canvas");
  const x = (ms) => Math.round((ms / 20) * canvas.width);
  const y = Math.round((top + height / 2 - part.surface.top) * part.surface.scale);
  const { data } = canvas.getContext("2d").getImageData(x(${from}), y, x(${to}) - x(${from}), 1);
  return new Set(Array.from({ length: data.length / 4 }, (_, at) => [...data.slice(4 * at, 4 * at + 3)].join())).size;
})()`;

export async function address_map(browser, { page, made, check }) {
  made();
  const path = page("address_map");
  for (const theme of ["dark", "light"]) {
    browser.said.length = 0;
    await browser.open(path, `tab=address_map&theme=${theme}`);
    await browser.until("document.querySelector('.address-map .facts')");
    await browser.settle();
    const seen = await browser.evaluate(`({
      facts: document.querySelector('.address-map .facts').textContent,
      names: [...document.querySelectorAll('.address-map .row')].map((row) => row.innerText.replace(/\\s+/g, ' ')),
      legend: [...document.querySelectorAll('.address-map .legend span')].map((one) => one.textContent),
      areas: kymo.palette().areas, ground: kymo.palette().ground,
    })`);
    check(`${theme}: what there is in words`, seen.facts === "at most 1.0 MiB in 3 bands · read 3 times", seen.facts);
    check(`${theme}: highest addresses first`, seen.names.length === 3 && /^anonymous memory/.test(seen.names[0]) && /^heap/.test(seen.names[1]) && /^app/.test(seen.names[2]), seen.names.join("; "));
    check(`${theme}: the legend has its kinds`, seen.legend.join() === "code,heap,anonymous", seen.legend.join());
    const is = async (what, row, ms, colour) => {
      const found = await browser.evaluate(spot(row, ms));
      check(`${theme}: ${what}`, found.every((part, at) => Math.abs(part - colour[at]) <= 2), `${found}, wanted ${colour}`);
    };
    await is("code where it was read first", 2, 2, seen.areas.code);
    await is("code at the second reading", 2, 10, seen.areas.code);
    await is("code at the last reading", 2, 18, seen.areas.code);
    await is("what was there at one reading alone", 0, 10, seen.areas.anonymous);
    await is("nothing at the reading before it", 0, 1, seen.ground);
    for (const [what, row, from, to] of [["before the first reading", 2, 0.2, 1.5], ["between two that are alike", 2, 3, 9], ["where it came", 0, 3, 9], ["where it went", 0, 11, 17]]) {
      const colours = await browser.evaluate(stretch(row, from, to));
      check(`${theme}: ${what} it is hatched`, colours > 1, `${colours} colours`);
    }
    check(`${theme}: after it is gone there is nothing`, (await browser.evaluate(stretch(0, 18.5, 19.8))) === 1);
    const said = browser.said.filter((line) => !/willReadFrequently/.test(line)); // the test itself reads pixels
    check(`${theme}: nothing on the console`, said.length === 0, said.join("; "));
  }

  // The box beside the pointer.
  const point = async (row, ms) => {
    const { x, y } = await browser.evaluate(`(() => { const part = kymo.below.get("address_map"); const box = part.picture.getBoundingClientRect(); return { x: box.x + (${ms} / 20) * box.width, y: box.y + part.rows[${row}].top + part.rows[${row}].height / 2 }; })()`);
    await browser.mouse("mouseMoved", x, y);
    await browser.settle();
    return browser.evaluate("document.querySelector('.tip').innerText");
  };
  const between = await point(0, 14);
  check("a box says what it was", /^anonymous memory\nanonymous, 1020 KiB, rw-p\n1000000 to 10ff000\nso at the reading at 0\.010\d* s\nchanged or gone at 0\.018\d* s\n/.test(between), between);
  check("and that it is not known between two readings", /at 0\.014\d* s: not known between the readings at 0\.010\d* s and 0\.018\d* s$/.test(between), between);
  const before = await point(2, 1);
  check("before the first reading it is not known", /^\/opt\/app\ncode, 16 KiB, r-xp\n10000 to 14000\nso at 3 readings from 0\.002\d* s to 0\.018\d* s\nat 0\.001\d* s: not known, first read at 0\.002\d* s$/.test(before), before);
  const read = await point(2, 10);
  check("at a reading it is read", /: read$/.test(read), read);

  // Zoomed to 9 to 11 ms, the reading at 10 ms is in the middle.
  await browser.evaluate("kymo.store.look(9e6, 11e6)");
  await browser.settle();
  const middle = await browser.evaluate(spot(2, 10));
  const code = await browser.evaluate("kymo.palette().areas.code");
  check("it follows the zoom", middle.join() === code.join(), middle.join());

  // The other process, which was killed after its only reading.
  await browser.evaluate("(() => { const list = document.querySelector('.address-map select'); list.selectedIndex = 1; list.dispatchEvent(new Event('change')); })()");
  await browser.settle();
  const other = await browser.evaluate("({ facts: document.querySelector('.address-map .facts').textContent, threads: kymo.store.view.threads, label: document.querySelector('.address-map .picture canvas').getAttribute('aria-label') })");
  check("another process is chosen, with its threads", other.facts === "at most 4 KiB in 1 band · read once · its end was not recorded" && other.threads?.length === 1, JSON.stringify(other));
  check("and the picture has words", /^the address map over time of .*200: at most 4 KiB/.test(other.label), other.label);
}
