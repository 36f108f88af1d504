// The views that the page has of the examples, as a server's own views are given to it.
import { el } from "../dom.js";
import { makeBoard, makeBoardScreen } from "./board.js";
import { makeBoardCard } from "./board-card.js";
import { makeConfirmCancel } from "./confirm-cancel.js";
import { makeCounter } from "./counter.js";
import { makeFinder } from "./finder.js";
import { makeFinderPreview } from "./finder-preview.js";
import { makeHello } from "./hello.js";
import { makeOrderDetails } from "./order-details.js";
import { makeOrders } from "./orders.js";
import { makeStopwatch } from "./stopwatch.js";
import { makeTodos } from "./todos.js";

// Nothing is shown before they are there, or can't be had.
await Promise.all(["examples.css", "board.css", "finder.css"].map(addStyles));

function addStyles(name) {
  const link = el("link", { rel: "stylesheet", href: new URL(name, import.meta.url) });
  document.head.append(link);
  return new Promise((end) => {
    link.addEventListener("load", end);
    link.addEventListener("error", end);
  });
}

export default {
  "Examples.HelloViewModel": makeHello,
  "Examples.CounterViewModel": makeCounter,
  "Examples.StopwatchViewModel": makeStopwatch,
  "Examples.TodosViewModel": makeTodos,
  "Examples.OrdersViewModel": makeOrders,
  "Examples.OrderDetailsViewModel": makeOrderDetails,
  "Examples.ConfirmCancelViewModel": makeConfirmCancel,
  "Examples.FinderViewModel": makeFinder,
  "Examples.FinderPreviewViewModel": makeFinderPreview,
  "Examples.BoardViewModel": makeBoard,
  "Examples.BoardScreenViewModel": makeBoardScreen,
  "Examples.BoardCardViewModel": makeBoardCard,
};

export const gallery = {
  "Examples.HelloViewModel": "A button, and a label that becomes “Hello”.",
  "Examples.CounterViewModel": "A number that goes up and down, and a hundred rows to load.",
  "Examples.StopwatchViewModel": "Time that runs on the server, with laps.",
  "Examples.TodosViewModel": "A list of things to do.",
  "Examples.OrdersViewModel": "A long list that loads slowly, with details to go to and a question to answer.",
  "Examples.OrderDetailsViewModel": "One order, with a note to write.",
  "Examples.ConfirmCancelViewModel": "Asks whether an order shall really be cancelled.",
  "Examples.NumbersViewModel": "Numbers with their squares, a million if you like, of which some can be chosen.",
  "Examples.FinderViewModel": "Files below the server’s folder, and lines in them.",
  "Examples.FinderPreviewViewModel": "The lines of a file that was found.",
  "Examples.BoardViewModel": "A board of cards that everyone shares, without a screen around it.",
  "Examples.BoardScreenViewModel": "Your own screen of a board that everyone shares.",
  "Examples.BoardCardViewModel": "A card of a board, as others change it, too.",
};

export const palettes = [{ type: "Examples.FinderViewModel", name: "finder", label: "Find", key: "k" }];
