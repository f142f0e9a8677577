import Foundation
import ProcessTesting
import Testing

/// What `Docs/WebDAV.md` says that servers cannot do: the laws that do not apply or are broken, by server.
struct DeclaredLimits {
  /// What a server makes of a law.
  enum Limit {
    /// The law is kept.
    case none
    /// The law does not apply, or the server breaks it.
    case always
    /// The server breaks the law where requests meet in an unlucky moment, so one run or another does not find it.
    case atTimes
  }

  /// The servers over which a law does not hold, when they are known and when they are not.
  private var limits: [String: (known: Set<String>, unknown: Set<String>)] = [:]

  init() throws {
    let page = Checkout.root.appending(path: "Docs/WebDAV.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let section = try #require(text.components(separatedBy: "## What servers cannot do\n").last)
    for line in section.split(separator: "\n") where line.hasPrefix("| “") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 5 else {
        throw CocoaError(.formatting, userInfo: [NSDebugDescriptionErrorKey: String(line)])
      }
      limits[cells[0].trimmingCharacters(in: ["“", "”"])] = (Self.servers(cells[1]), Self.servers(cells[2]))
    }
  }

  private static func servers(_ cell: String) -> Set<String> {
    if cell == "all" { return Set(LocalServer.Kind.allCases.map(\.rawValue)) }
    return cell == "none" ? [] : Set(cell.components(separatedBy: ", "))
  }

  /// The laws that the page names.
  var laws: Set<String> { Set(limits.keys) }

  /// What the page says of a law over a server.
  func limit(_ law: String, _ kind: LocalServer.Kind, isKnown: Bool) -> Limit {
    // What is true of listings is true of their pages.
    guard let limit = limits[law.replacing(", page by page", with: "")] else { return .none }
    let servers = isKnown ? limit.known : limit.unknown
    if servers.contains(kind.rawValue) { return .always }
    return servers.contains("\(kind.rawValue) (at times)") ? .atTimes : .none
  }
}
