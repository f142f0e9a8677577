/// What a server has been seen to do. Everything that is not known to be so is taken not to be: the back end is right with
/// any server, and makes fewer requests to one that it knows.
public struct ServerTraits: Hashable, Sendable, Codable {
  /// A file that is being written by `PUT` is not seen before it is complete, and one that is replaced is seen whole.
  public var writesAtomically = false
  /// `PUT` is refused where a folder lies.
  public var keepsFolders = false
  /// `PUT` into a folder that does not exist is refused.
  public var needsFolders = false
  /// `PUT` with `If-None-Match: *` is refused if the name is taken.
  public var honoursConditions = false
  /// `MOVE` renames files and folders.
  public var moves = true
  /// `MOVE` with `Overwrite: F` is refused if the name is taken.
  public var refusesToOverwrite = false
  /// `MKCOL` is refused if the name is taken.
  public var makesFoldersOnce = false
  /// Strong ETags are listed, and differ whenever contents do.
  public var tellsVersions = false

  /// Nothing is known.
  public init() {}

  /// Nothing is known.
  public static let unknown = ServerTraits()
}
