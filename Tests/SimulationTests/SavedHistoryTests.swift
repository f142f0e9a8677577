import Testing

@testable import ProtocolSimulation

/// What the simulation of the protocol takes for right in the end.
@Suite struct SavedHistoryTests {
  private var history = SavedHistory()

  @Test mutating func `a note that was pushed and never deleted must show its last text`() {
    history.saved("note", "one", on: "a", over: nil)
    history.pushed(by: "a")
    history.saved("note", "two", on: "b", over: "one")
    history.pushed(by: "b")
    #expect(history.violations(of: ["note": "two"]).isEmpty)
    #expect(!history.violations(of: ["note": "one"]).isEmpty)
    #expect(!history.violations(of: [:]).isEmpty)
    #expect(!history.violations(of: ["note": "two", "other": "x"]).isEmpty)
  }

  @Test mutating func `what was pushed outlasts the restoration of the store that wrote it`() {
    let backup = history.backup(of: "a")
    history.saved("note", "one", on: "a", over: nil)
    history.pushed(by: "a")
    history.restored("a", from: backup)
    #expect(!history.violations(of: [:]).isEmpty)
  }

  @Test mutating func `what was not pushed when the store was restored may be lost`() {
    let backup = history.backup(of: "a")
    history.saved("note", "one", on: "a", over: nil)
    history.restored("a", from: backup)
    #expect(history.violations(of: [:]).isEmpty)
    #expect(history.violations(of: ["note": "one"]).isEmpty)
  }

  @Test
  mutating func `what the storage lost, though the device synchronised since, may be lost with the store`() {
    let backup = history.backup(of: "a")
    history.saved("note", "one", on: "a", over: nil)
    history.pushed(by: "a")
    history.storageLost()
    // The device need not have noticed: its head is there.
    history.pushed(by: "a")
    #expect(!history.violations(of: [:]).isEmpty)
    history.restored("a", from: backup)
    #expect(history.violations(of: [:]).isEmpty)
  }

  @Test mutating func `a deletion that may be lost may have been seen by others before`() {
    history.saved("note", "one", on: "a", over: nil)
    history.pushed(by: "a")
    let backup = history.backup(of: "b")
    history.saved("note", nil, on: "b", over: "one")
    history.pushed(by: "b")
    history.storageLost()
    history.saved("note", "two", on: "a", over: "one")
    history.pushed(by: "a")
    history.restored("b", from: backup)
    #expect(history.violations(of: [:]).isEmpty)
    #expect(history.violations(of: ["note": "two"]).isEmpty)
  }

  @Test mutating func `what two copies both say first never outlives an edit in one`() {
    history.saved("note", "one", on: "a", over: nil)
    history.restored("b", from: history.backup(of: "a"))
    history.pushed(by: "a")
    history.saved("note", "two", on: "b", over: "one")
    history.pushed(by: "b")
    #expect(history.violations(of: ["note": "two"]).isEmpty)
    #expect(!history.violations(of: ["note": "one"]).isEmpty)
  }

  @Test(arguments: ["a", "b"])
  mutating func `what a copy says never outlives an edit of another device`(copy: String) {
    history.saved("note", "one", on: "a", over: nil)
    let backup = history.backup(of: "a")
    history.pushed(by: "a")
    history.saved("note", "two", on: "c", over: "one")
    history.pushed(by: "c")
    history.restored(copy, from: backup)
    history.pushed(by: copy)
    #expect(history.violations(of: ["note": "two"]).isEmpty)
    #expect(!history.violations(of: ["note": "one"]).isEmpty)
    #expect(!history.violations(of: [:]).isEmpty)
  }

  @Test(arguments: [false, true])
  mutating func `a note that was deleted before it was said stays deleted, though a copy says it`(
    isEdited: Bool
  ) {
    history.saved("note", "one", on: "a", over: nil)
    let backup = history.backup(of: "a")
    if isEdited { history.saved("note", "two", on: "a", over: "one") }
    history.saved("note", nil, on: "a", over: isEdited ? "two" : "one")
    history.pushed(by: "a")
    history.restored("b", from: backup)
    history.pushed(by: "b")
    #expect(!history.violations(of: ["note": "one"]).isEmpty)
    #expect(history.violations(of: [:]).isEmpty)
  }

  @Test mutating func `what is saved where a note shows without its name is of that note`() {
    history.saved("note", "one", on: "a", over: nil, object: "x")
    history.pushed(by: "a")
    history.saved("", "two", on: "b", over: "one", object: "x")
    history.pushed(by: "b")
    #expect(history.names == ["note"])
    #expect(history.violations(of: ["note": "two"]).isEmpty)
    #expect(!history.violations(of: ["note": "one"]).isEmpty)
    #expect(!history.violations(of: ["": "two"]).isEmpty)
    #expect(!history.violations(of: ["note": "two", "": "two"]).isEmpty)
    #expect(!history.violations(of: [:]).isEmpty)
    // Others have written to it meanwhile: one of the two shows.
    history.saved("note", "three", on: "a", over: "one", object: "x")
    history.pushed(by: "a")
    for text in ["two", "three"] { #expect(history.violations(of: ["note": text]).isEmpty) }
    #expect(!history.violations(of: [:]).isEmpty)
    // Another one that shows without a name is another.
    history.saved("other", "four", on: "a", over: nil, object: "y")
    history.saved("", "five", on: "b", over: "four", object: "y")
    #expect(history.violations(of: ["note": "two", "other": "five"]).isEmpty)
    #expect(!history.violations(of: ["note": "five", "other": "four"]).isEmpty)
  }

  @Test mutating func `a note may be gone if storage and store have lost its beginning, and only then`() {
    for isRestored in [false, true] {
      history = SavedHistory()
      let backup = history.backup(of: "a")
      history.saved("note", "one", on: "a", over: nil)
      history.pushed(by: "a")
      history.storageLost()
      history.saved("note", "two", on: "a", over: "one")
      history.pushed(by: "a")
      if isRestored { history.restored("a", from: backup) }
      #expect(history.violations(of: [:]).isEmpty == isRestored)
      #expect(history.violations(of: ["note": "two"]).isEmpty)
      #expect(!history.violations(of: ["note": "one"]).isEmpty)
    }
  }
}
