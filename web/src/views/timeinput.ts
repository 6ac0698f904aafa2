// The pointer on anything with a time axis: wheel zooms, drag brushes, shift-drag or the middle button pans, a double click
// shows the brush or everything.
import { Store } from "../state";

export interface TimeInputOptions {
  store: Store;
  left(): number; // where time begins in the element, CSS pixels
  width(): number;
  bounds?(): [number, number]; // the axis's range; by default the view
  click?(event: MouseEvent, time: number): void;
  hover?(event: MouseEvent, time: number): void;
  leave?(): void;
}

export function takeTimeInput(element: HTMLElement, options: TimeInputOptions) {
  const { store } = options;
  const bounds = options.bounds ?? (() => [store.view.from, store.view.to] as [number, number]);
  const timeAt = (event: MouseEvent) => {
    const x = event.clientX - element.getBoundingClientRect().left - options.left();
    const [from, to] = bounds();
    return from + (Math.min(Math.max(x / options.width(), 0), 1) || 0) * (to - from);
  };
  element.addEventListener(
    "wheel",
    (event) => {
      if (event.altKey) {
        return; // scrolls
      }
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 30 : 1;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        store.pan(((event.shiftKey ? event.deltaY || event.deltaX : event.deltaX) * unit) / options.width());
      } else {
        store.zoom(Math.exp(event.deltaY * unit * 0.0022), timeAt(event));
      }
    },
    { passive: false },
  );
  // When the view changes, so does what is under the pointer: it is reported again once the view is drawn.
  let hovers: MouseEvent | null = null;
  store.listen(() =>
    requestAnimationFrame(() => {
      if (hovers && !begin) {
        options.hover?.(hovers, timeAt(hovers));
      }
    }),
  );
  let begin: { x: number; time: number; pans: boolean; moved: boolean } | null = null;
  element.addEventListener("pointerdown", (event) => {
    if (event.button > 1) {
      return;
    }
    begin = { x: event.clientX, time: timeAt(event), pans: event.shiftKey || event.button === 1, moved: false };
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    hovers = event;
    if (!begin) {
      options.hover?.(event, timeAt(event));
      return;
    }
    if (Math.abs(event.clientX - begin.x) < 4 && !begin.moved) {
      return;
    }
    begin.moved = true;
    if (begin.pans) {
      store.pan((begin.x - event.clientX) / options.width());
      begin.x = event.clientX;
      return;
    }
    const now = timeAt(event);
    if (now !== begin.time) {
      store.set({ brush: [Math.min(now, begin.time), Math.max(now, begin.time)] });
    }
  });
  element.addEventListener("pointerup", (event) => {
    if (begin && !begin.moved) {
      options.click?.(event, begin.time);
    }
    begin = null;
  });
  element.addEventListener("pointercancel", () => (begin = null));
  element.addEventListener("pointerleave", () => {
    hovers = null;
    options.leave?.();
  });
  element.addEventListener("dblclick", () => {
    const { brush } = store.view;
    if (brush) {
      store.look(brush[0], brush[1]);
    } else {
      store.all();
    }
  });
}
