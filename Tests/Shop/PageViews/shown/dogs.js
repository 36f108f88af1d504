/** Counts people and dogs. */
export function makeDogs(context) {
  const text = document.createElement("p");
  text.className = "dogs";
  const button = document.createElement("button");
  button.textContent = "Ten people";
  button.addEventListener("click", () => context.send({ kind: "count", people: 10 }));
  const element = document.createElement("div");
  element.append(text, button);
  return {
    element,
    onEvent: ({ kind, people, dogs }) => {
      if (kind === "count") text.textContent = `${people} people with dogs: ${dogs}`;
    },
  };
}
