package import WebClient

/// A file of the web client.
package struct WebFile: Sendable {
    /// The path in a request, such as "/index.html".
    package let path: String
    package let contents: [UInt8]

    package init(path: String, contents: [UInt8]) {
        self.path = path
        self.contents = contents
    }

    /// The name of the user's own views' main file, which loads the others.
    package static let ownViews = "views.js"

    /// Makes a file of the user's own views, under the path `/own/`.
    package init(own name: String, contents: [UInt8]) {
        self.init(path: "/own/\(name)", contents: contents)
    }

    /// The files that are embedded in every executable.
    package static var embedded: [WebFile] {
        (0..<web_client_file_count()).map { WebFile(embedded: web_client_file($0)) }
    }

    /// Copies a file that is embedded in the executable.
    package init(embedded file: web_client_file) {
        let bytes = UnsafeRawBufferPointer(start: file.bytes, count: file.length)
        self.init(path: "/\(String(cString: file.name))", contents: Array(bytes))
    }

    /// The file, with a script that shows the state of the build where it is the main page.
    var showingBuild: WebFile {
        guard path == "/index.html" else { return self }
        let script = #"<script type="module" src="build-state.js"></script>"#
        let text = String(decoding: contents, as: UTF8.self)
        return WebFile(path: path, contents: Array(text.replacing("</head>", with: "\(script)</head>").utf8))
    }

    /// The media type, by the suffix of the file's name.
    var contentType: String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "json": "application/json"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        default: "application/octet-stream"
        }
    }

    /// A hash of the contents (FNV-1a), so that a browser that has them needn't load them again.
    var entityTag: String {
        let hash = contents.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "\"\(String(hash, radix: 16))\""
    }
}
