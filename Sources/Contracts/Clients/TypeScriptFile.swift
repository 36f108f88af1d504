/// The file `view-models.d.ts`: the types of arguments and events for clients in JavaScript and TypeScript.
///
/// The file has types only, and needs no other file.
package struct TypeScriptFile {
    package static let name = "view-models.d.ts"

    package let text: String

    package init(_ contracts: [ViewModelContract]) {
        var source = SourceText(indentation: "  ")
        source.lines(Self.head.split(separator: "\n", omittingEmptySubsequences: false))
        var names = SourceNames(reserved: Self.reserved)
        let namespaces = contracts.map { TypeScriptNamespace($0, name: names.type($0.name)) }
        for namespace in namespaces {
            source.line()
            namespace.write(into: &source)
        }
        source.line()
        Self.writeMap(of: namespaces, into: &source)
        source.line()
        source.lines(Self.client.split(separator: "\n", omittingEmptySubsequences: false))
        text = source.text
    }

    private static func writeMap(of namespaces: [TypeScriptNamespace], into source: inout SourceText) {
        source.typeScriptComment("Every view model of the server, by its name.")
        source.line("export interface ViewModels {")
        source.indented { source in
            for namespace in namespaces {
                source.line("\(TypeScriptTypes.memberName(namespace.contract.name)): {")
                source.indented { source in
                    source.line("arguments: \(namespace.arguments);")
                    source.line("viewEvent: \(namespace.name).ViewEvent;")
                    source.line("viewModelEvent: \(namespace.name).ViewModelEvent;")
                    if let scope = namespace.contract.scope {
                        source.line("/** Who finds the same session again by opening it. */")
                        source.line("scope: \(SourceLiteral.quoted(scope));")
                    }
                    if !namespace.contract.lists.isEmpty { source.line("lists: \(namespace.name).Lists;") }
                }
                source.line("};")
            }
        }
        source.line("}")
        source.line()
        let openable = namespaces.map(\.contract).filter(\.canBeOpened).map { SourceLiteral.quoted($0.name) }
        source.typeScriptComment("Those that a client can open; the others are shown by view models.")
        source.line("export type Openable =\(openable.isEmpty ? " never;" : "")")
        source.indented { source in
            for (index, name) in openable.enumerated() {
                source.line("| \(name)\(index == openable.count - 1 ? ";" : "")")
            }
        }
    }

    /// The file's own names, which no namespace and no type in one may have.
    static let reserved: Set<String> = [
        "Int64", "DateTime", "Base64", "UUID", "URLReference", "Empty", "ViewModels", "Openable", "KindOf", "EventOf",
        "OpenArguments", "Child", "Navigation", "NavigationAction", "View", "Client",
        // TypeScript's own names that the file uses.
        "Array", "AsyncIterable", "Promise", "Extract",
    ]

    private static let head = """
        // What the view models of this server and their clients say to each other.
        // Made by the server's command `contract --typescript`: what is changed by hand is lost.
        /// <reference lib="es2018.asynciterable" />

        /** A whole number of 64 bits. JavaScript's numbers hold it exactly from -2^53 to 2^53; beyond, digits are lost. */
        export type Int64 = number;
        /** A time by RFC 3339, as `Date` reads it and `toISOString` writes it: "2001-02-03T04:05:06Z". */
        export type DateTime = string;
        /** Bytes in base64 (RFC 4648, with padding). */
        export type Base64 = string;
        /** "E621E1F8-C36C-495A-93FC-0C247A3E6E5F" */
        export type UUID = string;
        /** A URL, or the part of one. */
        export type URLReference = string;
        /** An object without members. */
        export type Empty = { [name: string]: never };
        """

    private static let client = """
        /** The kinds of an event. */
        export type KindOf<Event> = Event extends { kind: infer Kind } ? Kind : never;
        /** The event of this kind. */
        export type EventOf<Event, Kind> = Extract<Event, { kind: Kind }>;
        /** May be left out where an object without members will do. */
        export type OpenArguments<Arguments> = {} extends Arguments ? [arguments?: Arguments] : [arguments: Arguments];

        /** A session that a view model shows: `client.attach<"orderDetails">(child.key)` gives it types. */
        export interface Child {
          viewModel: string;
          key: string;
        }

        /** The children that are pushed on a view (the lowest first), and the one that is presented over it. */
        export interface Navigation {
          stack: Child[];
          presented: Child | null;
        }

        /** A child comes on screen, or is taken off. */
        export type NavigationAction =
          | { action: "push" | "present"; viewModel: string; key: string }
          | { action: "pop" | "dismiss"; key: string };

        /** A view model as a client sees it. */
        export interface View<Name extends keyof ViewModels> {
          readonly viewModel: Name;
          /** With it, any client may attach to the same session. */
          readonly key: string;
          /** The number of the newest event that came. */
          readonly seq: number;
          /** The children on and over this view. */
          readonly navigation: Navigation;
          /** The events that `send` took and that aren't answered, in their order. */
          readonly pending: { event: ViewModels[Name]["viewEvent"]; isSent: boolean }[];
          /** The events that are given back: most were lost with the session. */
          readonly dropped: { event: ViewModels[Name]["viewEvent"]; isSent: boolean }[];
          /** Resolves when the view model has handled it, and all that it said meanwhile has come. */
          send(event: ViewModels[Name]["viewEvent"]): Promise<void>;
          /** What the view model says from now on, in order, until the view is closed. */
          readonly events: AsyncIterable<ViewModels[Name]["viewModelEvent"]>;
          /** Calls the listener for each event of this kind, until what is returned is called. */
          on<Kind extends KindOf<ViewModels[Name]["viewModelEvent"]>>(
            kind: Kind,
            listener: (event: EventOf<ViewModels[Name]["viewModelEvent"], Kind>) => void,
          ): () => void;
          /** Calls the listener for each child that comes or goes, until what is returned is called. */
          onNavigation(listener: (action: NavigationAction) => void): () => void;
          /** Goes back from a child, if its view model lets go. */
          back(): Promise<void>;
          /** Leaves the session: to its other views, or to whoever comes back. */
          detach(): Promise<void>;
          /** Ends the session for everyone, and removes what is stored of it. */
          endSession(): Promise<void>;
        }

        /** A connection to the server. */
        export interface Client {
          open<Name extends Openable>(
            viewModel: Name,
            ...opening: OpenArguments<ViewModels[Name]["arguments"]>
          ): Promise<View<Name>>;
          /** Shows a session that runs, such as one that a view model has pushed. Its view model isn't checked. */
          attach<Name extends keyof ViewModels>(key: string): Promise<View<Name>>;
          /** Ends the connection, and no session that one can come back to. */
          close(): Promise<void>;
        }
        """
}
