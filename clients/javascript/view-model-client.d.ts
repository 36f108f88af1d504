// The types of view-model-client.js.
//
// With the types that the server's command `contract --typescript` writes, events and arguments are checked as well:
//
//   import { connect } from "./view-model-client.js";
//   import type { ViewModels } from "./view-models";
//   const client = await connect<ViewModels>({ tcp: "127.0.0.1:7351" });
/// <reference lib="es2018.asynciterable" />

/** The arguments of a view model, and the events that it and its views send each other. */
export interface ViewModelTypes {
  arguments: any;
  viewEvent: any;
  viewModelEvent: any;
  /** The rows of each list, by its name; where there are lists. */
  lists?: any;
  /** Where it has one. */
  scope?: Scope;
}

/** Whose session `open` finds: that of its user, or that of all. */
export type Scope = "person" | "everyone";

/** Every view model of a server, by its name; this one is for those who don't know. */
export interface AnyViewModels {
  [name: string]: ViewModelTypes;
}

/** The kinds of an event. */
export type KindOf<Event> = Event extends { kind: infer Kind } ? Kind : never;
/** The event of this kind. */
export type EventOf<Event, Kind> = Event extends { kind: infer Own } ? (Kind extends Own ? Event : never) : never;
/** May be left out where an object without members will do. */
export type OpenArguments<Arguments> = {} extends Arguments
  ? [arguments?: Arguments, options?: CallOptions]
  : [arguments: Arguments, options?: CallOptions];

/** For each call that the server answers. */
export interface CallOptions {
  /**
   * Aborting it rejects the call at once with `signal.reason` (that of `AbortSignal.timeout` is a "TimeoutError"), and
   * tells the server to cancel. What it had done by then is done; a session that was made meanwhile is ended again, and
   * one of a view model with a scope is left.
   */
  signal?: AbortSignal;
}

/** A server, as one reaches it. */
export type Target =
  /** "ws://127.0.0.1:7351/ws", or "wss:" behind a proxy that does TLS. */
  | { webSocket: string }
  /** A program that is spawned and speaks over its standard input and output; in Node only. */
  | { command: readonly string[]; cwd?: string; env?: { [name: string]: string | undefined } }
  /** "127.0.0.1:7351"; in Node only. */
  | { tcp: string }
  /** The path of a Unix socket; in Node only. */
  | { unix: string }
  /** Anything else that carries messages. Called for each connection. */
  | { transport: (handlers: TransportHandlers) => Transport };

/** One connection of your own making. */
export interface Transport {
  /** Sends one message. */
  send(text: string): void;
  /** Ends in good order: what was sent still goes out. */
  end(): void;
  /** Ends at once. */
  abort(): void;
}

/** The calls that your own transport makes. */
export interface TransportHandlers {
  /** Something can be sent. */
  opened(): void;
  /** One message came. */
  received(text: string): void;
  /** Once, whatever is the reason; nothing is called afterwards. */
  closed(error: Error): void;
  log(entry: LogEntry): void;
}

export interface Options {
  /** Aborts the first connection: `connect` rejects with its reason. Has no effect afterwards. */
  signal?: AbortSignal;
  /** Where the server wants one. */
  token?: string;
  /** The client's name and version, for the server. */
  clientInfo?: { name: string; version?: string };
  /**
   * By it a session knows who has sent which events: keep one for whatever comes back, as a tab over its reloads. It
   * differs from that of every other client, has at most 250 bytes, and isn't secret. By default it is random.
   *
   * It belongs to one view of a session at a time: a newer one ends the older ("replaced"). Further views of one client
   * on one session have a number behind it.
   */
  clientName?: string;
  /** Whether views are told who is here (`View.views`); false by default. */
  views?: boolean;
  /**
   * Whether a lost connection is made again (true by default); never where the server was spawned.
   * By default the first delay is 200 ms and the longest 10,000 ms.
   */
  reconnect?: boolean | { initialDelay?: number; maxDelay?: number };
  /** The framing of messages over stdio, TCP and Unix sockets: "headers" by default. */
  framing?: "headers" | "lines";
  /** Milliseconds until a connection is given up that isn't there: 10,000. */
  connectTimeout?: number;
  /** Milliseconds without any message until the server is asked whether it is there: 30,000; 0 doesn't ask. */
  keepAlive?: number;
  /**
   * Milliseconds from ping to ping while an answer is waited for: 5,000; 0 for `keepAlive`. So it is noticed within twice
   * that time that a server stands still, or that a connection has lost its other end, and that a server can't store
   * anything (`stall`). A handler may take as long as it likes. The connection is made again, or, where it can't be, the state is "silent".
   */
  answerTimeout?: number;
  /** Milliseconds that the server has to end when the client is closed: 2,000. */
  closeTimeout?: number;
  /** In place of the WebSocket that the browser or Node has. */
  WebSocket?: new (url: string) => any;
  /** In place of the clock, for tests. */
  timers?: Partial<Timers>;
  /** As `client.on` adds them, but in time for the first connection. */
  listeners?: { [Kind in keyof ClientListeners]?: ClientListeners[Kind] };
}

