// A page of an excerpt: its label, and its exchange for the page of everything once the server has that.
import { Model } from "../data/model";
import { h } from "../draw/dom";
import { count } from "../format";

const kEvery = 300; // ms between two requests

export function excerptWords({ excerpt }: Model): string {
  return excerpt ? `1 sample of ${count(Math.max(Math.round(excerpt.of / Math.max(excerpt.read, 1)), 1))} was read` : "";
}

// The current view without what has other numbers in the page of everything: functions and call paths.
export function addressOfWhole(look: number, hash: string): string {
  const same = hash
    .slice(1)
    .split("&")
    .filter((part) => part && !/^(space|edits|finding)=/.test(part));
  return `?look=${look}#${same.join("&")}`;
}

// A page from a server repeats its request until the answer is that the page is ready. `onExchange`: just before the exchange.
export function firstLook(model: Model, onExchange: () => void): HTMLElement {
  const stage = h("span", { class: "stage" });
  const look = model.served?.look ?? 1;
  const ask = async () => {
    try {
      const words = await (await fetch(`?stage&look=${look}`)).text();
      if (!words) {
        onExchange();
        location.replace(addressOfWhole(look, location.hash));
        return;
      }
      stage.textContent = `: ${words}`;
      setTimeout(ask, kEvery);
    } catch {
      stage.textContent = ": the server is gone";
    }
  };
  if (model.served && location.protocol.startsWith("http")) {
    ask();
  }
  return h(
    "b",
    { role: "status" },
    `First look: ${excerptWords(model)}, all figures are estimates. The whole analysis is on its way`,
    stage,
  );
}
