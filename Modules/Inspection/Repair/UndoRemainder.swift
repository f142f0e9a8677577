import SyncProtocol

/// Something that undoing a repair has not given back as it was.
public struct UndoRemainder: Hashable, Sendable {
  /// Why.
  public struct Reason: Error, Hashable, Sendable {
    /// In a sentence.
    public let words: String
    /// Whether somebody else has put something there since; else the quarantine has lost what belongs there.
    public let isTakenByOthers: Bool

    init(_ words: String, isTakenByOthers: Bool = false) {
      self.words = words
      self.isTakenByOthers = isTakenByOthers
    }

    static let taken = Reason("Something else lies there by now.", isTakenByOthers: true)
  }

  /// Where on the remote; `nil` if the quarantine does not tell.
  public let path: RemotePath?
  /// Why.
  public let reason: Reason
}

/// A device that has written into a document since that was made anew.
public struct LaterWriter: Hashable, Sendable {
  /// Its author.
  public let author: String
  /// What people call it, where that was known when the document was made anew.
  public let name: String?
  /// Its newest head.
  public let head: RemotePath
}
