// A place in the source as a link that opens it in an editor, if the page's maker named one; else as text.
import { Model } from "../data/model";
import { h } from "../draw/dom";

export function placeLink(model: Model, path: string, line: number, what: Node | string): Node | string {
  const address = model.editorAddress(path, line);
  return address ? h("a", { href: address, title: "open in an editor" }, what) : what;
}
