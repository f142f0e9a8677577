/// What somebody does to a file who can write to the storage and has no key, by the words of `Docs/Security.md`.
enum Attack: String, CaseIterable, Sendable {
  /// Files are added that only look like ours, or ours get an invented content.
  case forged
  /// What lay there once and was removed, in this document or in one that was deleted, is put back.
  case replayed
  /// Contents are exchanged between two files.
  case swapped
  case removed
  case emptied
  /// Only the first half is left.
  case cut
  /// Something else lies in its place: a link, a pipe, a folder.
  case linked
  /// It is huge, inflates to much, or there are thousands.
  case bombed

  /// The ways in which it is done.
  enum Way: String, Sendable {
    case plainly, linkToCopy, linkToNothing, pipe, otherKind, huge, inflating, many
  }

  var ways: [Way] {
    switch self {
    case .linked: [.linkToCopy, .linkToNothing, .pipe, .otherKind]
    case .bombed: [.huge, .inflating, .many]
    default: [.plainly]
    }
  }
}
