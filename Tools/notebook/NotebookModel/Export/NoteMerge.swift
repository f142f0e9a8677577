import Foundation
import StoreAccess

/// Brings notes of an export into a notebook, by their identifiers.
///
/// A note that the notebook lacks is made. Of one that it has, title and text become those of the export if that was changed later; tags are
/// added, and none is taken off. So nothing that is newer is lost, and what is brought in twice changes nothing the second time.
struct NoteMerge {
  /// What came of it.
  struct Outcome: Equatable {
    var added = 0
    var changed = 0
    var unchanged = 0
    /// Notes that were changed later in the notebook, and say something else there.
    var newerHere: [String] = []
    /// Notes whose text had not arrived where they were exported.
    var incomplete: [String] = []
  }

  let notebook: Notebook

  /// Merges notes into the context; they are not saved yet.
  func merge(_ records: [NoteRecord]) throws -> Outcome {
    var outcome = Outcome()
    let known = Dictionary(try notebook.notes().map { ($0.syncID.uppercased(), $0) }) { first, _ in first }
    for record in records {
      try Task.checkCancellation()
      if !record.notArrived.isEmpty { outcome.incomplete.append(record.syncID) }
      guard let note = known[record.syncID.uppercased()] else {
        let time = record.created.map(Date.init(timeIntervalSinceReferenceDate:)) ?? Date()
        let note = try notebook.insertNote(
          title: record.title, content: record.content, tags: record.tags, at: time)
        note.ticdsSyncID = record.syncID
        note.modified = record.modified.map(Date.init(timeIntervalSinceReferenceDate:)) ?? time
        outcome.added += 1
        continue
      }
      let (tagged, written) = (try addTags(of: record, to: note), write(record, to: note, &outcome))
      if tagged || written { outcome.changed += 1 } else { outcome.unchanged += 1 }
    }
    return outcome
  }

  private func addTags(of record: NoteRecord, to note: Note) throws -> Bool {
    let missing = Set(record.tags).subtracting(note.tagNames)
    for name in missing.sorted() { note.$tags.insert(try notebook.tag(name)) }
    return !missing.isEmpty
  }

  private func write(_ record: NoteRecord, to note: Note, _ outcome: inout Outcome) -> Bool {
    let title = record.notArrived.contains("title") ? note.title : record.title
    let content = record.notArrived.contains("content") ? note.content : record.content
    guard !title.hasBytes(of: note.title) || !content.hasBytes(of: note.content) else { return false }
    guard isLater(record.modified, than: note.modified) else {
      outcome.newerHere.append(note.syncID)
      return false
    }
    if !title.hasBytes(of: note.title) { note.title = title }
    if !content.hasBytes(of: note.content) { note.content = content }
    note.modified = record.modified.map(Date.init(timeIntervalSinceReferenceDate:))
    return true
  }

  /// Whether a time is later, as far as an export tells times apart.
  private func isLater(_ time: Double?, than other: Date?) -> Bool {
    guard let time else { return false }
    guard let other = other?.timeIntervalSinceReferenceDate else { return true }
    return time - other > 1e-6
  }
}

extension String {
  /// Whether two texts are the same, not only look alike.
  fileprivate func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
