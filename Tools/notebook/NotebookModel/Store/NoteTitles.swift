import ChangeTracking
import ObjectStore

/// What notes are called, by their sync IDs, for messages about some of them.
struct NoteTitles {
  private let notebook: Notebook?
  private let inverses: [MergeInverse]

  /// Knows none.
  init() { (notebook, inverses) = (nil, []) }

  /// Knows those of a notebook.
  ///
  /// - Parameter inverses: tell what notes were called that a merge has just deleted.
  init(_ folder: NotebookFolder, beside inverses: [MergeInverse] = []) throws {
    notebook = try Notebook(folder, for: .reading)
    self.inverses = inverses
  }

  subscript(syncID: String) -> String? {
    let note = try? notebook?.note(syncID)
    let title = note?.title ?? formerTitle(syncID)
    return title.flatMap { $0.isEmpty ? nil : $0 }
  }

  private func formerTitle(_ syncID: String) -> String? {
    let object = SyncID(syncID)
    return inverses.lazy.compactMap { inverse in
      if case .string(let title)? = inverse.former("title", of: object) { title } else { nil }
    }.first
  }

  /// A note as messages name it.
  func shown(_ syncID: String) -> String { self[syncID].map { "“\($0)” (\(syncID))" } ?? syncID }
}
