import ChangeTracking

/// The name of a file among the heads that proves who wrote it: what it says, and a code over that.
package protocol CodedName: Sendable {
  /// What names of this kind are for: part of what the code is over, so that none is taken for one of another kind.
  static var purpose: String { get }
  /// What the name says, without the code.
  var statement: String { get }
  /// The name.
  var name: RemoteName { get }
  /// Proves that a member of the document has written the name.
  var code: NameCode { get }
}

extension CodedName {
  /// The author in whose name it speaks of itself; `nil` where it speaks of others.
  var writer: AuthorID? {
    switch self {
    case let head as HeadName: head.author
    case let request as ResendRequest: request.asker
    case let name as RenamingName: name.author
    default: nil
    }
  }

  /// The authors that it names: all of them have taken part in the document that it is of.
  package var authors: [AuthorID] {
    switch self {
    case let mention as Mention: [mention.author]
    case let statement as Supersession: [statement.author, statement.former]
    case let floor as HistoryFloor: [floor.author]
    case let removal as RemovalName: [removal.author]
    default: [writer].compactMap { $0 }
    }
  }

  /// What stands between the dots of a name that ends as names of its kind do; `nil` if it does not, or if it is another number of parts.
  static func parts(of name: RemoteName, endingIn suffix: String, count: Int) -> [Substring]? {
    let text = name.description
    guard text.hasSuffix(suffix) else { return nil }
    let parts = text.dropLast(suffix.utf8.count).split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == count ? parts : nil
  }
}
