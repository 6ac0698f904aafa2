// The function chosen in one part of the page is marked in all of them.
export class Chosen {
  name = "";
  private readonly heard: (() => void)[] = [];

  onChange(call: () => void) {
    this.heard.push(call);
  }

  set(name: string) {
    this.name = name === this.name ? "" : name;
    this.heard.forEach((call) => call());
  }
}
