import CommandLineTool
import Foundation

/// Where a remote lies, as a person writes it: a path, or a `file://` URL.
public struct RemoteLocation: Equatable {
  /// Absolute path of a folder.
  public let path: String

  /// Interprets what a person wrote. Nothing is looked up.
  public init(_ text: String) throws(ToolFailure) {
    if let scheme = text.firstMatch(of: /^([A-Za-z][A-Za-z0-9+.-]+):\/\//)?.1.lowercased() {
      guard scheme == "file", let url = URL(string: text), url.isFileURL, url.host() ?? "" == "" else {
        throw .usage("“\(text)” is no remote that is known", advice: "name a folder or a file:// URL")
      }
      path = Self.path(of: url)
    } else {
      guard !text.isEmpty else { throw .usage("the remote's name is empty") }
      path = Self.path(of: URL(filePath: text))
    }
  }

  private static func path(of url: URL) -> String {
    let path = url.standardizedFileURL.path(percentEncoded: false)
    return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }
}
