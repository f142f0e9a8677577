import ObjectStore
import Testing

/// Objects whose context is gone, or has let go of them.
@Suite struct OutlivingTests {
  private static func outliving(_ isFault: Bool = false) throws -> Note {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let folder = try context.insert(Folder.self) { $0.name = "f" }
    let note = try context.insert(Note.self) {
      $0.title = "kept"
      $0.folder = folder
    }
    try context.save()
    if isFault { context.refresh(note) }
    return note
  }

  @Test func `values that are in memory are still there`() throws {
    let note = try Self.outliving()
    #expect(note.title == "kept" && note.context == nil && !note.isGone)
  }

  @Test func `a deleted object keeps its last values, and takes no others`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let note = try context.insert(Note.self) { $0.title = "kept" }
    try context.save()
    context.delete(note)
    try context.save()
    note.title = "other"
    #expect(note.title == "kept" && note.isGone)
  }

  #if DEBUG
    @Test func `setting a value stops a debug build`() async {
      await #expect(processExitsWith: .failure) { try OutlivingTests.outliving().title = "dropped" }
    }

    @Test func `reading a value that is not in memory stops a debug build`() async {
      await #expect(processExitsWith: .failure) { _ = try OutlivingTests.outliving(true).title }
    }

    @Test func `asking for related objects stops a debug build`() async {
      await #expect(processExitsWith: .failure) { _ = try OutlivingTests.outliving().folder }
      await #expect(processExitsWith: .failure) { _ = try OutlivingTests.outliving().tags }
    }

    @Test func `an object that its context was reset from stops a debug build`() async {
      await #expect(processExitsWith: .failure) {
        let fixture = try TemporaryStore()
        let context = try fixture.store.newContext()
        let note = try context.insert(Note.self)
        try context.save()
        context.refresh(note)
        context.reset()
        _ = note.title
      }
    }
  #endif
}
