import CommandLineTool
import Foundation
import TICDSHTTP

/// Where a remote lies, as a person writes it: a path, a `file://` URL, `webdav://host[:port]/path` (`webdavs://` is WebDAV over
/// TLS), or `ubiquity:PATH`.
public enum RemoteLocation: Equatable, Sendable, CustomStringConvertible {
  /// The absolute path of a folder.
  case folder(String)
  /// The absolute path of a folder whose provider may keep content elsewhere, as iCloud Drive does.
  case ubiquity(String)
  /// A folder of a WebDAV server.
  case webDAV(HTTPAddress)

  /// Interprets what a person wrote. Nothing is looked up.
  ///
  /// - Throws: ``ToolFailure``, which does not repeat an address that is refused, for it may hold a password.
  public init(_ text: String) throws(ToolFailure) {
    if let path = text.firstMatch(of: /^(?i:ubiquity):(.*)/.dotMatchesNewlines())?.1 {
      guard !path.isEmpty else { throw .usage("the remote's name is empty") }
      self = .ubiquity(Self.path(of: URL(filePath: String(path))))
      return
    }
    guard let scheme = text.firstMatch(of: /^([A-Za-z][A-Za-z0-9+.-]+):\/\//)?.1.lowercased() else {
      guard !text.isEmpty else { throw .usage("the remote's name is empty") }
      self = .folder(Self.path(of: URL(filePath: text)))
      return
    }
    let rest = text.dropFirst(scheme.count + "://".count)
    switch scheme {
    case "file":
      guard let url = URL(string: text), url.isFileURL,
        ["", "localhost"].contains(url.host()?.lowercased() ?? "")
      else {
        throw .usage("the file:// URL is none of a folder on this device", advice: Self.known)
      }
      self = .folder(Self.path(of: url))
    case "webdav", "webdavs":
      do {
        let address = try HTTPAddress(scheme: scheme == "webdavs" ? .https : .http, rest: rest)
        // What follows these would not be a part of the path, and two folders would be one remote.
        for (mark, encoded) in [("?", "%3F"), ("#", "%23")] where rest.contains(mark) {
          throw ToolFailure.usage(
            "the remote's address holds “\(mark)”",
            advice: "write \(encoded) if it belongs to a folder's name")
        }
        self = .webDAV(address)
      } catch let refusal as HTTPAddress.Refusal {
        throw .usage("the remote's address is refused: \(refusal)", advice: Self.known)
      } catch let failure as ToolFailure {
        throw failure
      } catch {
        throw .usage("the remote's address is refused")
      }
    case "http", "https":
      throw .usage(
        "a remote does not begin with \(scheme)://",
        advice: "for a WebDAV share, write webdav\(scheme.dropFirst("http".count)):// instead")
    default: throw .usage("a remote of the kind \(scheme):// is not known", advice: Self.known)
    }
  }

  static let known = "name a folder, a file:// URL, webdavs://host/path, or ubiquity:PATH"

  /// As a person writes it.
  public var description: String {
    switch self {
    case .folder(let path): path
    case .ubiquity(let path): "ubiquity:\(path)"
    case .webDAV(let address):
      (address.scheme == .https ? "webdavs" : "webdav") + "://\(address.authority)\(address.path)"
    }
  }

  private static func path(of url: URL) -> String {
    let path = url.standardizedFileURL.path(percentEncoded: false)
    return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }
}
