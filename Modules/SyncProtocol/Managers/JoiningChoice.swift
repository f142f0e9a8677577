/// What becomes of what a store holds when it joins a document that others have filled.
public enum JoiningChoice: String, Sendable, CaseIterable {
  /// Both are merged, and of what differs the later change wins. What a store held before it was recorded has no history, so everything that is
  /// known of the same objects wins over it.
  case merge
  /// Of what differs, what the document holds wins. To have the document alone, put its newest whole store in the place of the store first
  /// (``RemoteDocument/replaceStore(at:progress:opening:making:)``).
  case theirs
  /// Of what differs, what the store holds wins, on all devices. Objects that the document alone has are there as well, and those that
  /// others have deleted stay deleted.
  case ours

  /// How conflicts are decided until the store has been synchronised once; `nil` as always.
  var conflicts: ConflictHandling? {
    switch self {
    case .merge: nil
    case .theirs: .always(.remote)
    case .ours: .always(.local)
    }
  }
}
