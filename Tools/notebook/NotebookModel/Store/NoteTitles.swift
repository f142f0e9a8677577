import ObjectStore

/// What notes are called, by their sync IDs, for messages about some of them.
struct NoteTitles {
  private let notebook: Notebook?

  /// Knows none.
  init() { notebook = nil }

  /// Knows those of a notebook.
  init(_ folder: NotebookFolder) throws { notebook = try Notebook(folder, for: .reading) }

  subscript(syncID: String) -> String? {
    let note = try? notebook?.note(syncID)
    return (note?.title).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A note as messages name it.
  func shown(_ syncID: String) -> String { self[syncID].map { "“\($0)” (\(syncID))" } ?? syncID }
}
