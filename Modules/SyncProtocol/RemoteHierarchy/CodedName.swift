/// The name of a file among the heads that proves who wrote it: what it says, and a code over that.
package protocol CodedName: Sendable {
  /// What names of this kind are for: part of what the code is over, so that none is taken for one of another kind.
  static var purpose: String { get }
  /// What the name says, without the code.
  var statement: String { get }
  /// Proves that a member of the document has written the name.
  var code: NameCode { get }
}

extension CodedName {
  /// What stands between the dots of a name that ends as names of its kind do; `nil` if it does not, or if it is another number of parts.
  static func parts(of name: RemoteName, endingIn suffix: String, count: Int) -> [Substring]? {
    let text = name.description
    guard text.hasSuffix(suffix) else { return nil }
    let parts = text.dropLast(suffix.utf8.count).split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == count ? parts : nil
  }
}