export interface Timers {
  setTimeout(call: () => void, delay: number): any;
  clearTimeout(timer: any): void;
  /** Milliseconds. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
}

/**
 * "waiting" is for the next try; "closed" is for good. "silent": the server doesn't answer, and the client doesn't make
 * another connection; it is "connected" again when something comes.
 */
export type State = "connecting" | "connected" | "silent" | "waiting" | "closed";

export interface StateDetails {
  /** While waiting: milliseconds until the next try, when that is, and how many failed. */
  delay?: number;
  at?: number;
  attempt?: number;
  /** When closed: why. */
  reason?: string;
  /** When closed or silent: why, in words. */
  message?: string;
  /** The error. */
  error?: Error;
}

export interface LogEntry {
  level: "error" | "warning" | "info" | "log";
  message: string;
  /** The server's notification, its trace, or the standard error of a server that was spawned. */
  source: "server" | "trace" | "stderr";
}

export interface ClientListeners {
  state(state: State, details: StateDetails): void;
  /** Each message as it comes and goes, for an inspector. */
  message(entry: { direction: "in" | "out"; message: any; at: number }): void;
  log(entry: LogEntry): void;
  /** `Client.stall` is another one. */
  stall(stall: string | undefined): void;
  /** An error that no promise reports: a server that breaks the protocol, a listener that throws. */
  error(error: Error): void;
}

/** The server's error answer; with code 0, an error that the client found itself. */
export class ViewModelError extends Error {
  /** As the protocol has them, such as -32014. */
  readonly code: number;
  /**
   * The code's name, such as "ViewModelFailed"; with code 0 "ConnectionLost", "Closed", "ProtocolError", "ParseError",
   * "EventsSkipped" (more came than is kept, before anything asked for it; `data.count` says how many are lost),
   * "ListChanged" (rows of a list changed that its iteration had given).
   */
  readonly name: string;
  /**
   * Depends on the code: `data.refused`, `data.path`, `data.known`… Of "ConnectionLost" `data.isSilent` is true where
   * the server didn't answer; else the connection was ended.
   */
  readonly data?: any;
  /** The error that led to it, where there is one: of a lost connection, that of the socket. */
  readonly cause?: unknown;
  constructor(code: number, message: string, data?: any, name?: string, options?: { cause?: unknown });
}

/** Rejects where the first connection fails. */
export function connect<Models extends { [Name in keyof Models]: ViewModelTypes } = AnyViewModels>(
  target: Target,
  options?: Options,
): Promise<Client<Models>>;

/** A view model as the server names it. An older server tells no types. */
export interface NamedViewModel {
  readonly name: string;
  readonly type?: string;
  /** Undefined where each `open` makes a new session. */
  readonly scope?: Scope;
}

/** A server, over all reconnects. */
export interface Client<Models extends { [Name in keyof Models]: ViewModelTypes } = AnyViewModels> {
  readonly state: State;
  /** Whether there is no connection, or it is of no use, since the server doesn't answer; false where it was ended. */
  readonly isSilent: boolean;
  /**
   * Why the server can't store anything now, in words ("the disk is full"), while something waits for that; undefined
   * else. What was sent is done, once, when it can.
   */
  readonly stall: string | undefined;
  /** The view models that can be opened. */
  readonly viewModels: NamedViewModel[];
  /** Those that only other view models show. */
  readonly children: NamedViewModel[];
  /**
   * The Swift type with its module, such as "Finder.FinderViewModel", of a view model that can be opened or shown: by it
   * one chooses a view for it, since a name may be another server's too. Undefined where the server doesn't tell it.
   */
  typeOf(viewModel: string): string | undefined;
  /** The scope of a view model that can be opened; undefined where it has none. */
  scopeOf(viewModel: string): Scope | undefined;
  readonly serverInfo?: { name: string; version?: string };
  readonly capabilities: { [name: string]: any };
  readonly limits: { [name: string]: number };

