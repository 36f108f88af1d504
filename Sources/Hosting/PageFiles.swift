import FoundationEssentials
package import Serving

/// Reads the files that the web page has besides those of every executable.
package enum PageFiles {
    /// What is wrong with a folder of views.
    package struct Mistake: Error, CustomStringConvertible {
        package let description: String
    }

    /// The limit of bytes for the user's views, which are kept in memory.
    private static let mostBytesOfOwnViews = 16 << 20

    /// Returns all files of a folder with views of the user's own, which the page loads from `own/`.
    package static func ownViews(in folder: String) throws(Mistake) -> [WebFile] {
        let files = FileManager.default
        let names = ((try? files.subpathsOfDirectory(atPath: folder)) ?? []).sorted().filter { name in
            var isFolder = false
            let isHidden = name.split(separator: "/").contains { $0.hasPrefix(".") }
            return !isHidden && files.fileExists(atPath: "\(folder)/\(name)", isDirectory: &isFolder) && !isFolder
        }
        guard names.contains(WebFile.ownViews) else {
            throw Mistake(description: "the page's views: \(folder) has no \(WebFile.ownViews)")
        }
        var left = mostBytesOfOwnViews
        var read: [WebFile] = []
        for name in names {
            let path = "\(folder)/\(name)"
            left -= (try? files.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
            guard left >= 0 else {
                throw Mistake(
                    description: "the page's views: \(folder) has more than \(mostBytesOfOwnViews >> 20) MiB")
            }
            guard let contents = files.contents(atPath: path) else {
                throw Mistake(description: "the page's views: \(path) can't be read")
            }
            read.append(WebFile(own: name, contents: [UInt8](contents)))
        }
        return read
    }
}
