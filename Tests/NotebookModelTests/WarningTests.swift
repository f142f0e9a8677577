import ChangeTracking
import Testing

@testable import NotebookModel
@testable import SyncProtocol

/// What a person reads of warnings, of which whoever writes to the remote can bring about as many as he likes.
@Suite struct WarningTests {
  @Test func `each warning is a line, and one that is given several times has its number`() {
    #expect(
      SyncOutput.warnings(["One.", "Two.", "One.", "One."]) == ["warning: One. (3 times)", "warning: Two."])
  }

  @Test func `of thousands a hundred are printed, and the rest is counted`() {
    let lines = SyncOutput.warnings((0..<5_000).map { "Number \($0)." })

    #expect(lines.count == 101)
    #expect(lines.last == "warning: 4900 more; “notebook sync --json” tells all")
  }

  @Test func `what a warning quotes is made printable`() {
    #expect(SyncOutput.warnings(["“a\u{1b}[31m”"]).allSatisfy { !$0.contains("\u{1b}") })
  }

  @Test(arguments: [true, false])
  func `who waits for what was sent before its own store was restored is not told to synchronise itself`(
    isFormerSelf: Bool
  ) {
    let blocked = BlockedAuthor(
      author: AuthorID(bits: 7), name: "laptop", sequence: 3, obstacle: "is not there.", since: 0, syncs: 4,
      isFormerSelf: isFormerSelf)

    let sentence = SyncOutput.sentence(blocked)

    #expect(sentence.contains("Synchronise “laptop”") == !isFormerSelf, "\(sentence)")
    #expect(sentence.contains("ynchronise the other devices some times") == isFormerSelf, "\(sentence)")
  }
}
