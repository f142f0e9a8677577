/// The place of a file or folder on a remote, relative to the root that its back end was given.
///
/// A path can only be made of valid names, so it can never leave the root.
public struct RemotePath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The names from the root down; empty for the root.
  public let names: [RemoteName]

  /// The back end's root.
  public static let root = RemotePath([])

  /// Combines names, outermost first.
  public init(_ names: [RemoteName]) { self.names = names }

  /// Reads names that are separated by single slashes; the empty text is the root.
  public init?(_ text: some StringProtocol, _ grammar: NameGrammar = .portable) {
    guard !text.isEmpty else {
      self = .root
      return
    }
    var names: [RemoteName] = []
    for part in text.split(separator: "/", omittingEmptySubsequences: false) {
      guard let name = RemoteName(part, grammar) else { return nil }
      names.append(name)
    }
    self.names = names
  }

  /// The entry with the given name in this folder.
  public func appending(_ name: RemoteName) -> RemotePath { RemotePath(names + [name]) }

  /// The folder that holds this entry; `nil` for the root.
  public var parent: RemotePath? { names.isEmpty ? nil : RemotePath(Array(names.dropLast())) }

  /// The last name; `nil` for the root.
  public var name: RemoteName? { names.last }

  /// The names, separated by slashes.
  public var description: String { names.map(\.description).joined(separator: "/") }

  /// Orders name by name.
  public static func < (left: RemotePath, right: RemotePath) -> Bool {
    left.names.lexicographicallyPrecedes(right.names)
  }

  static func / (folder: RemotePath, name: RemoteName) -> RemotePath { folder.appending(name) }
}
