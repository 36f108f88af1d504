import { button, el, setText } from "../dom.js";

export function makeStopwatch(context) {
  let isRunning = false;
  const time = el("div.big-number", { role: "timer", "aria-label": "Time" }, clock(0));
  const toggle = button("Start", () => context.send({ kind: isRunning ? "stop" : "start" }, { mark: toggle }), {
    kind: "primary",
  });
  const lap = button("Lap", () => context.send({ kind: "lap" }, { mark: lap }), { disabled: true });
  const laps = el("ol.laps", { "aria-label": "Laps", reversed: true });
  const showRunning = (value) => {
    isRunning = value;
    setText(toggle, isRunning ? "Stop" : "Start");
    lap.disabled = !isRunning;
  };
  return {
    element: el("div", {}, el("div.stage", {}, time, el("div.actions", {}, toggle, lap)), laps),
    reset: () => {
      showRunning(false);
      setText(time, clock(0));
      laps.replaceChildren();
    },
    onEvent: (event) => {
      if (event.kind === "isRunning") showRunning(event.value);
      if (event.kind === "elapsedMilliseconds") setText(time, clock(event.value));
      if (event.kind === "lapMilliseconds") laps.replaceChildren(...rows(event.value));
    },
  };
}

/** The newest lap first, each with what it took since the one before. */
function rows(laps) {
  return laps
    .map((at, index) =>
      el(
        "li",
        {},
        el("span", {}, `Lap ${index + 1}`),
        el("span.quiet-text", {}, `+${clock(at - (laps[index - 1] ?? 0))}`),
        el("span.number", {}, clock(at)),
      ),
    )
    .reverse();
}

/** 83456 → "01:23.4" */
export function clock(milliseconds) {
  const tenths = Math.floor(milliseconds / 100);
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(tenths / 36000);
  const minutes = Math.floor(tenths / 600) % 60;
  return `${hours ? `${hours}:` : ""}${two(minutes)}:${two(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
}