  /**
   * Opens a new session; while there is no connection it waits for one. Where the answer is lost with its connection it
   * is asked for again, by a name (`once`) under which the server knows the session. A server that is older opens a
   * second one, and the first ends by itself. Without `reconnect` it rejects with "ConnectionLost".
   *
   * Of a view model with a scope it gives the one session that there is for equal arguments. Where that was there before,
   * a snapshot comes first, as after `attach`.
   */
  open<Name extends keyof Models & string>(
    viewModel: Name,
    ...opening: OpenArguments<Models[Name]["arguments"]>
  ): Promise<View<Name, Models>>;
  /**
   * Adds a view to a session that runs. With `since`, the events after it follow, unless `epoch` (a view's, with its
   * `seq`) names a history that the session no longer has; else a snapshot comes first.
   */
  attach<Name extends keyof Models & string = any>(
    key: string,
    options?: CallOptions & { since?: number; epoch?: string },
  ): Promise<View<Name, Models>>;
  /** The sessions that this client's person may come back to, those used last first. Attach with their keys. */
  keptSessions(options?: CallOptions): Promise<KeptSession[]>;
  /** The JSON Schemas of a view model. */
  describe(viewModel: string, options?: CallOptions): Promise<Description>;
  /** Sends any request; while there is no connection it waits for one. */
  request(method: string, params?: object, options?: CallOptions): Promise<any>;
  /** Calls the listener until what is returned is called. */
  on<Kind extends keyof ClientListeners>(kind: Kind, listener: ClientListeners[Kind]): () => void;
  /** Tries to connect now instead of when the wait is over. */
  reconnect(): void;
  /**
   * Ends the connection for good, and ends no session that one can come back to: the server keeps those of durable view
   * models, those that `open` finds, and those that others watch. `View.endSession` ends one.
   *
   * Waits for the answers to events first, for a second at most, also while the connection is lost; other requests are
   * refused from now on. The `send` of an event that isn't answered by then rejects with "UnknownSession", and `dropped`
   * of its view has it: where `isSent` is true, it may have been handled.
   */
  close(): Promise<void>;
}

/** A session that a person may come back to. */
export interface KeptSession {
  readonly key: string;
  readonly viewModel: string;
  /** Those that it was opened with; undefined where there were none. */
  readonly arguments?: any;
  /** What it is about, in a few words, where its view model says so. */
  readonly title?: string;
  /** When somebody last had a view of it (RFC 3339, UTC): now, where somebody has. */
  readonly lastUsed: string;
  /** How many views it has; undefined where another server has it. */
  readonly views?: number;
  /** The server that has it, in words, where several share a store. */
  readonly server?: string;
}

/** A view of a session, as others see that it is there. Its names come from other clients. */
export interface PresentView {
  /** The name under which its client numbers events. */
  readonly client?: string;
  /** The name of the program. */
  readonly program?: string;
  /** The name of the person's token. */
  readonly principal?: string;
  /** "read" where it may only look. */
  readonly access?: "read";
  /** Whether it is the view that is told. */
  readonly you: boolean;
}

/** JSON Schemas (draft 2020-12). */
export interface Description {
  name: string;
  arguments: any;
  viewEvent: any;
  viewModelEvent: any;
  /** The lists by their names: the schema of a row, and the member that identifies it. */
  lists?: { [name: string]: { row: any; id?: string } };
  $defs?: { [name: string]: any };
}

/** A view model that is on screen on top of or over another; attach with its key. */
export interface Child {
  viewModel: string;
  key: string;
}

/** The children that are pushed on a view (the lowest first), and the one that is presented over it. */
export interface Navigation {
  stack: Child[];
  presented: Child | null;
}

export type NavigationAction =
  | { action: "push" | "present"; viewModel: string; key: string }
  | { action: "pop" | "dismiss"; key: string };

export interface EventDetails {
  /** The event's number. */
  seq: number;
  /** Another event of the same turn follows at once, so that a View can paint once. */
  more: boolean;
  /** It is one of the events that tell a new view what is. */
  isSnapshot: boolean;
}

export interface Closed {
  /**
   * The server's ("closed", "dismissed", "popped", "failed", "serverShutdown", "replaced": a newer view has the client's
   * name), or the client's: "detached", "gone" (ended while the connection was lost), "connectionLost" (for good).
   */
  reason: string;
  /** The same in words. */
  message: string;
}

/** An event that a program has sent, as it was then. */
export interface SentEvent<Event = any> {
  event: Event;
  /** It has gone to the server, which may have handled it. Else it certainly wasn't handled. */
  isSent: boolean;
}

/** What becomes of an event that a program sends. */
export interface Delivery<Event = any> extends SentEvent<Event> {
  /**
   * "pending": it waits; "sent": it is on its way, or with the view model; "settled": it was answered, or aborted;
   * "dropped": the session ended before it was answered, or the server doesn't know any more whether it took it. The
   * last two end it, and settle the promise of `send`.
   */
  state: "pending" | "sent" | "settled" | "dropped";
}

/** An iteration of a view's events. */
export interface EventIterator<Event> extends AsyncIterator<Event> {
  /** How many events came before the first that it has. */
  readonly skipped: number;
}

/** Events to iterate. */
export interface Events<Event> extends AsyncIterable<Event> {
  [Symbol.asyncIterator](): EventIterator<Event>;
}

/** The rows of a view model's lists, by their names. */
export type ListsOf<Types> = "lists" extends keyof Types ? Types["lists"] : {};

/** So many rows went at an index, and so many came in their place. An update is one of each. */
export interface ListEdit {
  at: number;
  removed: number;
  inserted: number;
}

export interface ListChange {
  /** In their order; empty where rows came and none changed, null where any row may be another. */
  edits: ListEdit[] | null;
  /** How many rows there are now. */
  count: number;
  /** The number of the event, or that of the rows that came. */
  seq: number;
  /** Another event of the same turn follows at once, so that a View can paint once. */
  more: boolean;
}

export interface ListListeners {
  /** Once for each event, and when rows came. The list is as the change says, and what it shows may be painted. */
  change(change: ListChange): void;
  /** The rows that are shown can't be had. Without a listener, the client's "error" listeners are told. */
  error(error: Error): void;
}

/** A place that stays with its row over changes; where the row goes, it is that of the next one. */
export interface ListAnchor {
  readonly index: number;
  moveTo(index: number): void;
  release(): void;
}

/** Where the row at an index is after the edits; null where it went, or where the edits are. */
export function indexAfter(edits: readonly ListEdit[] | null, index: number): number | null;

/**
 * A list of any length. Only the rows on screen, and some around them, are asked for and kept: those that came stay
 * through changes and lost connections.
 *
 * Its rows are of one version at any time, and `count` is of the same: that of the list's newest event.
 */
export interface List<Row = any> extends AsyncIterable<Row> {
  /** 0 until the list's first event. */
  readonly count: number;
  /** Undefined where it isn't here: a "change" tells when it comes. */
  row(index: number): Row | undefined;
  /**
   * Says which rows are on screen, as often as one likes. Missing ones are asked for, with a screen before and after
   * them. One request is on its way at a time; it is cancelled when its rows are out of sight.
   */
  show(first: number, count: number): void;
  /** Asks again for what the server refused; `show` does so for other rows. */
  retry(): void;
  /**
   * The index of the selected row, which moves with it. Null where none is selected, where the row went, and, after a
   * change without edits, until it comes into sight again. It is known by its identity.
   */
  readonly selected: number | null;
  select(index: number | null): void;
  /** Keep one for the first row on screen, and scroll to it after a "change". */
  anchor(index: number): ListAnchor;
  on<Kind extends keyof ListListeners>(kind: Kind, listener: ListListeners[Kind]): () => void;
  /**
   * All rows from the first on, by pages (`pageSize`: as many as the server gives at once). At its end one has the list
   * as it is then: rows that are added or change further on are read as they are. When a row changes, comes or goes
   * before the one that is next, it throws "ListChanged"; whoever wants the list then begins again.
   */
  all(options?: CallOptions & { pageSize?: number }): AsyncIterableIterator<Row>;
  /** The same as `all()`. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Row>;
}

/**
 * A view of one session, over all reconnects.
 *
 * Events that arrive before the first listener are held for it, and for all that are added in the same turn.
 */
export interface View<
  Name extends keyof Models = any,
  Models extends { [Name in keyof Models]: ViewModelTypes } = AnyViewModels,
> {
  readonly viewModel: Name;
  /** With it, any client may attach to the same session. */
  readonly key: string;
  /** The number of the newest event that came. */
  readonly seq: number;
  /** Which history the number is of: keep it with the number. Undefined where the server doesn't say. */
  readonly epoch: string | undefined;
  /** "read" where the key only lets one look: what sends is refused with "Forbidden". Undefined where it allows all. */
  readonly access: "read" | undefined;
  /** Who is here, this view among them; empty where the client was made without `views`. */
  readonly views: readonly PresentView[];
  /** The children on and over this view. */
  readonly navigation: Navigation;
  /** Null until the view is closed. */
  readonly closed: Closed | null;
  /** Whether its events come now. While it isn't (a lost connection, a silent server), what is shown may be old. */
  readonly isAttached: boolean;
  /** `Client.stall`, where something that this view has sent waits for it; undefined else. */
  readonly stall: string | undefined;
  /** The events that `send` took and that aren't answered, in their order. */
  readonly pending: SentEvent<Models[Name]["viewEvent"]>[];
  /**
   * The events that are given back: those that were lost with the session (when `onClosed` is called, all that waited),
   * and those of which the server doesn't know any more whether it took them.
   */
  readonly dropped: SentEvent<Models[Name]["viewEvent"]>[];

  /**
   * Resolves when the view model has handled it, and all that it said meanwhile has come. Rejects with what the view
   * model threw, or what the server refused.
   *
   * While there is no connection it waits, and is applied once whatever happens to connections. Where one is lost
   * before the answer, it resolves when the server says that it took it; what the answer was is lost.
   *
   * `onProgress` is called with the "begin", "report" and "end" of the event's progress: also after this has resolved,
   * where the view model goes on with the work. An "end" follows each "begin", at the latest when the view is closed or
   * the connection is lost.
   *
   * Rejects with "UnknownSession" where the session ends first, and with "ConnectionLost" where the server has forgotten
   * this client and what it took from it; `dropped` then has the event. Aborted, it is cancelled
   * where it waits or runs, and may have had its effect.
   */
  send(
    event: Models[Name]["viewEvent"],
    options?: CallOptions & { onProgress?: (value: any) => void },
  ): Promise<void>;
  /**
   * The view model's events, until the view is closed: for the first iteration from the first event on (of which
   * the newest 1,024 are kept, or 8 MiB of them), for others from when they begin. `skipped` of the iterator says how
   * many it hasn't; where the first one is too late for all, the client's "error" listeners hear of it as well.
   */
  readonly events: Events<Models[Name]["viewModelEvent"]>;
  /**
   * The view model's list of this name, the same object each time. It is as the newest event says, also before the
   * first listener is called. Rows are known by their member `id`, unless the option names another, or null for none.
   */
  list<ListName extends keyof ListsOf<Models[Name]> & string>(
    name: ListName,
    options?: { id?: string | null },
  ): List<ListsOf<Models[Name]>[ListName]>;
  /** Calls the listener for each event of this kind ("*": of any), until what is returned is called. */
  on<Kind extends KindOf<Models[Name]["viewModelEvent"]>>(
    kind: Kind,
    listener: (event: EventOf<Models[Name]["viewModelEvent"], Kind>, details: EventDetails) => void,
  ): () => void;
  on(kind: "*", listener: (event: Models[Name]["viewModelEvent"], details: EventDetails) => void): () => void;
  onAny(listener: (event: Models[Name]["viewModelEvent"], details: EventDetails) => void): () => void;
  onNavigation(listener: (action: NavigationAction) => void): () => void;
  /** Called as events that are sent wait, go, and are answered or lost. */
  onDelivery(listener: (delivery: Delivery<Models[Name]["viewEvent"]>) => void): () => void;
  /** Called when `isAttached` changes, until the view is closed. */
  onAttached(listener: (isAttached: boolean) => void): () => void;
  /** Called with `views` when somebody has come or gone. */
  onViews(listener: (views: readonly PresentView[]) => void): () => void;
  /** Called when `stall` changes. */
  onStall(listener: (stall: string | undefined) => void): () => void;
  /** Called before the events of a snapshot: what is shown so far, children included, is to be forgotten. */
  onSnapshot(
    listener: (events: Models[Name]["viewModelEvent"][], details: { seq: number; navigation: Navigation }) => void,
  ): () => void;
  /** Called once; where the view is closed already, soon. */
  onClosed(listener: (closed: Closed) => void): () => void;
  /** A key for others, with which they see the session and do nothing else. The same each time; it goes with the session. */
  readKey(): Promise<string>;
  /** Leaves the session: to its other views, or to whoever comes back with its `key` before the server ends it. */
  detach(): Promise<void>;
  /**
   * Ends the session for everyone, and removes what is stored of it: for when a person says so. One of the scope
   * "everyone" stays for the others.
   */
  endSession(): Promise<void>;
  /** Goes back from a child. Rejects with `data.refused` where the view model stays. */
  back(): Promise<void>;
}
